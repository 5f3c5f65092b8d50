// SPDX-License-Identifier: Apache-2.0
// cp.async copies that a warp's threads have issued but not yet waited for.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include "simt/machine.h"

namespace ww::simt {

struct PendingCopy {
  std::uint32_t group = 0;                      // of its thread
  std::uint8_t lane = 0, bytes = 0, taken = 0;  // bytes beyond `taken` are zero-filled
  std::uint32_t to = 0;                         // offset in shared memory
  const std::byte* from = nullptr;
};
struct PendingCopies {
  std::vector<PendingCopy> copies;
  std::uint32_t group[32] = {};  // the group that each thread fills now
  void clear() {
    copies.clear();
    for (std::uint32_t& g : group) g = 0;
  }
};

void queue_copy(Exec& x, unsigned lane, std::uint32_t to, const std::byte* from, std::uint32_t bytes,
                std::uint32_t taken);
void commit_copies(Exec& x, std::uint32_t mask);
// Completes all but the latest `allowed` committed groups of each thread; -1: everything, committed or not.
void wait_copies(Exec& x, const Op& op, std::uint32_t mask, std::int64_t allowed);

}  // namespace ww::simt
