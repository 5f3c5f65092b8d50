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
  const bool parts = (level & 1) != 0 && (o.flags & op_parts) != 0;
  each_lane(m, [&](unsigned i) {
    const u64 a = local_address(x, o, i);
    const bool inside = a <= x.local_size && size <= x.local_size - a && (a & (size - 1)) == 0;
    bool good = inside;
    const std::size_t at = std::size_t{i} * x.local_stride + (inside ? a : 0);
    if constexpr ((level & 1) != 0) {
      if (store && inside) std::memset(x.local_init + at, 1, size);
      if (!store && inside && !parts)
        for (u32 k = 0; k < size; ++k) good = good && x.local_init[at + k] != 0;
    }
    std::byte* const place =
        __builtin_expect(good, 1) ? x.local + at : checked_lane(x, o, i, Space::local, a, size, store, !store);
    if (parts) follow_lane<T, store>(x, o, i, Space::local, place, a);
    move_lane<T, store>(x, o, i, place);
  });
  if constexpr ((level & 2) != 0) ++x.counts[&o - x.code].local_requests;
}

}  // namespace

void register_local(Registry& r) {
  each_width_and_level([&r]<class T, unsigned level>() {
    r.memory(false, Space::local, sizeof(T), level, local<T, level, false>);
    r.memory(true, Space::local, sizeof(T), level, local<T, level, true>);
  });
}

}  // namespace ww::simt::WW_SIMT_ISA
