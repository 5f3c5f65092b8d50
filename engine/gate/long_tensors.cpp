// SPDX-License-Identifier: Apache-2.0
// Offsets beyond 32 bits, without the memory that they would need: see evidence/long_tensors.h.
#include <algorithm>
#include <limits>
#include "gate/compare.h"
#include "gate/drawn.h"
#include "gate/judge.h"
#include "op/leading.h"
#include "op/parse.h"

namespace ww::gate {
namespace {

using evidence::LongOutcome;
using evidence::LongTensors;
using evidence::LongUntried;

// Up to what signed offsets of 32 bits reach, beyond that (they lie before the tensor then), and beyond unsigned ones
// (which lie far from its end).
constexpr std::int64_t narrow = (std::int64_t{1} << 31) - (std::int64_t{1} << 22);
constexpr std::int64_t longer[] = {std::int64_t{3} << 30, std::int64_t{5} << 30};
constexpr std::int64_t shorter[] = {std::int64_t{1} << 30, std::int64_t{1} << 28, std::int64_t{1} << 26,
                                    std::int64_t{1} << 24};
constexpr std::int64_t most_rows = 512, least_rows = 64;  // that have memory
constexpr std::int64_t most_in_row = 1 << 13;
constexpr double most_end_work = 2e6;         // of those rows
constexpr std::uint32_t long_side = 1 << 10;  // of a grid: it grows with the tensors
constexpr std::uint64_t most_blocks = 1 << 13;
constexpr std::array<std::uint32_t, 4> block_counts = {1, 4, 16, 64};
constexpr std::int64_t most_temporary = std::int64_t{64} << 20;  // bytes

struct LongCase {
  op::Binding binding, end;  // of the whole, and of the rows that have memory
  std::string symbol;
  std::int64_t rows = 0, row = 0;  // that have memory; elements of a row of the largest tensor
};

std::int64_t rest_of(const std::vector<std::int64_t>& shape) {  // elements of a row
  return op::element_count({shape.begin() + 1, shape.end()});
}

// Grows `symbol` of a small case until the largest tensor is long enough. None: the sizes are not valid.
std::optional<LongCase> grown(const op::Spec& spec, const op::Binding& small, const std::string& symbol,
                              std::int64_t elements, LongTensors& out) {
  std::int64_t row = 0;
  for (const auto* list : {&spec.inputs, &spec.outputs})
    for (const op::Param& p : *list) {
      const auto shape = op::shape_of(spec, p, small);
      if (!shape) return {};
      if (op::leads(p, symbol) && rest_of(*shape) > row) row = rest_of(*shape), out.tensor = p.name;
    }
  if (row == 0) return {};
  LongCase made{small, small, symbol, most_rows, row};
  const std::int64_t rows = elements / row;
  made.binding.symbols[symbol] = rows;
  out.elements = rows * row;
  out.binding = made.binding;
  for (;; made.rows /= 2) {
    if (made.rows < least_rows) return {};
    made.end.symbols[symbol] = made.rows;
    if (const auto work = case_work(spec, made.end); work && *work <= most_end_work) break;
  }
  if (!op::resolve(spec, made.binding)) return {};
  return made;
}

std::int64_t longest(const op::Spec& spec, const op::Binding& binding) {  // elements of the largest tensor
  std::int64_t most = 0;
  for (const auto* list : {&spec.inputs, &spec.outputs})
    for (const op::Param& p : *list)
      if (const auto shape = op::shape_of(spec, p, binding)) most = std::max(most, op::element_count(*shape));
  return most;
}

op::ReferenceTensor last_row(const op::ReferenceTensor& all) {
  op::ReferenceTensor row;
  row.dtype = all.dtype;
  row.moved = all.moved;
  row.signed_zeros = all.signed_zeros;
  row.shape = all.shape;
  row.shape[0] = 1;
  const std::int64_t count = op::element_count(row.shape);
  const auto copy = [&](auto& to, const auto& from) {
    if (!from.empty()) to.assign(from.end() - count, from.end());
  };
  copy(row.value, all.value), copy(row.integer, all.integer), copy(row.bound, all.bound), copy(row.strict, all.strict);
  return row;
}

// The first of the last `blocks` along each side that grows with the tensors. None: no side does, or they are too many.
std::optional<std::array<std::uint32_t, 3>> last_blocks(const candidate::PlannedLaunch& launch, std::uint32_t blocks) {
  std::array<std::uint32_t, 3> first{};
  std::uint64_t all = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    if (launch.grid[d] >= long_side) first[d] = launch.grid[d] - blocks;
    all *= launch.grid[d] - first[d];
  }
  if (first == std::array<std::uint32_t, 3>{} || all > most_blocks) return {};
  return first;
}

// Whether the address is of a part of a tensor that has no memory.
Result<bool> lacks_memory(const op::Spec& spec, const LongCase& made, const device::Execution& execution,
                          const Fault& fault) {
  if (fault.kind != FaultKind::out_of_bounds) return false;
  for (const auto* list : {&spec.inputs, &spec.outputs})
    for (const op::Param& p : *list) {
      if (!op::leads(p, made.symbol)) continue;
      const std::uint64_t start = WW_TRY(execution.address(p.name));
      const auto shape = WW_TRY(op::shape_of(spec, p, made.binding));
      const auto bytes = static_cast<std::uint64_t>(op::element_count(shape)) * dtype_size(p.dtype);
      if (fault.address >= start && fault.address - start < bytes) return true;
    }
  return false;
}

enum class End : std::uint8_t { right, wrong, incomplete };

// Whether the last row of each output was written, and holds what it should.
Result<End> check_end(const op::Spec& spec, const Reference& reference, const device::Execution& execution) {
  End end = End::right;
  for (const op::Param& p : spec.outputs) {
    const op::ReferenceTensor& all = reference.outputs.at(p.name);
    const op::ReferenceTensor row = last_row(all);
    const std::size_t size = dtype_size(p.dtype),
                      row_bytes = size * static_cast<std::size_t>(op::element_count(row.shape));
    std::vector<std::byte> bytes(size * static_cast<std::size_t>(op::element_count(all.shape)));
    WW_TRY(execution.read(p.name, bytes));
    const auto unwritten = WW_TRY(execution.unwritten(p.name));
    if (unwritten.count > 0 && unwritten.last >= bytes.size() - row_bytes) return End::incomplete;
    const Comparison compared = WW_TRY(compare(p.name, row, std::span(bytes).last(row_bytes)));
    if (compared.worst) end = End::wrong;
  }
  return end;
}

// The tensors of the plan with the ends that have memory, filled and poisoned.
Status load_end(const op::Spec& spec, const LongCase& made, const Reference& reference, const candidate::Plan& plan,
                std::uint8_t poison, device::Execution& execution) {
  const auto allocate = [&](const op::Param& p, const std::vector<std::int64_t>& end, device::Access access) -> Status {
    const std::int64_t held = op::element_count(end);
    if (!op::leads(p, made.symbol)) return execution.allocate(p.name, p.dtype, held, access);
    const auto shape = WW_TRY(op::shape_of(spec, p, made.binding));
    return execution.allocate_end(p.name, p.dtype, op::element_count(shape), held, access);
  };
  for (const op::Param& p : spec.inputs) {
    const op::HostTensor& input = reference.inputs.at(p.name);
    WW_TRY(allocate(p, input.shape, device::Access::read_only));
    WW_TRY(execution.write(p.name, input.bytes));
  }
  for (const op::Param& p : spec.outputs) {
    WW_TRY(allocate(p, reference.outputs.at(p.name).shape, device::Access::read_write));
    const bool zeroed = std::ranges::count(plan.zeroed_outputs, p.name) > 0;
    WW_TRY(zeroed ? execution.zero(p.name) : execution.poison(p.name, poison));
  }
  for (const candidate::PlannedTensor& t : plan.temps) {
    WW_TRY(execution.allocate(t.name, t.dtype, t.count, device::Access::read_write));
    WW_TRY(t.zeroed ? execution.zero(t.name) : execution.poison(t.name, poison));
  }
  return {};
}

struct Ran {
  LongOutcome outcome = LongOutcome::not_tried;
  LongUntried why = LongUntried::unknown;
  std::optional<Fault> fault;
};

// The last `blocks` along each side of each launch. None: they do not write the last row.
Result<std::optional<Ran>> run_end(const op::Spec& spec, const LongCase& made, const Reference& reference,
                                   const candidate::Plan& plan, RunOptions options, std::uint32_t blocks,
                                   device::Execution& execution) {
  WW_TRY(execution.renew(options.surroundings));
  WW_TRY(load_end(spec, made, reference, plan, options.poison, execution));
  for (const candidate::PlannedLaunch& launch : plan.launches) {
    const auto first = last_blocks(launch, blocks);
    if (!first) return Ran{LongOutcome::not_tried, LongUntried::grid, {}};
    options.first_block = *first;
    const Result<device::LaunchOutcome> done = execution.launch(launch, options);
    if (!done && done.error().code == Code::cancelled) return fail(done.error());
    if (!done) return Ran{LongOutcome::refused, {}, {}};
    if (!done->fault) continue;
    if (WW_TRY(lacks_memory(spec, made, execution, *done->fault)))
      return Ran{LongOutcome::not_tried, LongUntried::order, done->fault};
    if (decides(done->fault->kind)) return Ran{LongOutcome::wrong, {}, done->fault};
    return Ran{LongOutcome::not_tried, LongUntried::work, done->fault};
  }
  switch (WW_TRY(check_end(spec, reference, execution))) {
    case End::right: return Ran{LongOutcome::right, {}, {}};
    case End::wrong:  // more blocks may be needed, for temporaries or sums of parts
      if (blocks == block_counts.back() && plan.temps.empty()) return Ran{LongOutcome::wrong, {}, {}};
      break;
    case End::incomplete: break;
  }
  return std::optional<Ran>();
}

}  // namespace

