// SPDX-License-Identifier: Apache-2.0
#include "rpc/check_verdict.h"
#include <algorithm>
#include <cmath>
#include <set>
#include "base/device_name.h"
#include "base/hash.h"
#include "candidate/candidate.h"
#include "evidence/case_kind.h"
#include "gate/cases.h"
#include "gate/secret.h"
#include "op/parse.h"

namespace ww::rpc {
namespace {

using evidence::CaseKind;
using evidence::Outcome;
using evidence::SkipReason;
using evidence::Stage;

constexpr std::size_t least_claimed = 3;  // of the cases, as the gate asks for

bool amount(double v) { return std::isfinite(v) && v >= 0; }

class Check {
 public:
  Check(const GateRequest& request, const evidence::Verdict& verdict) : request_(request), verdict_(verdict) {}

  Status run() {
    WW_TRY(identity());
    WW_TRY(stages());
    WW_TRY(cases());
    WW_TRY(proof());
    WW_TRY(resources());
    WW_TRY(failures());
    return metrics();
  }

 private:
  static tl::unexpected<Error> corrupt(std::string why) {
    return fail(Code::corrupt, "the worker's verdict does not match its request", std::move(why));
  }

  Status identity() {
    if (verdict_.candidate != candidate_hash(request_)) return corrupt("it is the verdict of another candidate");
    if (verdict_.spec != hash_hex(request_.spec)) return corrupt("it was made with another op spec");
    if (verdict_.device != request_.device) return corrupt("it was made on another device");
    if (!amount(verdict_.seconds)) return corrupt("the time it took is not a duration");
    return {};
  }

  bool passed(Stage stage) const {
    return std::any_of(verdict_.stages.begin(), verdict_.stages.end(),
                       [&](const auto& s) { return s.stage == stage && s.outcome == Outcome::passed; });
  }

  Status stages() {
    const auto& all = verdict_.stages;
    if (!std::equal(all.begin(), all.end(), std::begin(evidence::all_stages), std::end(evidence::all_stages),
                    [](const evidence::StageResult& s, Stage stage) { return s.stage == stage; }))
      return corrupt("it does not list every stage once, in order");
    bool ended = false;
    for (const evidence::StageResult& s : all) {
      const std::string name = enum_string(s.stage);
      if (!amount(s.seconds)) return corrupt("the time of the stage " + name + " is not a duration");
      if (ended && (s.outcome != Outcome::skipped || s.skipped != SkipReason::not_reached))
        return corrupt("the stage " + name + " comes after the last one and is not marked as not reached");
      if (!ended && s.outcome == Outcome::skipped &&
          (s.stage != Stage::measure ||
           s.skipped != (request_.measure ? SkipReason::not_measurable : SkipReason::not_requested)))
        return corrupt("the stage " + name + " was skipped without a reason");
      if (s.stage == Stage::measure && s.outcome == Outcome::passed && !request_.measure)
        return corrupt("it was measured, which was not asked for");
      if (s.failure && !ends_judgement(s.outcome))
        return corrupt("the stage " + name + " has a failure and did not fail");
      const bool undecided = s.failure && s.failure->fault && !decides(s.failure->fault->kind);
      if (undecided != (s.outcome == Outcome::not_judged))
        return corrupt(undecided ? "the stage " + name + " failed for a reason that proves nothing"
                                 : "the stage " + name + " was not judged without a reason");
      ended = ended || ends_judgement(s.outcome);
    }
    if (verdict_.accepted != (passed(Stage::determinism) && !ended))
      return corrupt(verdict_.accepted ? "it accepts a candidate that failed a stage"
                                       : "it rejects a candidate that failed no stage");
    return {};
  }

