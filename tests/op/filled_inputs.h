// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include "op/inputs.h"

namespace ww::test {

// 64 rows of 50 elements.
inline std::vector<double> filled(op::Distribution d, int ordinal, DType dtype, op::Domain domain = {},
                                  const std::vector<double>& planted = {}, std::uint64_t seed = 7) {
  std::vector<std::byte> bytes(64 * 50 * dtype_size(dtype));
  op::fill_input(d, seed, ordinal, dtype, domain, 64 * 50, bytes.data(), 50, planted);
  std::vector<double> out;
  for (std::size_t i = 0; i < 64 * 50; ++i) {
    const std::byte* at = &bytes[i * dtype_size(dtype)];
    out.push_back(is_real(dtype) ? load_f64(dtype, at) : static_cast<double>(load_i64(dtype, at)));
  }
  return out;
}

}  // namespace ww::test
