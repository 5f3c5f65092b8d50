// SPDX-License-Identifier: Apache-2.0
// The pattern of a warp's 32 addresses (consecutive, uniform or general), found before anything is counted or moved.
// Only for the exec_*.cpp files.
#pragma once
#include "simt/lanes.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

struct Pattern {
  alignas(64) s32 offset[32];  // from the first active lane's address; 0 in inactive lanes
  s32 lo = 0, hi = 0;
  u32 low_bits = 0;   // of all offsets together; 0: every active lane has the same address
  u32 step = 0;       // 0: active lane i is at (i - first) * size
  bool near = false;  // all offsets fit 31 bits
};

inline void classify(Pattern& p, u32 m, unsigned first, u32 size) {
  s32 lo = 0, hi = 0;
  u32 low = 0, step = 0;
  const u32 shift = first * size;
  if (m == full_mask) {
    WW_LANES {
      const s32 v = p.offset[i];
      lo = v < lo ? v : lo;
      hi = v > hi ? v : hi;
      low |= static_cast<u32>(v);
      step |= static_cast<u32>(v) ^ (i * size);
    }
  } else {
    WW_LANES {
      const s32 v = p.offset[i];
      lo = v < lo ? v : lo;
      hi = v > hi ? v : hi;
      low |= static_cast<u32>(v);
      step |= (m & (1u << i)) != 0 ? static_cast<u32>(v) ^ (i * size - shift) : 0u;
    }
  }
  p.lo = lo;
  p.hi = hi;
  p.low_bits = low;
  p.step = step;
}

inline void pattern64(Pattern& p, const u64* a, u32 m, unsigned first, u32 size) {
  const u64 start = a[first];
  u64 wide = 0;
  if (m == full_mask) {
    WW_LANES {
      const u64 d = a[i] - start;
      wide |= (d + 0x40000000u) >> 31;
      p.offset[i] = static_cast<s32>(d);
    }
  } else {
    WW_LANES {
      const u64 d = (m & (1u << i)) != 0 ? a[i] - start : 0;
      wide |= (d + 0x40000000u) >> 31;
      p.offset[i] = static_cast<s32>(d);
    }
  }
  p.near = wide == 0;
  if (p.near) classify(p, m, first, size);
}

inline bool is_run(u32 m) {  // active lanes are consecutive
  const u32 shifted = m >> __builtin_ctz(m);
  return (shifted & (shifted + 1)) == 0;
}

// Moves data between the registers of an access and host memory; `at` belongs to the first active lane. All of [at +
// lo, at + hi + size) must be readable.
template <class T, unsigned n>
inline void gather(Exec& x, const Op& o, u32 m, unsigned first, const Pattern& p, const std::byte* at) {
  T* d[n];
  for (unsigned k = 0; k < n; ++k) d[k] = x.at<T>(n == 1 ? o.d : x.lists[o.target + k]);
  if (p.low_bits == 0) {
    T v[n];
    std::memcpy(v, at, sizeof v);
    for (unsigned k = 0; k < n; ++k) {
      if (m == full_mask) {
        WW_LANES d[k][i] = v[k];
      } else {
        WW_LANES d[k][i] = (m & (1u << i)) != 0 ? v[k] : d[k][i];
      }
    }
  } else if (m == full_mask && p.step == 0) {
    if constexpr (n == 1) {
      std::memcpy(d[0], at, 32 * sizeof(T));
    } else {
      const T* const s = reinterpret_cast<const T*>(at);
      for (unsigned k = 0; k < n; ++k) {
        T* const dk = d[k];
        WW_LANES dk[i] = s[i * n + k];
      }
    }
  } else if (n == 1 && p.step == 0) {
    alignas(64) T room[32];
    std::memcpy(room + first, at, (32u - static_cast<unsigned>(__builtin_clz(m)) - first) * sizeof(T));
    blend(d[0], room, m);
  } else if (m == full_mask) {
    for (unsigned i = 0; i < 32; ++i) {
      T v[n];
      std::memcpy(v, at + p.offset[i], sizeof v);
      for (unsigned k = 0; k < n; ++k) d[k][i] = v[k];
    }
  } else {
    each_lane(m, [&](unsigned i) {
      T v[n];
      std::memcpy(v, at + p.offset[i], sizeof v);
      for (unsigned k = 0; k < n; ++k) d[k][i] = v[k];
    });
  }
}
template <class T, unsigned n>
inline void scatter(Exec& x, const Op& o, u32 m, const Pattern& p, std::byte* at) {
  const T* s[n];
  for (unsigned k = 0; k < n; ++k) s[k] = x.at<T>(n == 1 ? o.d : x.lists[o.target + k]);
  if (n == 1 && m == full_mask && p.step == 0) {
    std::memcpy(at, s[0], 32 * sizeof(T));
    return;
  }
  each_lane(m, [&](unsigned i) {
    T v[n];
    for (unsigned k = 0; k < n; ++k) v[k] = s[k][i];
    std::memcpy(at + p.offset[i], v, sizeof v);
  });
}
template <class T>
inline void gather_n(Exec& x, const Op& o, u32 m, unsigned first, const Pattern& p, const std::byte* at) {
  if (__builtin_expect(o.n == 1, 1))
    gather<T, 1>(x, o, m, first, p, at);
  else if (o.n == 2)
    gather<T, 2>(x, o, m, first, p, at);
  else if (o.n == 4)
    gather<T, 4>(x, o, m, first, p, at);
  else
    gather<T, 8>(x, o, m, first, p, at);
}
template <class T>
inline void scatter_n(Exec& x, const Op& o, u32 m, const Pattern& p, std::byte* at) {
  if (__builtin_expect(o.n == 1, 1))
    scatter<T, 1>(x, o, m, p, at);
  else if (o.n == 2)
    scatter<T, 2>(x, o, m, p, at);
  else if (o.n == 4)
    scatter<T, 4>(x, o, m, p, at);
  else
    scatter<T, 8>(x, o, m, p, at);
}
template <class T, bool store>
inline void move_lane(Exec& x, const Op& o, unsigned i, std::byte* place) {
  for (unsigned k = 0; k < o.n; ++k, place += sizeof(T)) {
    T* const lane = x.at<T>(o.n == 1 ? o.d : x.lists[o.target + k]) + i;
    if constexpr (store)
      std::memcpy(place, lane, sizeof(T));
    else
      std::memcpy(lane, place, sizeof(T));
  }
}

