// SPDX-License-Identifier: Apache-2.0
// Whether offsets stay right in long tensors, of up to 5 * 2^30 elements: only the last elements have memory, and only
// the last blocks run.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include "base/describe.h"
#include "base/fault.h"
#include "op/spec.h"

namespace ww::evidence {

enum class LongOutcome : std::uint8_t {
  unknown,  // of an older verdict, or another device
  right,
  wrong,        // a fault, or wrong elements
  refused,      // the plan or its arguments do not allow such sizes
  not_claimed,  // a "require" excludes them
  not_tried,
};
constexpr auto names_of(LongOutcome) {
  using enum LongOutcome;
  return std::to_array<Enumerator<LongOutcome>>({{unknown, "unknown"},
                                                 {right, "right"},
                                                 {wrong, "wrong"},
                                                 {refused, "refused"},
                                                 {not_claimed, "not claimed"},
                                                 {not_tried, "not tried"}});
}

enum class LongUntried : std::uint8_t {
  unknown,  // also: it was tried
  op,       // no size only counts independent parts, so that the end cannot be computed alone
  work,     // the end alone is too much work
  grid,     // no dimension of a grid grows with the tensors: each block would compute a part of all
  memory,   // its temporaries
  order,    // the last blocks do not compute the last elements
};
constexpr auto names_of(LongUntried) {
  using enum LongUntried;
  return std::to_array<Enumerator<LongUntried>>(
      {{unknown, "unknown"}, {op, "op"}, {work, "work"}, {grid, "grid"}, {memory, "memory"}, {order, "order"}});
}

struct LongTensors {
  LongOutcome outcome = LongOutcome::unknown;
  LongUntried why = LongUntried::unknown;  // if it was not tried
  op::Binding binding;
  std::string tensor;         // the largest; empty: there is none
  std::int64_t elements = 0;  // of it
  std::int64_t proved = 0;    // the largest number of elements of a tensor with which it was right; 0: unknown
  std::optional<Fault> fault;
  WW_FIELDS(LongTensors, outcome, (why, "why it was not tried", sparse), (binding, "the sizes of the case"),
            (tensor, "the largest"), (elements, "of that tensor"),
            (proved, "the largest number of elements with which it was right; 0: unknown"),
            (fault, "that it ended with", sparse))
};

// Whether a long tensor was tried, and the result was wrong.
bool wrong_in_long(const std::optional<LongTensors>& tried);
// The most elements that a tensor may have for the verdict to hold: where longer ones were not tried, those of the
// longest case. None: nothing limits it.
std::optional<std::int64_t> most_elements(const std::optional<LongTensors>& tried);

// "right for x with 5368709632 elements (R = …): the last blocks alone were run"; one sentence without a full stop.
std::string long_tensors_text(const LongTensors& tried);

}  // namespace ww::evidence
