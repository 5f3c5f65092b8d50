// SPDX-License-Identifier: Apache-2.0
#include "gate/gate.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <optional>
#include "base/hash.h"
#include "gate/cases.h"
#include "gate/compare.h"
#include "gate/runner.h"
#include "op/parse.h"

namespace ww::gate {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr std::uint8_t poison_nan = 0xFF;     // NaN in every real type, -1 in the integers
constexpr std::uint8_t poison_large = 0x7F;   // large and finite in f32 and f64 (a maximum over NaN would hide the other one)
constexpr std::uint8_t poison_small = 0xA5;   // negative, and nearly zero in f32
constexpr int least_claimed = 3;              // the default and two others
constexpr double heavy_work = 1e8;           // of a case; above it, heavy_seeds input sets are enough
constexpr int heavy_seeds = 2;

struct JudgedCase {
  Case what;
  candidate::Plan plan;
  double work = 0;
  int ordinal = 0;       // among all cases
  int seeds = 0;         // to run
  bool main = false;     // the default, or the reduced one in its place: the one that is compared again and counted
};

std::string mebibytes(double bytes) { return std::to_string(static_cast<std::int64_t>(std::ceil(bytes / (1 << 20)))) + " MiB"; }

std::string without_stop(std::string sentence) {
  if (!sentence.empty() && sentence.back() == '.') sentence.pop_back();
  return sentence;
}

// Warp instructions after which a kernel is taken to hang: a hundred for each unit of work, as if one thread did everything badly.
std::uint64_t budget_for(double work) { return 2'000'000 + static_cast<std::uint64_t>(100 * work); }

class Judge {
 public:
  Judge(const Request& request, const Services& services, CancelToken cancel, const ProgressHandler& progress)
      : request_(request), services_(services), cancel_(cancel), progress_(progress) {}

  Result<Verdict> run() {
    const Clock::time_point start = Clock::now();
    Result<op::Spec> spec = op::parse_spec(request_.spec);
    if (!spec) return fail(spec.error());
    spec_ = std::move(*spec);
    verdict_.device = services_.device->facts().name;
    using Step = Status (Judge::*)();
    constexpr std::pair<Stage, Step> steps[] = {{Stage::contract, &Judge::contract}, {Stage::compile, &Judge::compile}, {Stage::smoke, &Judge::smoke},
                                                {Stage::cases, &Judge::cases},       {Stage::determinism, &Judge::determinism},
                                                {Stage::measure, &Judge::measure}};
    bool failed = false;
    for (const auto& [stage, step] : steps) {
      result_ = StageResult{};
      result_.stage = stage;
      if (failed) {
        result_.message = "not reached";
      } else if (stage == Stage::measure && !request_.measure) {
        result_.message = "not asked for";
      } else {
        const Clock::time_point stage_start = Clock::now();
        result_.outcome = Outcome::passed;
        try {
          if (Status s = (this->*step)(); !s) return fail(s.error());
        } catch (const std::bad_alloc&) {
          reject("the memory limit of the host process was reached");
        }
        result_.seconds = since(stage_start);
        failed = result_.outcome == Outcome::failed;
      }
      if (stage == Stage::determinism) verdict_.accepted = !failed;
      verdict_.stages.push_back(std::move(result_));
    }
    verdict_.seconds = since(start);
    return std::move(verdict_);
  }

 private:
  // Marks the stage as failed; a stage function returns this.
  Status reject(std::string message, std::string detail = {}) {
    result_.outcome = Outcome::failed;
    result_.message = std::move(message);
    result_.detail = std::move(detail);
    return {};
  }

  void report(std::string message, double fraction) {
    if (progress_) progress_({result_.stage, std::move(message), fraction});
  }

