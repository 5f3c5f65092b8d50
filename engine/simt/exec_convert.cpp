// SPDX-License-Identifier: Apache-2.0
// cvt between integers and floating point (PTX ISA 9.0, section 9.7.9.21). 8-bit values are arrays of bytes here; the
// decoder narrows and widens registers around a conversion. No float-to-integer cast ever sees a value out of range.
#include <type_traits>
#include "simt/real.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

constexpr auto C = InstrClass::conversion;

template <class T>
constexpr const char* name_of() {
  if constexpr (std::is_same_v<T, u8>)
    return "u8";
  else if constexpr (std::is_same_v<T, s8>)
    return "s8";
  else if constexpr (std::is_same_v<T, u16>)
    return "u16";
  else if constexpr (std::is_same_v<T, s16>)
    return "s16";
  else if constexpr (std::is_same_v<T, u32>)
    return "u32";
  else if constexpr (std::is_same_v<T, s32>)
    return "s32";
  else if constexpr (std::is_same_v<T, u64>)
    return "u64";
  else if constexpr (std::is_same_v<T, s64>)
    return "s64";
  else if constexpr (std::is_same_v<T, f32>)
    return "f32";
  else
    return "f64";
}

template <class T>
inline constexpr T lowest = std::is_signed_v<T> ? static_cast<T>(u64{1} << (8 * sizeof(T) - 1)) : T{0};
template <class T>
inline constexpr T highest = std::is_signed_v<T> ? static_cast<T>((u64{1} << (8 * sizeof(T) - 1)) - 1)
                                                 : static_cast<T>(~T{0});

// Integer to integer.
template <class D, class S>
void resize(Exec& x, const Op& o, u32 m) {
  map1<D, S>(x, o, m, [](S v) { return static_cast<D>(v); });
}
template <class D, class S>
void resize_sat(Exec& x, const Op& o, u32 m) {
  map1<D, S>(x, o, m, [](S v) {
    const s128 w = v;
    return w < s128{lowest<D>} ? lowest<D> : w > s128{highest<D>} ? highest<D> : static_cast<D>(v);
  });
}

template <class T, int mode>
T integral(T v) {
  if constexpr (sizeof(T) == 4)
    return mode == 0   ? __builtin_rintf(v)
           : mode == 1 ? __builtin_truncf(v)
           : mode == 2 ? __builtin_floorf(v)
                       : __builtin_ceilf(v);
  else
    return mode == 0   ? __builtin_rint(v)
           : mode == 1 ? __builtin_trunc(v)
           : mode == 2 ? __builtin_floor(v)
                       : __builtin_ceil(v);
}

// Saturates; NaN is 0, but from f64 or to 64 bits only the top bit is set.
template <class D, class S, int mode, bool ftz>
void to_integer(Exec& x, const Op& o, u32 m) {
  map1<D, S>(x, o, m, [](S v) {
    if constexpr (ftz && sizeof(S) == 4) v = flush(v);
    const S r = integral<S, mode>(v);
    constexpr S bottom = static_cast<S>(lowest<D>);
    constexpr S beyond = static_cast<S>(u64{1} << (8 * sizeof(D) - 1)) * (std::is_signed_v<D> ? S{1} : S{2});
    constexpr D nan = sizeof(S) == 8 || sizeof(D) == 8 ? static_cast<D>(u64{1} << (8 * sizeof(D) - 1)) : D{0};
    const bool inside = r >= bottom && r < beyond;
    using Middle = std::conditional_t<(sizeof(D) < 4), s32, D>;
    const D value = static_cast<D>(static_cast<Middle>(inside ? r : S{0}));
    return r != r ? nan : inside ? value : r < bottom ? lowest<D> : highest<D>;
  });
}
template <class D, class S>
void from_integer(Exec& x, const Op& o, u32 m) {
  const Rounding mode(o.imm);
  map1<D, S>(x, o, m, [](S v) { return static_cast<D>(v); });
}
template <class H, class S>
void half_from_integer(Exec& x, const Op& o, u32 m) {
  map1<u16, S>(x, o, m, [](S v) { return H::store(odd_float(static_cast<f64>(v))); });
}

