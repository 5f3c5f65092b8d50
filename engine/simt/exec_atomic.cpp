// SPDX-License-Identifier: Apache-2.0
// atom and red (PTX ISA 9.0, sections 9.7.13.15 and 16). Blocks run on several host threads, so these are host atomics;
// lanes of one warp go in ascending order.
#include <type_traits>
#include "simt/half.h"

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

struct AddI {
  template <class T>
  static T f(T* at, T b, T) {
    return __atomic_fetch_add(at, b, __ATOMIC_SEQ_CST);
  }
};
struct And {
  template <class T>
  static T f(T* at, T b, T) {
    return __atomic_fetch_and(at, b, __ATOMIC_SEQ_CST);
  }
};
struct Or {
  template <class T>
  static T f(T* at, T b, T) {
    return __atomic_fetch_or(at, b, __ATOMIC_SEQ_CST);
  }
};
struct Xor {
  template <class T>
  static T f(T* at, T b, T) {
    return __atomic_fetch_xor(at, b, __ATOMIC_SEQ_CST);
  }
};
struct Exch {
  template <class T>
  static T f(T* at, T b, T) {
    return __atomic_exchange_n(at, b, __ATOMIC_SEQ_CST);
  }
};
struct Cas {
  template <class T>
  static T f(T* at, T b, T c) {
    T old = b;
    swap_in(at, old, c);
    return old;
  }
};
struct Min {
  template <class T>
  static T f(T* at, T b, T) {
    return update(at, [b](T v) { return b < v ? b : v; });
  }
};
struct Max {
  template <class T>
  static T f(T* at, T b, T) {
    return update(at, [b](T v) { return v < b ? b : v; });
  }
};
struct Inc {
  static u32 f(u32* at, u32 b, u32) {
    return update(at, [b](u32 v) { return v >= b ? 0 : v + 1; });
  }
};
struct Dec {
  static u32 f(u32* at, u32 b, u32) {
    return update(at, [b](u32 v) { return v == 0 || v > b ? b : v - 1; });
  }
};
struct AddF32 {
  static u32 f(u32* at, u32 b, u32) {
    return update(at, [b](u32 v) { return bits(from_bits(v) + from_bits(b)); });
  }
};
struct AddF64 {
  static u64 f(u64* at, u64 b, u64) {
    return update(at, [b](u64 v) { return std::bit_cast<u64>(std::bit_cast<f64>(v) + std::bit_cast<f64>(b)); });
  }
};
template <class H>
struct AddHalf {
  static u16 one(u16 a, u16 b) { return H::store(H::load(a) + H::load(b)); }
  static u16 f(u16* at, u16 b, u16) {
    return update(at, [b](u16 v) { return one(v, b); });
  }
};
template <class H>
struct AddPair {  // the two halves are separate atomic operations to the program, one here
  static u32 f(u32* at, u32 b, u32) {
    return update(at, [b](u32 v) {
      return static_cast<u32>(AddHalf<H>::one(static_cast<u16>(v), static_cast<u16>(b))) |
             (static_cast<u32>(AddHalf<H>::one(static_cast<u16>(v >> 16), static_cast<u16>(b >> 16))) << 16);
    });
  }
};

template <class T, class F>
void atom(Exec& x, const Op& o, u32 m) {
  T* const d = x.at<T>(o.d);
  const T* const b = x.at<T>(o.b);
  const T* const c = x.at<T>(o.c);
  u32 shared = 0, total = 0;
  each_lane(m, [&](unsigned i) {
    const u64 address = (o.flags & op_address32) != 0
                            ? u64{static_cast<u32>(x.at<u32>(o.a)[i] + static_cast<u32>(o.imm))}
                            : x.at<u64>(o.a)[i] + static_cast<u64>(o.imm);
    Space found = o.space;
    auto* const place = reinterpret_cast<T*>(checked_lane(x, o, i, o.space, address, sizeof(T), true, true, &found));
    d[i] = F::f(place, b[i], c[i]);
    shared += found == Space::shared;
    x.atomics = x.atomics || found != Space::shared;
    ++total;
  });
  if (x.counts != nullptr) {
    PcCount& n = x.counts[&o - x.code];
    n.shared_threads += shared;
    n.global_threads += total - shared;
  }
}

}  // namespace

void register_atomic(Registry& r) {
  for (const char* t : {"u32", "s32"}) r.atomic("add", t, atom<u32, AddI>);
  for (const char* t : {"u64", "s64"}) r.atomic("add", t, atom<u64, AddI>);
  r.atomic("add", "f32", atom<u32, AddF32>);
  r.atomic("add", "f64", atom<u64, AddF64>);
  r.atomic("add", "f16", atom<u16, AddHalf<Half>>);
  r.atomic("add", "bf16", atom<u16, AddHalf<Bfloat>>);
  r.atomic("add", "f16x2", atom<u32, AddPair<Half>>);
  r.atomic("add", "bf16x2", atom<u32, AddPair<Bfloat>>);
  r.atomic("and", "b32", atom<u32, And>);
  r.atomic("and", "b64", atom<u64, And>);
  r.atomic("or", "b32", atom<u32, Or>);
  r.atomic("or", "b64", atom<u64, Or>);
  r.atomic("xor", "b32", atom<u32, Xor>);
  r.atomic("xor", "b64", atom<u64, Xor>);
  for (const char* t : {"b32", "u32", "s32", "f32"}) r.atomic("exch", t, atom<u32, Exch>);
  for (const char* t : {"b64", "u64", "s64", "f64"}) r.atomic("exch", t, atom<u64, Exch>);
  r.atomic("cas", "b16", atom<u16, Cas>);
  for (const char* t : {"b32", "u32", "s32"}) r.atomic("cas", t, atom<u32, Cas>);
  for (const char* t : {"b64", "u64", "s64"}) r.atomic("cas", t, atom<u64, Cas>);
  r.atomic("min", "u32", atom<u32, Min>);
  r.atomic("min", "s32", atom<s32, Min>);
  r.atomic("min", "u64", atom<u64, Min>);
  r.atomic("min", "s64", atom<s64, Min>);
  r.atomic("max", "u32", atom<u32, Max>);
  r.atomic("max", "s32", atom<s32, Max>);
  r.atomic("max", "u64", atom<u64, Max>);
  r.atomic("max", "s64", atom<s64, Max>);
  r.atomic("inc", "u32", atom<u32, Inc>);
  r.atomic("dec", "u32", atom<u32, Dec>);
}

}  // namespace ww::simt::WW_SIMT_ISA
