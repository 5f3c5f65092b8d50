// SPDX-License-Identifier: Apache-2.0
// atom and red (PTX ISA 9.0, sections 9.7.13.15 and 16). Blocks run on several host threads, so these are host atomics;
// the ISA does not say in which order the lanes of a warp go.
#include <cstring>
#include <type_traits>
#include "simt/buffer.h"
#include "simt/real.h"
#include "simt/race_detector.h"
#include "simt/releases.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

template <class T>
bool swap_in(T* at, T& expected, T desired) {
  return __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
template <class U, class F>
U update(U* at, F f) {
  U old = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (!swap_in(at, old, f(old))) {}
  return old;
}

// What an instruction does to `at`, given its operands b and c. Each gives what was there.
constexpr auto add_whole = [](auto* at, auto b, auto) { return __atomic_fetch_add(at, b, __ATOMIC_SEQ_CST); };
constexpr auto bit_and = [](auto* at, auto b, auto) { return __atomic_fetch_and(at, b, __ATOMIC_SEQ_CST); };
constexpr auto bit_or = [](auto* at, auto b, auto) { return __atomic_fetch_or(at, b, __ATOMIC_SEQ_CST); };
constexpr auto bit_xor = [](auto* at, auto b, auto) { return __atomic_fetch_xor(at, b, __ATOMIC_SEQ_CST); };
constexpr auto exchange = [](auto* at, auto b, auto) { return __atomic_exchange_n(at, b, __ATOMIC_SEQ_CST); };
constexpr auto compare_and_swap = [](auto* at, auto b, auto c) {
  swap_in(at, b, c);  // b becomes what was there
  return b;
};
constexpr auto least = [](auto* at, auto b, auto) { return update(at, [b](auto v) { return b < v ? b : v; }); };
constexpr auto greatest = [](auto* at, auto b, auto) { return update(at, [b](auto v) { return v < b ? b : v; }); };
constexpr auto count_up = [](u32* at, u32 b, u32) { return update(at, [b](u32 v) { return v >= b ? 0 : v + 1; }); };
constexpr auto count_down = [](u32* at, u32 b, u32) {
  return update(at, [b](u32 v) { return v == 0 || v > b ? b : v - 1; });
};
constexpr auto add_f32 = [](u32* at, u32 b, u32) {
  return update(at, [b](u32 v) { return bits(from_bits(v) + from_bits(b)); });
};
constexpr auto add_f64 = [](u64* at, u64 b, u64) {
  return update(at, [b](u64 v) { return std::bit_cast<u64>(std::bit_cast<f64>(v) + std::bit_cast<f64>(b)); });
};
template <class H>
u16 half_sum(u16 a, u16 b) {
  return H::store(H::load(a) + H::load(b));
}
template <class H>
u16 half_least(u16 a, u16 b) {
  return H::store(lesser(H::load(a), H::load(b)));
}
template <class H>
u16 half_greatest(u16 a, u16 b) {
  return H::store(greater(H::load(a), H::load(b)));
}
template <u16 (*f)(u16, u16)>
constexpr auto each_half = [](u32* at, u32 b, u32) {
  return update(at, [b](u32 v) {
    return static_cast<u32>(f(static_cast<u16>(v), static_cast<u16>(b))) |
           (static_cast<u32>(f(static_cast<u16>(v >> 16), static_cast<u16>(b >> 16))) << 16);
  });
};
template <u16 (*f)(u16, u16)>
constexpr auto of_half = [](u16* at, u16 b, u16) { return update(at, [b](u16 v) { return f(v, b); }); };
template <class H>
constexpr auto add_half = of_half<half_sum<H>>;
// The two halves are separate atomic operations to the program, one here.
template <class H>
constexpr auto add_pair = each_half<half_sum<H>>;

// What an atomic operation must find and leaves in memory that blocks share. Of the block's scope, it orders nothing
// between blocks: that others have changed the place is a race, as with a store.
template <class T>
__attribute__((noinline)) void note_scope(Exec& x, const Op& o, unsigned lane, u64 address, const std::byte* place,
                                          const u8* before) {
  BufferView* const b = find_buffer(x, o, address);
  if (b == nullptr || b->init == nullptr) return;
  u8* const init = b->init + (address - b->address);
  x.wrote = true;
  if ((o.flags & op_block) == 0) {
    std::memset(init, by_atomics, sizeof(T));
    x.releases->note_atomic(x, place, sizeof(T), (o.flags & op_unread) == 0);
    return;
  }
  std::memset(init, x.tag, sizeof(T));
  for (u32 k = 0; k < sizeof(T); ++k) {
    if (x.releases->orders(x, before[k], place + k)) continue;
    FaultSite site;
    site.kind = FaultKind::race;
    site.lane = lane;
    site.space = Space::global;
    site.address = address;
    site.bytes = sizeof(T);
    site.is_write = true;
    return report(x, o, site, "by an atomic operation whose scope is the block");
  }
}

// The place in the buffer that the instruction accessed last, where nothing but bounds and alignment is checked; null:
// it needs checked_lane().
template <class T>
inline std::byte* plain_place(const BufferView& b, u64 address) {
  const u64 offset = address - b.address;
  const bool inside = offset < b.size && sizeof(T) <= b.size - offset && (address & (sizeof(T) - 1)) == 0;
  return inside && !b.read_only && !b.by_lane && b.init == nullptr ? b.data + offset : nullptr;
}

template <class T, auto f>
void atom(Exec& x, const Op& o, u32 m) {
  T* const d = x.at<T>(o.d);
  const T* const b = x.at<T>(o.b);
  const T* const c = x.at<T>(o.c);
  const bool plain = x.releases == nullptr && x.races == nullptr && o.space != Space::shared;
  BufferView*& cached = x.buffers[static_cast<std::size_t>(&o - x.code) % buffer_cache_size];
  u32 shared = 0, total = 0;
  for (u32 k = 0, i = x.first_lane; k < warp_lanes; ++k, i = (i + x.lane_step) % warp_lanes) {
    if (((m >> i) & 1) == 0) continue;
    const u64 address = (o.flags & op_address32) != 0
                            ? u64{static_cast<u32>(x.at<u32>(o.a)[i] + static_cast<u32>(o.imm))}
                            : x.at<u64>(o.a)[i] + static_cast<u64>(o.imm);
    if (plain)
      if (std::byte* const known = plain_place<T>(*cached, address); known != nullptr) {
        const T old = f(reinterpret_cast<T*>(known), b[i], c[i]);
        x.changed = x.changed || *reinterpret_cast<T*>(known) != old;
        d[i] = old;
        ++total;
        continue;
      }
    Space found = o.space;
    u8 before[sizeof(T)] = {};
    if (x.releases != nullptr && (o.flags & op_block) != 0)
      if (const BufferView* const b = find_buffer(x, o, address);
          b != nullptr && b->init != nullptr && address - b->address + sizeof(T) <= b->size)
        std::memcpy(before, b->init + (address - b->address), sizeof(T));
    auto* const place = reinterpret_cast<T*>(checked_lane(x, o, i, o.space, address, sizeof(T), true, true, &found));
    const auto* const at = reinterpret_cast<std::byte*>(place);
    Releases* const releases = found == Space::global ? x.releases : nullptr;
    if (releases != nullptr) releases->tell_at(x, at, sizeof(T));
    if (x.races != nullptr) {
      if (found == Space::shared)
        note_shared_atomic(x, o, i, static_cast<u32>(at - x.shared), sizeof(T));
      else if (x.races_everywhere)
        note_global(x, o, i, address, at, sizeof(T), RaceDetector::Access::atomic, nullptr);
      note_strong(x, i, RaceDetector::Order::both, at, sizeof(T));
    }
    const T old = f(place, b[i], c[i]);
    if (releases != nullptr) {
      releases->learn_at(x, at, sizeof(T));
      note_scope<T>(x, o, i, address, at, before);
    }
    x.changed = x.changed || *place != old;
    d[i] = old;
    shared += found == Space::shared;
    ++total;
  }
  if (x.counts != nullptr) {
    PcCount& n = x.counts[&o - x.code];
    n.shared_threads += shared;
    n.global_threads += total - shared;
  }
  if (x.takes_turns && total != shared) pass_turn(x);
}

template <auto operation>
void bitwise(Registry& r, const char* name) {
  r.atomic(name, "b32", atom<u32, operation>);
  r.atomic(name, "b64", atom<u64, operation>);
}
template <auto operation>
void of_whole_numbers(Registry& r, const char* name) {
  r.atomic(name, "u32", atom<u32, operation>);
  r.atomic(name, "s32", atom<s32, operation>);
  r.atomic(name, "u64", atom<u64, operation>);
  r.atomic(name, "s64", atom<s64, operation>);
}

}  // namespace

