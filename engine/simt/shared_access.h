// SPDX-License-Identifier: Apache-2.0
// A warp's access to shared memory, given its byte offsets. Only for the exec_*.cpp files.
#pragma once
#include "simt/access.h"
#include "simt/race_detector.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

template <unsigned level>
inline void count_shared(Exec& x, const Op& o, u32 m, const Pattern& p, u32 start, u32 size) {
  if constexpr ((level & 2) != 0) {
    PcCount& c = x.counts[&o - x.code];
    ++c.shared_requests;
    c.shared_threads += m == full_mask ? 32u : static_cast<u32>(__builtin_popcount(m));
    // Words within one window of 32 are in different banks, or the same word.
    const u32 lo = (start + static_cast<u32>(p.lo)) >> 2, hi = (start + static_cast<u32>(p.hi)) >> 2;
    if (size <= 4 && hi - lo < 32) {
      ++c.wavefronts;
      return;
    }
    if (p.step == 0 && m == full_mask) {
      c.wavefronts += size / 4;
      return;
    }
    const Passes passes = bank_passes(p, start, m, size);
    c.wavefronts += passes.wavefronts;
    c.conflicts += passes.wavefronts - passes.least;
  }
}

// Pattern of 32-bit offsets; false if an address does not fit (the caller handles lanes one by one and faults).
inline bool shared_pattern(Exec& x, const Op& o, Pattern& p, u32 m, unsigned first, u32 size, u32& start) {
  if ((o.flags & op_address32) != 0) {
    const u32* const a = x.at<u32>(o.a);
    const u32 base = a[first];
    start = base + static_cast<u32>(o.imm);
    u32 wide = 0;
    if (m == full_mask) {
      WW_LANES {
        const u32 d = a[i] - base;
        wide |= d + 0x20000000u;
        p.offset[i] = static_cast<s32>(d);
      }
    } else {
      WW_LANES {
        const u32 d = (m & (1u << i)) != 0 ? a[i] - base : 0;
        wide |= d + 0x20000000u;
        p.offset[i] = static_cast<s32>(d);
      }
    }
    p.near = (wide & 0x80000000u) == 0;
    if (p.near) classify(p, m, first, size);
  } else {
    const u64* const a = x.at<u64>(o.a);
    const u64 s = a[first] + static_cast<u64>(o.imm);
    pattern64(p, a, m, first, size);
    const u64 relative = (s & window_mask) == shared_window ? s - x.shared_at : s;
    start = static_cast<u32>(relative);
    if (relative > 0xfffffff) return false;
  }
  if (!p.near) return false;
  const s64 lo = s64{start} + p.lo, hi = s64{start} + p.hi + size;
  return lo >= 0 && hi <= s64{x.shared_size} && ((start | p.low_bits) & (size - 1)) == 0;
}

inline u64 lane_address(Exec& x, const Op& o, unsigned i) {
  const u64 a = (o.flags & op_address32) != 0 ? u64{static_cast<u32>(x.at<u32>(o.a)[i] + static_cast<u32>(o.imm))}
                                              : x.at<u64>(o.a)[i] + static_cast<u64>(o.imm);
  return a;
}

template <bool store>
inline constexpr auto strong_order = store ? RaceDetector::Order::release : RaceDetector::Order::acquire;

template <class T, bool store>
void note_lane(Exec& x, const Op& o, unsigned i, u32 at, u32 size) {
  if constexpr (store) {
    std::byte stored[32];
    move_lane<T, true>(x, o, i, stored);
    note_shared_write(x, o, i, at, size, stored);
    if (x.races_everywhere) std::memcpy(x.shared + at, stored, size);  // for the next lanes of this instruction to see
  } else {
    note_shared_read(x, o, i, at, size);
  }
  if ((o.flags & op_strong) != 0) note_strong(x, i, strong_order<store>, x.shared + at, size);
}

template <class T, bool store>
__attribute__((noinline)) void note_shared(Exec& x, const Op& o, u32 m, const Pattern& p, u32 start, u32 size) {
  each_lane(m, [&](unsigned i) { note_lane<T, store>(x, o, i, start + static_cast<u32>(p.offset[i]), size); });
}

template <class T, unsigned level, bool store>
void access_shared(Exec& x, const Op& o, u32 m) {
  Pattern p;
  const auto first = static_cast<unsigned>(__builtin_ctz(m));
  const u32 size = o.n * static_cast<u32>(sizeof(T));
  u32 start = 0;
  if constexpr (store) x.changed = true;
  bool good = shared_pattern(x, o, p, m, first, size, start);
  const bool parts = (level & 1) != 0 && (o.flags & op_parts) != 0;
  const bool used = (o.flags & op_unused) == 0 && !parts;
  if constexpr (!store && (level & 1) != 0)
    good = good && (!used || all_written(x.shared_init + start, m, first, p, size));
  if (__builtin_expect(!good, 0)) {
    each_lane(m, [&](unsigned i) {
      const u64 address = lane_address(x, o, i);
      std::byte* const place = checked_lane(x, o, i, o.space, address, size, store, !store && used);
      if (parts) follow_lane<T, store>(x, o, i, Space::shared, place, address);
      if constexpr ((level & 1) != 0)
        if (x.races != nullptr) note_lane<T, store>(x, o, i, static_cast<u32>(place - x.shared), size);
      move_lane<T, store>(x, o, i, place);
    });
    return;
  }
  if constexpr ((level & 1) != 0)
    if (x.races != nullptr) note_shared<T, store>(x, o, m, p, start, size);
  if constexpr (store) {
    scatter_n<T>(x, o, m, p, x.shared + start);
    if constexpr ((level & 1) != 0) mark_written(x.shared_init + start, m, first, p, size);
    if (parts) follow_stores<T>(x, o, m, p, x.shared_init + start);
  } else {
    if (parts) follow_loads<T>(x, o, m, first, p, x.shared_init + start, Space::shared, start);
    gather_n<T>(x, o, m, first, p, x.shared + start);
  }
  count_shared<level>(x, o, m, p, start, size);
}

}  // namespace
}  // namespace ww::simt::WW_SIMT_ISA
