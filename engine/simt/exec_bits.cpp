// SPDX-License-Identifier: Apache-2.0
// Logic, shifts and bit manipulation (PTX ISA 9.0, sections 9.7.1 and 9.7.8).
#include <type_traits>
#include "simt/lanes.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

constexpr auto I = InstrClass::integer;

template <class T>
void and_(Exec& x, const Op& o, u32 m) {
  map2<T, T, T>(x, o, m, [](T a, T b) { return static_cast<T>(a & b); });
}
template <class T>
void or_(Exec& x, const Op& o, u32 m) {
  map2<T, T, T>(x, o, m, [](T a, T b) { return static_cast<T>(a | b); });
}
template <class T>
void xor_(Exec& x, const Op& o, u32 m) {
  map2<T, T, T>(x, o, m, [](T a, T b) { return static_cast<T>(a ^ b); });
}
template <class T>
void not_(Exec& x, const Op& o, u32 m) {
  map1<T, T>(x, o, m, [](T a) { return static_cast<T>(~a); });
}
template <class T>
void cnot(Exec& x, const Op& o, u32 m) {
  map1<T, T>(x, o, m, [](T a) { return static_cast<T>(a == 0); });
}

// Amounts beyond the width clamp: the result is 0 or the sign (section 9.7.8.8).
template <class T>
void shl(Exec& x, const Op& o, u32 m) {
  constexpr u32 bits = 8 * sizeof(T);
  using P = std::conditional_t<sizeof(T) == 8, u64, u32>;
  map2<T, T, u32>(x, o, m,
                  [](T a, u32 n) { return n < bits ? static_cast<T>(static_cast<P>(a) << (n & (bits - 1))) : T{0}; });
}
template <class T>
void shr(Exec& x, const Op& o, u32 m) {
  constexpr u32 bits = 8 * sizeof(T);
  map2<T, T, u32>(x, o, m, [](T a, u32 n) {
    if constexpr (std::is_signed_v<T>)
      return static_cast<T>(a >> (n < bits ? n : bits - 1));
    else
      return n < bits ? static_cast<T>(a >> (n & (bits - 1))) : T{0};
  });
}

void lop3(Exec& x, const Op& o, u32 m) {
  const auto table = static_cast<u32>(o.imm);
  u32 use[8];
  for (u32 k = 0; k < 8; ++k) use[k] = (table >> k) & 1 ? full_mask : 0;
  map3<u32, u32, u32, u32>(x, o, m, [&use](u32 a, u32 b, u32 c) {
    return (~a & ~b & ~c & use[0]) | (~a & ~b & c & use[1]) | (~a & b & ~c & use[2]) | (~a & b & c & use[3]) |
           (a & ~b & ~c & use[4]) | (a & ~b & c & use[5]) | (a & b & ~c & use[6]) | (a & b & c & use[7]);
  });
}

// Positions and lengths are the low 8 bits; what lies beyond the value is filled with 0 or the field's sign.
template <class T>
void bfe(Exec& x, const Op& o, u32 m) {
  constexpr u32 bits = 8 * sizeof(T);
  using U = std::make_unsigned_t<T>;
  map3<T, T, u32, u32>(x, o, m, [](T a, u32 b, u32 c) -> T {
    const u32 pos = b & 255, len = c & 255;
    if (len == 0) return 0;
    const u32 sign_at = pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1;
    const bool sign = std::is_signed_v<T> && ((static_cast<U>(a) >> sign_at) & 1) != 0;
    U v = pos < bits ? static_cast<U>(static_cast<U>(a) >> pos) : U{0};
    const U keep = len < bits ? static_cast<U>((U{1} << len) - 1) : static_cast<U>(~U{0});
    v &= keep;
    // Bits of the field that lie beyond the value, and all above the field, take the sign.
    const u32 real = pos < bits ? (len < bits - pos ? len : bits - pos) : 0;
    if (sign) v |= real < bits ? static_cast<U>(~U{0} << real) : U{0};
    return static_cast<T>(v);
  });
}
template <class U>
void bfi(Exec& x, const Op& o, u32 m) {
  constexpr u32 bits = 8 * sizeof(U);
  Out<U> out(x, o, m);
  const U* const a = x.at<U>(o.a);
  const U* const b = x.at<U>(o.b);
  const u32* const c = x.at<u32>(o.c);
  const u32* const d = x.at<u32>(o.e);
  for (unsigned i = 0; i < 32; ++i) {
    const u32 pos = c[i] & 255, len = d[i] & 255;
    const U field = len < bits ? static_cast<U>((U{1} << len) - 1) : static_cast<U>(~U{0});
    const U mask = pos < bits ? static_cast<U>(field << pos) : U{0};
    const U value = pos < bits ? static_cast<U>(a[i] << pos) : U{0};
    out.p[i] = (b[i] & ~mask) | (value & mask);
  }
  out.done();
}