  // What the candidate's text and the spec say of the cases is evaluated here again.
  Status cases() {
    const Result<op::Spec> spec = op::parse_spec(request_.spec);
    if (!spec) return corrupt("the op spec cannot be read, so there can be no verdict");
    const Result<candidate::Candidate> parsed = candidate::parse(request_.candidate, request_.language);
    const bool sound = parsed && candidate::check_contract(*parsed, *spec);
    if (!sound && passed(Stage::contract)) return corrupt("the stage contract passed, which this candidate does not");
    if (!sound) return verdict_.coverage.empty() ? Status() : corrupt("it tried a candidate that cannot be tried");
    kernels_.clear();
    for (const candidate::Launch& l : parsed->launches) kernels_.insert(l.kernel);
    const auto& all = verdict_.coverage;
    if (passed(Stage::contract) && all.empty()) return corrupt("it names no case");
    const candidate::Tuning tuning = candidate::first_tuning(*parsed);
    std::set<std::string> names;
    const bool reduced = std::any_of(
        all.begin(), all.end(), [](const auto& c) { return evidence::case_kind(c.case_name) == CaseKind::reduced; });
    std::size_t claimed = 0;
    for (const evidence::CaseCoverage& c : all) {
      if (c.case_name.empty() || !names.insert(c.case_name).second) return corrupt("two of its cases have one name");
      const Result<op::Resolved> sizes = op::resolve(*spec, c.binding);
      const CaseKind kind = evidence::case_kind(c.case_name);
      const bool drawn = kind == CaseKind::constants;
      if (!sizes || sizes->symbols != c.binding.symbols ||
          (!drawn && c.binding.constants != request_.binding.constants))
        return corrupt("the case " + c.case_name + " does not fit the op");
      if (kind == CaseKind::asked) {
        const Result<op::Resolved> asked = op::resolve(*spec, request_.binding);
        if (!asked || asked->symbols != c.binding.symbols) return corrupt("its default case is not the one asked for");
      }
      const Result<bool> claims = candidate::claims(*parsed, *spec, c.binding, tuning);
      if (claims ? *claims != c.claimed : passed(Stage::contract))
        return corrupt("it is wrong about whether the candidate claims the case " + c.case_name);
      const bool proved = passed(Stage::cases) && c.claimed && !(reduced && kind == CaseKind::asked) &&
                          !gate::is_secondary({c.case_name, {}});  // those may run out of budget
      if (c.seeds < (proved ? 1 : 0) || c.seeds > (c.claimed && passed(Stage::smoke) ? std::max(1, request_.seeds) : 0))
        return corrupt("the number of input sets of the case " + c.case_name + " cannot be right");
      claimed += c.claimed;
    }
    if (!all.empty() && evidence::case_kind(all.front().case_name) != CaseKind::asked)
      return corrupt("its first case is not the default");
    if (passed(Stage::contract) && (!all.front().claimed || claimed < std::min(least_claimed, all.size())))
      return corrupt("it let a candidate pass that claims too little");
    return {};
  }

  Status proof() {
    const evidence::Proof& p = verdict_.proof;
    if (request_.secret.empty() ? !gate::Secret::read(p.secret) : p.secret != request_.secret)
      return corrupt("it was not made with the secret drawn for it");
    if (p.elements && (p.elements->compared < 0 || p.elements->unproved < 0 || p.elements->not_compared < 0))
      return corrupt("it counts a negative number of elements");
    if (verdict_.accepted && (!p.elements || p.elements->compared == 0))
      return corrupt("it accepts a candidate of which no element was compared");
    for (const evidence::Unchecked& u : p.unchecked) {
      if (u.count <= 0 || u.total < u.count) return corrupt("its count of unchecked elements is impossible");
      if (verdict_.accepted && u.count == u.total) return corrupt("it accepts an output that is unchecked");
      if (u.unlisted < 0 || u.where.size() > evidence::most_unchecked_listed ||
          std::ranges::any_of(u.where, [](const auto& in) { return in.count <= 0 || in.total < in.count; }))
        return corrupt("its list of unchecked elements is impossible");
    }
    if (p.tried && (p.tried->unlisted < 0 || p.tried->shapes < p.tried->unlisted ||
                    std::ranges::any_of(p.tried->sizes, [](const auto& s) {
                      return s.least < 0 || s.most < s.least || s.different < 1;
                    })))
      return corrupt("the sizes that it tried are impossible");
    if (p.surroundings && p.surroundings->runs < 0) return corrupt("its number of runs is impossible");
    if (verdict_.accepted && (!p.surroundings || p.surroundings->runs == 0))
      return corrupt("it accepts without saying what was varied");
    if (p.also) return corrupt("it speaks of another device");
    if (p.elements && !passed(Stage::cases)) return corrupt("it counts elements of cases that did not pass");
    for (const evidence::Varying& v : p.varying)
      if (v.count < 0 || v.total < v.count) return corrupt("its count of varying elements is impossible");
    if (!p.varying.empty() && p.reproducibility == evidence::Reproducibility::bitwise)
      return corrupt("outputs varied that it calls bitwise equal");
    if (p.reach && !verdict_.accepted) return corrupt("it knows what all cases executed, and not all were run");
    for (const ptx::Missed& m : p.reach ? p.reach->missed : std::vector<ptx::Missed>())
      if (m.line <= 0) return corrupt("it lists a line that there cannot be");
    if (p.branches && !verdict_.accepted)
      return corrupt("it knows which conditions no case tried, and not all were run");
    if (verdict_.accepted && !p.branches) return corrupt("it accepts without saying which conditions its cases tried");
    if (p.branches &&
        (p.branches->all < 0 || std::ranges::any_of(p.branches->untried, [](int line) { return line < 0; })))
      return corrupt("its conditions are impossible");
    if (p.precision != request_.precision) return corrupt("it was made with another precision");
    for (const evidence::Loss& l : p.losses)
      if (l.count < 0 || !amount(l.ulps)) return corrupt("a loss of precision is impossible");
    for (const evidence::Masked& m : p.masked)
      if (m.count < 0 || m.total < m.count) return corrupt("its count of masked elements is impossible");
    if (const auto& m = p.mutants) {
      if (std::min({m->all, m->told_apart, m->equal, m->within_bound, m->undefined, m->not_tried}) < 0 ||
          m->told_apart + m->equal + m->within_bound + m->undefined + m->not_tried != m->all ||
          m->survivors.size() > evidence::most_survivors || m->unlisted() < 0)
        return corrupt("its count of mutants is impossible");
    }
    if (p.long_tensors && p.long_tensors->elements < 0) return corrupt("a tensor has a negative number of elements");
    if (p.varying.empty() && p.reproducibility == evidence::Reproducibility::within_bound)
      return corrupt("outputs varied, and it names none");
    return {};
  }

