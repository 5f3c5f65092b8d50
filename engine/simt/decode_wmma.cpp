// SPDX-License-Identifier: Apache-2.0
// mma.m8n8k4 of f16, and wmma beyond m16n16k16 of f16 and bf16.
#include "simt/decode.h"
#include "simt/further_wmma.h"
#include "simt/quad_mma.h"

namespace ww::simt {

// mma.sync.aligned.m8n8k4.layout.layout.d.f16.f16.c
bool FunctionDecoder::quad_mma_shape() {
  const auto& w = at_->words();
  const auto is_layout = [&](std::size_t k) { return w[k] == "row" || w[k] == "col"; };
  const auto is_sum = [&](std::size_t k) { return w[k] == "f16" || w[k] == "f32"; };
  if (w.size() != 10 || w[1] != "sync" || w[2] != "aligned" || w[3] != "m8n8k4" || !is_layout(4) || !is_layout(5) ||
      !is_sum(6) || w[7] != "f16" || w[8] != "f16" || !is_sum(9) || (w[6] == "f16" && w[9] == "f32"))
    return false;
  const QuadMma s{w[4] == "col", w[5] == "col", w[6] == "f16", w[9] == "f16"};
  require(at_->operands.size() == 4 && parts(0) == QuadMma::registers(s.half_result) && parts(1) == 2 &&
          parts(2) == 2 && parts(3) == QuadMma::registers(s.half_addend));
  Op op = aligned();
  op.fn = quad_mma;
  op.imm = s.pack();
  fragments(op, {{0, Type::b32}, {1, Type::b32}, {2, Type::b32}, {3, Type::b32}});
  emit(op, InstrClass::tensor, false, 4 * 2 * 8 * 8 * 4 / 32);
  return true;
}

// wmma.load.a|b|c.sync.aligned.layout.shape[.space].type r, [p][, stride]   wmma.store.d…
bool FunctionDecoder::further_wmma_move() {
  const auto& w = at_->words();
  const auto shape = FurtherWmma::shape(w[6]);
  const auto element = FurtherWmma::element(w.back());
  using Part = FurtherWmma::Part;
  using Element = FurtherWmma::Element;
  if (w[3] != "sync" || w[4] != "aligned" || (w[5] != "row" && w[5] != "col") || !shape || !element) return false;
  if (*shape == FurtherWmma::Shape::m16n16k16 &&
      (*element == Element::f16 || *element == Element::bf16 || *element == Element::f32))
    return false;
  const bool store = w[1] == "store";
  const Part part = w[2] == "a" ? Part::a : w[2] == "b" ? Part::b : Part::sums;
  if (part == Part::sums) {
    if (w[2] != (store ? "d" : "c")) return false;
    const bool single = *shape == FurtherWmma::Shape::m16n16k8, wide = *shape == FurtherWmma::Shape::m8n8k4;
    const bool good = wide     ? *element == Element::f64
                      : single ? *element == Element::f32
                               : *element == Element::f16 || *element == Element::f32 || *element == Element::s32;
    if (!good) return false;
  } else if (store || !FurtherWmma::has(*element, *shape)) {
    return false;
  }
  Space space = Space::generic;
  if (w.size() == 9 && w[7] == "global")
    space = Space::global;
  else if (w.size() == 9 && (w[7] == "shared" || w[7] == "shared::cta"))
    space = Space::shared;
  else if (w.size() != 8)
    return false;
  const WmmaFragment f = WmmaFragment::of(*element, *shape, part);
  const std::size_t count = at_->operands.size();
  require((count == 2 || count == 3) && parts(store ? 1 : 0) == f.registers());
  Op op = aligned();
  address(op, operand(store ? 0 : 1), space);
  require(op.imm >= -(1 << 30) && op.imm <= (1 << 30));
  op.imm = static_cast<std::int64_t>(*element) | static_cast<std::int64_t>(*shape) << 8 |
           static_cast<std::int64_t>(part) << 16 | std::int64_t{w[5] == "col"} << 24 | op.imm * (std::int64_t{1} << 32);
  op.b = count == 3 ? source(operand(2), Type::u32) : immediate(w[5] == "col" ? f.rows : f.columns, 4);
  op.fn = store ? further_wmma_store : further_wmma_load;
  const Type type = f.bits() == 64 ? Type::f64 : Type::b32;
  if (store)
    fragments(op, {{1, type}});
  else
    fragments(op, {{0, type}});
  const bool shared = space == Space::shared;
  emit(op,
       store ? (shared ? InstrClass::store_shared : InstrClass::store_global)
             : (shared ? InstrClass::load_shared : InstrClass::load_global),
       false);
  code_.info.back().bytes = static_cast<std::uint16_t>(f.in_lane * f.bits() / 8);
  code_.info.back().is_store = store;
  return true;
}

// wmma.mma.sync.aligned.layout.layout.shape.d.c (f16), or [.rn].d.a.b.c[.satfinite]
bool FunctionDecoder::further_wmma_shape() {
  const auto& w = at_->words();
  if (w[1] != "mma" || w[2] != "sync" || w[3] != "aligned" || w.size() < 9) return false;
  const auto shape = FurtherWmma::shape(w[6]);
  if (!shape) return false;
  using Element = FurtherWmma::Element;
  std::vector<Element> types;
  bool saturate = false, rounds = false;
  for (std::size_t k = 7; k < w.size(); ++k) {
    if (const auto e = FurtherWmma::element(w[k]))
      types.push_back(*e);
    else if (w[k] == "satfinite")
      saturate = true;
    else if (w[k] == "rn")
      rounds = true;
    else
      return false;
  }
  if (types.size() == 2) types = {types[0], Element::f16, Element::f16, types[1]};
  if (types.size() != 4 || types[1] != types[2]) return false;
  const Element input = types[1];
  if (*shape == FurtherWmma::Shape::m16n16k16 && (input == Element::f16 || input == Element::bf16)) return false;
  const bool bytes = input == Element::s8 || input == Element::u8;
  if (!FurtherWmma::has(input, *shape) || !FurtherWmma::adds(input, types[0]) || !FurtherWmma::adds(input, types[3]) ||
      (saturate && !bytes) || (rounds && input != Element::f64))
    return false;
  const auto fragment = [&](Element e, FurtherWmma::Part part) { return WmmaFragment::of(e, *shape, part); };
  using Part = FurtherWmma::Part;
  require(at_->operands.size() == 4 && parts(0) == fragment(types[0], Part::sums).registers() &&
          parts(1) == fragment(input, Part::a).registers() && parts(2) == fragment(input, Part::b).registers() &&
          parts(3) == fragment(types[3], Part::sums).registers());
  Op op = aligned();
  op.fn = further_wmma;
  op.imm = static_cast<std::int64_t>(input) | static_cast<std::int64_t>(*shape) << 8 |
           static_cast<std::int64_t>(types[0]) << 16 | static_cast<std::int64_t>(types[3]) << 20 |
           std::int64_t{saturate} << 24;
  const Type type = input == Element::f64 ? Type::f64 : Type::b32;
  fragments(op, {{0, type}, {1, type}, {2, type}, {3, type}});
  const unsigned products =
      FurtherWmma::rows(*shape) * FurtherWmma::columns(*shape) * FurtherWmma::depth(*shape) / warp_lanes;
  emit(op, InstrClass::tensor, false, bytes ? 0 : static_cast<int>(2 * products));
  return true;
}

}  // namespace ww::simt
