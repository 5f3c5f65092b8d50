// SPDX-License-Identifier: Apache-2.0
// Instructions whose results are not one register: lop3 with a predicate, 128 bits, memory of the stack; and video.
#include <algorithm>
#include "simt/decode.h"
#include "simt/stack_memory.h"
#include "simt/video.h"
#include "simt/wide_atomics.h"

namespace ww::simt {

// lop3.and|or.b32 d|p, a, b, c, table, q
bool FunctionDecoder::lop3() {
  const auto& w = at_->words();
  if (w[0] != "lop3" || w.size() != 3 || w[2] != "b32" || (w[1] != "and" && w[1] != "or")) return false;
  require(at_->operands.size() == 6 && operand(0).kind == Operand::Kind::pair &&
          operand(4).kind == Operand::Kind::integer);
  const AluEntry& e = entry("lop3.b32");
  Op op;
  op.fn = e.fn;
  op.a = source(operand(1), Type::b32);
  op.b = source(operand(2), Type::b32);
  op.c = source(operand(3), Type::b32);
  op.imm = operand(4).value;
  const std::uint32_t q = predicate(operand(5));
  op.d = temporary(Type::b32);
  emit(op, e.cls, false);
  const std::uint32_t p = temporary(Type::pred);
  micro((w[1] + ".pred").c_str(), p, compare("setp.ne.u32", op.d, immediate(0, 4), true), q);
  const Operand& d = operand(0);
  micro("mov.b32", destination(d.parts[0], Type::b32), op.d);
  micro("mov.pred", predicate_destination(d.parts[1]), p);
  return true;
}

// vadd.d.a.b[.sat][.add|.min|.max] d, a, b[, c]; vadd2, vadd4 and so on: d, a, b, c
bool FunctionDecoder::video_instruction() {
  struct Named {
    std::string_view name;
    Video::Kind kind;
    bool alone, in_parts;
  };
  using Kind = Video::Kind;
  static constexpr Named names[] = {
      {"vadd", Kind::add, true, true},          {"vsub", Kind::sub, true, true},
      {"vavrg", Kind::average, false, true},    {"vabsdiff", Kind::difference, true, true},
      {"vmin", Kind::least, true, true},        {"vmax", Kind::greatest, true, true},
      {"vset", Kind::set, true, true},          {"vshl", Kind::shift_left, true, false},
      {"vshr", Kind::shift_right, true, false},
  };
  const auto& w = at_->words();
  std::string_view name = w[0];
  Video v;
  if (name.ends_with('2') || name.ends_with('4')) {
    v.parts = static_cast<std::uint8_t>(name.back() - '0');
    name.remove_suffix(1);
  }
  const auto named = std::ranges::find(names, name, &Named::name);
  if (named == std::end(names) || !(v.parts == 1 ? named->alone : named->in_parts)) return false;
  v.kind = named->kind;
  const bool sets = v.kind == Kind::set, shifts = v.kind == Kind::shift_left || v.kind == Kind::shift_right;
  static constexpr std::string_view compares[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  std::vector<bool> types;  // signed
  bool compared = false, mode = false;
  for (std::size_t k = 1; k < w.size(); ++k) {
    if (const auto c = std::ranges::find(compares, w[k]); c != std::end(compares) && sets) {
      v.compare = static_cast<Video::Compare>(c - std::begin(compares));
      compared = true;
    } else if (w[k] == "u32" || w[k] == "s32") {
      types.push_back(w[k] == "s32");
    } else if (w[k] == "sat" && !sets) {
      v.saturate = true;
    } else if ((w[k] == "wrap" || w[k] == "clamp") && shifts) {
      v.wraps = w[k] == "wrap";
      mode = true;
    } else if (w[k] == "add") {
      v.then = Video::Then::add;
    } else if ((w[k] == "min" || w[k] == "max") && v.parts == 1) {
      v.then = w[k] == "min" ? Video::Then::least : Video::Then::greatest;
    } else {
      refuse();
    }
  }
  if (types.size() != (sets ? 2u : 3u) || compared != sets || mode != shifts) refuse();
  if (v.parts > 1 && v.saturate && v.then == Video::Then::add) refuse();
  v.d_signed = !sets && types[0];
  v.a_signed = types[types.size() - 2];
  v.b_signed = types[types.size() - 1];
  const bool third = v.parts > 1 || v.then != Video::Then::nothing;
  require(at_->operands.size() == (third ? 4u : 3u) && !(shifts && v.b_signed));
  Op op;
  op.fn = video;
  op.imm = v.pack();
  op.a = source(operand(1), Type::u32);
  op.b = source(operand(2), Type::u32);
  op.c = third ? source(operand(3), Type::u32) : op.b;
  op.d = destination(operand(0), Type::u32);
  emit(op, InstrClass::integer, false);
  return true;
}

// A register of 128 bits is two of 64, the lower half first.
std::uint32_t FunctionDecoder::wide(const Operand& o) const {
  require(o.kind == Operand::Kind::reg && register_type(o) == Type::b128);
  return register_at(o);
}

void FunctionDecoder::mov_wide() {
  const Operand &d = operand(0), &s = operand(1);
  const auto halves = [&](const Operand& o, bool is_source) {
    std::array<std::uint32_t, 2> at{};
    if (o.kind == Operand::Kind::vector) {
      require(o.parts.size() == 2);
      for (std::size_t k = 0; k < 2; ++k)
        at[k] = is_source ? source(o.parts[k], Type::b64) : destination(o.parts[k], Type::b64);
    } else {
      at = {wide(o), wide(o) + wide_half};
    }
    return at;
  };
  std::array<std::uint32_t, 2> from = halves(s, true);
  const std::array<std::uint32_t, 2> to = halves(d, false);
  if (to[0] == from[1]) {  // the lower half is written first
    const std::uint32_t kept = temporary(Type::b64);
    micro("mov.b64", kept, from[1]);
    from[1] = kept;
  }
  for (std::size_t k = 0; k < 2; ++k) {
    Op op;
    op.fn = entry("mov.b64").fn;
    op.a = from[k];
    op.d = to[k];
    emit(op, InstrClass::move, k == 0);
  }
}

void FunctionDecoder::lay_out_stack(std::size_t& locals) {
  if (std::ranges::none_of(function_.body, [](const Instruction& i) { return i.words()[0] == "alloca"; })) return;
  stack_at_ = static_cast<std::uint32_t>((locals + stack_alignment - 1) / stack_alignment * stack_alignment);
  locals = std::size_t{stack_at_} + stack_room;
}

void FunctionDecoder::begin_stack() {
  const bool has = std::ranges::any_of(function_.body, [](const Instruction& i) {
    return i.words()[0] == "alloca" || i.words()[0] == "stacksave" || i.words()[0] == "stackrestore";
  });
  if (!has) return;
  const auto at = [&](std::uint32_t offset) {
    Constant c;
    c.kind = Constant::Kind::local;
    c.value = offset;
    return constant(c);
  };
  const bool allocates = out_.local_bytes >= stack_at_ + stack_room;
  stack_top_ = temporary(Type::b32);
  stack_end_ = at(allocates ? stack_at_ + stack_room : stack_at_);
  micro("mov.b32", stack_top_, at(stack_at_));
}

// alloca.type p, size[, alignment]; stacksave.type p; stackrestore.type p
bool FunctionDecoder::stack_memory() {
  const auto& w = at_->words();
  const bool allocates = w[0] == "alloca", saves = w[0] == "stacksave";
  if (!allocates && !saves && w[0] != "stackrestore") return false;
  require(w.size() == 2 && (w[1] == "u32" || w[1] == "u64"));
  const Type type = w[1] == "u32" ? Type::u32 : Type::u64;
  Op op;
  op.fn = allocates ? stack_allocate : saves ? stack_save : stack_restore;
  op.n = static_cast<std::uint8_t>(type_bytes(type));
  op.b = stack_top_;
  op.c = stack_end_;
  if (allocates) {
    require(at_->operands.size() == 2 || at_->operands.size() == 3);
    op.a = source(operand(1), type);
    op.imm = 8;
    if (at_->operands.size() == 3) {
      op.imm = operand(2).value;
      require(operand(2).kind == Operand::Kind::integer && op.imm > 0 && op.imm <= (1 << 16) &&
              (op.imm & (op.imm - 1)) == 0);
    }
  } else {
    require(at_->operands.size() == 1);
    if (!saves) op.a = source(operand(0), type);
  }
  if (allocates || saves) op.d = destination(operand(0), type);
  emit(op, InstrClass::other, false);
  return true;
}

}  // namespace ww::simt
