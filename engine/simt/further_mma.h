// SPDX-License-Identifier: Apache-2.0
// Matrix products of types and shapes that few programs use, and movmatrix: written for size, not for speed (PTX ISA
// 9.0, section 9.7.14). A register holds `per` neighbours in k; lane = 4 * group + t. Registers of a alternate between
// rows group and, of 16 rows, group + 8, then go on in k.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include "simt/machine.h"

namespace ww::simt {

struct FurtherMma {
  enum class Element : std::uint8_t { f64, s8, u8, s4, u4, b1, e4m3, e5m2 };
  Element a = Element::f64, b = Element::f64;
  bool sixteen = false;  // rows; else 8
  bool saturate = false;
  bool by_and = false;  // of bits; else by xor
  bool half_sums = false;
  std::uint16_t k = 4;

  unsigned per() const {  // in a register
    switch (a) {
      case Element::f64: return 1;
      case Element::s4:
      case Element::u4: return 8;
      case Element::b1: return 32;
      default: return 4;
    }
  }
  unsigned b_registers() const { return k / (4 * per()); }
  unsigned a_registers() const { return b_registers() * (sixteen ? 2 : 1); }
  unsigned sums() const { return half_sums ? 2 : sixteen ? 4 : 2; }  // registers
  std::int64_t pack() const {
    return static_cast<std::int64_t>(a) | static_cast<std::int64_t>(b) << 4 | std::int64_t{sixteen} << 8 |
           std::int64_t{saturate} << 9 | std::int64_t{by_and} << 10 | std::int64_t{half_sums} << 11 |
           std::int64_t{k} << 16;
  }
  static FurtherMma unpack(std::int64_t v) {
    return {static_cast<Element>(v & 15),
            static_cast<Element>((v >> 4) & 15),
            ((v >> 8) & 1) != 0,
            ((v >> 9) & 1) != 0,
            ((v >> 10) & 1) != 0,
            ((v >> 11) & 1) != 0,
            static_cast<std::uint16_t>(v >> 16)};
  }
};
float rounded_toward_zero(double v);  // as sums of products are here
std::optional<FurtherMma::Element> further_element(std::string_view type);

// lists[target …]: registers of d, a, b, c.
void further_mma(Exec& x, const Op& op, std::uint32_t mask);
void transpose_matrix(Exec& x, const Op& op, std::uint32_t mask);  // movmatrix

}  // namespace ww::simt
