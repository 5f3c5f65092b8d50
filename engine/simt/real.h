// SPDX-License-Identifier: Apache-2.0
// Post-processing of every f32 result: flush of subnormals, saturation, the device's NaN. Only for the exec_*.cpp
// files.
#pragma once
#include "simt/half.h"
#include "simt/lanes.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

inline f32 flush(f32 v) { return (bits(v) & 0x7f800000u) == 0 ? from_bits(bits(v) & 0x80000000u) : v; }
template <bool ftz>
inline f32 take(f32 v) {
  if constexpr (ftz)
    return flush(v);
  else
    return v;
}
inline f32 saturate(f32 v) { return v > 0.0f ? (v < 1.0f ? v : 1.0f) : 0.0f; }  // NaN gives +0
inline f32 canonical(f32 v) { return v == v ? v : from_bits(0x7fffffffu); }
template <bool ftz, bool sat>
inline f32 give(f32 v) {
  if constexpr (ftz) v = flush(v);
  if constexpr (sat)
    return saturate(v);
  else
    return canonical(v);
}

// min and max: a NaN gives way to a number, and -0 is below +0 (PTX ISA, section 9.7.3.11).
inline f32 lesser(f32 a, f32 b) {
  const f32 same = from_bits(bits(a) | bits(b));
  const f32 ordered = a < b ? a : b < a ? b : same;
  return a != a ? canonical(b) : b != b ? a : ordered;
}
inline f32 greater(f32 a, f32 b) {
  const f32 same = from_bits(bits(a) & bits(b));
  const f32 ordered = a > b ? a : b > a ? b : same;
  return a != a ? canonical(b) : b != b ? a : ordered;
}
inline bool any_nan(f32 a, f32 b) { return a != a || b != b; }

}  // namespace
}  // namespace ww::simt::WW_SIMT_ISA