// Floating point to floating point.
template <bool ftz, bool sat>
void f32_from_f64(Exec& x, const Op& o, u32 m) {
  const Rounding mode(o.imm);
  map1<f32, f64>(x, o, m, [](f64 v) { return give<ftz, sat>(static_cast<f32>(v)); });
}
template <bool ftz>
void f64_from_f32(Exec& x, const Op& o, u32 m) {
  map1<f64, f32>(x, o, m, [](f32 v) { return static_cast<f64>(take<ftz>(v)); });
}
template <bool ftz, bool sat, int mode>
void f32_integral(Exec& x, const Op& o, u32 m) {
  map1<f32, f32>(x, o, m, [](f32 v) { return give<ftz, sat>(integral<f32, mode>(take<ftz>(v))); });
}
template <bool ftz, bool sat>
void f32_same(Exec& x, const Op& o, u32 m) {
  map1<f32, f32>(x, o, m, [](f32 v) { return give<ftz, sat>(take<ftz>(v)); });
}
template <int mode>
void f64_integral(Exec& x, const Op& o, u32 m) {
  map1<f64, f64>(x, o, m, [](f64 v) { return integral<f64, mode>(v); });
}
template <class H, bool ftz>
void f32_from_half(Exec& x, const Op& o, u32 m) {
  map1<f32, u16>(x, o, m, [](u16 v) { return take<ftz>(H::load(v)); });
}
template <class H>
void f64_from_half(Exec& x, const Op& o, u32 m) {
  map1<f64, u16>(x, o, m, [](u16 v) { return static_cast<f64>(H::load(v)); });
}
template <class H>
void half_from_f64(Exec& x, const Op& o, u32 m) {
  map1<u16, f64>(x, o, m, [](f64 v) { return H::store(odd_float(v)); });
}
template <int mode>
void half_integral(Exec& x, const Op& o, u32 m) {
  map1<u16, u16>(x, o, m, [](u16 v) { return Half::store(integral<f32, mode>(Half::load(v))); });
}

// f32 to a 16-bit type. zero: toward zero. how: 0 plain, 1 .sat, 2 .relu, 3 .satfinite, 4 .relu.satfinite
template <class H, bool zero>
u16 narrow(f32 v) {
  if constexpr (!zero) return H::store(v);
  const u16 nearest = H::store(v);
  const f32 back = H::load(nearest);
  const f32 a = back < 0 ? -back : back, b = v < 0 ? -v : v;
  return a > b ? static_cast<u16>(nearest - 1) : nearest;
}
template <class H, bool zero, int how>
u16 narrow_how(f32 v) {
  if constexpr (how == 1) v = saturate(v);
  if constexpr (how == 2 || how == 4) v = v < 0.0f || v == 0.0f ? 0.0f : v;
  u16 r = narrow<H, zero>(v);
  if constexpr (how >= 3) {
    constexpr u16 infinity = std::is_same_v<H, Half> ? 0x7c00 : 0x7f80;
    if ((r & 0x7fff) == infinity) r = static_cast<u16>(r - 1);
  }
  return r;
}
template <class H, bool zero, int how>
void half_from_f32(Exec& x, const Op& o, u32 m) {
  map1<u16, f32>(x, o, m, narrow_how<H, zero, how>);
}
template <class H, bool zero, int how>
void pair_from_f32(Exec& x, const Op& o, u32 m) {
  map2<u32, f32, f32>(x, o, m, [](f32 a, f32 b) {
    return (static_cast<u32>(narrow_how<H, zero, how>(a)) << 16) | narrow_how<H, zero, how>(b);
  });
}

// Down (2) or up (3).
template <class H, int mode>
u16 narrow_directed(f32 v) {
  const u16 nearest = H::store(v);
  const f32 back = H::load(nearest);
  if (v != v || back == v || (mode == 2 ? back < v : back > v)) return nearest;
  // The neighbour below or above: of zeros, the smallest number of the other sign.
  if ((nearest & 0x7fff) == 0) return mode == 2 ? 0x8001 : 0x0001;
  const bool negative = (nearest & 0x8000) != 0, away = negative == (mode == 2);
  return static_cast<u16>(away ? nearest + 1 : nearest - 1);
}
template <class H, int mode>
void half_directed(Exec& x, const Op& o, u32 m) {
  map1<u16, f32>(x, o, m, narrow_directed<H, mode>);
}

