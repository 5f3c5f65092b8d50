// SPDX-License-Identifier: Apache-2.0
#include "simt/quad_mma.h"
#include <algorithm>
#include <bit>
#include "base/dtype.h"
#include "simt/further_mma.h"

namespace ww::simt {
namespace {

struct QuadSpot {
  unsigned row, column;
};

unsigned place_in_half(unsigned lane) { return lane % 4 + (lane < 16 ? 0 : 4); }
QuadSpot quad_a(bool columns, unsigned lane, unsigned i) {
  return columns ? QuadSpot{i + (lane < 16 ? 0 : 4), lane % 4} : QuadSpot{place_in_half(lane), i};
}
QuadSpot quad_b(bool columns, unsigned lane, unsigned i) {
  return columns ? QuadSpot{i, place_in_half(lane)} : QuadSpot{lane % 4, i + (lane < 16 ? 0 : 4)};
}
QuadSpot quad_sum(bool half, unsigned lane, unsigned i) {
  if (half) return {place_in_half(lane), i};
  return {(lane & 1) + (i & 2) + (lane < 16 ? 0 : 4), (i & 4) + (lane & 2) + (i & 1)};
}

}  // namespace

void quad_mma(Exec& x, const Op& op, std::uint32_t) {
  const QuadMma s = QuadMma::unpack(op.imm);
  const std::uint32_t* const list = x.lists + op.target;
  const unsigned sums = QuadMma::registers(s.half_result);
  const auto word = [&](unsigned reg, unsigned lane) { return x.at<std::uint32_t>(list[reg])[lane]; };
  const auto half = [&](unsigned reg, unsigned lane, unsigned i) {
    return f16_to_f64(static_cast<std::uint16_t>(word(reg + i / 2, lane) >> (16 * (i % 2))));
  };
  double a[4][8][4], b[4][4][8], c[4][8][8];  // by product
  for (unsigned lane = 0; lane < warp_lanes; ++lane) {
    const unsigned q = lane % 16 / 4;
    for (unsigned i = 0; i < 4; ++i) {
      const QuadSpot in_a = quad_a(s.a_columns, lane, i), in_b = quad_b(s.b_columns, lane, i);
      a[q][in_a.row][in_a.column] = half(sums, lane, i);
      b[q][in_b.row][in_b.column] = half(sums + 2, lane, i);
    }
    for (unsigned i = 0; i < 8; ++i) {
      const QuadSpot at = quad_sum(s.half_addend, lane, i);
      c[q][at.row][at.column] =
          s.half_addend ? half(sums + 4, lane, i) : static_cast<double>(std::bit_cast<float>(word(sums + 4 + i, lane)));
    }
  }
  std::uint32_t result[8][warp_lanes] = {};
  for (unsigned lane = 0; lane < warp_lanes; ++lane)
    for (unsigned i = 0; i < 8; ++i) {
      const unsigned q = lane % 16 / 4;
      const QuadSpot at = quad_sum(s.half_result, lane, i);
      double sum = c[q][at.row][at.column];
      for (unsigned k = 0; k < 4; ++k) sum += a[q][at.row][k] * b[q][k][at.column];
      if (s.half_result)
        result[i / 2][lane] |= std::uint32_t{f64_to_f16(sum)} << (16 * (i % 2));
      else
        result[i][lane] = std::bit_cast<std::uint32_t>(rounded_toward_zero(sum));
    }
  for (unsigned r = 0; r < sums; ++r) std::copy_n(result[r], warp_lanes, x.at<std::uint32_t>(list[r]));
}

}  // namespace ww::simt
