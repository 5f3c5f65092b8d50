// SPDX-License-Identifier: Apache-2.0
// ld.local and st.local: each lane has its own bytes.
#include "simt/access.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

inline u64 local_address(Exec& x, const Op& o, unsigned i) {
  const u64 a = (o.flags & op_address32) != 0 ? u64{x.at<u32>(o.a)[i]} : x.at<u64>(o.a)[i];
  return a + static_cast<u64>(o.imm);
}

template <class T, unsigned level, bool store>
void local(Exec& x, const Op& o, u32 m) {
  const u32 size = o.n * static_cast<u32>(sizeof(T));
  each_lane(m, [&](unsigned i) {
    const u64 a = local_address(x, o, i);
    const bool inside = a <= x.local_size && size <= x.local_size - a && (a & (size - 1)) == 0;
    bool good = inside;
    const std::size_t at = std::size_t{i} * x.local_stride + (inside ? a : 0);
    if constexpr ((level & 1) != 0) {
      if (store && inside) std::memset(x.local_init + at, 1, size);
      if (!store && inside)
        for (u32 k = 0; k < size; ++k) good = good && x.local_init[at + k] != 0;
    }
    std::byte* const place =
        __builtin_expect(good, 1) ? x.local + at : checked_lane(x, o, i, Space::local, a, size, store, !store);
    if constexpr (store) {
      for (unsigned k = 0; k < o.n; ++k)
        std::memcpy(place + k * sizeof(T), x.at<T>(o.n == 1 ? o.d : x.lists[o.target + k]) + i, sizeof(T));
    } else {
      for (unsigned k = 0; k < o.n; ++k)
        std::memcpy(x.at<T>(o.n == 1 ? o.d : x.lists[o.target + k]) + i, place + k * sizeof(T), sizeof(T));
    }
  });
  if constexpr ((level & 2) != 0) ++x.counts[&o - x.code].local_requests;
}

template <class T>
void register_width(Registry& r) {
  r.memory(false, Space::local, sizeof(T), 0, local<T, 0, false>);
  r.memory(false, Space::local, sizeof(T), 1, local<T, 1, false>);
  r.memory(false, Space::local, sizeof(T), 2, local<T, 2, false>);
  r.memory(false, Space::local, sizeof(T), 3, local<T, 3, false>);
  r.memory(true, Space::local, sizeof(T), 0, local<T, 0, true>);
  r.memory(true, Space::local, sizeof(T), 1, local<T, 1, true>);
  r.memory(true, Space::local, sizeof(T), 2, local<T, 2, true>);
  r.memory(true, Space::local, sizeof(T), 3, local<T, 3, true>);
}

}  // namespace

void register_local(Registry& r) {
  register_width<u8>(r);
  register_width<u16>(r);
  register_width<u32>(r);
  register_width<u64>(r);
}

}  // namespace ww::simt::WW_SIMT_ISA
