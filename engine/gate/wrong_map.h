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
  std::optional<std::uint8_t> poison;  // each byte of it before the kernels ran; empty: it began as something else
  std::int64_t unwritten = 0;          // elements that the device knows to be; 0: none, or it does not know

  double expected_at(std::size_t i) const;
  double actual_at(std::size_t i) const;
  bool unwritten_at(std::size_t i) const;
};

// `failure`: whose element is of this output.
Result<evidence::WrongMap> map_wrong(const WrongOutput& output, const evidence::Failure& failure);

// The pattern of the wrong elements of a matrix; `wrong`: row-major, one for each element.
evidence::WrongShape shape_of(const std::vector<bool>& wrong, std::int64_t rows, std::int64_t columns);
// The rule that the wrong elements of the matrix at `begin` follow.
evidence::WrongValues values_of(const WrongOutput& output, std::size_t begin, const std::vector<bool>& wrong,
                                std::int64_t rows, std::int64_t columns);

}  // namespace ww::gate