  Status contract() {
    report("reading the candidate", 0);
    Result<candidate::Candidate> parsed = candidate::parse(request_.candidate, request_.language);
    if (!parsed) {
      verdict_.candidate = Hasher().field(candidate::language_name(request_.language)).field(request_.candidate).hex();  // as candidate::parse makes it
      return reject(parsed.error().message, parsed.error().cause);
    }
    candidate_ = std::move(*parsed);
    verdict_.candidate = candidate_.hash;
    tuning_ = candidate::first_tuning(candidate_);
    if (Status s = candidate::check_contract(candidate_, spec_); !s) return reject(s.error().message, s.error().cause);

    const device::Facts& facts = services_.device->facts();
    const Result<std::vector<Case>> all = services_.references->cases(spec_, request_.binding, {facts.default_work_limit, facts.case_work_limit, cancel_});
    if (!all) return fail(all.error());
    const bool reduced = std::any_of(all->begin(), all->end(), [](const Case& c) { return c.name == "reduced"; });
    int ordinal = 0, claimed = 0;
    for (const Case& c : *all) {
      const Result<bool> claims = candidate::claims(candidate_, spec_, c.binding, tuning_);
      if (!claims) return refuse_case(c, claims.error());
      verdict_.coverage.push_back({c.name, c.binding, *claims, 0});
      const int number = ordinal++;
      if (!*claims) {
        if (c.name == "default") return reject("the candidate does not claim the default case: a \"require\" excludes it");
        continue;
      }
      ++claimed;
      Result<candidate::Plan> plan = candidate::plan(candidate_, spec_, c.binding, tuning_);
      if (!plan) return refuse_case(c, plan.error());
      if (c.name == "default" && reduced) continue;  // too large to be run here; its plan was checked
      const double bytes = tensor_bytes(c.binding, *plan);
      if (facts.memory > 0 && bytes > static_cast<double>(facts.memory)) {
        refuse_case(c, {Code::unsupported, "the tensors and temporaries of the case " + c.name + " need " + mebibytes(bytes) + ", the device " + facts.name +
                                               " has " + mebibytes(static_cast<double>(facts.memory)), {}});
        return {};
      }
      JudgedCase judged;
      judged.what = c;
      judged.plan = std::move(*plan);
      judged.work = case_work(spec_, c.binding).value_or(0);
      judged.ordinal = number;
      judged.seeds = std::max(1, judged.work > heavy_work ? std::min(heavy_seeds, request_.seeds) : request_.seeds);
      judged.main = c.name == (reduced ? "reduced" : "default");
      cases_.push_back(std::move(judged));
    }
    const int wanted = std::min<int>(least_claimed, static_cast<int>(all->size()));
    if (claimed < wanted)
      return reject("the candidate claims only " + std::to_string(claimed) + " of the " + std::to_string(all->size()) + " cases; at least " +
                    std::to_string(wanted) + " are needed, the default among them");
    if (std::none_of(cases_.begin(), cases_.end(), [](const JudgedCase& c) { return c.main; }))
      return reject("the default case is too large for the device " + facts.name + ", and the candidate does not claim the reduced one");
    // The main case last: whatever a smaller one shows is found sooner.
    std::stable_sort(cases_.begin(), cases_.end(), [](const JudgedCase& a, const JudgedCase& b) { return a.main < b.main; });
    result_.message = "claims " + std::to_string(claimed) + " of " + std::to_string(all->size()) + " cases";
    if (reduced) result_.message += "; the default is too large for " + facts.name + " and a reduced one takes its place";
    return {};
  }

  double tensor_bytes(const op::Binding& binding, const candidate::Plan& plan) const {
    double bytes = 0;
    for (const auto* params : {&spec_.inputs, &spec_.outputs})
      for (const op::Param& p : *params)
        if (const auto shape = op::shape_of(spec_, p, binding)) bytes += static_cast<double>(op::element_count(*shape)) * static_cast<double>(dtype_size(p.dtype));
    for (const candidate::PlannedTensor& t : plan.temps) bytes += static_cast<double>(t.count) * static_cast<double>(dtype_size(t.dtype));
    return bytes;
  }

  Status refuse_case(const Case& c, const Error& error) {
    if (error.code == Code::cancelled || error.code == Code::internal) return fail(error);
    reject(error.message, error.cause);
    result_.failure = Failure{};
    result_.failure->case_name = c.name;
    result_.failure->binding = c.binding;
    return {};
  }

  Status compile() {
    report("compiling", 0.02);
    ww::compile::Request request;
    request.language = candidate_.language;
    request.code = candidate_.text;
    request.architecture = request_.architecture;
    request.defines = tuning_;
    request.options = candidate_.options;
    Result<ww::compile::Output> output = services_.compiler->compile(request);
    if (!output) {
      if (output.error().code != Code::compile) return fail(output.error());
      return reject(output.error().message, output.error().cause);
    }
    verdict_.ptx = output->ptx;
    verdict_.resources = output->resources;
    result_.detail = output->log;
    Result<std::shared_ptr<const device::Module>> module = services_.device->load(*output);
    if (!module) {
      if (module.error().code == Code::internal || module.error().code == Code::cancelled) return fail(module.error());
      reject("the device " + verdict_.device + " cannot load the compiled code: " + module.error().message, module.error().cause);
      if (module.error().code == Code::unsupported) unsupported(module.error().message);
      return {};
    }
    module_ = std::move(*module);
    for (const candidate::PlannedLaunch& launch : cases_.back().plan.launches)
      if (Status s = module_->fits(launch); !s) {
        if (s.error().code == Code::internal) return fail(s.error());
        return reject(s.error().message, s.error().code == Code::not_found ? "kernels: " + kernel_names() : s.error().cause);
      }
    result_.message = output->compiler + (output->from_cache ? " (from the cache)" : "");
    return {};
  }

