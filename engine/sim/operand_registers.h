// SPDX-License-Identifier: Apache-2.0
// Which registers an instruction writes and reads, as indices of its function's registers.
#pragma once
#include <cstdint>
#include <vector>

namespace ww::simt {
struct Instruction;
}

namespace ww::sim {

std::vector<std::uint32_t> written_registers(const simt::Instruction& instruction);
std::vector<std::uint32_t> read_registers(const simt::Instruction& instruction);  // its guard among them

}  // namespace ww::sim