void register_atomic(Registry& r) {
  for (const char* t : {"u32", "s32"}) r.atomic("add", t, atom<u32, add_whole>);
  for (const char* t : {"u64", "s64"}) r.atomic("add", t, atom<u64, add_whole>);
  r.atomic("add", "f32", atom<u32, add_f32>);
  r.atomic("add", "f64", atom<u64, add_f64>);
  r.atomic("add", "f16", atom<u16, add_half<Half>>);
  r.atomic("add", "bf16", atom<u16, add_half<Bfloat>>);
  r.atomic("add", "f16x2", atom<u32, add_pair<Half>>);
  r.atomic("add", "bf16x2", atom<u32, add_pair<Bfloat>>);
  r.atomic("min", "f16", atom<u16, of_half<half_least<Half>>>);
  r.atomic("max", "f16", atom<u16, of_half<half_greatest<Half>>>);
  r.atomic("min", "bf16", atom<u16, of_half<half_least<Bfloat>>>);
  r.atomic("max", "bf16", atom<u16, of_half<half_greatest<Bfloat>>>);
  r.atomic("min", "f16x2", atom<u32, each_half<half_least<Half>>>);
  r.atomic("max", "f16x2", atom<u32, each_half<half_greatest<Half>>>);
  r.atomic("min", "bf16x2", atom<u32, each_half<half_least<Bfloat>>>);
  r.atomic("max", "bf16x2", atom<u32, each_half<half_greatest<Bfloat>>>);
  bitwise<bit_and>(r, "and");
  bitwise<bit_or>(r, "or");
  bitwise<bit_xor>(r, "xor");
  for (const char* t : {"b32", "u32", "s32", "f32"}) r.atomic("exch", t, atom<u32, exchange>);
  for (const char* t : {"b64", "u64", "s64", "f64"}) r.atomic("exch", t, atom<u64, exchange>);
  r.atomic("cas", "b16", atom<u16, compare_and_swap>);
  for (const char* t : {"b32", "u32", "s32"}) r.atomic("cas", t, atom<u32, compare_and_swap>);
  for (const char* t : {"b64", "u64", "s64"}) r.atomic("cas", t, atom<u64, compare_and_swap>);
  of_whole_numbers<least>(r, "min");
  of_whole_numbers<greatest>(r, "max");
  r.atomic("inc", "u32", atom<u32, count_up>);
  r.atomic("dec", "u32", atom<u32, count_down>);
}

}  // namespace ww::simt::WW_SIMT_ISA