Result<LongTensors> Judge::try_long_tensors(const std::string& symbol, std::int64_t elements) {
  LongTensors tried;
  const auto ended = [&](LongOutcome outcome, LongUntried why = LongUntried::unknown) {
    tried.outcome = outcome;
    tried.why = why;
    return tried;
  };
  // Of long rows, which leave the least for temporaries, yet many of them; a claimed one if there is one.
  std::optional<LongCase> made;
  bool claimed = false;
  for (const JudgedCase& c : cases_) {
    LongTensors of_case;
    const std::optional<LongCase> longer = grown(spec_, c.what.binding, symbol, elements, of_case);
    if (!longer) continue;
    const bool claims = candidate::claims(candidate_, spec_, longer->binding, tuning_).value_or(false);
    const auto worth = [](const LongCase& l) { return l.row <= most_in_row ? l.row : 0; };
    if (made && (claims < claimed || (claims == claimed && worth(*longer) <= worth(*made)))) continue;
    made = longer;
    claimed = claims;
    tried = of_case;
  }
  if (!made) return ended(LongOutcome::not_tried, LongUntried::work);
  if (!claimed) return ended(LongOutcome::not_claimed);
  const Result<candidate::Plan> plan = candidate::plan(candidate_, spec_, made->binding, tuning_);
  const auto fits = [&](const candidate::PlannedLaunch& launch) { return module_->fits(launch).has_value(); };
  if (!plan || !std::ranges::all_of(plan->launches, fits)) return ended(LongOutcome::refused);
  for (const candidate::PlannedTensor& t : plan->temps)
    if (t.count > most_temporary / static_cast<std::int64_t>(dtype_size(t.dtype)))
      return ended(LongOutcome::not_tried, LongUntried::memory);
  const InputSet set{
      made->end, op::Distribution::normal, secret_.draw(Secret::Use::inputs, 0, 999) >> 11, {}, request_.precision};
  const auto reference = services_.references->get(spec_, set, services_.threads, stop_);
  if (!reference && reference.error().code == Code::cancelled) return fail(reference.error());
  if (!reference) return ended(LongOutcome::not_tried, LongUntried::work);
  const Limits limits{case_work(spec_, made->end).value_or(most_end_work), request_.launch_budget, stop_, one_by_one_};
  for (const std::uint32_t blocks : block_counts) {
    const std::unique_ptr<device::Execution> execution = WW_TRY(module_->execution());
    const RunOptions options = drawn_options(secret_, runs_++, *plan, limits);
    auto ran = WW_TRY(run_end(spec_, *made, **reference, *plan, options, blocks, *execution));
    if (!ran) continue;
    tried.fault = std::move(ran->fault);
    if (ran->outcome == LongOutcome::right) branches_->note(made->binding, *plan);
    return ended(ran->outcome, ran->why);
  }
  return ended(LongOutcome::not_tried, LongUntried::order);
}