  std::string kernel_names() const {
    std::string names;
    for (const device::KernelFacts& k : module_->kernels()) names += (names.empty() ? "" : ", ") + k.name;
    return names.empty() ? "none" : names;
  }

  void unsupported(const std::string& message) {
    result_.failure = Failure{};
    result_.failure->fault = Fault{};
    result_.failure->fault->kind = "unsupported";
    result_.failure->fault->message = message;
  }

  // Runs one input set; a wrong one fails the stage. Null when it failed.
  Result<std::optional<RunOutcome>> run_one(const JudgedCase& c, op::Distribution distribution, int seed, RunOptions options,
                                            std::shared_ptr<const Reference>* keep = nullptr) {
    if (cancel_.cancelled()) return fail(Code::cancelled, "cancelled");
    InputSet set{c.what.binding, distribution, static_cast<std::uint64_t>(seed)};
    Result<std::shared_ptr<const Reference>> reference = services_.references->get(spec_, set, services_.threads, cancel_);
    if (!reference && reference.error().code != Code::cancelled && distribution != op::Distribution::normal) {
      // An op whose subscripts depend on values may not be defined on every distribution.
      set.distribution = distribution = op::Distribution::normal;
      reference = services_.references->get(spec_, set, services_.threads, cancel_);
    }
    if (!reference) {
      if (reference.error().code == Code::cancelled) return fail(reference.error());
      return fail(reference.error().code, "the reference of the case " + c.what.name + " cannot be evaluated", reference.error().text());
    }
    options.budget = budget_for(c.work);
    options.cancel = cancel_;
    Result<RunOutcome> outcome = run_set(spec_, c.plan, *module_, **reference, options);
    if (!outcome) return fail(outcome.error());
    if (keep) *keep = *reference;
    for (const auto& [name, count] : outcome->checked) {
      const std::int64_t total = op::element_count((*reference)->outputs.at(name).shape);
      checked_[name] += count;
      unchecked_ += total - count;
      elements_ += total;
    }
    if (outcome->right) return std::optional<RunOutcome>(std::move(*outcome));
    const std::string inputs = " (case " + c.what.name + ", " + std::string(op::distribution_name(distribution)) + " inputs, seed " + std::to_string(seed) + ")";
    reject(without_stop(outcome->message) + inputs, outcome->printed.empty() ? "" : "printed by the kernel:\n" + outcome->printed);
    Failure f;
    f.case_name = c.what.name;
    f.binding = c.what.binding;
    f.distribution = distribution;
    f.seed = static_cast<std::uint64_t>(seed);
    f.element = outcome->element;
    f.fault = outcome->fault;
    result_.failure = std::move(f);
    return std::optional<RunOutcome>();
  }

  Status smoke() {
    // "tiny" tells a reader more than "ones", which has no second element to go wrong; without it, the smallest.
    const auto weight = [](const JudgedCase& c) { return c.what.name == "tiny" ? -1.0 : c.work; };
    const auto smallest = std::min_element(cases_.begin(), cases_.end(), [&](const JudgedCase& a, const JudgedCase& b) { return weight(a) < weight(b); });
    RunOptions options;
    options.checks = device::Checks::full;
    options.threads = services_.threads;
    for (const op::Distribution d : {op::Distribution::ramp, op::Distribution::normal}) {
      report("case " + smallest->what.name + ", " + std::string(op::distribution_name(d)) + " inputs", 0.1);
      options.reverse = d == op::Distribution::normal;
      const auto outcome = run_one(*smallest, d, 0, options);
      if (!outcome) return fail(outcome.error());
      if (!*outcome) return {};
    }
    result_.message = "case " + smallest->what.name + " under every check of the device";
    return {};
  }

