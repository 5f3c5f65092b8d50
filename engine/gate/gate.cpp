// SPDX-License-Identifier: Apache-2.0
#include "gate/gate.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include "base/hash.h"
#include "compile/screen.h"
#include "evidence/describe.h"
#include "gate/cases.h"
#include "gate/limits.h"
#include "gate/compare.h"
#include "gate/measure.h"
#include "gate/replay.h"
#include "gate/resident.h"
#include "gate/runner.h"
#include "gate/prepared.h"
#include "gate/secret.h"
#include "op/parse.h"
#include "ptx/normal.h"

namespace ww::gate {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr int least_claimed = 3;  // the default and two others
// Input sets of a case, at most. Three in one loaded module are needed to show what is kept from call to call.
int most_sets(const Case& c, double work) { return work > 1e8 || is_secondary(c) ? 2 : work > 4e6 ? 3 : 1000; }
constexpr int random_shapes = 3;     // cases of shapes that nobody knows before
constexpr double most_budget = 1e4;  // times the usual one
constexpr double kept_outputs =
    2e9;  // bytes of outputs that are read from a device to be compared bit by bit when repeated

struct JudgedCase {
  Case what;
  candidate::Plan plan;
  double work = 0;
  int ordinal = 0;        // among the claimed cases
  int seeds = 0;          // to run
  bool main = false;      // the default, or the reduced one instead: the one that is compared again and counted
  bool resident = false;  // its inputs and reference are made in the device's memory
};

std::string mebibytes(double bytes) {
  return std::to_string(static_cast<std::int64_t>(std::ceil(bytes / (1 << 20)))) + " MiB";
}

std::string without_stop(std::string sentence) {
  if (!sentence.empty() && sentence.back() == '.') sentence.pop_back();
  return sentence;
}

// Seconds after which a launch on real hardware is stopped: five, and what a hundredth of a percent of a GPU's
// rate would need.
double seconds_for(double work) { return 5 + work / 1e10; }

class Judge {
 public:
  Judge(const Request& request, const Services& services, std::stop_token stop, const ProgressHandler& progress)
      : request_(request), services_(services), stop_(stop), progress_(progress) {}

  Result<Verdict> run() {
    const Clock::time_point start = Clock::now();
    op::Spec spec = WW_TRY(op::parse_spec(request_.spec));
    spec_ = std::move(spec);
    const std::optional<Secret> secret = request_.secret.empty() ? Secret::fresh() : Secret::read(request_.secret);
    if (!secret)
      return fail(Code::invalid_argument, "a secret has 16 hexadecimal digits, not '" + request_.secret + "'");
    secret_ = *secret;
    verdict_.proof.secret = secret_.text();
    verdict_.spec = hash_hex(request_.spec);
    verdict_.device = services_.device->facts().name;
    verdict_.proof.checks = services_.device->facts().checks;
    using Step = Status (Judge::*)();
    constexpr std::pair<Stage, Step> steps[] = {{Stage::contract, &Judge::contract},
                                                {Stage::compile, &Judge::compile},
                                                {Stage::smoke, &Judge::smoke},
                                                {Stage::cases, &Judge::cases},
                                                {Stage::determinism, &Judge::determinism},
                                                {Stage::measure, &Judge::measure}};
    bool ended = false;
    for (const auto& [stage, step] : steps) {
      result_ = StageResult{};
      result_.stage = stage;
      if (ended) {
        result_.skipped = SkipReason::not_reached;
      } else if (stage == Stage::measure && !request_.measure) {
        result_.skipped = SkipReason::not_requested;
      } else {
        const Clock::time_point stage_start = Clock::now();
        result_.outcome = Outcome::passed;
        WW_TRY((this->*step)());
        result_.seconds = since(stage_start);
        if (result_.failure && result_.failure->fault && !decides(result_.failure->fault->kind))
          result_.outcome = Outcome::not_judged;
        ended = ends_judgement(result_.outcome);
      }
      if (result_.message.empty() && !ends_judgement(result_.outcome)) result_.message = stage_text(verdict_, result_);
      if (stage == Stage::determinism) verdict_.accepted = !ended;
      if (stage == Stage::measure && ended) verdict_.accepted = false;
      verdict_.stages.push_back(std::move(result_));
    }
    verdict_.seconds = since(start);
    return std::move(verdict_);
  }