// Two numbers, limited to the range of a narrower type, above what a third operand holds.
template <unsigned bits, bool is_signed>
u32 packed_part(s32 v) {
  constexpr s32 least = is_signed ? -(1 << (bits - 1)) : 0, most = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  return static_cast<u32>(v < least ? least : v > most ? most : v) & ((1u << bits) - 1);
}
template <unsigned bits, bool is_signed>
void pack_two(Exec& x, const Op& o, u32 m) {
  map2<u32, s32, s32>(x, o, m, [](s32 a, s32 b) {
    return (packed_part<bits, is_signed>(a) << bits) | packed_part<bits, is_signed>(b);
  });
}
template <unsigned bits, bool is_signed>
void pack_three(Exec& x, const Op& o, u32 m) {
  map3<u32, s32, s32, u32>(x, o, m, [](s32 a, s32 b, u32 c) {
    return (c << (2 * bits)) | (packed_part<bits, is_signed>(a) << bits) | packed_part<bits, is_signed>(b);
  });
}

// tf32 keeps 10 bits of the fraction; rna rounds ties away from zero.
enum class Tf32 { away, nearest, zero };
template <Tf32 how, bool relu = false, bool finite = false>
void tf32(Exec& x, const Op& o, u32 m) {
  map1<u32, f32>(x, o, m, [](f32 v) {
    if (v != v) return 0x7fffffffu;
    if (relu && (bits(v) & 0x80000000u) != 0) return 0u;
    const u32 b = bits(v);
    const u32 up = how == Tf32::away ? 0x1000u : how == Tf32::nearest ? 0xfffu + ((b >> 13) & 1) : 0u;
    const u32 r = (b & 0x7f800000u) == 0x7f800000u ? b : (b + up) & ~0x1fffu;
    return finite && (r & 0x7fffffffu) == 0x7f800000u ? (r & 0x80000000u) | 0x7f7fe000u : r;
  });
}
template <Tf32 how>
void register_tf32(Registry& r, const char* mode) {
  r.alu("cvt$.tf32.f32", mode, tf32<how>, "b32 f32", C);
  r.alu("cvt$.satfinite.tf32.f32", mode, tf32<how, false, true>, "b32 f32", C);
  if constexpr (how != Tf32::away) {
    r.alu("cvt$.relu.tf32.f32", mode, tf32<how, true>, "b32 f32", C);
    r.alu("cvt$.satfinite.relu.tf32.f32", mode, tf32<how, true, true>, "b32 f32", C);
  }
}

// 8-bit floating point (OCP FP8): e4m3 has no infinity, e5m2 is a short f16.
template <bool e5>
u8 to_fp8(f32 v) {
  constexpr int mantissa = e5 ? 2 : 3;
  constexpr int bias = e5 ? 15 : 7;
  constexpr f32 largest = e5 ? 57344.0f : 448.0f;
  const u32 b = bits(v);
  const u8 sign = static_cast<u8>((b >> 24) & 0x80);
  if (v != v) return 0x7f;
  const f32 a = v < 0 ? -v : v;
  if (a >= largest) return static_cast<u8>(sign | (e5 ? 0x7b : 0x7e));  // .satfinite is mandatory
  int e = static_cast<int>((b >> 23) & 255) - 127;
  if (e < 1 - bias) e = 1 - bias;
  // The spacing at this exponent is 2^(e - mantissa): round to a multiple of it.
  const f32 scale = from_bits(static_cast<u32>(127 - e + mantissa) << 23);
  const auto steps = static_cast<u32>(__builtin_rintf(a * scale));
  const auto field = static_cast<u32>(e + bias - 1) << mantissa;  // subnormals have e = 1 - bias and field 0
  return static_cast<u8>(sign | (field + steps));
}
template <bool e5>
f32 from_fp8(u8 v) {
  if constexpr (e5) return half_to_float(static_cast<u16>(v << 8));
  const u32 magnitude = v & 0x7f, e = magnitude >> 3, f = magnitude & 7;
  f32 a = e == 0 ? static_cast<f32>(f) * 0.001953125f : from_bits(((e + 120) << 23) | (f << 20));
  if (magnitude == 0x7f) a = from_bits(0x7fffffffu);
  return (v & 0x80) != 0 ? -a : a;
}
template <bool e5, bool relu>
void fp8_from_f32(Exec& x, const Op& o, u32 m) {
  map2<u16, f32, f32>(x, o, m, [](f32 a, f32 b) {
    if (relu) {
      a = a < 0 ? 0.0f : a;
      b = b < 0 ? 0.0f : b;
    }
    return static_cast<u16>((to_fp8<e5>(a) << 8) | to_fp8<e5>(b));
  });
}
template <bool e5, bool relu>
void fp8_from_half(Exec& x, const Op& o, u32 m) {
  map1<u16, u32>(x, o, m, [](u32 v) {
    f32 a = half_to_float(static_cast<u16>(v >> 16)), b = half_to_float(static_cast<u16>(v));
    if (relu) {
      a = a < 0 ? 0.0f : a;
      b = b < 0 ? 0.0f : b;
    }
    return static_cast<u16>((to_fp8<e5>(a) << 8) | to_fp8<e5>(b));
  });
}
template <bool e5>
void half_from_fp8(Exec& x, const Op& o, u32 m) {
  map1<u32, u16>(x, o, m, [](u16 v) {
    return (static_cast<u32>(float_to_half(from_fp8<e5>(static_cast<u8>(v >> 8)))) << 16) |
           float_to_half(from_fp8<e5>(static_cast<u8>(v)));
  });
}

