// SPDX-License-Identifier: Apache-2.0
#include "search/row_place.h"

namespace ww::search {

// Structures that fuse more or fewer equations have the same name with an ending.
RowPlace row_place(std::string_view structure) {
  for (const char* name : {row_warp_registers, row_block_registers})
    if (structure.starts_with(name)) return RowPlace::registers;
  return structure.starts_with(row_block_shared) ? RowPlace::shared_memory : RowPlace::unknown;
}

}  // namespace ww::search
