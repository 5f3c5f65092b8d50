// SPDX-License-Identifier: Apache-2.0
// ld and st of global, constant and generic addresses.
#include "simt/buffer.h"
#include "simt/releases.h"
#include "simt/shared_access.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

template <unsigned level>
inline void count_global(Exec& x, const Op& o, u32 m, const Pattern& p, u64 start, u32 size) {
  if constexpr ((level & 2) != 0) {
    PcCount& c = x.counts[&o - x.code];
    ++c.global_requests;
    c.global_threads += m == full_mask ? 32u : static_cast<u32>(__builtin_popcount(m));
    const u64 lo = start + static_cast<u64>(static_cast<s64>(p.lo)),
              last = start + static_cast<u64>(static_cast<s64>(p.hi)) + size - 1;
    const u64 base = lo >> 5;
    if (p.low_bits == 0 || (p.step == 0 && is_run(m))) {
      c.sectors += (last >> 5) - base + 1;
    } else if ((last >> 5) - base < 64) {
      u64 map = 0;
      WW_LANES map |= u64{1} << ((((start + static_cast<u64>(static_cast<s64>(p.offset[i]))) >> 5) - base) & 63);
      c.sectors += static_cast<u32>(__builtin_popcountll(map));
    } else {
      u64 list[32];
      u32 n = 0;
      each_lane(m, [&](unsigned i) { list[n++] = (start + static_cast<u64>(static_cast<s64>(p.offset[i]))) >> 5; });
      c.sectors += distinct_sectors(list, n);
    }
  }
}

template <class T, bool store>
void note_global_lane(Exec& x, const Op& o, unsigned i, u64 address, std::byte* place, u32 size) {
  if (x.races_everywhere) {
    if constexpr (store) {
      std::byte stored[32];
      move_lane<T, true>(x, o, i, stored);
      note_global(x, o, i, address, place, size, RaceDetector::Access::write, stored);
      std::memcpy(place, stored, size);  // for the next lanes of this instruction to see
    } else {
      note_global(x, o, i, address, place, size, RaceDetector::Access::read, nullptr);
    }
  }
  if ((o.flags & op_strong) != 0 && x.races != nullptr) note_strong(x, i, strong_order<store>, place, size);
}

// After a strong load, so that it learns of whatever it has found. `init`: of the place, or null.
inline void learn_lane(Exec& x, const std::byte* place, const u8* init, u32 size) {
  if (init != nullptr) x.releases->learn(x, *init);
  x.releases->learn_at(x, place, size);
}

// Lanes one by one: addresses in different buffers or windows, and everything that is a fault.
template <class T, unsigned level, bool store>
__attribute__((noinline)) void by_lane(Exec& x, const Op& o, u32 m) {
  const u64* const a = x.at<u64>(o.a);
  const u32 size = o.n * static_cast<u32>(sizeof(T));
  const bool parts = (level & 1) != 0 && (o.flags & op_parts) != 0;
  u64 list[32];
  u32 global = 0, shared = 0, local = 0;
  each_lane(m, [&](unsigned i) {
    const u64 address = a[i] + static_cast<u64>(o.imm);
    Space found = o.space;
    std::byte* const place = checked_lane(x, o, i, o.space, address, size, store, !store && !parts, &found);
    if (parts) follow_lane<T, store>(x, o, i, found, place, address);
    if constexpr ((level & 1) != 0) {
      if (found == Space::shared && x.races != nullptr)
        note_lane<T, store>(x, o, i, static_cast<u32>(place - x.shared), size);
      else if (found == Space::global)
        note_global_lane<T, store>(x, o, i, address, place, size);
    }
    move_lane<T, store>(x, o, i, place);
    if constexpr (!store && (level & 1) != 0)
      if (found == Space::global && (o.flags & op_strong) != 0 && x.releases != nullptr)
        learn_lane(x, place, nullptr, size);
    if (found == Space::shared)
      ++shared;
    else if (found == Space::local)
      ++local;
    else
      list[global++] = address >> 5;
  });
  if constexpr ((level & 2) != 0) {
    PcCount& c = x.counts[&o - x.code];
    c.global_requests += global != 0;
    c.global_threads += global;
    c.sectors += distinct_sectors(list, global);
    c.shared_requests += shared != 0;
    c.shared_threads += shared;
    c.wavefronts += shared != 0;
    c.local_requests += local != 0;
  }
}

inline FaultSite race_site(unsigned lane, const BufferView& b, u64 at, u32 size) {
  FaultSite site;
  site.kind = FaultKind::race;
  site.lane = lane;
  site.space = Space::global;
  site.address = b.address + at;
  site.bytes = size;
  return site;
}

// Some byte was written in this launch: the cache of read-only data may hold what was there before.
template <class T>
__attribute__((noinline)) void refuse_read_only(const Op& o, u32 m, const Pattern& p, const BufferView& b, u64 start) {
  const u32 size = o.n * static_cast<u32>(sizeof(T));
  each_lane(m, [&](unsigned i) {
    const u64 at = start - b.address + static_cast<u64>(static_cast<s64>(p.offset[i]));
    for (u32 k = 0; k < size; ++k) {
      if (b.init[at + k] <= written_before) continue;
      raise(o, race_site(i, b, at, size),
            "through the cache for data that no launch changes, which this one has written");
    }
  });
}

