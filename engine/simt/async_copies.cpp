// SPDX-License-Identifier: Apache-2.0
#include "simt/async_copies.h"
#include <cstring>
#include "simt/block.h"
#include "simt/race_detector.h"

namespace ww::simt {

void queue_copy(Exec& x, unsigned lane, std::uint32_t to, const std::byte* from, std::uint32_t bytes,
                std::uint32_t taken) {
  PendingCopies& p = x.warp->pending;
  p.copies.push_back({p.group[lane], static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(bytes),
                      static_cast<std::uint8_t>(taken), to, from});
}

void commit_copies(Exec& x, std::uint32_t mask) {
  for (unsigned lane = 0; lane < warp_lanes; ++lane) x.warp->pending.group[lane] += (mask >> lane) & 1;
}

void wait_copies(Exec& x, const Op& op, std::uint32_t mask, std::int64_t allowed) {
  PendingCopies& p = x.warp->pending;
  std::size_t kept = 0;
  for (const PendingCopy& c : p.copies) {
    const bool due =
        ((mask >> c.lane) & 1) != 0 && (allowed < 0 || std::int64_t{c.group} + allowed < std::int64_t{p.group[c.lane]});
    if (!due) {
      p.copies[kept++] = c;
      continue;
    }
    // It writes now, too: between its issue and this, others may have read what was there.
    if (x.races_everywhere) note_shared_write(x, op, c.lane, c.to, c.bytes, nullptr);
    x.changed = true;
    if (c.taken != 0) std::memcpy(x.shared + c.to, c.from, c.taken);
    std::memset(x.shared + c.to + c.taken, 0, c.bytes - c.taken);
    if (x.shared_init != nullptr) std::memset(x.shared_init + c.to, 1, c.bytes);
  }
  p.copies.resize(kept);
}

}  // namespace ww::simt
