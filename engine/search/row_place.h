// SPDX-License-Identifier: Apache-2.0
// Where the kernels of a structure keep the row that they work on between its passes.
#pragma once
#include <cstdint>
#include <string_view>
#include "base/describe.h"

namespace ww::search {

inline constexpr const char *row_warp_registers = "row-warp-registers", *row_block_registers = "row-block-registers",
                            *row_block_shared = "row-block-shared";

enum class RowPlace : std::uint8_t { unknown, registers, shared_memory };
constexpr auto names_of(RowPlace) {
  using enum RowPlace;
  return std::to_array<Enumerator<RowPlace>>(
      {{unknown, "unknown"}, {registers, "registers"}, {shared_memory, "shared memory"}});
}

// Of a structure that this search made; unknown: all others, also those that read the row again.
RowPlace row_place(std::string_view structure);

}  // namespace ww::search
