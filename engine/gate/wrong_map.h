// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include "base/result.h"
#include "evidence/wrong_map.h"
#include "op/evaluate.h"

namespace ww::gate {

// An output and its reference. `actual`: row-major bytes of expected.dtype.
struct WrongOutput {
  const op::ReferenceTensor& expected;
  std::span<const std::byte> actual;
  std::optional<std::uint8_t> poison;  // value of each byte before the kernels ran; empty: initialised otherwise
  std::int64_t unwritten = 0;          // number of unwritten elements, if the device knows; else 0

  double expected_at(std::size_t i) const;
  double actual_at(std::size_t i) const;
  bool unwritten_at(std::size_t i) const;
};

// `failure`: its element belongs to this output.
Result<evidence::WrongMap> map_wrong(const WrongOutput& output, const evidence::Failure& failure);

// The pattern of the wrong elements of a matrix; `wrong`: row-major, one per element.
evidence::WrongShape shape_of(const std::vector<bool>& wrong, std::int64_t rows, std::int64_t columns);
// The rule that relates the wrong elements of the matrix at `begin` to the correct ones.
evidence::WrongValues values_of(const WrongOutput& output, std::size_t begin, const std::vector<bool>& wrong,
                                std::int64_t rows, std::int64_t columns);

}  // namespace ww::gate