template <class D, class S>
void register_resize(Registry& r) {
  const Name signature(name_of<D>(), " ", name_of<S>());
  r.alu(Name("cvt.", name_of<D>(), ".", name_of<S>()).text, "", resize<D, S>, signature.text, C);
  r.alu(Name("cvt.sat.", name_of<D>(), ".", name_of<S>()).text, "", resize_sat<D, S>, signature.text, C);
}
template <class D, class S, int mode>
void register_to_integer(Registry& r, const char* suffix) {
  const Name signature(name_of<D>(), " ", name_of<S>());
  const Name tail(name_of<D>(), ".", name_of<S>());
  r.alu(Name("cvt", suffix, ".", tail.text).text, "", to_integer<D, S, mode, false>, signature.text, C);
  r.alu(Name("cvt", suffix, ".sat.", tail.text).text, "", to_integer<D, S, mode, false>, signature.text, C);
  if constexpr (sizeof(S) == 4) {
    r.alu(Name("cvt", suffix, ".ftz.", tail.text).text, "", to_integer<D, S, mode, true>, signature.text, C);
    r.alu(Name("cvt", suffix, ".ftz.sat.", tail.text).text, "", to_integer<D, S, mode, true>, signature.text, C);
  }
}
template <class T>
void register_number(Registry& r) {
  register_resize<u8, T>(r);
  register_resize<s8, T>(r);
  register_resize<u16, T>(r);
  register_resize<s16, T>(r);
  register_resize<u32, T>(r);
  register_resize<s32, T>(r);
  register_resize<u64, T>(r);
  register_resize<s64, T>(r);
  register_to_integer<T, f32, 0>(r, ".rni");
  register_to_integer<T, f32, 1>(r, ".rzi");
  register_to_integer<T, f32, 2>(r, ".rmi");
  register_to_integer<T, f32, 3>(r, ".rpi");
  register_to_integer<T, f64, 0>(r, ".rni");
  register_to_integer<T, f64, 1>(r, ".rzi");
  register_to_integer<T, f64, 2>(r, ".rmi");
  register_to_integer<T, f64, 3>(r, ".rpi");
  const struct {
    const char* name;
    int mode;
  } modes[] = {{".rn", 0}, {".rz", 1}, {".rm", 2}, {".rp", 3}};
  for (const auto& mode : modes) {
    // Without a 64-bit unsigned conversion in hardware the compiler's sequence rounds correctly only to nearest.
    if (std::is_same_v<T, u64> && mode.mode != 0) continue;
    r.alu(Name("cvt", mode.name, ".f32.", name_of<T>()).text, "", from_integer<f32, T>, Name("f32 ", name_of<T>()).text,
          C, 0, mode.mode);
    r.alu(Name("cvt", mode.name, ".f64.", name_of<T>()).text, "", from_integer<f64, T>, Name("f64 ", name_of<T>()).text,
          C, 0, mode.mode);
  }
  r.alu(Name("cvt.rn.f16.", name_of<T>()).text, "", half_from_integer<Half, T>, Name("f16 ", name_of<T>()).text, C);
  if constexpr (sizeof(T) < 8)
    r.alu(Name("cvt.rn.bf16.", name_of<T>()).text, "", half_from_integer<Bfloat, T>, Name("bf16 ", name_of<T>()).text,
          C);
}

