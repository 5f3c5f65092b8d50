// SPDX-License-Identifier: Apache-2.0
#include "gate/judge.h"
#include <algorithm>
#include <cmath>
#include "base/hash.h"
#include "compile/screen.h"
#include "evidence/case_kind.h"
#include "evidence/describe.h"
#include "gate/case_plan.h"
#include "gate/limits.h"
#include "gate/plan_ways.h"
#include "gate/planted.h"
#include "candidate/excluded.h"

namespace ww::gate {
namespace {

using evidence::CaseKind;

constexpr double many_warps = 1 << 18;  // of a case with one long symbol: one input set shows what its length breaks
constexpr int least_claimed = 3;        // the default and two others
// Input sets of a case, at most. Three in one loaded module are needed to show what is kept from call to call.
int most_sets(const JudgedCase& c) {
  if (is_long(c.what) && warps_of(c.plan) > many_warps) return 1;
  return c.work > 1e8 || is_secondary(c.what) ? 2 : c.work > 4e6 ? 3 : 1000;
}
constexpr double most_compared = 65537;
constexpr double most_branch_work = 1.2e7;  // of a case for one condition of the program, or one number in it
constexpr double most_plan_work = 2.5e7;    // of a case for another way through its plan
constexpr int branch_shapes = 8, beyond_shapes = 4;

std::string mebibytes(double bytes) {
  return std::to_string(static_cast<std::int64_t>(std::ceil(bytes / (1 << 20)))) + " MiB";
}

}  // namespace

Status Judge::contract() {
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
  return choose_cases();
}

// Those of the spec, then those that the secret draws. No reference on the device: the host evaluates the default, too.
Result<Judge::AllCases> Judge::all_cases() {
  CaseOptions options = case_options(services_.device->facts(), request_.most_work, stop_);
  AllCases out;
  out.cases = WW_TRY(services_.references->cases(spec_, request_.binding, options));
  out.no_reference = "this device evaluates no reference";
  if (services_.resident) {
    out.no_reference = "strict precision needs the host's reference";
    if (request_.precision == op::Precision::usual || !op::depends_on_precision(spec_))
      out.no_reference = WW_TRY(services_.resident->no_reference(spec_, out.cases.front().binding,
                                                                 *services_.references, services_.threads, stop_));
    if (!out.no_reference.empty()) {
      options.default_limit =
          options.default_limit > 0 ? std::min(options.default_limit, host_default_work) : host_default_work;
      out.cases = WW_TRY(services_.references->cases(spec_, request_.binding, options));
    }
  }
  out.derived = out.cases.size();
  std::uint64_t draws = 0;
  const auto random = WW_TRY(random_cases(
      spec_, out.cases, options, [&] { return secret_.draw(Secret::Use::shapes, draws++); },
      [&](const Case& c) { return candidate::claims(candidate_, spec_, c.binding, tuning_).value_or(true); },
      random_shapes));
  out.cases.insert(out.cases.end(), random.begin(), random.end());
  return out;
}

Status Judge::choose_cases() {
  const AllCases all = WW_TRY(all_cases());
  const bool reduced = std::any_of(all.cases.begin(), all.cases.end(),
                                   [](const Case& c) { return evidence::case_kind(c.name) == CaseKind::reduced; });
  int claimed = 0;
  for (std::size_t i = 0; i < all.cases.size(); ++i) {
    const Case& c = all.cases[i];
    const Result<bool> claims = candidate::claims(candidate_, spec_, c.binding, tuning_);
    if (!claims) return refuse_case(c, claims.error());
    verdict_.coverage.push_back({c.name, c.binding, *claims, 0});
    if (!*claims) {
      if (evidence::case_kind(c.name) == CaseKind::asked)
        return reject("the candidate does not claim the default case: " +
                      candidate::excluded_text(candidate_, spec_, c.binding, tuning_));
      continue;
    }
    claimed += i < all.derived;
    WW_TRY(add_case(c, reduced, all.no_reference));
    if (ends_judgement(result_.outcome)) return {};
  }
  const int wanted = std::min<int>(least_claimed, static_cast<int>(all.derived));
  if (claimed < wanted)
    return reject("the candidate claims only " + std::to_string(claimed) + " of the " + std::to_string(all.derived) +
                  " cases; at least " + std::to_string(wanted) + " are needed, including the default");
  if (std::none_of(cases_.begin(), cases_.end(), [](const JudgedCase& c) { return c.main; })) {
    reject("the default case is too large for the device " + services_.device->facts().name +
           ", and the candidate does not claim the reduced one");
    blame(FaultKind::unsupported);
    return {};
  }
  put_main_last();
  if (services_.resident) verdict_.proof.host_references = all.no_reference;
  return {};
}

void Judge::put_main_last() {  // whatever a smaller one shows is found sooner
  std::stable_sort(cases_.begin(), cases_.end(),
                   [](const JudgedCase& a, const JudgedCase& b) { return a.main < b.main; });
}

Status Judge::add_compared_cases() {
  std::vector<std::int64_t> sizes;
  for (const double v : planted_)
    if (v == std::floor(v) && v >= 2 && v <= most_compared) sizes.push_back(static_cast<std::int64_t>(v));
  std::vector<Case> known;
  bool reduced = false;
  for (const CaseCoverage& c : verdict_.coverage) {
    known.push_back({c.case_name, c.binding});
    reduced = reduced || evidence::case_kind(c.case_name) == CaseKind::reduced;
  }
  const CaseOptions options = case_options(services_.device->facts(), request_.most_work, stop_);
  std::uint64_t draws = 0;
  const auto claimed = [&](const Case& c) {
    return candidate::claims(candidate_, spec_, c.binding, tuning_).value_or(false);
  };
  branches_ = std::make_unique<Branches>(verdict_.ptx, candidate_, spec_, tuning_);
  for (const JudgedCase& c : cases_) branches_->note(c.what.binding, c.plan);
  std::vector<Case> of_branches = WW_TRY(branches_->untried_cases(known, options, most_branch_work, branch_shapes,
                                                                  secret_.draw(Secret::Use::shapes, 0, 6)));
  branches_->forget();  // until they are run
  known.insert(known.end(), of_branches.begin(), of_branches.end());
  std::vector<Case> compared = WW_TRY(cases_of_other_ways(
      spec_, known, options, [&](const op::Binding& b) { return plan_way(candidate_, spec_, b, tuning_); }, claimed,
      most_plan_work, planned_shapes));
  known.insert(known.end(), compared.begin(), compared.end());
  const auto blocks = [&](const op::Binding& b) {
    double most = 0;
    if (const auto plan = candidate::plan(candidate_, spec_, b, tuning_))
      for (const candidate::PlannedLaunch& l : plan->launches)
        for (const std::uint32_t along : l.grid) most = std::max<double>(most, along);
    return most;
  };
  const auto beyond = WW_TRY(beyond_cases(
      spec_, known, options, numbers_of_indices(verdict_.ptx), most_branch_work, blocks,
      [&] { return secret_.draw(Secret::Use::shapes, draws++, 4); }, claimed, beyond_shapes));
  compared.insert(compared.end(), beyond.begin(), beyond.end());
  known.insert(known.end(), beyond.begin(), beyond.end());
  const auto of_sizes = WW_TRY(compared_cases(
      spec_, known, options, sizes, limits_of_sizes(verdict_.ptx),
      [&] { return secret_.draw(Secret::Use::shapes, draws++, 1); }, claimed, compared_shapes));
  compared.insert(compared.end(), of_sizes.begin(), of_sizes.end());
  known.insert(known.end(), of_sizes.begin(), of_sizes.end());
  const auto wrapping = WW_TRY(wrapping_cases(
      spec_, known, options, wraps_of_indices(verdict_.ptx),
      [&] { return secret_.draw(Secret::Use::shapes, draws++, 3); }, claimed, wrapping_shapes));
  compared.insert(compared.end(), wrapping.begin(), wrapping.end());
  compared.insert(compared.begin(), of_branches.begin(), of_branches.end());
  for (const Case& c : compared) {
    verdict_.coverage.push_back({c.name, c.binding, true, 0});
    WW_TRY(add_case(c, reduced, verdict_.proof.host_references));
    if (ends_judgement(result_.outcome)) return {};
  }
  for (StageResult& s : verdict_.stages)  // the contract's, which counts the cases
    if (s.stage == Stage::contract) s.message = evidence::stage_text(verdict_, s);
  put_main_last();
  return {};
}

Status Judge::add_case(const Case& c, bool reduced, const std::string& no_reference) {
  const device::Facts& facts = services_.device->facts();
  Result<candidate::Plan> plan = candidate::plan(candidate_, spec_, c.binding, tuning_);
  if (!plan) return refuse_case(c, plan.error());
  const CaseKind kind = evidence::case_kind(c.name);
  if (kind == CaseKind::asked && reduced) return {};  // too large to be run here; its plan was checked
  JudgedCase judged;
  judged.what = c;
  judged.plan = std::move(*plan);
  judged.work = case_work(spec_, c.binding).value_or(0);
  judged.ordinal = static_cast<int>(cases_.size());
  judged.seeds = std::clamp(request_.seeds, 1, most_sets(judged));
  judged.main = kind == (reduced ? CaseKind::reduced : CaseKind::asked);
  judged.resident = services_.resident && no_reference.empty() && (judged.main || judged.work > host_work);
  const double bytes = tensor_bytes(spec_, c.binding, judged.plan),
               sets = judged.resident ? set_bytes(spec_, c.binding) : 0;
  if (facts.memory > 0 && bytes + sets > static_cast<double>(facts.memory))
    return refuse_case(c,
                       {Code::unsupported,
                        "the tensors and temporaries of the case " + c.name + " need " + mebibytes(bytes) +
                            (sets > 0 ? " and its inputs with their reference " + mebibytes(sets) : "") +
                            "; the device " + facts.name + " has " + mebibytes(static_cast<double>(facts.memory)),
                        {}},
                       FaultKind::out_of_memory);
  cases_.push_back(std::move(judged));
  return {};
}

Status Judge::refuse_case(const Case& c, const Error& error, std::optional<FaultKind> fault) {
  if (error.code == Code::cancelled || error.code == Code::internal) return fail(error);
  reject(error.message, error.cause);
  result_.failure = Failure{};
  if (fault) blame(*fault);
  result_.failure->case_name = c.name;
  result_.failure->binding = c.binding;
  return {};
}

}  // namespace ww::gate