template <class U>
u32 leading(U v) {
  if constexpr (sizeof(U) == 8)
    return v == 0 ? 64 : static_cast<u32>(__builtin_clzll(v));
  else
    return v == 0 ? 32 : static_cast<u32>(__builtin_clz(v));
}
template <class U>
void clz(Exec& x, const Op& o, u32 m) {
  map1<u32, U>(x, o, m, leading<U>);
}
template <class U>
void popc(Exec& x, const Op& o, u32 m) {
  map1<u32, U>(x, o, m, [](U v) {
    return static_cast<u32>(sizeof(U) == 8 ? __builtin_popcountll(v) : __builtin_popcount(static_cast<u32>(v)));
  });
}
template <class T, bool shift_amount>
void bfind(Exec& x, const Op& o, u32 m) {
  using U = std::make_unsigned_t<T>;
  map1<u32, T>(x, o, m, [](T a) {
    const U v = a < 0 ? static_cast<U>(~static_cast<U>(a)) : static_cast<U>(a);
    if (v == 0) return full_mask;
    const u32 lead = leading<U>(v);
    return shift_amount ? lead : static_cast<u32>(8 * sizeof(T)) - 1 - lead;
  });
}
u32 reverse(u32 v) {
  v = ((v >> 1) & 0x55555555u) | ((v & 0x55555555u) << 1);
  v = ((v >> 2) & 0x33333333u) | ((v & 0x33333333u) << 2);
  v = ((v >> 4) & 0x0f0f0f0fu) | ((v & 0x0f0f0f0fu) << 4);
  return __builtin_bswap32(v);
}
void brev32(Exec& x, const Op& o, u32 m) { map1<u32, u32>(x, o, m, reverse); }
void brev64(Exec& x, const Op& o, u32 m) {
  map1<u64, u64>(x, o, m,
                 [](u64 v) { return (u64{reverse(static_cast<u32>(v))} << 32) | reverse(static_cast<u32>(v >> 32)); });
}

// prmt: picks bytes of {b, a}; bit 3 of a selector replicates the byte's sign (section 9.7.9.7).
u32 pick(u64 bytes, u32 selector) {
  const u32 byte = static_cast<u32>(bytes >> (8 * (selector & 7))) & 255;
  return (selector & 8) != 0 ? ((byte & 128) != 0 ? 255 : 0) : byte;
}
void prmt(Exec& x, const Op& o, u32 m) {
  const auto mode = static_cast<int>(o.imm);
  map3<u32, u32, u32, u32>(x, o, m, [mode](u32 a, u32 b, u32 c) {
    const u64 bytes = (u64{b} << 32) | a;
    u32 selectors[4];
    const u32 s = c & 3;
    for (u32 k = 0; k < 4; ++k) {
      switch (mode) {
        case 1: selectors[k] = s + k; break;                  // f4e
        case 2: selectors[k] = (s - k) & 7; break;            // b4e
        case 3: selectors[k] = s; break;                      // rc8
        case 4: selectors[k] = k > s ? k : s; break;          // ecl
        case 5: selectors[k] = k < s ? k : s; break;          // ecr
        case 6: selectors[k] = (s & 1) * 2 + (k & 1); break;  // rc16
        default: selectors[k] = (c >> (4 * k)) & 15;
      }
    }
    return pick(bytes, selectors[0]) | (pick(bytes, selectors[1]) << 8) | (pick(bytes, selectors[2]) << 16) |
           (pick(bytes, selectors[3]) << 24);
  });
}

template <bool left, bool wrap>
void shf(Exec& x, const Op& o, u32 m) {
  map3<u32, u32, u32, u32>(x, o, m, [](u32 a, u32 b, u32 c) {
    const u32 n = wrap ? c & 31 : (c < 32 ? c : 32);
    const u64 v = (u64{b} << 32) | a;
    return static_cast<u32>(left ? (v << n) >> 32 : v >> n);
  });
}

// The offset-th set bit from `base` on, upwards or downwards (section 9.7.1.17).
u32 nth_set(u32 mask, u32 base, s32 offset) {
  if (offset == std::numeric_limits<s32>::min()) return 0;  // as an H200 does
  if (base > 31) return full_mask;
  if (offset == 0) return ((mask >> base) & 1) != 0 ? base : full_mask;
  const int step = offset > 0 ? 1 : -1;
  s64 wanted = offset > 0 ? s64{offset} : -s64{offset};
  for (int i = static_cast<int>(base); i >= 0 && i < 32; i += step)
    if (((mask >> i) & 1) != 0 && --wanted == 0) return static_cast<u32>(i);
  return full_mask;
}
void fns(Exec& x, const Op& o, u32 m) { map3<u32, u32, u32, s32>(x, o, m, nth_set); }
template <bool wrap>
void bmsk(Exec& x, const Op& o, u32 m) {
  map2<u32, u32, u32>(x, o, m, [](u32 a, u32 b) -> u32 {
    if (wrap) {
      a &= 31;
      b &= 31;
    }
    if (a > 31) return 0;
    const u32 width = b > 31 ? full_mask : (1u << b) - 1;
    return width << a;
  });
}
template <class T, bool wrap>
void szext(Exec& x, const Op& o, u32 m) {
  map2<T, T, u32>(x, o, m, [](T a, u32 n) -> T {
    if (wrap) n &= 31;
    if (n >= 32) return a;
    if (n == 0) return 0;
    const u32 up = static_cast<u32>(a) << (32 - n);
    return std::is_signed_v<T> ? static_cast<T>(static_cast<s32>(up) >> (32 - n)) : static_cast<T>(up >> (32 - n));
  });
}

