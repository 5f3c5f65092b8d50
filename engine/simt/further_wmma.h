// SPDX-License-Identifier: Apache-2.0
// wmma of shapes and types that few programs use: written for size, not for speed (PTX ISA 9.0, section 9.7.14.4). How
// elements lie in registers is the machine's own affair: numbered row by row, each lane holds as many neighbours as its
// registers have room for, and lanes hold the same where there are more than needed.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include "simt/machine.h"

namespace ww::simt {

struct FurtherWmma {
  enum class Element : std::uint8_t { f16, bf16, tf32, f64, s8, u8, f32, s32 };
  enum class Shape : std::uint8_t { m16n16k16, m32n8k16, m8n32k16, m16n16k8, m8n8k4 };
  enum class Part : std::uint8_t { a, b, sums };

  static std::optional<Element> element(std::string_view type);
  static std::optional<Shape> shape(std::string_view name);
  static unsigned bits(Element e) {
    return e == Element::f64                         ? 64
           : e == Element::s8 || e == Element::u8    ? 8
           : e == Element::f16 || e == Element::bf16 ? 16
                                                     : 32;
  }
  static unsigned rows(Shape s) {
    return s == Shape::m32n8k16 ? 32 : s == Shape::m8n32k16 || s == Shape::m8n8k4 ? 8 : 16;
  }
  static unsigned columns(Shape s) {
    return s == Shape::m8n32k16 ? 32 : s == Shape::m32n8k16 || s == Shape::m8n8k4 ? 8 : 16;
  }
  static unsigned depth(Shape s) { return s == Shape::m16n16k8 ? 8 : s == Shape::m8n8k4 ? 4 : 16; }
  // Whether a and b of this type have the shape; whether sums of `sum` go with it.
  static bool has(Element input, Shape s);
  static bool adds(Element input, Element sum);
};

// A matrix in registers.
struct WmmaFragment {
  FurtherWmma::Element element = FurtherWmma::Element::f16;
  unsigned rows = 0, columns = 0, in_lane = 0;  // in_lane: elements
  static WmmaFragment of(FurtherWmma::Element e, FurtherWmma::Shape s, FurtherWmma::Part part);
  unsigned bits() const { return FurtherWmma::bits(element); }
  unsigned per_register() const { return bits() >= 32 ? 1 : 32 / bits(); }
  unsigned registers() const { return in_lane / per_register(); }
  unsigned number(unsigned lane, unsigned e) const { return in_lane * (lane % (rows * columns / in_lane)) + e; }
};

// imm of a move: element, shape << 8, part << 16, whether it is by columns << 24, the offset << 32; of a product:
// element of a and b, shape << 8, elements of d << 16 and c << 20, whether sums saturate << 24.
void further_wmma_load(Exec& x, const Op& op, std::uint32_t mask);
void further_wmma_store(Exec& x, const Op& op, std::uint32_t mask);
void further_wmma(Exec& x, const Op& op, std::uint32_t mask);

}  // namespace ww::simt