// Some byte was written by another block of this launch. That is a race where nothing orders the two (simt/releases.h).
// To write the same value again is none.
template <class T, bool store>
__attribute__((noinline)) void check_race(Exec& x, const Op& o, u32 m, const Pattern& p, const BufferView& b,
                                          u64 start) {
  const u32 size = o.n * static_cast<u32>(sizeof(T));
  each_lane(m, [&](unsigned i) {
    const u64 at = start - b.address + static_cast<u64>(static_cast<s64>(p.offset[i]));
    std::byte stored[32];
    if constexpr (store) move_lane<T, true>(x, o, i, stored);
    for (u32 k = 0; k < size; ++k) {
      if (x.releases->orders(x, b.init[at + k], b.data + at + k)) continue;
      if (store && stored[k] == b.data[at + k]) continue;
      FaultSite site = race_site(i, b, at, size);
      site.is_write = store;
      report(x, o, site);
      break;
    }
  });
}

template <class T, unsigned level, bool store, bool generic>
void access(Exec& x, const Op& o, u32 m) {
  Pattern p;
  const auto first = static_cast<unsigned>(__builtin_ctz(m));
  const u32 size = o.n * static_cast<u32>(sizeof(T));
  const u64* const a = x.at<u64>(o.a);
  if constexpr (store) x.changed = true;
  if constexpr (generic) {
    u64 some = 0, all = window_mask;
    WW_LANES {
      const u64 w = (m & (1u << i)) != 0 ? (a[i] + static_cast<u64>(o.imm)) & window_mask
                                         : (a[first] + static_cast<u64>(o.imm)) & window_mask;
      some |= w;
      all &= w;
    }
    if (some != 0) {
      if (some == shared_window && all == shared_window) {
        access_shared<T, level, store>(x, o, m);
      } else {
        by_lane<T, level, store>(x, o, m);
      }
      return;
    }
  }
  pattern64(p, a, m, first, size);
  const u64 start = a[first] + static_cast<u64>(o.imm);
  const u64 lo = start + static_cast<u64>(static_cast<s64>(p.lo));
  const u64 length = static_cast<u64>(static_cast<s64>(p.hi) - p.lo) + size;
  BufferView*& cached = x.buffers[static_cast<std::size_t>(&o - x.code) % buffer_cache_size];
  const auto holds = [&](const BufferView* b) { return length <= b->size && lo - b->address <= b->size - length; };
  bool good = p.near && ((start | p.low_bits) & (size - 1)) == 0;
  if (__builtin_expect(good && !holds(cached), 0)) {
    BufferView* const found = find_buffer(x, lo);
    if (found != nullptr) cached = found;
    good = found != nullptr && holds(found);
  }
  const BufferView* const b = cached;
  if constexpr (store) {
    good = good && !b->read_only && !b->by_lane;
  } else if constexpr ((level & 1) != 0) {
    good = good && (b->init == nullptr || (o.flags & op_parts) != 0 ||
                    all_written(b->init + (start - b->address), m, first, p, size));
  }
  if (__builtin_expect(!good, 0)) {
    by_lane<T, level, store>(x, o, m);
    return;
  }
  std::byte* const place = b->data + (start - b->address);
  if constexpr ((level & 1) != 0) {
    if ((o.flags & op_strong) != 0 || (x.races_everywhere && b->init != nullptr))
      each_lane(m, [&](unsigned i) {
        const u64 address = start + static_cast<u64>(static_cast<s64>(p.offset[i]));
        note_global_lane<T, store>(x, o, i, address, place + p.offset[i], size);
      });
    if (!store && b->init != nullptr && (o.flags & op_read_only) != 0 &&
        any_foreign(b->init + (start - b->address), m, first, p, size, written_before))
      refuse_read_only<T>(o, m, p, *b, start);
    if (b->init != nullptr && (store || (o.flags & op_strong) == 0 || (o.flags & op_data) != 0) &&
        any_foreign(b->init + (start - b->address), m, first, p, size, x.tag))
      check_race<T, store>(x, o, m, p, *b, start);
  }
  if constexpr (store) {
    // Whoever finds the value finds whose it is.
    if (b->init != nullptr) mark_written(b->init + (start - b->address), m, first, p, size, x.tag);
    if ((level & 1) != 0 && (o.flags & op_parts) != 0 && b->init != nullptr)
      follow_stores<T>(x, o, m, p, b->init + (start - b->address));
    scatter_n<T>(x, o, m, p, place);
    if constexpr ((level & 1) != 0) x.wrote = true;
  } else {
    if ((level & 1) != 0 && (o.flags & op_parts) != 0)
      follow_loads<T>(x, o, m, first, p, b->init == nullptr ? nullptr : b->init + (start - b->address), Space::global,
                      start);
    gather_n<T>(x, o, m, first, p, place);
    if constexpr ((level & 1) != 0) {
      x.read_writable = b->init != nullptr;
      if ((o.flags & op_strong) != 0 && x.releases != nullptr)
        each_lane(m, [&](unsigned i) {
          const u8* const init = b->init == nullptr ? nullptr : b->init + (start - b->address) + p.offset[i];
          learn_lane(x, place + p.offset[i], init, size);
        });
    }
  }
  count_global<level>(x, o, m, p, start, size);
}

}  // namespace

void register_global(Registry& r) {
  each_width_and_level([&r]<class T, unsigned level>() {
    r.memory(false, Space::global, sizeof(T), level, access<T, level, false, false>);
    r.memory(true, Space::global, sizeof(T), level, access<T, level, true, false>);
    r.memory(false, Space::constant, sizeof(T), level, access<T, level, false, false>);
    r.memory(false, Space::generic, sizeof(T), level, access<T, level, false, true>);
    r.memory(true, Space::generic, sizeof(T), level, access<T, level, true, true>);
  });
}

}  // namespace ww::simt::WW_SIMT_ISA