template <class U>
void register_logic(Registry& r, const char* type) {
  r.alu("and.$", type, and_<U>, "$ $ $", I);
  r.alu("or.$", type, or_<U>, "$ $ $", I);
  r.alu("xor.$", type, xor_<U>, "$ $ $", I);
  r.alu("not.$", type, not_<U>, "$ $", I);
  r.alu("cnot.$", type, cnot<U>, "$ $", I);
  r.alu("shl.$", type, shl<U>, "$ $ u32", I);
  r.alu("shr.$", type, shr<U>, "$ $ u32", I);
}
template <class T>
void register_shift(Registry& r, const char* type) {
  r.alu("shr.$", type, shr<T>, "$ $ u32", I);
}
template <class T>
void register_field(Registry& r, const char* type) {
  r.alu("bfe.$", type, bfe<T>, "$ $ u32 u32", I);
  r.alu("bfind.$", type, bfind<T, false>, "u32 $", I);
  r.alu("bfind.shiftamt.$", type, bfind<T, true>, "u32 $", I);
}

}  // namespace

void register_bits(Registry& r) {
  register_logic<u16>(r, "b16");
  register_logic<u32>(r, "b32");
  register_logic<u64>(r, "b64");
  register_shift<u16>(r, "u16");
  register_shift<s16>(r, "s16");
  register_shift<u32>(r, "u32");
  register_shift<s32>(r, "s32");
  register_shift<u64>(r, "u64");
  register_shift<s64>(r, "s64");
  register_field<u32>(r, "u32");
  register_field<s32>(r, "s32");
  register_field<u64>(r, "u64");
  register_field<s64>(r, "s64");
  r.alu("lop3.b32", "", lop3, "b32 b32 b32 b32 imm", I);
  r.alu("bfi.b32", "", bfi<u32>, "b32 b32 b32 u32 u32", I);
  r.alu("bfi.b64", "", bfi<u64>, "b64 b64 b64 u32 u32", I);
  r.alu("clz.b32", "", clz<u32>, "u32 b32", I);
  r.alu("clz.b64", "", clz<u64>, "u32 b64", I);
  r.alu("popc.b32", "", popc<u32>, "u32 b32", I);
  r.alu("popc.b64", "", popc<u64>, "u32 b64", I);
  r.alu("brev.b32", "", brev32, "b32 b32", I);
  r.alu("brev.b64", "", brev64, "b64 b64", I);
  const char* modes[] = {"prmt.b32",     "prmt.b32.f4e", "prmt.b32.b4e", "prmt.b32.rc8",
                         "prmt.b32.ecl", "prmt.b32.ecr", "prmt.b32.rc16"};
  for (int k = 0; k < 7; ++k) r.alu(modes[k], "", prmt, "b32 b32 b32 b32", I, 0, k);
  r.alu("shf.l.wrap.b32", "", shf<true, true>, "b32 b32 b32 u32", I);
  r.alu("shf.l.clamp.b32", "", shf<true, false>, "b32 b32 b32 u32", I);
  r.alu("shf.r.wrap.b32", "", shf<false, true>, "b32 b32 b32 u32", I);
  r.alu("shf.r.clamp.b32", "", shf<false, false>, "b32 b32 b32 u32", I);
  r.alu("fns.b32", "", fns, "b32 b32 b32 s32", I);
  r.alu("bmsk.wrap.b32", "", bmsk<true>, "b32 u32 u32", I);
  r.alu("bmsk.clamp.b32", "", bmsk<false>, "b32 u32 u32", I);
  r.alu("szext.wrap.u32", "", szext<u32, true>, "u32 u32 u32", I);
  r.alu("szext.clamp.u32", "", szext<u32, false>, "u32 u32 u32", I);
  r.alu("szext.wrap.s32", "", szext<s32, true>, "s32 s32 u32", I);
  r.alu("szext.clamp.s32", "", szext<s32, false>, "s32 s32 u32", I);
}

}  // namespace ww::simt::WW_SIMT_ISA