 private:
  // Marks the stage as failed (not judged, where a fault follows that decides nothing); a stage function returns this.
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
      verdict_.candidate = Hasher()
                               .field(candidate::language_name(request_.language))
                               .field(request_.candidate)
                               .hex();  // as candidate::parse makes it
      return reject(parsed.error().message, parsed.error().cause);
    }
    candidate_ = std::move(*parsed);
    verdict_.candidate = candidate_.hash;
    tuning_ = candidate::first_tuning(candidate_);
    if (Status s = candidate::check_contract(candidate_, spec_); !s) return reject(s.error().message, s.error().cause);
    if (candidate_.language == candidate::Language::cuda) {
      const std::vector<std::string> headers = services_.compiler->headers();
      const auto screened = ww::compile::screen(candidate_.text, [&](const std::string& name) {
        return std::find(headers.begin(), headers.end(), name) != headers.end();
      });
      if (!screened) return reject(screened.error().message, screened.error().cause);
    }

    const device::Facts& facts = services_.device->facts();
    double default_limit = facts.default_work_limit;
    Result<std::vector<Case>> all =
        services_.references->cases(spec_, request_.binding, {default_limit, facts.case_work_limit, stop_});
    WW_CHECK(all);
    std::string no_reference = "none is made on this device";
    if (services_.resident) {
      std::string why = WW_TRY(services_.resident->no_reference(spec_, all->front().binding, *services_.references,
                                                                services_.threads, stop_));
      no_reference = std::move(why);
      if (!no_reference.empty()) {  // then the host evaluates the default, too
        default_limit = default_limit > 0 ? std::min(default_limit, host_default_work) : host_default_work;
        all = services_.references->cases(spec_, request_.binding, {default_limit, facts.case_work_limit, stop_});
        WW_CHECK(all);
      }
    }
    const std::vector<Case> derived = *all;
    std::uint64_t draws = 0;
    auto random = WW_TRY(random_cases(
        spec_, derived, {default_limit, facts.case_work_limit, stop_},
        [&] { return secret_.draw(Secret::Use::shapes, draws++); },
        [&](const Case& c) { return candidate::claims(candidate_, spec_, c.binding, tuning_).value_or(true); },
        random_shapes));
    all->insert(all->end(), random.begin(), random.end());
    const bool reduced = std::any_of(all->begin(), all->end(), [](const Case& c) { return c.name == "reduced"; });
    int ordinal = 0, claimed = 0;
    std::size_t number = 0;
    for (const Case& c : *all) {
      const bool is_derived = number++ < derived.size();
      const Result<bool> claims = candidate::claims(candidate_, spec_, c.binding, tuning_);
      if (!claims) return refuse_case(c, claims.error());
      verdict_.coverage.push_back({c.name, c.binding, *claims, 0});
      if (!*claims) {
        if (c.name == "default")
          return reject("the candidate does not claim the default case: a \"require\" excludes it");
        continue;
      }
      claimed += is_derived;
      Result<candidate::Plan> plan = candidate::plan(candidate_, spec_, c.binding, tuning_);
      if (!plan) return refuse_case(c, plan.error());
      if (c.name == "default" && reduced) continue;  // too large to be run here; its plan was checked
      JudgedCase judged;
      judged.what = c;
      judged.plan = std::move(*plan);
      judged.work = case_work(spec_, c.binding).value_or(0);
      judged.ordinal = ordinal++;
      judged.seeds = std::clamp(request_.seeds, 1, most_sets(c, judged.work));
      judged.main = c.name == (reduced ? "reduced" : "default");
      judged.resident = services_.resident && no_reference.empty() && (judged.main || judged.work > host_work);
      const double bytes = tensor_bytes(spec_, c.binding, judged.plan),
                   sets = judged.resident ? set_bytes(spec_, c.binding) : 0;
      if (facts.memory > 0 && bytes + sets > static_cast<double>(facts.memory)) {
        return refuse_case(c,
                           {Code::unsupported,
                            "the tensors and temporaries of the case " + c.name + " need " + mebibytes(bytes) +
                                (sets > 0 ? " and its inputs with their reference " + mebibytes(sets) : "") +
                                ", the device " + facts.name + " has " + mebibytes(static_cast<double>(facts.memory)),
                            {}},
                           FaultKind::out_of_memory);
      }
      cases_.push_back(std::move(judged));
    }
    const int wanted = std::min<int>(least_claimed, static_cast<int>(derived.size()));
    if (claimed < wanted)
      return reject("the candidate claims only " + std::to_string(claimed) + " of the " +
                    std::to_string(derived.size()) + " cases; at least " + std::to_string(wanted) +
                    " are needed, the default among them");
    if (std::none_of(cases_.begin(), cases_.end(), [](const JudgedCase& c) { return c.main; })) {
      reject("the default case is too large for the device " + facts.name +
             ", and the candidate does not claim the reduced one");
      blame(FaultKind::unsupported);
      return {};
    }
    // The main case last: whatever a smaller one shows is found sooner.
    std::stable_sort(cases_.begin(), cases_.end(),
                     [](const JudgedCase& a, const JudgedCase& b) { return a.main < b.main; });
    if (services_.resident) verdict_.proof.host_references = no_reference;
    return {};
  }

  Status refuse_case(const Case& c, const Error& error, std::optional<FaultKind> fault = {}) {
    if (error.code == Code::cancelled || error.code == Code::internal) return fail(error);
    reject(error.message, error.cause);
    result_.failure = Failure{};
    if (fault) blame(*fault);
    result_.failure->case_name = c.name;
    result_.failure->binding = c.binding;
    return {};
  }

  // Of a stage that has its message: what kind of fault that says.
  void blame(FaultKind kind) {
    result_.failure = Failure{};
    result_.failure->fault = Fault{};
    result_.failure->fault->kind = kind;
    result_.failure->fault->message = result_.message;
  }

  Status compile() {
    report("compiling", 0.02);
    ww::compile::Request request;
    request.language = candidate_.language;
    request.code = candidate_.text;
    request.architecture = architecture_for(request_.architecture, *services_.device);
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
      reject("the device " + verdict_.device + " cannot load the compiled code: " + module.error().message,
             module.error().cause);
      if (module.error().code == Code::unsupported) blame(FaultKind::unsupported);
      return {};
    }
    module_ = std::move(*module);
    for (const candidate::PlannedLaunch& launch : cases_.back().plan.launches)
      if (Status s = module_->fits(launch); !s) {
        if (s.error().code == Code::internal) return fail(s.error());
        return reject(s.error().message,
                      s.error().code == Code::not_found ? "kernels: " + kernel_names() : s.error().cause);
      }
    // Hardware says so itself.
    if (services_.device->facts().architecture.empty())
      for (const JudgedCase& c : cases_)
        for (const candidate::PlannedLaunch& launch : c.plan.launches)
          if (const std::string why = refused_by(request.architecture, launch, output->resources); !why.empty())
            return reject(why);
    verdict_.proof.compiler = output->compiler;
    verdict_.proof.compiler_cached = output->from_cache;
    output_ = std::move(*output);
    return load_other(std::move(request));
  }

  // Where the device runs the code of any architecture, another one's program is judged a little, too.
  Status load_other(ww::compile::Request request) {
    if (!services_.device->facts().architecture.empty() || request.language != candidate::Language::cuda ||
        !may_depend_on_architecture(request.code))
      return {};
    request.architecture = request.architecture == "sm_80" ? "sm_90" : "sm_80";
    request.resources = false;
    const Result<ww::compile::Output> output = services_.compiler->compile(request);
    if (!output && output.error().code != Code::compile) return fail(output.error());
    if (!output || ptx::normalised_entries(output->ptx) == ptx::normalised_entries(output_.ptx)) return {};
    Result<std::shared_ptr<const device::Module>> module = services_.device->load(*output);
    if (!module && (module.error().code == Code::internal || module.error().code == Code::cancelled))
      return fail(module.error());
    if (module) other_module_ = std::move(*module), other_architecture_ = request.architecture;
    return {};
  }

  std::string kernel_names() const {
    std::string names;
    for (const device::KernelFacts& k : module_->kernels()) names += (names.empty() ? "" : ", ") + k.name;
    return names.empty() ? "none" : names;
  }

  // The inputs of a case with their reference. An op whose subscripts depend on values may not be defined on every
  // distribution: `set` then becomes a normal one.
  Result<Inputs> inputs_for(const JudgedCase& c, InputSet& set) {
    const auto get = [&]() -> Result<Inputs> {
      Inputs inputs;
      if (c.resident) {
        auto resident = WW_TRY(services_.resident->get(spec_, set, *services_.references, services_.threads, stop_));
        inputs.resident = std::move(resident);
      } else {
        auto host = WW_TRY(services_.references->get(spec_, set, services_.threads, stop_));
        inputs.host = std::move(host);
      }
      return inputs;
    };
    Result<Inputs> inputs = get();
    if (inputs || inputs.error().code == Code::cancelled || !services_.device->usable() ||
        set.distribution == op::Distribution::normal)
      return inputs;
    set.distribution = op::Distribution::normal;
    return get();
  }

  // One loaded module of the candidate with the plan of a case, and how often it ran. Made by the first run: what its
  // making may cost is that run's.
  struct Loaded {
    const device::Module* module = nullptr;  // null: the one that is judged
    std::optional<Trial> trial;
    int runs = 0;
  };

  op::Distribution distribution(const JudgedCase& c, int set) const {
    return distribution_for(distributions_for(spec_, !c.resident), c.ordinal, set, c.seeds);
  }

  InputSet input_set(const JudgedCase& c, op::Distribution distribution, int number) const {
    // Exact in JSON's numbers, too.
    const std::uint64_t seed =
        secret_.draw(Secret::Use::inputs, static_cast<std::uint64_t>(c.ordinal), static_cast<std::uint64_t>(number)) >>
        11;
    return {c.what.binding, distribution, seed};
  }

  // With limits, and what is different in every run: where the tensors lie, what they begin with, and what else a
  // kernel can learn.
  RunOptions options_for(const JudgedCase& c, RunOptions options = {}) {
    const double times = std::clamp(request_.launch_budget, 1.0, most_budget);
    options.budget = static_cast<std::uint64_t>(static_cast<double>(budget_for(c.work, c.plan)) * times);
    options.seconds = seconds_for(c.work) * times;
    options.stop = stop_;
    const std::uint64_t run = runs_++;
    options.surroundings = secret_.draw(Secret::Use::surroundings, run);
    options.inexact = static_cast<std::uint32_t>(secret_.draw(Secret::Use::errors)) | 1;  // the same in every run
    const std::uint64_t draw = secret_.draw(Secret::Use::poison, run);
    // As a float NaN, or large: what is small would be lost in a sum's tolerance.
    options.poison = draw % 4 == 0 ? 0xFF : static_cast<std::uint8_t>((draw & 0x80) + 0x42 + (draw >> 8) % 62);
    if (options.checks == device::Checks::full) {
      options.threads = 1;  // which block comes first must not be chance
      options.apart = static_cast<std::uint32_t>(secret_.draw(Secret::Use::order, run, 1));
    }
    return options;
  }

  Result<RunOutcome> run_in(Loaded& loaded, const JudgedCase& c, const Inputs& inputs, const RunOptions& options) {
    if (!loaded.trial) {
      std::unique_ptr<device::Execution> execution =
          WW_TRY((loaded.module ? loaded.module : module_.get())->execution());
      loaded.trial.emplace(spec_, c.plan, std::move(execution));
    }
    WW_TRY(loaded.trial->renew(options.surroundings));
    ++loaded.runs;
    return loaded.trial->run(inputs, options);
  }

  // Runs one input set; a wrong one fails the stage. Null when it failed. `keep`: is given the inputs, or has them.
  Result<std::optional<RunOutcome>> run_one(const JudgedCase& c, Loaded& loaded, InputSet set, RunOptions options,
                                            Inputs* keep = nullptr) {
    if (stop_.stop_requested()) return fail(Code::cancelled, "cancelled");
    const Result<Inputs> inputs = keep && keep->has_references() ? Result<Inputs>(*keep) : inputs_for(c, set);
    if (!inputs) {
      const Error& error = inputs.error();
      if (error.code == Code::cancelled) return fail(error);
      if (error.code == Code::unsupported && c.resident) {  // no room
        refuse_case(c.what, error, FaultKind::out_of_memory);
        return std::optional<RunOutcome>();
      }
      return fail(error.code, "the reference of the case " + c.what.name + " cannot be evaluated", error.text());
    }
    if (c.resident) services_.resident->leave_room(tensor_bytes(spec_, c.what.binding, c.plan));
    options = options_for(c, std::move(options));
    options.keep_outputs = options.keep_outputs && keep_outputs_of(c);
    Result<RunOutcome> outcome = run_in(loaded, c, *inputs, options);
    if (!outcome) {
      if (!lost(outcome.error())) return fail(outcome.error());
      outcome = lost_outcome(outcome.error());
    }
    if (keep) *keep = *inputs;
    for (const auto& [name, checked] : outcome->checked) {
      checked_[name] += checked.bounded;
      elements_.compared += checked.bounded;
      elements_.unproved += checked.total - checked.bounded;
    }
    if (outcome->right) return std::optional<RunOutcome>(std::move(*outcome));
    const bool keeps_state = loaded.runs > 1 && WW_TRY(right_alone(c, *inputs, options));
    wrong(c, set, std::move(*outcome));
    if (keeps_state)
      result_.message += "; right in a module that is loaded afresh: the candidate keeps something from call to call";
    return std::optional<RunOutcome>();
  }

  // Does a first call with the same inputs, over the same garbage, give the right result?
  Result<bool> right_alone(const JudgedCase& c, const Inputs& inputs, const RunOptions& options) {
    if (!services_.device->usable()) return false;
    Loaded alone;
    const Result<RunOutcome> outcome = run_in(alone, c, inputs, options);
    if (!outcome && outcome.error().code == Code::cancelled) return fail(outcome.error());
    return outcome && outcome->right;
  }

  bool keep_outputs_of(const JudgedCase& c) const { return output_bytes(spec_, c.what.binding) <= kept_outputs; }

  // Whether this candidate took it away, or something else at that moment, cannot be told.
  bool lost(const Error& error) const { return error.code != Code::cancelled && !services_.device->usable(); }
  static RunOutcome lost_outcome(const Error& error) {
    RunOutcome outcome;
    outcome.right = false;
    outcome.message = "the device was lost: " + error.text();
    outcome.fault = Fault{};
    outcome.fault->kind = FaultKind::device_lost;
    outcome.fault->message = outcome.message;
    return outcome;
  }

  // Of a launch that was timed: the context went with the kernel's own fault, whose sentence the error has.
  static RunOutcome timed_outcome(const Error& error) {
    RunOutcome outcome = lost_outcome(error);
    if (error.code != Code::timeout && error.code != Code::device) return outcome;
    outcome.fault->kind = error.code == Code::timeout ? FaultKind::budget_exceeded : FaultKind::failed_while_timed;
    outcome.message = outcome.fault->message = error.text();
    return outcome;
  }

  // Fails the stage.
  void wrong(const JudgedCase& c, const InputSet& set, RunOutcome outcome) {
    std::string detail = outcome.printed.empty() ? "" : "printed by the kernel:\n" + outcome.printed;
    if (outcome.fault && services_.device->facts().provenance == Provenance::measured && outcome.fault->line == 0) {
      const FaultKind before = outcome.fault->kind;
      place_fault(set, *outcome.fault, detail);
      if (!decides(before) && decides(outcome.fault->kind)) outcome.message = outcome.fault->message;
    }
    reject(without_stop(outcome.message) + " (case " + c.what.name + ", " +
               std::string(op::distribution_name(set.distribution)) + " inputs, seed " + std::to_string(set.seed) + ")",
           std::move(detail));
    Failure f;
    f.case_name = c.what.name;
    f.binding = c.what.binding;
    f.distribution = set.distribution;
    f.seed = set.seed;
    f.element = outcome.element;
    f.fault = outcome.fault;
    result_.failure = std::move(f);
  }

  // Hardware says that something went wrong; where, the SIMT machine says.
  void place_fault(const InputSet& set, Fault& fault, std::string& detail) {
    constexpr FaultKind refusals[] = {FaultKind::unsupported, FaultKind::launch_refused, FaultKind::out_of_memory,
                                      FaultKind::device_lost};
    if (std::find(std::begin(refusals), std::end(refusals), fault.kind) != std::end(refusals)) return;
    std::vector<Case> others;
    for (const JudgedCase& c : cases_) others.push_back(c.what);
    ReplayOptions options;
    options.distribution = set.distribution;
    options.seed = set.seed;
    options.cases = others;
    options.threads = services_.threads;
    options.stop = stop_;
    const Result<std::optional<Replay>> replay =
        replay_on_simt(spec_, candidate_, tuning_, output_, set.binding, options);
    if (!replay || !*replay) return;
    const Fault& found = (*replay)->fault;
    if (found.kind == FaultKind::stack_overflow)
      fault.kind = found.kind;  // hardware calls it an illegal address: the stack ends where memory does
    if (!decides(fault.kind) && decides(found.kind))  // why it did not end
      fault.kind = found.kind, fault.message = found.message;
    fault.line = found.line;
    std::copy(found.block, found.block + 3, fault.block);
    std::copy(found.thread, found.thread + 3, fault.thread);
    if (fault.kernel.empty()) fault.kernel = found.kernel;
    if (fault.address == 0) fault.address = found.address;
    if (fault.buffer.empty()) fault.buffer = found.buffer, fault.offset = found.offset;
    detail += (detail.empty() ? "" : "\n") + describe(**replay, spec_);
  }

  Status smoke() {
    // "tiny" tells a reader more than "ones", which has no second element to go wrong; without it, the smallest.
    const auto weight = [](const JudgedCase& c) { return c.what.name == "tiny" ? -1.0 : c.work; };
    const auto smallest = std::min_element(
        cases_.begin(), cases_.end(), [&](const JudgedCase& a, const JudgedCase& b) { return weight(a) < weight(b); });
    RunOptions options;
    options.checks = device::Checks::full;
    options.threads = services_.threads;
    Loaded loaded;
    int number = -1;  // others than those of the stage `cases`
    std::vector<op::Distribution> all = distributions_for(spec_, !smallest->resident);
    std::swap(all[0], all[2]);  // exact small integers say most of what is wrong
    for (const op::Distribution d : all) {
      report("case " + smallest->what.name + ", " + std::string(op::distribution_name(d)) + " inputs", 0.1);
      options.reverse = d == op::Distribution::normal;
      const auto outcome = WW_TRY(run_one(*smallest, loaded, input_set(*smallest, d, number--), options));
      if (!outcome) return {};
    }
    verdict_.proof.smoke_case = smallest->what.name;
    if (!other_module_) return {};
    WW_TRY(run_other(*smallest, all, number));
    if (result_.outcome == Outcome::failed) return {};
    return run_other(cases_.back(), {op::Distribution::normal, op::Distribution::large}, number);
  }

  // The program of another architecture; what the device cannot run of it is not judged.
  Status run_other(const JudgedCase& c, const std::vector<op::Distribution>& all, int& number) {
    Loaded loaded;
    loaded.module = other_module_.get();
    for (const op::Distribution d : all) {
      InputSet set = input_set(c, d, number--);
      const Inputs inputs = WW_TRY(inputs_for(c, set));
      RunOptions options = options_for(c);
      options.threads = services_.threads;
      RunOutcome outcome = WW_TRY(run_in(loaded, c, inputs, options));
      if (outcome.fault && outcome.fault->kind == FaultKind::unsupported) return {};
      if (outcome.right) continue;
      wrong(c, set, std::move(outcome));
      result_.message += "; compiled for " + other_architecture_;
      return {};
    }
    return {};
  }

  Status cases() {
    checked_.clear();
    elements_ = {};
    if (verdict_.proof.checks.initialisation == evidence::Looked::yes)
      verdict_.proof.checks.initialisation = evidence::Looked::partly;  // in a part of the input sets
    double all = 0, done = 0;
    const auto cost = [](const JudgedCase& c) { return 1e5 + c.work; };
    for (const JudgedCase& c : cases_) all += cost(c) * c.seeds;
    for (const JudgedCase& c : cases_) {
      Loaded of_case;
      Loaded& loaded = c.main ? main_ : of_case;
      // Which call of the main case is repeated, and which of the two is counted, nobody can know.
      const int first = static_cast<int>(secret_.draw(Secret::Use::order, static_cast<std::uint64_t>(c.ordinal)) %
                                         static_cast<std::uint64_t>(c.seeds));
      for (int i = 0; i < c.seeds; ++i) {
        const int seed = (i + first) % c.seeds;
        const op::Distribution d = distribution(c, seed);
        report("case " + c.what.name + ", inputs " + std::to_string(i + 1) + " of " + std::to_string(c.seeds) + " (" +
                   std::string(op::distribution_name(d)) + ")",
               0.12 + 0.7 * done / all);
        RunOptions options;
        options.checks = seed == 0 && !c.main ? device::Checks::full : device::Checks::bounds;
        options.threads = services_.threads;
        options.reverse = seed % 2 == 1;
        const bool keep = c.main && seed == 0;
        options.keep_outputs = keep;
        options.counters = keep && counts_early();
        auto outcome = WW_TRY(run_one(c, loaded, input_set(c, d, seed), options, keep ? &main_inputs_ : nullptr));
        if (!outcome) return {};
        if (keep) {
          main_outputs_ = std::move(outcome->outputs);
          main_counts_ = std::move(outcome->counts);
        }
        done += cost(c);
        for (CaseCoverage& coverage : verdict_.coverage)
          if (coverage.case_name == c.what.name) ++coverage.seeds;
      }
    }
    for (const auto& [name, count] : checked_)
      if (count == 0)
        return reject("nothing is proved of the output " + name + ": its error bound is not finite anywhere");
    verdict_.proof.elements = elements_;
    return {};
  }

  bool counts() const { return request_.measure && !measures(); }
  bool counts_early() const { return counts() && secret_.draw(Secret::Use::counted) % 2 == 0; }

  // The same inputs again, in the module that has run them: blocks and warps from the last to the first (before:
  // upwards, as the host's threads took them) and over other poison. This run counts, or the one before did.
  Status determinism() {
    const JudgedCase& c = cases_.back();
    report("case " + c.what.name + " again", 0.84);
    RunOptions options;
    options.threads = 1;
    options.reverse = true;
    options.counters = counts() && !counts_early();
    options.previous = &main_outputs_;
    auto again = WW_TRY(run_one(c, main_, input_set(c, distribution(c, 0), 0), options, &main_inputs_));
    if (!again) {
      if (!result_.failure || !result_.failure->fault || decides(result_.failure->fault->kind))
        result_.message = "the same inputs gave another, wrong result the second time: " + result_.message;
      return {};
    }
    if (options.counters) main_counts_ = std::move(again->counts);
    Proof& proof = verdict_.proof;
    proof.reproducibility = keep_outputs_of(c) ? Reproducibility::bitwise : Reproducibility::not_compared;
    for (const Difference& d : differences(spec_, main_inputs_, main_outputs_, again->outputs)) {
      if (!d.integer) {
        proof.reproducibility = Reproducibility::within_bound;
        proof.varying.push_back({d.tensor, d.count, d.total});
        continue;
      }
      proof.reproducibility = Reproducibility::unknown;  // it is wrong: there is nothing to say beyond that
      FailingElement e;
      e.tensor = d.tensor;
      e.index = d.index;
      e.expected = d.first;
      e.actual = d.second;
      e.error_ulps = std::abs(d.second - d.first);
      e.wrong = d.count;
      e.total = d.total;
      reject(std::to_string(d.count) + " of " + std::to_string(d.total) + " elements of " + d.tensor +
             " differed when the same inputs were run again");
      Failure f;
      f.case_name = c.what.name;
      f.binding = c.what.binding;
      f.distribution = distribution(c, 0);
      f.seed = input_set(c, f.distribution, 0).seed;
      f.element = std::move(e);
      result_.failure = std::move(f);
      return {};
    }
    return {};
  }

  bool measures() const { return services_.device->facts().measures && services_.resident; }

  // On real hardware: timed, counted, and the outputs of the timed launches verified.
  Status time_and_count() {
    report("timing", 0.9);
    const JudgedCase& c = cases_.back();
    std::vector<TimedSet> sets;
    for (const int number : {0, 1}) {
      TimedSet set{input_set(c, op::Distribution::normal, 100 + number), {}};
      Result<Inputs> inputs = inputs_for(c, set.what);
      if (inputs) {
        set.inputs = std::move(*inputs);
        sets.push_back(std::move(set));
      } else if (inputs.error().code == Code::cancelled || sets.empty()) {
        return fail(inputs.error());
      }
    }
    services_.resident->leave_room(tensor_bytes(spec_, c.what.binding, c.plan));
    Result<MeasureResult> measured =
        gate::measure({spec_, c.what, c.plan, *module_, *services_.device, *services_.resident, sets, 3, 3, stop_});
    if (!measured) {
      const Error& error = measured.error();
      if (lost(error))
        wrong(c, sets[0].what, timed_outcome(error));
      else if (error.code == Code::cancelled || error.code == Code::internal)
        return fail(error);
      else {
        result_.outcome = Outcome::skipped;
        result_.skipped = SkipReason::not_measurable;
        result_.message = "not measured: " + error.text();
      }
      return {};
    }
    if (measured->wrong) {
      wrong(c, measured->wrong_set, std::move(*measured->wrong));
      result_.message = "while it was timed, " + result_.message;
      return {};
    }
    verdict_.metrics = std::move(measured->metrics);
    return {};
  }

  Status measure() {
    if (measures()) return time_and_count();
    report("counting", 0.99);
    const device::Facts& facts = services_.device->facts();
    Metrics m;
    m.provenance = facts.provenance;
    m.device = facts.name;
    m.case_name = cases_.back().what.name;
    m.values = main_counts_.values;
    m.lines = main_counts_.lines;
    verdict_.metrics = std::move(m);
    return {};
  }

  const Request& request_;
  const Services& services_;
  const std::stop_token stop_;
  const ProgressHandler& progress_;
  Secret secret_{0};
  op::Spec spec_;
  candidate::Candidate candidate_;
  candidate::Tuning tuning_;
  std::vector<JudgedCase> cases_;  // claimed ones; the main case is the last
  std::shared_ptr<const device::Module> module_;
  std::map<std::string, std::int64_t> checked_;  // per output, over all sets: elements with a finite bound
  ElementCounts elements_;                       // of all outputs and sets
  ww::compile::Output output_;
  std::shared_ptr<const device::Module> other_module_;  // the candidate's for other_architecture_; null: not needed
  std::string other_architecture_;
  std::uint64_t runs_ = 0;
  Loaded main_;
  Inputs main_inputs_;
  Outputs main_outputs_;
  device::Counts main_counts_;
  StageResult result_;
  Verdict verdict_;
};

}  // namespace

Result<Verdict> judge(const Request& request, const Services& services, std::stop_token stop,
                      const ProgressHandler& progress) {
  if (!services.compiler || !services.device || !services.references)
    return fail(Code::internal, "the gate was called without its services");
  try {
    return Judge(request, services, stop, progress).run();
  } catch (const std::bad_alloc&) { throw; } catch (const std::exception& e) {
    return fail(Code::internal, "the gate failed", e.what());
  }
}

}  // namespace ww::gate
