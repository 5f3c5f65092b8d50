// SPDX-License-Identifier: Apache-2.0
// Video instructions: arithmetic of words, or of their halves and bytes beside each other, whose intermediate results
// have more bits than the operands (PTX ISA 9.0, sections 9.7.17 and 9.7.18). No operand is a part of a register.
#pragma once
#include <cstdint>
#include "simt/machine.h"

namespace ww::simt {

struct Video {
  enum class Kind : std::uint8_t { add, sub, average, difference, least, greatest, set, shift_left, shift_right };
  enum class Compare : std::uint8_t { eq, ne, lt, le, gt, ge };
  enum class Then : std::uint8_t { nothing, add, least, greatest };  // with the third operand
  Kind kind = Kind::add;
  Compare compare = Compare::eq;
  Then then = Then::nothing;
  std::uint8_t parts = 1;  // of a register: 1, 2 or 4
  bool a_signed = false, b_signed = false, d_signed = false, saturate = false;
  bool wraps = false;  // the amount of a shift, instead of ending at 32

  std::int64_t pack() const {
    return static_cast<std::int64_t>(kind) | static_cast<std::int64_t>(compare) << 4 |
           static_cast<std::int64_t>(then) << 8 | std::int64_t{parts} << 12 | std::int64_t{a_signed} << 16 |
           std::int64_t{b_signed} << 17 | std::int64_t{d_signed} << 18 | std::int64_t{saturate} << 19 |
           std::int64_t{wraps} << 20;
  }
  static Video unpack(std::int64_t v) {
    const auto bit = [v](unsigned at) { return ((v >> at) & 1) != 0; };
    return {static_cast<Kind>(v & 15),
            static_cast<Compare>((v >> 4) & 15),
            static_cast<Then>((v >> 8) & 15),
            static_cast<std::uint8_t>((v >> 12) & 15),
            bit(16),
            bit(17),
            bit(18),
            bit(19),
            bit(20)};
  }
};

void video(Exec& x, const Op& op, std::uint32_t mask);

}  // namespace ww::simt
