// SPDX-License-Identifier: Apache-2.0
#include "simt/video.h"
#include <algorithm>
#include <bit>
#include <limits>

namespace ww::simt {
namespace {

using VideoKind = Video::Kind;

std::int64_t video_part(std::uint32_t word, unsigned bits, bool is_signed) {
  const std::uint32_t value = bits == 32 ? word : word & ((1u << bits) - 1);
  const bool negative = is_signed && ((value >> (bits - 1)) & 1) != 0;
  return negative ? static_cast<std::int64_t>(value) - (std::int64_t{1} << bits) : std::int64_t{value};
}

bool video_compares(Video::Compare compare, std::int64_t a, std::int64_t b) {
  switch (compare) {
    case Video::Compare::eq: return a == b;
    case Video::Compare::ne: return a != b;
    case Video::Compare::lt: return a < b;
    case Video::Compare::le: return a <= b;
    case Video::Compare::gt: return a > b;
    case Video::Compare::ge: return a >= b;
  }
  return false;
}

std::int64_t video_result(const Video& v, std::int64_t a, std::int64_t b) {
  const std::int64_t sum = a + b;
  const auto amount = static_cast<unsigned>(v.wraps ? b & 31 : std::min<std::int64_t>(b, 32));
  switch (v.kind) {
    case VideoKind::add: return sum;
    case VideoKind::sub: return a - b;
    case VideoKind::average: return (sum + (sum >= 0 ? 1 : 0)) >> 1;
    case VideoKind::difference: return a < b ? b - a : a - b;
    case VideoKind::least: return std::min(a, b);
    case VideoKind::greatest: return std::max(a, b);
    case VideoKind::set: return video_compares(v.compare, a, b) ? 1 : 0;
    case VideoKind::shift_left: return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << amount);
    case VideoKind::shift_right: return a >> amount;
  }
  return 0;
}

std::int64_t video_saturated(const Video& v, std::int64_t t, unsigned bits) {
  if (!v.saturate) return t;
  const std::int64_t half = std::int64_t{1} << (bits - 1);
  return v.d_signed ? std::clamp(t, -half, half - 1) : std::clamp(t, std::int64_t{0}, 2 * half - 1);
}

std::uint32_t run_video(const Video& v, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const unsigned bits = 32 / v.parts;
  std::uint32_t d = v.then == Video::Then::add && v.parts > 1 ? c : 0;
  for (unsigned k = 0; k < v.parts; ++k) {
    const auto part = [&](std::uint32_t word, bool is_signed) {
      return video_part(word >> (k * bits), bits, is_signed);
    };
    const std::int64_t t = video_saturated(v, video_result(v, part(a, v.a_signed), part(b, v.b_signed)), bits);
    if (v.parts == 1) {
      d = static_cast<std::uint32_t>(t);
    } else if (v.then == Video::Then::add) {
      d += static_cast<std::uint32_t>(t);
    } else {
      d |= (static_cast<std::uint32_t>(t) & ((1u << bits) - 1)) << (k * bits);
    }
  }
  if (v.parts > 1 || v.then == Video::Then::nothing) return d;
  if (v.then == Video::Then::add) return d + c;
  const bool c_less = v.d_signed ? static_cast<std::int32_t>(c) < static_cast<std::int32_t>(d) : c < d;
  return c_less == (v.then == Video::Then::least) ? c : d;
}

}  // namespace

void video(Exec& x, const Op& op, std::uint32_t mask) {
  const Video v = Video::unpack(op.imm);
  const auto *const a = x.at<std::uint32_t>(op.a), *const b = x.at<std::uint32_t>(op.b),
                    *const c = x.at<std::uint32_t>(op.c);
  std::uint32_t* const d = x.at<std::uint32_t>(op.d);
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(mask));
    d[lane] = run_video(v, a[lane], b[lane], c[lane]);
  }
}

}  // namespace ww::simt