  Status cases() {
    checked_.clear();
    unchecked_ = elements_ = 0;
    double all = 0, done = 0;
    const auto cost = [](const JudgedCase& c) { return 1e5 + c.work; };
    for (const JudgedCase& c : cases_) all += cost(c) * c.seeds;
    int sets = 0;
    for (const JudgedCase& c : cases_)
      for (int seed = 0; seed < c.seeds; ++seed) {
        const op::Distribution d = distribution_for(c.ordinal, seed);
        report("case " + c.what.name + ", inputs " + std::to_string(seed + 1) + " of " + std::to_string(c.seeds) + " (" +
                   std::string(op::distribution_name(d)) + ")",
               0.12 + 0.7 * done / all);
        RunOptions options;
        options.checks = seed == 0 && !c.main ? device::Checks::full : device::Checks::bounds;
        options.threads = services_.threads;
        options.poison = seed % 2 == 0 ? poison_nan : poison_large;
        options.reverse = seed % 2 == 1;
        const bool keep = c.main && seed == 0;
        auto outcome = run_one(c, d, seed, options, keep ? &main_reference_ : nullptr);
        if (!outcome) return fail(outcome.error());
        if (!*outcome) return {};
        if (keep) main_outputs_ = std::move((*outcome)->outputs);
        done += cost(c);
        ++sets;
        for (CaseCoverage& coverage : verdict_.coverage)
          if (coverage.case_name == c.what.name) ++coverage.seeds;
      }
    for (const auto& [name, count] : checked_)
      if (count == 0) return reject("nothing is proved of the output " + name + ": its error bound is not finite anywhere");
    result_.message = std::to_string(sets) + " input sets over " + std::to_string(cases_.size()) + " cases agree with the f64 reference";
    if (unchecked_ > 0)
      result_.message += "; " + std::to_string(unchecked_) + " of " + std::to_string(elements_) + " elements have no finite error bound and are not checked";
    return {};
  }

  // The same inputs again: blocks and warps from the last to the first (before: upwards, as the host's threads took them) and over other
  // poison. This run also counts.
  Status determinism() {
    const JudgedCase& c = cases_.back();
    report("case " + c.what.name + " again", 0.84);
    RunOptions options;
    options.threads = 1;
    options.reverse = true;
    options.poison = poison_small;
    options.counters = request_.measure;
    auto again = run_one(c, distribution_for(c.ordinal, 0), 0, options);
    if (!again) return fail(again.error());
    if (!*again) {
      result_.message = "the same inputs gave another, wrong result the second time: " + result_.message;
      return {};
    }
    main_counts_ = std::move((*again)->counts);
    result_.message = "bitwise equal when repeated";
    for (const Difference& d : differences(*main_reference_, main_outputs_, (*again)->outputs)) {
      const std::string what = std::to_string(d.count) + " of " + std::to_string(d.total) + " elements of " + d.tensor;
      if (!d.integer) {
        result_.message = "not bitwise reproducible: " + what + " differed when repeated, all within tolerance";
        continue;
      }
      FailingElement e;
      e.tensor = d.tensor;
      e.index = d.index;
      e.expected = d.first;
      e.actual = d.second;
      e.error_ulps = std::abs(d.second - d.first);
      e.wrong = d.count;
      e.total = d.total;
      reject(what + " differed when the same inputs were run again");
      Failure f;
      f.case_name = c.what.name;
      f.binding = c.what.binding;
      f.distribution = distribution_for(c.ordinal, 0);
      f.element = std::move(e);
      result_.failure = std::move(f);
      return {};
    }
    return {};
  }

  Status measure() {
    report("counting", 0.99);
    const device::Facts& facts = services_.device->facts();
    Metrics m;
    m.provenance = facts.provenance;
    m.device = facts.name;
    m.case_name = cases_.back().what.name;
    m.values = main_counts_.values;
    for (const device::LineCount& l : main_counts_.lines)
      m.lines.push_back({l.line, l.warp_instructions, l.thread_instructions, l.global_sectors, l.shared_wavefronts, l.bank_conflicts, l.divergent_branches});
    verdict_.metrics = std::move(m);
    result_.message = "counted in the case " + cases_.back().what.name + " (" + facts.provenance + ")";
    return {};
  }

  const Request& request_;
  const Services& services_;
  const CancelToken cancel_;
  const ProgressHandler& progress_;
  op::Spec spec_;
  candidate::Candidate candidate_;
  candidate::Tuning tuning_;
  std::vector<JudgedCase> cases_;  // claimed ones; the main case is the last
  std::shared_ptr<const device::Module> module_;
  std::map<std::string, std::int64_t> checked_;  // per output, over all sets: elements with a finite bound
  std::int64_t unchecked_ = 0, elements_ = 0;    // of all outputs and sets
  std::shared_ptr<const Reference> main_reference_;
  Outputs main_outputs_;
  device::Counts main_counts_;
  StageResult result_;
  Verdict verdict_;
};

}  // namespace

Result<Verdict> judge(const Request& request, const Services& services, CancelToken cancel, const ProgressHandler& progress) {
  if (!services.compiler || !services.device || !services.references) return fail(Code::internal, "the gate was called without its services");
  try {
    return Judge(request, services, cancel, progress).run();
  } catch (const std::exception& e) {
    return fail(Code::internal, "the gate failed", e.what());
  }
}

}  // namespace ww::gate
