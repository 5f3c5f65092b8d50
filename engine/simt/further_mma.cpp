// SPDX-License-Identifier: Apache-2.0
#include "simt/further_mma.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include "base/dtype.h"

namespace ww::simt {
namespace {

using Element = FurtherMma::Element;
constexpr unsigned lanes = 32, most_rows = 16, columns = 8, most_k = 256;

std::int64_t integer_of(Element type, std::uint32_t word, unsigned part) {
  switch (type) {
    case Element::s8: return static_cast<std::int8_t>(word >> (8 * part));
    case Element::u8: return static_cast<std::uint8_t>(word >> (8 * part));
    case Element::s4: return static_cast<std::int32_t>(word << (28 - 4 * part)) >> 28;
    case Element::u4: return (word >> (4 * part)) & 15;
    default: return (word >> part) & 1;
  }
}

// The places of a register's elements in the matrices.
struct Spot {
  unsigned row, k;
};
Spot spot_a(const FurtherMma& s, unsigned lane, unsigned reg, unsigned part) {
  const unsigned group = lane / 4, t = lane % 4, per = s.per();
  const unsigned step = s.sixteen ? reg / 2 : reg;
  return {group + (s.sixteen ? 8 * (reg % 2) : 0), t * per + part + 4 * per * step};
}
Spot spot_b(const FurtherMma& s, unsigned lane, unsigned reg, unsigned part) {
  return {lane / 4, (lane % 4) * s.per() + part + 4 * s.per() * reg};  // row: the column
}
Spot spot_sum(unsigned lane, unsigned reg) { return {lane / 4 + 8 * (reg / 2), (lane % 4) * 2 + reg % 2}; }

void f64_mma(Exec& x, const Op& op, const FurtherMma& s) {
  const std::uint32_t* const list = x.lists + op.target;
  const unsigned sums = s.sums(), a_regs = s.a_registers(), b_regs = s.b_registers();
  double a[most_rows][16] = {}, b[16][columns] = {}, result[4][lanes];
  for (unsigned lane = 0; lane < lanes; ++lane) {
    for (unsigned r = 0; r < a_regs; ++r) {
      const Spot at = spot_a(s, lane, r, 0);
      a[at.row][at.k] = x.at<double>(list[sums + r])[lane];
    }
    for (unsigned r = 0; r < b_regs; ++r) {
      const Spot at = spot_b(s, lane, r, 0);
      b[at.k][at.row] = x.at<double>(list[sums + a_regs + r])[lane];
    }
  }
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned r = 0; r < sums; ++r) {
      const Spot at = spot_sum(lane, r);
      double sum = x.at<double>(list[sums + a_regs + b_regs + r])[lane];
      for (unsigned k = 0; k < s.k; ++k) sum = std::fma(a[at.row][k], b[k][at.k], sum);
      result[r][lane] = sum;
    }
  for (unsigned r = 0; r < sums; ++r) std::copy_n(result[r], lanes, x.at<double>(list[r]));
}

}  // namespace

float rounded_toward_zero(double v) {
  if (std::isnan(v)) return std::bit_cast<float>(0x7fffffffu);
  const auto near = static_cast<float>(v);
  if (std::isinf(near) && std::isfinite(v)) return std::copysign(std::numeric_limits<float>::max(), near);
  return std::abs(static_cast<double>(near)) > std::abs(v) ? std::nextafter(near, 0.0f) : near;
}

std::optional<Element> further_element(std::string_view type) {
  static constexpr std::string_view names[] = {"f64", "s8", "u8", "s4", "u4", "b1", "e4m3", "e5m2"};
  for (std::size_t i = 0; i < std::size(names); ++i)
    if (names[i] == type) return static_cast<Element>(i);
  return std::nullopt;
}

void further_mma(Exec& x, const Op& op, std::uint32_t) {
  const FurtherMma s = FurtherMma::unpack(op.imm);
  if (s.a == Element::f64) return f64_mma(x, op, s);
  const bool real = s.a == Element::e4m3 || s.a == Element::e5m2;
  const std::uint32_t* const list = x.lists + op.target;
  const unsigned sums = s.sums(), a_regs = s.a_registers(), b_regs = s.b_registers();
  const auto value = [&](Element type, std::uint32_t word, unsigned part) {
    if (!real) return static_cast<double>(integer_of(type, word, part));
    return fp8_to_f64(type == Element::e4m3 ? DType::e4m3 : DType::e5m2, static_cast<std::uint8_t>(word >> (8 * part)));
  };
  static thread_local double a[most_rows][most_k], b[columns][most_k];
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned part = 0; part < s.per(); ++part) {
      for (unsigned r = 0; r < a_regs; ++r) {
        const Spot at = spot_a(s, lane, r, part);
        a[at.row][at.k] = value(s.a, x.at<std::uint32_t>(list[sums + r])[lane], part);
      }
      for (unsigned r = 0; r < b_regs; ++r) {
        const Spot at = spot_b(s, lane, r, part);
        b[at.row][at.k] = value(s.b, x.at<std::uint32_t>(list[sums + a_regs + r])[lane], part);
      }
    }
  std::uint32_t result[4][lanes] = {};
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned r = 0; r < (s.half_sums ? 4 : sums); ++r) {
      const Spot at = spot_sum(lane, r);
      const std::uint32_t c = x.at<std::uint32_t>(list[sums + a_regs + b_regs + (s.half_sums ? r / 2 : r)])[lane];
      double sum = 0;
      for (unsigned k = 0; k < s.k; ++k) {
        const double left = a[at.row][k], right = b[at.k][k];
        if (s.a == Element::b1)
          sum += s.by_and ? left * right : (left != right ? 1 : 0);
        else
          sum += left * right;
      }
      if (s.half_sums) {
        const double half = sum + f16_to_f64(static_cast<std::uint16_t>(c >> (16 * (r % 2))));
        result[r / 2][lane] |= std::uint32_t{f64_to_f16(half)} << (16 * (r % 2));
        continue;
      }
      if (real) {
        result[r][lane] =
            std::bit_cast<std::uint32_t>(rounded_toward_zero(sum + static_cast<double>(std::bit_cast<float>(c))));
        continue;
      }
      std::int64_t whole = static_cast<std::int64_t>(sum) + static_cast<std::int32_t>(c);
      if (s.saturate)
        whole = std::clamp<std::int64_t>(whole, std::numeric_limits<std::int32_t>::min(),
                                         std::numeric_limits<std::int32_t>::max());
      result[r][lane] = static_cast<std::uint32_t>(whole);
    }
  for (unsigned r = 0; r < sums; ++r) std::copy_n(result[r], lanes, x.at<std::uint32_t>(list[r]));
}

void transpose_matrix(Exec& x, const Op& op, std::uint32_t) {
  const std::uint32_t* const from = x.at<std::uint32_t>(op.a);
  std::uint16_t m[8][8];
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned p = 0; p < 2; ++p)
      m[lane / 4][2 * (lane % 4) + p] = static_cast<std::uint16_t>(from[lane] >> (16 * p));
  std::uint32_t* const to = x.at<std::uint32_t>(op.d);
  for (unsigned lane = 0; lane < lanes; ++lane)
    to[lane] = m[2 * (lane % 4)][lane / 4] | (std::uint32_t{m[2 * (lane % 4) + 1][lane / 4]} << 16);
}

}  // namespace ww::simt
