// SPDX-License-Identifier: Apache-2.0
// Small cases with many sets of the inputs that code keyed on values singles out.
#include <algorithm>
#include <map>
#include <tuple>
#include "gate/drawn.h"
#include "gate/judge.h"
#include "gate/reference.h"
#include "op/inputs.h"
#include "op/leading.h"
#include "op/work.h"

namespace ww::gate {
namespace {

constexpr double least_work = 1000;  // less has too few elements to go wrong
constexpr double work_per_warp = 64;
constexpr std::int64_t many_rows = 16;  // that go through all scales together

constexpr double least_shared_work = 1e5;  // what is less is not worth waking other threads for

// Of a run on the SIMT machine with its reference, in units of work.
double cost_of(const JudgedCase& c) { return c.work + work_per_warp * warps_of(c.plan); }

struct Rows {  // of the first input
  std::int64_t count = 1, length = 1;
};
Rows rows_of_first(const op::Spec& spec, const op::Binding& b) {
  if (spec.inputs.empty()) return {};
  const auto shape = op::shape_of(spec, spec.inputs.front(), b);
  if (!shape || shape->empty()) return {};
  const std::int64_t length = std::max<std::int64_t>(1, shape->back());
  return {op::element_count(*shape) / length, length};
}
// What a row's sum tells of its scale: within a few percent.
bool tells_scales(const Rows& rows) {
  constexpr std::int64_t least_length = 64;
  return rows.count >= many_rows && rows.length >= least_length;
}

}  // namespace

Result<std::optional<JudgedCase>> Judge::even_case() {
  constexpr int ordinal = 900, tries = 4;
  constexpr std::size_t few_symbols = 4, most_symbols = 8;
  constexpr std::int64_t sizes[] = {4, 16, 64, 256};
  constexpr double most_cost = 2e5;
  std::vector<JudgedCase> all;
  const std::size_t n = spec_.symbols.size(), bits = n <= few_symbols ? 2 : 1;
  for (std::size_t code = 0; n > 0 && n <= most_symbols && code < std::size_t{1} << (bits * n); ++code) {
    if (stop_.stop_requested()) return fail(Code::cancelled, "cancelled");
    JudgedCase c;
    c.what = {evidence::case_names::even, cases_.back().what.binding};
    for (std::size_t i = 0; i < n; ++i)
      c.what.binding.symbols[spec_.symbols[i]] = sizes[code >> (bits * i) & ((1u << bits) - 1)];
    c.work = case_work(spec_, c.what.binding).value_or(0);
    if (c.work < least_work || c.work > most_cost || !op::has_elements(spec_, c.what.binding) ||
        !candidate::claims(candidate_, spec_, c.what.binding, tuning_).value_or(false))
      continue;
    Result<candidate::Plan> plan = candidate::plan(candidate_, spec_, c.what.binding, tuning_);
    if (!plan) continue;
    c.plan = std::move(*plan);
    if (cost_of(c) <= most_cost) all.push_back(std::move(c));
  }
  std::ranges::stable_sort(all, {}, [&](const JudgedCase& c) {
    const Rows rows = rows_of_first(spec_, c.what.binding);
    return std::tuple(rows.count < many_rows, !tells_scales(rows), cost_of(c));
  });
  for (std::size_t i = 0; i < all.size() && i < tries; ++i) {
    if (!ordinary_outputs(spec_, all[i].what.binding, 1, stop_)) continue;
    all[i].ordinal = ordinal;
    return std::optional(std::move(all[i]));
  }
  return std::optional<JudgedCase>();
}

Status Judge::keyed_inputs() {
  constexpr int first_set = 400, sets = 8;
  constexpr std::int64_t several_rows = 4;  // in one alone, what has several kinds of rows has one
  const auto c = std::ranges::min_element(cases_, {}, [&](const JudgedCase& of) {
    const bool several = rows_of_first(spec_, of.what.binding).count >= several_rows;
    return std::tuple(of.work < least_work, !several, of.work < least_work ? -of.work : cost_of(of));
  });
  // Rows as long as the default's, of which the sum is large.
  const auto flat = std::ranges::find_if(
      cases_, [](const JudgedCase& of) { return of.what.name == evidence::case_names::flat && !of.resident; });
  const std::vector<op::Distribution> all = distributions(*c);
  LoadedCase loaded, loaded_flat;
  RunOptions options;
  options.threads = services_.threads;
  options.keep_outputs = false;
  for (int i = 0; i < sets; ++i) {
    int number = first_set;
    for (const op::Distribution d :
         {op::Distribution::sampled, op::Distribution::few, op::Distribution::shared, op::Distribution::planted,
          op::Distribution::pixels, op::Distribution::ties, op::Distribution::nonfinite, op::Distribution::infinite,
          op::Distribution::edges, op::Distribution::narrow, op::Distribution::nonpositive,
          op::Distribution::one_sided}) {
      if (std::ranges::count(all, d) == 0) continue;
      const bool in_flat = d == op::Distribution::edges && flat != cases_.end();
      const JudgedCase& of = in_flat ? *flat : *c;
      report("case " + of.what.name + ", " + std::string(op::distribution_name(d)) + " inputs", 0.11);
      options.order = backwards(i % 2 == 1);
      InputSet set = input_set(of, d, number++);
      set.seed = (set.seed & ~op::turn_bits) + static_cast<std::uint64_t>(i);
      if (!WW_TRY(run_one(of, in_flat ? loaded_flat : loaded, set, options))) {
        left_unproved(of);
        return {};
      }
    }
  }
  WW_TRY(saturated_counts());
  if (ends_judgement(result_.outcome)) return {};
  if (std::ranges::none_of(spec_.inputs, [](const op::Param& p) { return is_real(p.dtype); })) return {};
  WW_TRY(every_binade(*c));
  if (ends_judgement(result_.outcome)) return {};
  const std::optional<JudgedCase> even = WW_TRY(even_case());
  WW_TRY(every_scale(even ? *even : *c));
  return sums_after_extremes(spec_) && !ends_judgement(result_.outcome) ? level_rows(even ? *even : *c) : Status();
}

// Counters of too few bits overflow where everything counts: at the sizes that were asked for.
Status Judge::saturated_counts() {
  constexpr int first_set = 702, levels = 4;
  const auto main = std::ranges::find_if(cases_, &JudgedCase::main);
  if (main == cases_.end() || main->resident || !counts_elements(spec_)) return {};
  return in_turns(*main, op::Distribution::saturated, first_set, {0, 1, levels});
}

Status Judge::every_binade(const JudgedCase& c) {
  constexpr int first_set = 700, turns = 24;
  return in_turns(c, op::Distribution::binades, first_set, {0, 1, turns});
}

Status Judge::every_scale(const JudgedCase& c) {
  constexpr int first_set = 701, fewest = 36;
  constexpr double most_cost = 1e7;  // of all sets
  const auto first = std::ranges::find_if(spec_.inputs, [](const op::Param& p) { return is_real(p.dtype); });
  const int all = op::sets_of_all_scales(first->dtype), part = op::turns_by_row;
  // Where rows are independent, those of sixteen tell as much as whole tensors.
  const std::vector<std::string> leading = op::leading_symbols(spec_);
  const bool rows = first == spec_.inputs.begin() && first->shape.size() == 2 &&
                    std::ranges::any_of(leading, [&](const std::string& s) { return op::leads(*first, s); });
  if (rows && rows_of_first(spec_, c.what.binding).count >= many_rows)
    return in_turns(c, op::Distribution::scaled, first_set, {part - 1, part, (all + part - 1) / part});
  const int afforded = std::max(fewest, static_cast<int>(most_cost / cost_of(c)));
  return in_turns(c, op::Distribution::scaled, first_set, {0, 1, std::min(all, afforded)});
}

Status Judge::in_turns(const JudgedCase& c, op::Distribution d, int number, const Turns& turns) {
  if (std::ranges::count(distributions(c), d) == 0) return {};
  LoadedCase loaded;
  RunOptions options;
  options.threads = c.work < least_shared_work ? 1 : services_.threads;
  options.keep_outputs = false;
  report("case " + c.what.name + ", inputs of every magnitude", 0.111);
  InputSet set = input_set(c, d, number);
  set.seed = (set.seed & ~op::turn_bits) + static_cast<std::uint64_t>(turns.first);
  for (int i = 0; i < turns.count; ++i, set.seed += static_cast<std::uint64_t>(turns.step)) {
    options.order = backwards(i % 2 == 1);
    if (WW_TRY(run_one(c, loaded, set, options))) continue;
    left_unproved(c);
    return {};
  }
  return {};
}

Status Judge::level_rows(const JudgedCase& c) {
  constexpr int first_set = 480, enough = 2;
  if (c.resident) return {};
  LoadedCase loaded;
  RunOptions options;
  options.threads = c.work < least_shared_work ? 1 : services_.threads;
  options.keep_outputs = false;
  report("case " + c.what.name + ", level rows of both signs", 0.112);
  const std::uint64_t first = input_set(c, op::Distribution::level_high, first_set).seed & ~op::turn_bits;
  std::map<op::Distribution, int> lost_alone;
  for (int turn = 0; turn < op::level_turns; ++turn) {
    std::map<bool, std::int64_t> compared;  // by whether the run was right
    std::optional<InputSet> lost_one;
    for (const op::Distribution d : {op::Distribution::level_high, op::Distribution::level_low}) {
      InputSet set = input_set(c, d, first_set);
      set.seed = first + static_cast<std::uint64_t>(turn);
      set.precision = op::Precision::strict;
      const Inputs inputs = WW_TRY(inputs_for(c, set));
      const Result<RunOutcome> outcome = run_in(loaded, c, inputs, options_for(c, options));
      if (!outcome && !lost(outcome.error())) return fail(outcome.error());
      if (!outcome || set.distribution != d) return {};
      for (const auto& [name, checked] : outcome->checked) compared[outcome->right] += checked.bounded;
      if (!outcome->right) lost_one = set;
    }
    // In one turn alone, rounding may decide: where it takes exponentials of large scores to infinity or to zero.
    if (compared.size() < 2 || compared[true] < compared[false] || ++lost_alone[lost_one->distribution] < enough)
      continue;
    if (WW_TRY(run_one(c, loaded, *lost_one, options))) continue;
    left_unproved(c);
    return {};
  }
  return {};
}

}  // namespace ww::gate
