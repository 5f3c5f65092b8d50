// SPDX-License-Identifier: Apache-2.0
// Longer cases for a program of which some lines or conditions went one way in all others, or which rounds integers.
#include <algorithm>
#include "gate/judge.h"
#include "gate/planted.h"
#include "op/inputs.h"
#include "op/work.h"
#include "ptx/reach.h"

namespace ww::gate {

bool Judge::went_one_way() const {
  if (rounds_integers(verdict_.ptx)) return true;
  if (reach_.lines.empty()) return false;
  std::vector<ptx::Missed> missed = ptx::missed_in(verdict_.ptx, reach_, request_.language == candidate::Language::ptx);
  // More elements do not turn a condition on sizes, of which other cases were made.
  const std::vector<int> of_sizes = branches_ ? branches_->counts().untried : std::vector<int>();
  std::erase_if(missed, [&](const ptx::Missed& m) { return std::ranges::count(of_sizes, m.line) > 0; });
  return !missed.empty();
}

// The sizes other than `symbol`, if large, a little smaller: powers of two divide evenly.
op::Binding Judge::with_remainders(op::Binding of, const std::string& symbol) {
  constexpr std::int64_t large = 64, most = 8;
  std::uint64_t number = 1;
  for (auto& [name, size] : of.symbols)
    if (name != symbol && size > large)
      size -= static_cast<std::int64_t>(secret_.draw(Secret::Use::shapes, number++, 5) % most);
  return of;
}

std::optional<JudgedCase> Judge::longer_case(const std::string& symbol) {
  constexpr double most_work = 2.5e7;
  constexpr std::uint64_t remainders = 8;
  op::Binding own = cases_.back().what.binding;
  if (!own.symbols.contains(symbol)) return {};
  if (const op::Binding uneven = with_remainders(own, symbol);
      candidate::claims(candidate_, spec_, uneven, tuning_).value_or(false) && op::has_elements(spec_, uneven))
    own = uneven;
  const auto drawable = [&](const op::Binding& b) {  // a row of distinct values may be longer than there are values
    return std::ranges::all_of(spec_.inputs,
                               [&](const op::Param& p) { return op::domain_of(spec_, p, b).has_value(); });
  };
  JudgedCase c;
  const auto try_length = [&](std::int64_t length) {
    op::Binding b = own;
    b.symbols[symbol] = length;
    const double work = case_work(spec_, b).value_or(2 * most_work);
    if (work > most_work || !op::has_elements(spec_, b) || !drawable(b) ||
        !candidate::claims(candidate_, spec_, b, tuning_).value_or(false))
      return false;
    Result<candidate::Plan> plan = candidate::plan(candidate_, spec_, b, tuning_);
    if (!plan) return false;
    c.what = {evidence::case_names::longer + symbol, std::move(b)};
    c.plan = std::move(*plan), c.work = work;
    return true;
  };
  std::int64_t length = own.symbols.at(symbol);
  if (!try_length(2 * length)) return {};
  while (try_length(2 * length)) length *= 2;
  (void)try_length(length + 1 + static_cast<std::int64_t>(secret_.draw(Secret::Use::shapes, 0, 5) % remainders));
  return c;
}

Status Judge::longer_cases() {
  constexpr int first_ordinal = 910;
  if (spec_.symbols.empty()) return {};
  std::vector<std::string> ends{spec_.symbols.front()};
  if (spec_.symbols.size() > 1) ends.push_back(spec_.symbols.back());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (!went_one_way()) return {};
    std::optional<JudgedCase> c = longer_case(ends[i]);
    if (!c) continue;
    c->ordinal = first_ordinal + static_cast<int>(i);
    report("case " + c->what.name, 0.82);
    LoadedCase loaded;
    RunOptions options;
    options.threads = services_.threads;
    options.keep_outputs = false;
    std::vector<op::Distribution> sets{op::Distribution::normal};
    if (large_) sets.push_back(*large_);
    for (int set = 0; set < static_cast<int>(sets.size()); ++set) {
      if (WW_TRY(run_one(*c, loaded, input_set(*c, sets[static_cast<std::size_t>(set)], set), options))) continue;
      if (!left_unproved(*c)) return {};
      break;
    }
  }
  return {};
}

}  // namespace ww::gate