template <int mode>
void register_integral(Registry& r, const char* suffix) {
  r.alu("cvt$.f32.f32", suffix, f32_integral<false, false, mode>, "f32 f32", C);
  r.alu("cvt$.sat.f32.f32", suffix, f32_integral<false, true, mode>, "f32 f32", C);
  r.alu("cvt$.ftz.f32.f32", suffix, f32_integral<true, false, mode>, "f32 f32", C);
  r.alu("cvt$.ftz.sat.f32.f32", suffix, f32_integral<true, true, mode>, "f32 f32", C);
  r.alu("cvt$.f64.f64", suffix, f64_integral<mode>, "f64 f64", C);
  r.alu("cvt$.f16.f16", suffix, half_integral<mode>, "f16 f16", C);
}
template <class H, bool zero>
void register_narrow(Registry& r, const char* mode, const char* type, const char* pair) {
  const Name one(type, " f32"), two("b32 f32 f32");
  r.alu(Name("cvt", mode, ".", type, ".f32").text, "", half_from_f32<H, zero, 0>, one.text, C);
  r.alu(Name("cvt", mode, ".sat.", type, ".f32").text, "", half_from_f32<H, zero, 1>, one.text, C);
  r.alu(Name("cvt", mode, ".relu.", type, ".f32").text, "", half_from_f32<H, zero, 2>, one.text, C);
  r.alu(Name("cvt", mode, ".satfinite.", type, ".f32").text, "", half_from_f32<H, zero, 3>, one.text, C);
  r.alu(Name("cvt", mode, ".relu.satfinite.", type, ".f32").text, "", half_from_f32<H, zero, 4>, one.text, C);
  r.alu(Name("cvt", mode, ".", pair, ".f32").text, "", pair_from_f32<H, zero, 0>, two.text, C);
  r.alu(Name("cvt", mode, ".relu.", pair, ".f32").text, "", pair_from_f32<H, zero, 2>, two.text, C);
  r.alu(Name("cvt", mode, ".satfinite.", pair, ".f32").text, "", pair_from_f32<H, zero, 3>, two.text, C);
  r.alu(Name("cvt", mode, ".relu.satfinite.", pair, ".f32").text, "", pair_from_f32<H, zero, 4>, two.text, C);
}

}  // namespace

