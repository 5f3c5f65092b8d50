// SPDX-License-Identifier: Apache-2.0
// Fixed places at the start of every register frame.
#pragma once
#include <cstdint>

namespace ww::simt {

inline constexpr std::uint32_t true_offset = 0;   // u32: all ones
inline constexpr std::uint32_t carry_offset = 4;  // u32: the carry flag of each lane
inline constexpr std::uint32_t predicates_offset = 8;

}  // namespace ww::simt
