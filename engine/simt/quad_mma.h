// SPDX-License-Identifier: Apache-2.0
// mma.m8n8k4 of f16: four products beside each other, each by lanes 4 q to 4 q + 3 and the same from 16 on (PTX ISA
// 9.0, section 9.7.14.5.1).
#pragma once
#include <cstdint>
#include "simt/machine.h"

namespace ww::simt {

struct QuadMma {
  bool a_columns = false, b_columns = false;  // their layouts
  bool half_result = false, half_addend = false;
  std::int64_t pack() const {
    return std::int64_t{a_columns} | std::int64_t{b_columns} << 1 | std::int64_t{half_result} << 2 |
           std::int64_t{half_addend} << 3;
  }
  static QuadMma unpack(std::int64_t v) { return {(v & 1) != 0, (v & 2) != 0, (v & 4) != 0, (v & 8) != 0}; }
  static unsigned registers(bool half) { return half ? 4 : 8; }
};

// lists[target …]: registers of d, a, b, c.
void quad_mma(Exec& x, const Op& op, std::uint32_t mask);

}  // namespace ww::simt