// True if every byte that an active lane reads was written.
inline bool all_written(const std::uint8_t* at, u32 m, unsigned first, const Pattern& p, u32 size) {
  if (p.low_bits == 0 || (p.step == 0 && is_run(m))) {
    const u32 bytes = p.low_bits == 0 ? size : (32u - static_cast<unsigned>(__builtin_clz(m)) - first) * size;
    u8 all = 1;
    for (u32 i = 0; i < bytes; ++i) all &= at[i] != 0;
    return all != 0;
  }
  u8 all = 1;
  if (p.hi - p.lo <= 512) {  // short spans are scanned as a whole; unwritten gaps in them prove nothing
    const u32 bytes = static_cast<u32>(p.hi - p.lo) + size;
    for (u32 i = 0; i < bytes; ++i) all &= at[p.lo + static_cast<s32>(i)] != 0;
    if (all != 0) return true;
    all = 1;
  }
  each_lane(m, [&](unsigned i) {
    for (u32 k = 0; k < size; ++k) all &= at[p.offset[i] + static_cast<s32>(k)] != 0;
  });
  return all != 0;
}
// Of op_parts: lanes of a load, or of a store that has been done. `written` is at the first lane's place, or null.
template <class T>
__attribute__((noinline)) void follow_loads(Exec& x, const Op& o, u32 m, unsigned first, const Pattern& p,
                                            const u8* written, Space space, u64 start) {
  if (written == nullptr || all_written(written, m, first, p, o.n * static_cast<u32>(sizeof(T)))) {
    for (unsigned e = 0; e < o.n; ++e) {
      const u32 map = x.lists[o.b + e];
      if (map != 0 && m == full_mask)
        std::memset(x.at<u8>(map), 0xff, 32 * sizeof(T));
      else if (map != 0)
        each_lane(m, [&](unsigned i) { std::memset(x.at<u8>(map) + i * sizeof(T), 0xff, sizeof(T)); });
    }
    return;
  }
  each_lane(m, [&](unsigned i) {
    const s32 at = p.offset[i];
    follow_load(x, o, i, written + at, sizeof(T), space, start + static_cast<u64>(static_cast<s64>(at)));
  });
}
template <class T>
__attribute__((noinline)) void follow_stores(Exec& x, const Op& o, u32 m, const Pattern& p, u8* written) {
  if (written == nullptr) return;
  u8 all = 0xff;
  for (unsigned e = 0; e < o.n; ++e)
    if (const u32 map = x.lists[o.b + e]; map != 0)
      for (unsigned k = 0; k < 32 * sizeof(T); ++k) all &= x.at<u8>(map)[k];
  if (all != 0xff) each_lane(m, [&](unsigned i) { follow_store(x, o, i, written + p.offset[i], sizeof(T)); });
}
// One lane's access, on the slow path.
template <class T, bool store>
inline void follow_lane(Exec& x, const Op& o, unsigned i, Space space, const std::byte* place, u64 address) {
  u8* const written = written_at(x, o, space, place, address);
  if constexpr (store)
    follow_store(x, o, i, written, sizeof(T));
  else
    follow_load(x, o, i, written, sizeof(T), space, address);
}

