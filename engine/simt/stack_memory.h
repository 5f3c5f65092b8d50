// SPDX-License-Identifier: Apache-2.0
// alloca, stacksave and stackrestore (PTX ISA 9.0, section 9.7.15): of a function that has one, a part of its local
// memory that it hands out upwards.
#pragma once
#include <cstdint>
#include "simt/machine.h"

namespace ww::simt {

inline constexpr std::uint32_t stack_room = 16 << 10;  // bytes a thread, of each function
inline constexpr std::uint32_t stack_alignment = 16;   // of its beginning, and the least of what it hands out

// Handlers. Op: n: bytes of an address; b: where its free part begins, a u32 for each lane; c: where it ends, a
// constant; a: the size, or what stacksave gave; imm: the alignment; d: the address.
void stack_allocate(Exec& x, const Op& op, std::uint32_t mask);
void stack_save(Exec& x, const Op& op, std::uint32_t mask);
void stack_restore(Exec& x, const Op& op, std::uint32_t mask);

}  // namespace ww::simt
