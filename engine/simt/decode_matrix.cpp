// SPDX-License-Identifier: Apache-2.0
// mma, ldmatrix, stmatrix, wmma. Shapes and types that are not here are unsupported by name.
#include "simt/decode.h"
#include "simt/further_mma.h"
#include "simt/matrix.h"

namespace ww::simt {
namespace {

std::optional<MatrixType> matrix_type(const std::string& w) {
  if (w == "f16") return MatrixType::f16;
  if (w == "bf16") return MatrixType::bf16;
  if (w == "tf32") return MatrixType::tf32;
  if (w == "s8") return MatrixType::s8;
  if (w == "u8") return MatrixType::u8;
  if (w == "f32") return MatrixType::f32;
  if (w == "s32") return MatrixType::s32;
  return std::nullopt;
}

}  // namespace

// Appends the registers of vector operands (or of a single register) to Decoded::lists; the first operand is written.
void FunctionDecoder::fragments(Op& op, std::initializer_list<std::pair<std::size_t, Type>> operands) {
  std::vector<std::uint32_t> places;
  for (const auto& [index, count_type] : operands) {
    const Operand& o = operand(index);
    const bool written =
        index == 0 && at_->words()[0] != "stmatrix" && !(at_->words()[0] == "wmma" && at_->words()[1] == "store");
    const auto one = [&, type = count_type](const Operand& p) {
      places.push_back(written ? destination(p, type) : source(p, type));
    };
    if (o.kind == Operand::Kind::vector)
      for (const Operand& p : o.parts) one(p);
    else
      one(o);
  }
  op.target = static_cast<std::uint32_t>(code_.lists.size());
  op.n = static_cast<std::uint8_t>(places.size());
  code_.lists.insert(code_.lists.end(), places.begin(), places.end());
}

bool FunctionDecoder::matrix() {
  const auto& w = at_->words();
  if (w[0] == "ldmatrix" || w[0] == "stmatrix") {
    move_matrix();
  } else if (w[0] == "movmatrix") {  // movmatrix.sync.aligned.m8n8.trans.b16 d, a
    require(w.size() == 6 && w[3] == "m8n8" && w[4] == "trans" && w[5] == "b16" && at_->operands.size() == 2);
    Op op = aligned();
    op.fn = transpose_matrix;
    op.a = source(operand(1), Type::b32);
    op.d = destination(operand(0), Type::b32);
    emit(op, InstrClass::tensor, false);
  } else if (w[0] == "mma") {
    if (!further_mma_shape() && !quad_mma_shape()) mma();
  } else if (w[0] == "wmma") {
    require(w.size() >= 7);
    if (w[1] == "load" || w[1] == "store") {
      if (!further_wmma_move()) wmma_move();
    } else if (!further_wmma_shape()) {
      wmma();
    }
  } else {
    return false;
  }
  return true;
}

std::size_t FunctionDecoder::parts(std::size_t i) const {
  return operand(i).kind == Operand::Kind::vector ? operand(i).parts.size() : 1;
}

Op FunctionDecoder::aligned() {  // every thread of the warp takes part
  Op op;
  op.control = Control::warp_sync;
  op.e = immediate(full_mask, 4);
  return op;
}

// ldmatrix.sync.aligned.m8n8.num[.trans][.shared].b16 d, [p]
void FunctionDecoder::move_matrix() {
  const auto& w = at_->words();
  Op op = aligned();
  std::size_t n = 0;
  bool transposed = false;
  require(w.size() >= 6 && w[1] == "sync" && w[2] == "aligned");
  if (w[3] != "m8n8" || w.back() != "b16") refuse();
  for (std::size_t k = 4; k + 1 < w.size(); ++k) {
    if (w[k] == "x1" || w[k] == "x2" || w[k] == "x4")
      n = static_cast<std::size_t>(w[k][1] - '0');
    else if (w[k] == "trans")
      transposed = true;
    else if (w[k] != "shared" && w[k] != "shared::cta")
      refuse();
  }
  const bool store = w[0] == "stmatrix";
  require(at_->operands.size() == 2 && n != 0 && parts(store ? 1 : 0) == n);
  op.fn = registry_.find_sync(store ? "@stmatrix" : "@ldmatrix");
  address(op, operand(store ? 0 : 1), Space::shared);
  op.imm = op.imm * 256 + (transposed ? 1 : 0);
  if (store)
    fragments(op, {{1, Type::b32}});
  else
    fragments(op, {{0, Type::b32}});
  emit(op, store ? InstrClass::store_shared : InstrClass::load_shared, false);
  code_.info.back().bytes = static_cast<std::uint16_t>(4 * n);
  code_.info.back().is_store = store;
}

// mma.sync.aligned.shape.row.col[.satfinite][.and|.xor .popc].d.a.b.c of what further_mma.h has; false: of others
bool FunctionDecoder::further_mma_shape() {
  const auto& w = at_->words();
  if (w.size() < 10 || w[1] != "sync" || w[2] != "aligned" || w[4] != "row" || w[5] != "col") return false;
  const std::size_t t = w.size() - 4;
  const auto a = further_element(w[t + 1]), b = further_element(w[t + 2]);
  if (!a || !b || at_->operands.size() != 4) return false;
  using Element = FurtherMma::Element;
  FurtherMma s;
  s.a = *a;
  s.b = *b;
  s.sixteen = w[3].starts_with("m16n8k");
  if (!s.sixteen && !w[3].starts_with("m8n8k")) return false;
  const std::string k = w[3].substr(s.sixteen ? 6 : 5);
  const auto is_one_of = [](const auto& one, auto... all) { return ((one == all) || ...); };
  const bool real = is_one_of(*a, Element::e4m3, Element::e5m2) && is_one_of(*b, Element::e4m3, Element::e5m2);
  const bool bits = *a == Element::b1 && *b == Element::b1;
  const bool bytes = is_one_of(*a, Element::s8, Element::u8) && is_one_of(*b, Element::s8, Element::u8);
  const bool nibbles = is_one_of(*a, Element::s4, Element::u4) && is_one_of(*b, Element::s4, Element::u4);
  const bool doubles = *a == Element::f64 && *b == Element::f64;
  if (bytes && s.sixteen) return false;
  const bool shape =
      s.sixteen ? (real && is_one_of(k, "16", "32")) || (bits && is_one_of(k, "128", "256")) ||
                      (nibbles && is_one_of(k, "32", "64")) || (doubles && is_one_of(k, "4", "8", "16"))
                : (bits && k == "128") || (nibbles && k == "32") || (bytes && k == "16") || (doubles && k == "4");
  s.half_sums = real && w[t] == "f16";
  const char* const sum = doubles ? "f64" : s.half_sums ? "f16" : real ? "f32" : "s32";
  if (!shape || w[t] != sum || w[t + 3] != sum) return false;
  bool counts = false;
  for (std::size_t i = 6; i < t; ++i) {
    if (w[i] == "satfinite" && (bytes || nibbles))
      s.saturate = true;
    else if (w[i] == "and" && bits)
      s.by_and = true;
    else if (w[i] == "popc" && bits)
      counts = true;
    else if (!(w[i] == "xor" && bits) && !(w[i] == "rn" && doubles))
      return false;
  }
  if (counts != bits) return false;
  s.k = static_cast<std::uint16_t>(std::stoi(k));
  require(parts(0) == s.sums() && parts(1) == s.a_registers() && parts(2) == s.b_registers() && parts(3) == s.sums());
  Op op = aligned();
  op.fn = further_mma;
  op.imm = s.pack();
  const Type type = doubles ? Type::f64 : Type::b32;
  fragments(op, {{0, type}, {1, type}, {2, type}, {3, type}});
  emit(op, InstrClass::tensor, false, real || doubles ? 2 * (s.sixteen ? 16 : 8) * 8 * s.k / 32 : 0);
  return true;
}

// mma.sync.aligned.m16n8kK.row.col[.satfinite].d.a.b.c
void FunctionDecoder::mma() {
  const auto& w = at_->words();
  Op op = aligned();
  require(w.size() >= 10 && w[1] == "sync" && w[2] == "aligned" && at_->operands.size() == 4);
  const std::size_t t = w.size() - 4;
  MmaShape s;
  const auto d = matrix_type(w[t]), a = matrix_type(w[t + 1]), b = matrix_type(w[t + 2]), c = matrix_type(w[t + 3]);
  if (!w[3].starts_with("m16n8k") || w[4] != "row" || w[5] != "col" || !d || !a || !b || !c) refuse();
  if (t == 7) {
    if (w[6] != "satfinite") refuse();
    s.saturate = true;
  } else if (t != 6) {
    refuse();
  }
  s.k = w[3] == "m16n8k4" ? 4 : w[3] == "m16n8k8" ? 8 : w[3] == "m16n8k16" ? 16 : w[3] == "m16n8k32" ? 32 : 0;
  s.a = *a;
  s.b = *b;
  s.c = *c;
  s.accumulate = *d;
  const bool half = (*a == MatrixType::f16 || *a == MatrixType::bf16) && *a == *b && (s.k == 8 || s.k == 16);
  const bool single = *a == MatrixType::tf32 && *b == MatrixType::tf32 && (s.k == 4 || s.k == 8);
  const bool bytes = (*a == MatrixType::s8 || *a == MatrixType::u8) && (*b == MatrixType::s8 || *b == MatrixType::u8) &&
                     (s.k == 16 || s.k == 32);
  const bool sums = *c == *d && (bytes ? *d == MatrixType::s32
                                       : *d == MatrixType::f32 || (*d == MatrixType::f16 && *a == MatrixType::f16));
  if ((!half && !single && !bytes) || !sums || (s.saturate && !bytes)) refuse();
  const std::size_t b_regs = s.k / (4 * s.per()), d_regs = *d == MatrixType::f16 ? 2 : 4;
  require(parts(0) == d_regs && parts(1) == 2 * b_regs && parts(2) == b_regs && parts(3) == d_regs);
  op.fn = registry_.find_sync("@mma");
  op.imm = s.pack();
  fragments(op, {{0, Type::b32}, {1, Type::b32}, {2, Type::b32}, {3, Type::b32}});
  emit(op, InstrClass::tensor, false, bytes ? 0 : 2 * 16 * 8 * s.k / 32);
}

// wmma.load.a.sync.aligned.layout.m16n16k16[.space].type r, [p], stride   wmma.store.d…
void FunctionDecoder::wmma_move() {
  const auto& w = at_->words();
  Op op = aligned();
  const bool store = w[1] == "store";
  const auto type = matrix_type(w.back());
  WmmaShape s;
  s.is_accumulator = w[2] == "c" || w[2] == "d";
  if (w[3] != "sync" || w[4] != "aligned" || (w[5] != "row" && w[5] != "col") || w[6] != "m16n16k16" || !type) refuse();
  s.type = *type;
  s.column_major = w[5] == "col";
  const bool good = s.is_accumulator ? s.type == MatrixType::f32 || s.type == MatrixType::f16
                                     : s.type == MatrixType::f16 || s.type == MatrixType::bf16;
  if (!good || (w[2] != "a" && w[2] != "b" && !s.is_accumulator)) refuse();
  Space space = Space::generic;
  if (w.size() == 9) {
    if (w[7] == "global")
      space = Space::global;
    else if (w[7] == "shared" || w[7] == "shared::cta")
      space = Space::shared;
    else
      refuse();
  } else if (w.size() != 8) {
    refuse();
  }
  const std::size_t data = store ? 1 : 0;
  require(at_->operands.size() >= 2 && at_->operands.size() <= 3 && parts(data) == s.registers());
  address(op, operand(store ? 0 : 1), space);
  require(op.imm >= -(1 << 30) && op.imm <= (1 << 30));
  s.offset = static_cast<std::int32_t>(op.imm);
  op.imm = s.pack();
  op.b = at_->operands.size() == 3 ? source(operand(2), Type::u32) : immediate(16, 4);
  op.fn = registry_.find_sync(store ? "@wmma.store" : "@wmma.load");
  if (store)
    fragments(op, {{1, Type::b32}});
  else
    fragments(op, {{0, Type::b32}});
  const bool shared = space == Space::shared;
  emit(op,
       store ? (shared ? InstrClass::store_shared : InstrClass::store_global)
             : (shared ? InstrClass::load_shared : InstrClass::load_global),
       false);
  code_.info.back().bytes = static_cast<std::uint16_t>(s.elements() * (s.type == MatrixType::f32 ? 4 : 2));
  code_.info.back().is_store = store;
}

// wmma.mma.sync.aligned.alayout.blayout.m16n16k16.d.c (f16) or .d.a.b.c (bf16); layouts no longer matter in registers
void FunctionDecoder::wmma() {
  const auto& w = at_->words();
  Op op = aligned();
  if (w[1] != "mma" || w[2] != "sync" || w[3] != "aligned" || w.size() < 9 || w[6] != "m16n16k16") refuse();
  MmaShape s;
  const auto d = matrix_type(w[7]), c = matrix_type(w.back());
  const auto a = w.size() == 9                    ? std::optional(MatrixType::f16)
                 : w.size() == 11 && w[8] == w[9] ? matrix_type(w[8])
                                                  : std::nullopt;
  if (!a || !d || !c) refuse();
  const auto sum = [&](MatrixType t) {
    return t == MatrixType::f32 || (t == MatrixType::f16 && *a == MatrixType::f16);
  };
  if ((*a != MatrixType::f16 && *a != MatrixType::bf16) || !sum(*d) || !sum(*c)) refuse();
  s.a = s.b = *a;
  s.c = *c;
  s.accumulate = *d;
  const WmmaShape in{*a}, out{*d, true}, add{*c, true};
  require(at_->operands.size() == 4 && parts(0) == out.registers() && parts(1) == in.registers() &&
          parts(2) == in.registers() && parts(3) == add.registers());
  op.fn = registry_.find_sync("@wmma.mma");
  op.imm = s.pack();
  fragments(op, {{0, Type::b32}, {1, Type::b32}, {2, Type::b32}, {3, Type::b32}});
  emit(op, InstrClass::tensor, false, 2 * 16 * 16 * 16 / 32);
}

}  // namespace ww::simt