// True if a byte was written by another block of this launch.
inline bool any_foreign(const std::uint8_t* at, u32 m, unsigned first, const Pattern& p, u32 size, u8 own) {
  u8 any = 0;
  if (p.low_bits == 0 || (p.step == 0 && is_run(m))) {
    const u32 bytes = p.low_bits == 0 ? size : (32u - static_cast<unsigned>(__builtin_clz(m)) - first) * size;
    for (u32 i = 0; i < bytes; ++i) any |= (at[i] > written_before) & (at[i] != own);
    return any != 0;
  }
  each_lane(m, [&](unsigned i) {
    for (u32 k = 0; k < size; ++k) {
      const u8 t = at[p.offset[i] + static_cast<s32>(k)];
      any |= (t > written_before) & (t != own);
    }
  });
  return any != 0;
}
inline void mark_written(std::uint8_t* at, u32 m, unsigned first, const Pattern& p, u32 size, u8 tag = written_before) {
  if (p.step == 0 && is_run(m)) {
    std::memset(at, tag, (32u - static_cast<unsigned>(__builtin_clz(m)) - first) * size);
    return;
  }
  each_lane(m, [&](unsigned i) { std::memset(at + p.offset[i], tag, size); });
}

// Passes of the 32 four-byte banks. 64-bit accesses go by half-warps, 128-bit ones by quarter-warps.
struct Passes {
  u32 wavefronts, least;
};
inline Passes bank_passes(const Pattern& p, u32 first_offset, u32 m, u32 size) {
  const u32 lanes = size <= 4 ? 32 : size == 8 ? 16 : size == 16 ? 8 : 4;
  const u32 words = size <= 4 ? 1 : size / 4;
  Passes r{0, 0};
  for (u32 start = 0; start < 32; start += lanes) {
    const u32 part = lanes == 32 ? m : m & (((1u << lanes) - 1) << start);
    if (part == 0) continue;
    ++r.least;
    u32 list[32][32];
    u8 count[32] = {};
    u32 most = 1;
    each_lane(part, [&](unsigned i) {
      const u32 w0 = (first_offset + static_cast<u32>(p.offset[i])) >> 2;
      for (u32 k = 0; k < words; ++k) {
        const u32 w = w0 + k, bank = w & 31;
        u32 c = count[bank], j = 0;
        while (j < c && list[bank][j] != w) ++j;
        if (j < c) continue;
        list[bank][c] = w;
        count[bank] = static_cast<u8>(++c);
        most = c > most ? c : most;
      }
    });
    r.wavefronts += most;
  }
  return r;
}

inline u32 distinct_sectors(const u64* sectors, u32 n) {  // n <= 64, unsorted
  u64 table[128];
  bool used[128] = {};
  u32 count = 0;
  for (u32 k = 0; k < n; ++k) {
    u32 slot = static_cast<u32>((sectors[k] * 0x9e3779b97f4a7c15u) >> 57);
    while (used[slot] && table[slot] != sectors[k]) slot = (slot + 1) & 127;
    if (used[slot]) continue;
    used[slot] = true;
    table[slot] = sectors[k];
    ++count;
  }
  return count;
}

// Calls f<T, level>() for each width of an access and each level: 1 tracks writes, 2 also counts.
template <class F>
void each_width_and_level(F f) {
  const auto each_level = [&]<class T>() {
    f.template operator()<T, 0>();
    f.template operator()<T, 1>();
    f.template operator()<T, 2>();
    f.template operator()<T, 3>();
  };
  each_level.template operator()<u8>();
  each_level.template operator()<u16>();
  each_level.template operator()<u32>();
  each_level.template operator()<u64>();
}

}  // namespace
}  // namespace ww::simt::WW_SIMT_ISA
