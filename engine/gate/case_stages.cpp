// SPDX-License-Identifier: Apache-2.0
#include "gate/judge.h"
#include <algorithm>
#include <cmath>
#include <random>
#include "evidence/case_kind.h"
#include "evidence/describe.h"
#include "gate/drawn.h"
#include "gate/residues.h"
#include "op/parse.h"
#include "ptx/notable.h"

namespace ww::gate {
namespace {

std::string percent(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

// A full check takes several times as long as the run. Cases of many warps go without; of the main case, which has
// launches that no smaller one has, not the input set that is counted.
constexpr double most_warps_checked = 1 << 15;
bool checked_in_full(const JudgedCase& c, int seed) {
  if (seed != (c.main ? 1 : 0)) return false;
  return !(c.main || is_long(c.what)) || warps_of(c.plan) <= most_warps_checked;
}

}  // namespace

Status Judge::smoke() {
  // "tiny" tells a reader more than "ones", which has no second element to go wrong; without it, the smallest.
  const auto weight = [](const JudgedCase& c) {
    return evidence::case_kind(c.what.name) == evidence::CaseKind::tiny ? -1.0 : c.work;
  };
  const auto smallest = std::min_element(
      cases_.begin(), cases_.end(), [&](const JudgedCase& a, const JudgedCase& b) { return weight(a) < weight(b); });
  RunOptions options;
  options.checks = device::Checks::full;
  options.threads = services_.threads;
  LoadedCase loaded;
  int number = -1;  // others than those of the stage `cases`
  std::vector<op::Distribution> all = distributions(*smallest);
  std::swap(all[0], all[2]);  // exact small integers say most of what is wrong
  for (const op::Distribution d : all) {
    report("case " + smallest->what.name + ", " + std::string(op::distribution_name(d)) + " inputs", 0.1);
    options.order = backwards(d == op::Distribution::normal);
    const auto outcome = WW_TRY(run_one(*smallest, loaded, input_set(*smallest, d, number--), options));
    if (!outcome) return {};
  }
  verdict_.proof.smoke_case = smallest->what.name;
  for (const OtherProgram& other : others_) {
    WW_TRY(run_other(other, *smallest, all, number));
    if (result_.outcome == Outcome::failed) return {};
    WW_TRY(run_other(other, cases_.back(), {op::Distribution::normal, op::Distribution::large}, number));
    if (result_.outcome == Outcome::failed) return {};
  }
  return {};
}

Status Judge::run_other(const OtherProgram& other, const JudgedCase& judged, const std::vector<op::Distribution>& all,
                        int& number) {
  JudgedCase c = judged;
  if (other.tuning != tuning_) {
    if (!candidate::claims(candidate_, spec_, c.what.binding, other.tuning).value_or(false)) return {};
    auto plan = candidate::plan(candidate_, spec_, c.what.binding, other.tuning);
    if (!plan) return {};
    c.plan = std::move(*plan);
    for (const candidate::PlannedLaunch& launch : c.plan.launches)
      if (!other.module->fits(launch)) return {};
  }
  LoadedCase loaded;
  loaded.module = other.module.get();
  for (const op::Distribution d : all) {
    InputSet set = input_set(c, d, number--);
    const Inputs inputs = WW_TRY(inputs_for(c, set));
    RunOptions options;
    options.threads = services_.threads;
    options = options_for(c, std::move(options));
    RunOutcome outcome = WW_TRY(run_in(loaded, c, inputs, options));
    if (outcome.fault && outcome.fault->kind == FaultKind::unsupported) return {};
    if (outcome.right) continue;
    wrong(c, set, std::move(outcome), inputs);
    result_.message += "; " + other.how;
    return {};
  }
  return {};
}

Status Judge::cases() {
  checked_.clear();
  elements_ = {};
  if (verdict_.proof.checks.initialisation == evidence::CheckCoverage::yes)
    verdict_.proof.checks.initialisation = evidence::CheckCoverage::partly;  // in a part of the input sets
  WW_TRY(keyed_inputs());
  if (ends_judgement(result_.outcome)) return {};
  WW_TRY(residue_sizes());
  if (ends_judgement(result_.outcome)) return {};
  double all = 0, done = 0;
  const auto cost = [](const JudgedCase& c) { return 1e5 + c.work; };
  for (const JudgedCase& c : cases_) all += cost(c) * c.seeds;
  for (const JudgedCase& c : cases_) {
    LoadedCase of_case;
    LoadedCase& loaded = c.main ? main_ : of_case;
    const bool too_long = WW_TRY(would_take_too_long(c));
    if (ends_judgement(result_.outcome)) return {};
    if (too_long) continue;
    // Which call of the main case is repeated, and which of the two is counted, nobody can know. Of the others, the one
    // with every check comes first: what it finds is not chance.
    const int first = !c.main
                          ? 0
                          : static_cast<int>(secret_.draw(Secret::Use::order, static_cast<std::uint64_t>(c.ordinal)) %
                                             static_cast<std::uint64_t>(c.seeds));
    for (int i = 0; i < c.seeds; ++i) {
      const int seed = (i + first) % c.seeds;
      const op::Distribution d = distribution(c, seed);
      report("case " + c.what.name + ", inputs " + std::to_string(i + 1) + " of " + std::to_string(c.seeds) + " (" +
                 std::string(op::distribution_name(d)) + ")",
             0.12 + 0.7 * done / all);
      RunOptions options;
      options.checks = checked_in_full(c, seed) ? device::Checks::full : device::Checks::bounds;
      options.threads = services_.threads;
      options.order = backwards(seed % 2 == 1);
      const bool keep = c.main && seed == 0;
      options.keep_outputs = keep;
      options.counters = keep && counts_early();
      auto outcome = WW_TRY(run_one(c, loaded, input_set(c, d, seed), options, keep ? &main_inputs_ : nullptr));
      if (!outcome && left_unproved(c)) break;
      if (!outcome) return {};
      if (keep) {
        main_outputs_ = std::move(outcome->outputs);
        main_counts_ = std::move(outcome->counts);
      }
      done += cost(c);
      ++coverage_of(c).seeds;
    }
  }
  WW_TRY(longer_cases());
  if (ends_judgement(result_.outcome)) return {};
  WW_TRY(calls_in_turn());
  if (result_.outcome == Outcome::failed) return {};
  WW_TRY(other_tunings());
  if (result_.outcome == Outcome::failed) return {};
  WW_TRY(further_sets());
  if (result_.outcome == Outcome::failed) return {};
  WW_TRY(long_tensors());
  if (ends_judgement(result_.outcome)) return {};
  WW_TRY(limit_unchecked());
  if (ends_judgement(result_.outcome)) return {};
  verdict_.proof.elements = elements_;
  verdict_.proof.tried = tried_.tried(spec_.symbols, verdict_.coverage);
  return {};
}

Result<bool> Judge::would_take_too_long(const JudgedCase& c) {
  constexpr std::int64_t shorter = 8;
  constexpr double few_warps = 1024, growth = shorter * shorter;
  constexpr double margin = 12;  // what is longer leaves the caches
  constexpr int tries = 3, first_set = 600;
  if (services_.device->facts().provenance != Provenance::measured || !is_long(c.what) || c.main || c.resident ||
      warps_of(c.plan) > few_warps)
    return false;
  JudgedCase part = c;
  auto& symbols = part.what.binding.symbols;
  const auto longest = std::ranges::max_element(symbols, {}, [](const auto& s) { return s.second; });
  if (longest == symbols.end() || longest->second < shorter) return false;
  longest->second /= shorter;
  if (!candidate::claims(candidate_, spec_, part.what.binding, tuning_).value_or(false)) return false;
  auto plan = candidate::plan(candidate_, spec_, part.what.binding, tuning_);
  if (!plan) return false;
  part.plan = std::move(*plan);
  part.work = case_work(spec_, part.what.binding).value_or(c.work);
  LoadedCase loaded;
  RunOptions options;
  options.keep_outputs = false;
  for (int i = 0; i < tries; ++i) {  // the device may be busy with something else
    const InputSet set = input_set(part, op::Distribution::normal, first_set + i);
    const auto outcome = WW_TRY(run_one(part, loaded, set, options));
    if (!outcome) return left_unproved(c);
    const double limit = seconds_for(c.work) * std::max(1.0, request_.launch_budget);
    if (outcome->seconds * growth * margin < limit) return false;
  }
  return true;
}

Status Judge::limit_unchecked() {
  std::string worst;
  double share = most_unchecked;
  for (const auto& [name, checked] : checked_) {
    if (checked.all()) continue;
    verdict_.proof.unchecked.push_back(checked.unchecked(name));
    const double unchecked = checked.unchecked_share();
    if (unchecked > share) share = unchecked, worst = name;
  }
  if (worst.empty()) return {};
  const evidence::Unchecked& u = *std::ranges::find(verdict_.proof.unchecked, worst, &evidence::Unchecked::tensor);
  reject(evidence::unchecked_text(u) + "; on average " + percent(share) +
         " of an input set's elements are unchecked, more than the " + percent(most_unchecked) + " allowed");
  blame(FaultKind::unbounded_error);
  result_.failure->fault->buffer = worst;
  return {};
}

Status Judge::residue_sizes() {
  constexpr int first_ordinal = 1000;
  report("sizes and constants with every remainder", 0.115);
  std::uint64_t draws = 0;
  const auto found = WW_TRY(residues(
      spec_, cases_.back().what, [&] { return secret_.draw(Secret::Use::shapes, draws++, 2); },
      [&](const op::Binding& b) { return candidate::claims(candidate_, spec_, b, tuning_).value_or(false); }, stop_));
  LoadedCase loaded;
  RunOptions options;
  options.threads = services_.threads;
  options.keep_outputs = false;
  for (std::size_t i = 0; i < found.size(); ++i) {
    JudgedCase c;
    c.what = found[i];
    Result<candidate::Plan> plan = candidate::plan(candidate_, spec_, c.what.binding, tuning_);
    if (!plan) return refuse_case(c.what, plan.error());
    c.plan = std::move(*plan);
    c.work = case_work(spec_, c.what.binding).value_or(0);
    c.ordinal = first_ordinal + static_cast<int>(i);
    c.seeds = 1;
    options.order = backwards(i % 2 == 1);
    const InputSet set = input_set(c, i % 2 == 0 ? op::Distribution::normal : op::Distribution::ramp, 0);
    if (!WW_TRY(run_one(c, loaded, set, options)) && !left_unproved(c)) return {};
  }
  return {};
}

Status Judge::further_sets() {
  if (!services_.mutants) return {};
  report("mutants of the spec", 0.83);
  std::vector<TriedCase> fixed;
  for (const JudgedCase& c : cases_) {
    if (c.resident || evidence::is_drawn(evidence::case_kind(c.what.name))) continue;
    TriedCase tried{c.what, {}};
    for (int i = 0; i < c.seeds; ++i) tried.sets.push_back(distribution(c, i));
    fixed.push_back(std::move(tried));
  }
  const auto claimed = [&](const Case& c) {
    return candidate::claims(candidate_, spec_, c.binding, tuning_).value_or(false);
  };
  const ToldApart told = WW_TRY(services_.mutants->get(spec_, fixed, claimed, stop_));
  constexpr int first_set = 300;
  int number = 0;
  for (const FurtherSet& set : told.further) {
    const auto c = std::ranges::find_if(cases_, [&](const JudgedCase& j) { return j.what.name == set.case_name; });
    if (c == cases_.end() || coverage_of(*c).seeds == 0) continue;
    report("case " + set.case_name + ", against mutants of the spec", 0.83);
    LoadedCase loaded;
    RunOptions options;
    options.threads = services_.threads;
    options.keep_outputs = false;
    if (!WW_TRY(run_one(*c, loaded, input_set(*c, set.distribution, first_set + number++), options)) &&
        !left_unproved(*c))
      return {};
  }
  verdict_.proof.mutants = told.counts;
  return {};
}

std::vector<const JudgedCase*> Judge::small_others() {
  std::vector<const JudgedCase*> others, all;
  for (const JudgedCase& c : cases_)
    if (!c.main && coverage_of(c).seeds > 0) all.push_back(&c);
  const auto last_of = [&](evidence::CaseKind kind) -> const JudgedCase* {
    const auto at = std::find_if(all.rbegin(), all.rend(),
                                 [&](const JudgedCase* c) { return evidence::case_kind(c->what.name) == kind; });
    return at == all.rend() ? nullptr : *at;
  };
  if (const JudgedCase* random = last_of(evidence::CaseKind::random)) others.push_back(random);
  if (const JudgedCase* constants = last_of(evidence::CaseKind::constants)) {
    others.push_back(constants);
    // Of the same sizes: what is kept for sizes alone shows there.
    const auto same_sizes = std::find_if(all.begin(), all.end(), [&](const JudgedCase* c) {
      return c->what.binding.symbols == constants->what.binding.symbols;
    });
    if (*same_sizes != constants) others.push_back(*same_sizes);
  }
  const auto least = std::min_element(all.begin(), all.end(), [](auto* a, auto* b) { return a->work < b->work; });
  if (least != all.end()) {
    std::erase(others, *least);
    others.push_back(*least);
  }
  return others;
}

Status Judge::calls_in_turn() {
  constexpr int first_set = 200, sets = 3, rounds = 6;
  constexpr double most_quick_work = 1e5;
  constexpr std::size_t most_quick = 16;
  const bool keeps = !ptx::kept_variables(verdict_.ptx).empty();
  const int calls_of_the_least = keeps ? 300 : 24;
  const std::vector<const JudgedCase*> others = small_others();
  std::vector<const JudgedCase*> calls = others;
  if (keeps) {
    std::vector<const JudgedCase*> quick;
    for (const JudgedCase& c : cases_)
      if (c.work <= most_quick_work && quick.size() < most_quick) quick.push_back(&c);
    std::mt19937_64 random(secret_.draw(Secret::Use::order, 0, 4));
    for (int round = 0; round < rounds; ++round) {
      std::ranges::shuffle(quick, random);
      calls.insert(calls.end(), quick.begin(), quick.end());
    }
  }
  if (!others.empty()) calls.insert(calls.end(), calls_of_the_least, others.back());
  calls.insert(calls.end(), others.begin(), others.end());
  calls.insert(calls.end(), others.rbegin(), others.rend());
  RunOptions options;
  options.threads = services_.threads;
  options.keep_outputs = false;
  int number = 0;
  for (const JudgedCase* c : calls) {
    if (coverage_of(*c).seeds == 0) continue;  // left unproved by an earlier call
    report("case " + c->what.name + " alternating with others", 0.83);
    const InputSet set = input_set(*c, op::Distribution::normal, first_set + number++ % sets);
    if (!WW_TRY(run_one(*c, main_, set, options)) && !left_unproved(*c)) return {};
  }
  return keeps ? nearly_same_calls(others) : Status();
}

Status Judge::nearly_same_calls(std::vector<const JudgedCase*> cases) {
  constexpr int first_set = 500;
  constexpr std::uint64_t touches = 6;
  cases.push_back(&cases_.back());
  RunOptions options;
  options.threads = services_.threads;
  options.keep_outputs = false;
  int number = 0;
  for (const JudgedCase* c : cases) {
    if (c->resident) continue;
    InputSet set = input_set(*c, op::Distribution::retouched, first_set + number++);
    set.seed &= ~std::uint64_t{0xff};
    for (std::uint64_t touch = 0; touch <= touches && coverage_of(*c).seeds > 0; ++touch, ++set.seed) {
      report("case " + c->what.name + ", nearly identical inputs", 0.83);
      if (!WW_TRY(run_one(*c, main_, set, options)) && !left_unproved(*c)) return {};
    }
  }
  return {};
}

CaseCoverage& Judge::coverage_of(const JudgedCase& c) {
  return *std::find_if(verdict_.coverage.begin(), verdict_.coverage.end(),
                       [&](const CaseCoverage& of) { return of.case_name == c.what.name; });
}

bool Judge::left_unproved(const JudgedCase& c) {
  const bool out_of_budget =
      result_.failure && result_.failure->fault && result_.failure->fault->kind == FaultKind::budget_exceeded;
  if (!out_of_budget || !is_secondary(c.what) || !services_.device->usable()) return false;
  result_.outcome = Outcome::passed;
  result_.message.clear();
  result_.detail.clear();
  result_.failure.reset();
  const auto covered = std::ranges::find(verdict_.coverage, c.what.name, &CaseCoverage::case_name);
  if (covered != verdict_.coverage.end()) covered->seeds = 0;
  return true;
}

Status Judge::determinism() {
  const JudgedCase& c = cases_.back();
  report("case " + c.what.name + " again", 0.84);
  RunOptions options;
  options.threads = 1;
  options.order = backwards();
  options.counters = counts() && !counts_early();
  options.previous = &main_outputs_;
  auto again = WW_TRY(run_one(c, main_, input_set(c, distribution(c, 0), 0), options, &main_inputs_));
  if (!again) {
    if (!result_.failure || !result_.failure->fault || decides(result_.failure->fault->kind))
      result_.message = "the same inputs gave a different, wrong result the second time: " + result_.message;
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

}  // namespace ww::gate
