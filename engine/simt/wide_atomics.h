// SPDX-License-Identifier: Apache-2.0
// Registers of 128 bits, which are two of 64, and atom.exch and atom.cas on memory of that size.
#pragma once
#include <cstdint>
#include "simt/machine.h"

namespace ww::simt {

inline constexpr std::uint32_t wide_half = 8 * warp_lanes;  // frame bytes from the lower half to the upper one

void exchange_wide(Exec& x, const Op& op, std::uint32_t mask);          // a: address, b: value, d: what was there
void compare_and_swap_wide(Exec& x, const Op& op, std::uint32_t mask);  // b: compared, c: stored

}  // namespace ww::simt
