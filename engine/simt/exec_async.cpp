// SPDX-License-Identifier: Apache-2.0
// cp.async: a copy from global to shared memory happens when its group is waited for, not before (PTX ISA 9.0, section
// 9.7.9.25). Until then the destination counts as never written, so that a missing wait is found.
#include "simt/access.h"
#include "simt/async_copies.h"
#include "simt/race_detector.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

void copy(Exec& x, const Op& o, u32 m) {
  const u64 offset = x.lists[o.target] | (u64{x.lists[o.target + 1]} << 32);
  const u32 bytes = o.n;
  u64 sectors[32];
  u32 n = 0;
  each_lane(m, [&](unsigned i) {
    const u64 to = (o.flags & op_address32) != 0 ? u64{static_cast<u32>(x.at<u32>(o.a)[i] + static_cast<u32>(o.imm))}
                                                 : x.at<u64>(o.a)[i] + static_cast<u64>(o.imm);
    std::byte* const destination = checked_lane(x, o, i, Space::shared, to, bytes, true, false);
    if (x.shared_init != nullptr) std::memset(x.shared_init + (destination - x.shared), 0, bytes);
    if (x.races != nullptr) note_shared_write(x, o, i, static_cast<u32>(destination - x.shared), bytes, nullptr);
    const u32 wanted = o.c != 0 ? x.at<u32>(o.c)[i] : bytes;
    const u32 taken = wanted < bytes ? wanted : bytes;
    const u64 from = x.at<u64>(o.b)[i] + offset;
    const std::byte* const source =
        taken == 0 ? nullptr : checked_lane(x, o, i, Space::global, from, bytes, false, true);
    if (taken != 0) sectors[n++] = from >> 5;
    if (taken != 0 && x.races_everywhere)
      note_global(x, o, i, from, source, taken, RaceDetector::Access::read, nullptr);
    queue_copy(x, i, static_cast<u32>(destination - x.shared), source, bytes, taken);
  });
  if (x.counts != nullptr) {
    PcCount& c = x.counts[&o - x.code];
    c.global_requests += n != 0;
    c.global_threads += n;
    c.sectors += distinct_sectors(sectors, n);
  }
}
void commit(Exec& x, const Op&, u32 m) { commit_copies(x, m); }
void wait(Exec& x, const Op& o, u32 m) { wait_copies(x, o, m, o.imm); }

}  // namespace

void register_async(Registry& r) {
  r.sync("@cp.async", copy);
  r.sync("@cp.commit", commit);
  r.sync("@cp.wait", wait);
}

}  // namespace ww::simt::WW_SIMT_ISA