void register_convert(Registry& r) {
  register_number<u8>(r);
  register_number<s8>(r);
  register_number<u16>(r);
  register_number<s16>(r);
  register_number<u32>(r);
  register_number<s32>(r);
  register_number<u64>(r);
  register_number<s64>(r);
  register_integral<0>(r, ".rni");
  register_integral<1>(r, ".rzi");
  register_integral<2>(r, ".rmi");
  register_integral<3>(r, ".rpi");
  const struct {
    const char* name;
    int mode;
  } modes[] = {{".rn", 0}, {".rz", 1}, {".rm", 2}, {".rp", 3}};
  for (const auto& mode : modes) {
    r.alu("cvt$.f32.f64", mode.name, f32_from_f64<false, false>, "f32 f64", C, 0, mode.mode);
    r.alu("cvt$.sat.f32.f64", mode.name, f32_from_f64<false, true>, "f32 f64", C, 0, mode.mode);
    r.alu("cvt$.ftz.f32.f64", mode.name, f32_from_f64<true, false>, "f32 f64", C, 0, mode.mode);
    r.alu("cvt$.ftz.sat.f32.f64", mode.name, f32_from_f64<true, true>, "f32 f64", C, 0, mode.mode);
  }
  r.alu("cvt.f64.f32", "", f64_from_f32<false>, "f64 f32", C);
  r.alu("cvt.ftz.f64.f32", "", f64_from_f32<true>, "f64 f32", C);
  r.alu("cvt.f32.f32", "", f32_same<false, false>, "f32 f32", C);
  r.alu("cvt.sat.f32.f32", "", f32_same<false, true>, "f32 f32", C);
  r.alu("cvt.ftz.f32.f32", "", f32_same<true, false>, "f32 f32", C);
  r.alu("cvt.ftz.sat.f32.f32", "", f32_same<true, true>, "f32 f32", C);
  r.alu("cvt.f32.f16", "", f32_from_half<Half, false>, "f32 f16", C);
  r.alu("cvt.ftz.f32.f16", "", f32_from_half<Half, true>, "f32 f16", C);
  r.alu("cvt.f32.bf16", "", f32_from_half<Bfloat, false>, "f32 bf16", C);
  r.alu("cvt.ftz.f32.bf16", "", f32_from_half<Bfloat, true>, "f32 bf16", C);
  r.alu("cvt.f64.f16", "", f64_from_half<Half>, "f64 f16", C);
  r.alu("cvt.f64.bf16", "", f64_from_half<Bfloat>, "f64 bf16", C);
  r.alu("cvt.rn.f16.f64", "", half_from_f64<Half>, "f16 f64", C);
  r.alu("cvt.rn.bf16.f64", "", half_from_f64<Bfloat>, "bf16 f64", C);
  register_narrow<Half, false>(r, ".rn", "f16", "f16x2");
  register_narrow<Half, true>(r, ".rz", "f16", "f16x2");
  register_narrow<Bfloat, false>(r, ".rn", "bf16", "bf16x2");
  register_narrow<Bfloat, true>(r, ".rz", "bf16", "bf16x2");
  register_tf32<Tf32::away>(r, ".rna");
  register_tf32<Tf32::nearest>(r, ".rn");
  register_tf32<Tf32::zero>(r, ".rz");
  r.alu("cvt.rm.f16.f32", "", half_directed<Half, 2>, "f16 f32", C);
  r.alu("cvt.rp.f16.f32", "", half_directed<Half, 3>, "f16 f32", C);
  r.alu("cvt.pack.sat.u16.s32", "", pack_two<16, false>, "b32 s32 s32", C);
  r.alu("cvt.pack.sat.s16.s32", "", pack_two<16, true>, "b32 s32 s32", C);
  r.alu("cvt.pack.sat.u8.s32.b32", "", pack_three<8, false>, "b32 s32 s32 b32", C);
  r.alu("cvt.pack.sat.s8.s32.b32", "", pack_three<8, true>, "b32 s32 s32 b32", C);
  r.alu("cvt.pack.sat.u4.s32.b32", "", pack_three<4, false>, "b32 s32 s32 b32", C);
  r.alu("cvt.pack.sat.s4.s32.b32", "", pack_three<4, true>, "b32 s32 s32 b32", C);
  r.alu("cvt.pack.sat.u2.s32.b32", "", pack_three<2, false>, "b32 s32 s32 b32", C);
  r.alu("cvt.pack.sat.s2.s32.b32", "", pack_three<2, true>, "b32 s32 s32 b32", C);
  r.alu("cvt.rn.satfinite.e4m3x2.f32", "", fp8_from_f32<false, false>, "b16 f32 f32", C);
  r.alu("cvt.rn.satfinite.e5m2x2.f32", "", fp8_from_f32<true, false>, "b16 f32 f32", C);
  r.alu("cvt.rn.satfinite.relu.e4m3x2.f32", "", fp8_from_f32<false, true>, "b16 f32 f32", C);
  r.alu("cvt.rn.satfinite.relu.e5m2x2.f32", "", fp8_from_f32<true, true>, "b16 f32 f32", C);
  r.alu("cvt.rn.satfinite.e4m3x2.f16x2", "", fp8_from_half<false, false>, "b16 f16x2", C);
  r.alu("cvt.rn.satfinite.e5m2x2.f16x2", "", fp8_from_half<true, false>, "b16 f16x2", C);
  r.alu("cvt.rn.satfinite.relu.e4m3x2.f16x2", "", fp8_from_half<false, true>, "b16 f16x2", C);
  r.alu("cvt.rn.satfinite.relu.e5m2x2.f16x2", "", fp8_from_half<true, true>, "b16 f16x2", C);
  r.alu("cvt.rn.f16x2.e4m3x2", "", half_from_fp8<false>, "b32 b16", C);
  r.alu("cvt.rn.f16x2.e5m2x2", "", half_from_fp8<true>, "b32 b16", C);
}

}  // namespace ww::simt::WW_SIMT_ISA