// Where offsets wrap, the result is wrong: the largest size is looked for at which it is right. An offset that wraps
// within the tensor looks as if blocks had another order.
Result<LongTensors> Judge::try_long_tensors(const std::string& symbol) {
  LongTensors tried = WW_TRY(try_long_tensors(symbol, narrow));
  if (tried.outcome == LongOutcome::wrong) {
    for (const std::int64_t elements : shorter) {
      const LongTensors less = WW_TRY(try_long_tensors(symbol, elements));
      if (less.outcome == LongOutcome::right) {
        tried.proved = less.elements;
        return tried;
      }
    }
    tried.outcome = LongOutcome::not_tried;  // smaller cases were right: other blocks must have been missing
    tried.why = LongUntried::order;
    return tried;
  }
  for (const std::int64_t elements : longer) {
    if (tried.outcome != LongOutcome::right) break;
    const std::int64_t proved = elements == longer[0] ? std::numeric_limits<std::int32_t>::max() : tried.elements;
    tried = WW_TRY(try_long_tensors(symbol, elements));
    if (tried.outcome == LongOutcome::not_tried && tried.why == LongUntried::order) {
      tried.outcome = LongOutcome::wrong;
      tried.why = LongUntried::unknown;
    }
    tried.proved = tried.outcome == LongOutcome::right ? tried.elements : proved;
  }
  return tried;
}

Status Judge::long_tensors() {
  if (!services_.device->facts().holds_ends) return {};
  report("tensors of more than 2^32 elements", 0.83);
  LongTensors best;
  best.outcome = LongOutcome::not_tried;
  best.why = LongUntried::op;
  for (const std::string& symbol : op::leading_symbols(spec_)) {
    best = WW_TRY(try_long_tensors(symbol));
    if (best.outcome == LongOutcome::right || best.outcome == LongOutcome::wrong) break;
  }
  // A launch may cover no more than the cases that were run: a grid that does not grow, or blocks counted in few bits.
  if (best.outcome == LongOutcome::not_tried)
    for (const evidence::CaseCoverage& c : verdict_.coverage)
      if (c.seeds > 0) best.proved = std::max(best.proved, longest(spec_, c.binding));
  verdict_.proof.long_tensors = std::move(best);
  const evidence::LongTensors& tried = *verdict_.proof.long_tensors;
  const auto most = evidence::most_elements(tried);
  if (tried.outcome == LongOutcome::wrong && longest(spec_, verdict_.coverage.front().binding) > *most)
    return reject("the requested sizes exceed those that are right: " + evidence::long_tensors_text(tried));
  return {};
}

}  // namespace ww::gate
