// SPDX-License-Identifier: Apache-2.0
// The handlers' view of a buffer of simulated global memory. Plain data: the exec_*.cpp files include it.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ww::simt {

struct BufferView {
  std::uint64_t address = 0;
  std::uint64_t size = 0;  // 0 once freed, so that a cached pointer never passes the bounds check
  std::byte* data = nullptr;
  std::uint8_t* init = nullptr;  // one per byte: 0 until it is written (see Exec::tag); null: every byte is initialised
  bool read_only = false;
  bool by_lane = false;  // a launch watches a part of it: every access takes the careful path
};

}  // namespace ww::simt
