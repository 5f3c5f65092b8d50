// SPDX-License-Identifier: Apache-2.0
// Loops over the 32 lanes that the compiler turns into vector code. Only for the exec_*.cpp files, which are compiled
// once per host instruction set (WW_SIMT_ISA names the namespace); everything here has internal linkage.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include "simt/machine.h"
#include "simt/registry.h"

#define WW_LANES _Pragma("GCC ivdep") for (unsigned i = 0; i < 32; ++i)

namespace ww::simt::WW_SIMT_ISA {
namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using f32 = float;
using f64 = double;
using u128 = unsigned __int128;
using s128 = __int128;

struct Name {  // joins words without the standard library
  char text[64];
  explicit Name(const char* a, const char* b = "", const char* c = "", const char* d = "", const char* e = "") {
    char* p = text;
    for (const char* s : {a, b, c, d, e})
      while (*s != '\0') *p++ = *s++;
    *p = '\0';
  }
};

// Writes the lanes of `mask`. Bit i of the mask as a vector compare, so that narrow and wide types both vectorise.
template <class T>
inline void blend(T* d, const T* from, u32 mask) {
  WW_LANES d[i] = (mask & (1u << i)) != 0 ? from[i] : d[i];
}

template <class T>
struct Out {  // where a handler may write all lanes
  T* d;
  u32 mask;
  alignas(64) T room[32];
  T* p;
  Out(Exec& x, const Op& o, u32 m) : d(x.at<T>(o.d)), mask(m), p(m == full_mask ? d : room) {}
  void done() {
    if (mask != full_mask) blend(d, room, mask);
  }
};

template <class D, class A, class F>
inline void map1(Exec& x, const Op& o, u32 m, F f) {
  Out<D> out(x, o, m);
  const A* const a = x.at<A>(o.a);
  D* const p = out.p;
  WW_LANES p[i] = f(a[i]);
  out.done();
}
template <class D, class A, class B, class F>
inline void map2(Exec& x, const Op& o, u32 m, F f) {
  Out<D> out(x, o, m);
  const A* const a = x.at<A>(o.a);
  const B* const b = x.at<B>(o.b);
  D* const p = out.p;
  WW_LANES p[i] = f(a[i], b[i]);
  out.done();
}
template <class D, class A, class B, class C, class F>
inline void map3(Exec& x, const Op& o, u32 m, F f) {
  Out<D> out(x, o, m);
  const A* const a = x.at<A>(o.a);
  const B* const b = x.at<B>(o.b);
  const C* const c = x.at<C>(o.c);
  D* const p = out.p;
  WW_LANES p[i] = f(a[i], b[i], c[i]);
  out.done();
}

inline void write_predicate(Exec& x, u32 at, u32 bits, u32 m) {
  u32* const d = x.at<u32>(at);
  *d = (*d & ~m) | (bits & m);
}
template <class A, class F>
inline void compare2(Exec& x, const Op& o, u32 m, F f) {
  const A* const a = x.at<A>(o.a);
  const A* const b = x.at<A>(o.b);
  u32 bits = 0;
  WW_LANES bits |= f(a[i], b[i]) ? (1u << i) : 0u;
  write_predicate(x, o.d, bits, m);
}

// Lanes set in a mask, one at a time.
template <class F>
inline void each_lane(u32 mask, F f) {
  while (mask != 0) {
    f(static_cast<unsigned>(__builtin_ctz(mask)));
    mask &= mask - 1;
  }
}

// x86 control word of the SSE unit: bits 13 and 14 select the rounding. Keeps loads and stores on their side.
class Rounding {
 public:
  explicit Rounding(std::int64_t mode) : active_(mode != rounding_nearest) {
    if (!active_) return;
    saved_ = __builtin_ia32_stmxcsr();
    constexpr unsigned bits[] = {0, 0x6000, 0x2000, 0x4000};
    __builtin_ia32_ldmxcsr((saved_ & ~0x6000u) | bits[mode & 3]);
    asm volatile("" ::: "memory");
  }
  ~Rounding() {
    if (!active_) return;
    asm volatile("" ::: "memory");
    __builtin_ia32_ldmxcsr(saved_);
  }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;

 private:
  bool active_;
  unsigned saved_ = 0;
};

}  // namespace
}  // namespace ww::simt::WW_SIMT_ISA
