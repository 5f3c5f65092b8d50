// SPDX-License-Identifier: Apache-2.0
// Opcodes with their modifiers in one order, so that "div.ftz.rn.f32" and "div.rn.ftz.f32" are one instruction. PTX
// documents an order, and ptxas accepts others.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ww::simt {

std::vector<std::string> split_words(std::string_view opcode);  // at dots
std::vector<std::string> normal_words(std::string_view opcode);
std::string normal_opcode(std::string_view opcode);

}  // namespace ww::simt