  Status resources() {
    std::set<std::string> names;
    for (const compile::KernelResources& k : verdict_.resources) {
      if (k.registers < 0 || k.static_shared < 0 || k.stack < 0 || k.spill_stores < 0 || k.spill_loads < 0 ||
          k.constant < 0 || k.barriers < 0)
        return corrupt("a resource of the kernel " + k.kernel + " is negative");
      names.insert(k.kernel);
    }
    if (!passed(Stage::compile)) return {};
    if (verdict_.ptx.empty()) return corrupt("the stage compile passed without PTX");
    if (!names.empty() && !std::includes(names.begin(), names.end(), kernels_.begin(), kernels_.end()))
      return corrupt("a kernel that the candidate launches is missing");
    return {};
  }

  Status failures() {
    for (const evidence::StageResult& s : verdict_.stages) {
      if (!s.failure) continue;
      if (const auto& e = s.failure->element; e && (e->wrong < 0 || e->total < e->wrong))
        return corrupt("its count of wrong elements is impossible");
      if (const auto& f = s.failure->fault; f && f->line < 0) return corrupt("a fault is at a negative line");
      if (const auto& f = s.failure->fault; f && is_of_supervisor(f->kind))
        return corrupt("it reports a fault that only the supervisor can see");
    }
    return {};
  }

  Status metrics() {
    if (!verdict_.metrics) return {};
    const evidence::Metrics& m = *verdict_.metrics;
    if (!passed(Stage::measure)) return corrupt("it has metrics without having measured");
    if (m.device != request_.device) return corrupt("its metrics come from another device");
    if (m.provenance != Provenance::simulated && (m.provenance != Provenance::measured || is_simt(request_.device)))
      return corrupt("its metrics are neither simulated nor measured there");
    if (std::none_of(verdict_.coverage.begin(), verdict_.coverage.end(),
                     [&](const auto& c) { return c.case_name == m.case_name && c.claimed && c.seeds > 0; }))
      return corrupt("its metrics belong to a case that was not tried");
    std::set<std::string> names;
    for (const auto& [name, value] : m.values) {
      if (!amount(value)) return corrupt("the metric " + name + " is negative or not finite");
      if (!names.insert(name).second) return corrupt("the metric " + name + " has two values");
    }
    for (const evidence::LineCount& l : m.lines)
      if (l.line < 0) return corrupt("it counts a negative line");
    if (m.floor && !amount(m.floor->us)) return corrupt("the floor of its time is negative or not finite");
    return {};
  }

  const GateRequest& request_;
  const evidence::Verdict& verdict_;
  std::set<std::string> kernels_;  // that the candidate launches
};

}  // namespace

std::string candidate_hash(const GateRequest& request) {
  return Hasher().field(candidate::language_name(request.language)).field(request.candidate).hex();
}

Status check_verdict(const GateRequest& request, const evidence::Verdict& verdict) {
  return Check(request, verdict).run();
}

}  // namespace ww::rpc
