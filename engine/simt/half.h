// SPDX-License-Identifier: Apache-2.0
// 16-bit floating point by bits, branch-free so that lane loops vectorise. Only for the exec_*.cpp files.
#pragma once
#include "simt/lanes.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

inline u32 bits(f32 v) { return std::bit_cast<u32>(v); }
inline f32 from_bits(u32 v) { return std::bit_cast<f32>(v); }

inline f32 half_to_float(u16 h) {
  const u32 magnitude = static_cast<u32>(h & 0x7fff) << 13;
  const u32 sign = static_cast<u32>(h & 0x8000) << 16;
  // Normal numbers: rebias. Subnormals: their bits as an integer, scaled. Infinities and NaN: exponent to all ones.
  const u32 normal = magnitude + (112u << 23);
  const u32 special = magnitude | 0x7f800000u;
  const u32 subnormal = bits(static_cast<f32>(static_cast<s32>(h & 0x3ff)) * 5.9604644775390625e-8f);
  const u32 e = h & 0x7c00;
  return from_bits(sign | (e == 0 ? subnormal : e == 0x7c00 ? special : normal));
}

// Round to nearest even; NaN becomes 0x7fff as on the device.
inline u16 float_to_half(f32 v) {
  const u32 b = bits(v);
  const u32 sign = (b >> 16) & 0x8000u;
  const u32 a = b & 0x7fffffffu;
  const u32 normal = (a - (112u << 23) + 0xfffu + ((a >> 13) & 1)) >> 13;
  // Below 2^-14 the sum with 0.5 puts the rounded subnormal into the low bits (0.5 has an ulp of 2^-24).
  const u32 subnormal = bits(from_bits(a < 0x38800000u ? a : 0) + 0.5f) - 0x3f000000u;
  const u32 finite = a < 0x38800000u ? subnormal : normal;
  const u32 big = a > 0x7f800000u ? 0x7fffu : 0x7c00u;
  return static_cast<u16>(a > 0x7f800000u ? 0x7fffu : (sign | (a >= 0x477ff000u ? big : finite)));
}

inline f32 bf16_to_float(u16 h) { return from_bits(static_cast<u32>(h) << 16); }
inline u16 float_to_bf16(f32 v) {
  const u32 b = bits(v);
  const u32 rounded = (b + 0x7fffu + ((b >> 16) & 1)) >> 16;
  return static_cast<u16>((b & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded);
}

// f64 to f32 with rounding to odd: a later rounding to at most 22 bits is then the rounding of the exact value
// (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
inline f32 odd_float(f64 v) {
  const f32 f = static_cast<f32>(v);
  const u32 b = bits(f);
  const f64 back = static_cast<f64>(f);
  const bool inexact = back != v && v == v;
  const f64 magnitude_back = back < 0 ? -back : back, magnitude = v < 0 ? -v : v;
  const u32 truncated = magnitude_back > magnitude ? b - 1 : b;
  return from_bits(inexact ? (truncated | 1u) : b);
}
// f64 to f32 with rounding toward zero; what overflows is infinite.
inline f32 zero_float(f64 v) {
  const f32 f = static_cast<f32>(v);
  const f64 back = static_cast<f64>(f);
  const bool larger = (back < 0 ? -back : back) > (v < 0 ? -v : v), infinite = (bits(f) & 0x7fffffffu) == 0x7f800000u;
  return from_bits(larger && !infinite ? bits(f) - 1 : bits(f));
}
// a + b in f64 rounded to odd.
inline f64 odd_sum(f64 a, f64 b) {
  const f64 s = a + b;
  const f64 bb = s - a;
  const f64 error = (a - (s - bb)) + (b - bb);
  const u64 raw = std::bit_cast<u64>(s);
  // The error's sign against the sum's tells whether the magnitude was rounded up.
  const bool inexact = error != 0 && error == error;
  const bool up = (error < 0) != (s < 0);
  const u64 truncated = up ? raw - 1 : raw;
  return std::bit_cast<f64>(inexact ? (truncated | 1u) : raw);
}
// The product of two 16-bit values is exact in f64.
inline f32 odd_fma(f32 a, f32 b, f32 c) {
  return odd_float(odd_sum(static_cast<f64>(a) * static_cast<f64>(b), static_cast<f64>(c)));
}

struct Half {
  static f32 load(u16 v) { return half_to_float(v); }
  static u16 store(f32 v) { return float_to_half(v); }
  static constexpr u16 nan = 0x7fff;
};
struct Bfloat {
  static f32 load(u16 v) { return bf16_to_float(v); }
  static u16 store(f32 v) { return float_to_bf16(v); }
  static constexpr u16 nan = 0x7fff;
};

}  // namespace
}  // namespace ww::simt::WW_SIMT_ISA
