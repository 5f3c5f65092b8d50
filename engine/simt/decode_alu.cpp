// SPDX-License-Identifier: Apache-2.0
// Arithmetic by the registry's signatures, and the moves, conversions and comparisons that need more than one
// operation.
#include "simt/decode.h"

namespace ww::simt {

void FunctionDecoder::alu(const std::string& name) {
  const AluEntry& e = entry(name);
  std::size_t next = 1;
  Op op;
  op.fn = e.fn;
  std::uint32_t* const fields[] = {&op.a, &op.b, &op.c, &op.e};
  for (unsigned k = 0; k < e.sources; ++k) *fields[k] = source(operand(next++), e.source[k]);
  op.imm = e.immediate;
  if (e.has_immediate) {
    const Operand& o = operand(next++);
    require(o.kind == Operand::Kind::integer);
    op.imm = o.value;
  }
  require(next == at_->operands.size());
  op.d = destination(operand(0), e.destination);
  emit(op, e.cls, false, e.flops);
}

void FunctionDecoder::mov() {
  require(at_->operands.size() == 2 && at_->words().size() == 2);
  const auto type = type_from_name(at_->words()[1]);
  if (!type) refuse();
  const Operand &d = operand(0), &s = operand(1);
  if (*type == Type::pred) {
    alu("mov.pred");
    return;
  }
  if (*type == Type::b128) return mov_wide();
  const unsigned bytes = type_bytes(*type);
  require(bytes >= 2 && bytes <= 8);
  const Type part_types[] = {Type::none, Type::b8, Type::b16, Type::none, Type::b32};
  if (s.kind == Operand::Kind::vector) {  // pack, pairs first
    const std::size_t n = s.parts.size();
    require((n == 2 || n == 4) && bytes / n >= 1);
    Type t = part_types[bytes / n];
    std::vector<std::uint32_t> parts;
    for (const Operand& p : s.parts) parts.push_back(source(p, t));
    while (parts.size() > 1) {
      const unsigned wide = 2 * type_bytes(t);
      const char* const name = wide == 2 ? "@pack.b16.b8" : wide == 4 ? "@pack.b32.b16" : "@pack.b64.b32";
      const Type up = wide == 2 ? Type::b16 : wide == 4 ? Type::b32 : Type::b64;
      const bool last = parts.size() == 2;
      std::vector<std::uint32_t> next;
      for (std::size_t k = 0; k < parts.size(); k += 2) {
        Op op;
        op.fn = entry(name).fn;
        op.a = parts[k];
        op.b = parts[k + 1];
        op.d = last ? destination(d, up) : temporary(up);
        next.push_back(op.d);
        emit(op, InstrClass::move, !last);
      }
      parts = std::move(next);
      t = up;
    }
    return;
  }
  if (d.kind == Operand::Kind::vector) {  // unpack
    const std::size_t n = d.parts.size();
    require((n == 2 || n == 4) && bytes / n >= 1);
    const unsigned size = bytes / static_cast<unsigned>(n);
    const Type t = part_types[size];
    std::uint32_t from = source(s, *type);
    // A destination may be the source's own register only through a wider name; copying first keeps this simple.
    const char* const name = size == 1   ? (bytes == 2 ? "@extract.b8.b16" : "@extract.b8.b32")
                             : size == 2 ? (bytes == 4 ? "@extract.b16.b32" : "@extract.b16.b64")
                                         : "@extract.b32.b64";
    for (std::size_t k = 0; k < n; ++k) {
      Op op;
      op.fn = entry(name).fn;
      op.a = from;
      op.imm = static_cast<std::int64_t>(8 * size * k);
      if (d.parts[k].kind == Operand::Kind::sink && k + 1 != n) continue;
      op.d = destination(d.parts[k], t);
      emit(op, InstrClass::move, k + 1 != n);
    }
    return;
  }
  alu(at_->opcode());
}

void FunctionDecoder::find_copied() {
  if ((level_ & level_full) == 0) return;
  copied_ = copied_registers(function_);
  maps_.assign(copied_.size(), 0);
  for (std::size_t r = 0; r < copied_.size(); ++r)
    if (copied_[r].carries) maps_[r] = reserve(std::size_t{32} * type_bytes(function_.registers[r].type), 64);
}

// What is known of the bytes of a source goes where they go.
void FunctionDecoder::move_maps() {
  if (maps_.empty() || at_->words()[1] == "pred") return;
  const Operand &d = operand(0), &s = operand(1);
  const unsigned bytes = type_bytes(*type_from_name(at_->words()[1]));
  const auto map_of = [&](const Operand& o) { return o.kind == Operand::Kind::reg ? maps_[o.index] : 0; };
  const auto from = [&](const Operand& o, unsigned n) {
    const std::uint32_t map = map_of(o);
    return map != 0 ? map : immediate(~std::uint64_t{0}, n);
  };
  const auto bits = [](unsigned n) { return ".b" + std::to_string(8 * n); };
  if (d.kind == Operand::Kind::vector) {
    for (unsigned k = 0, half = bytes / 2; k < d.parts.size(); ++k)
      if (const std::uint32_t map = map_of(d.parts[k]); map != 0)
        micro(("@extract" + bits(half) + bits(bytes)).c_str(), map, from(s, bytes), 0, 0, 8 * half * k);
  } else if (const std::uint32_t map = map_of(d); map != 0) {
    if (s.kind == Operand::Kind::vector)
      micro(("@pack" + bits(bytes) + bits(bytes / 2)).c_str(), map, from(s.parts[0], bytes / 2),
            from(s.parts[1], bytes / 2));
    else
      micro(("mov" + bits(bytes)).c_str(), map, from(s, bytes));
  }
}

void FunctionDecoder::cvt() {
  const auto& w = at_->words();
  require(w.size() >= 3);
  const std::string& from = w[w.size() - 1];
  const auto to = type_from_name(w[w.size() - 2]);
  if ((from == "f16" || from == "bf16") && to && !type_is_float(*to)) {  // through f32, which is exact
    const std::uint32_t wide = temporary(Type::f32);
    micro(from == "f16" ? "cvt.f32.f16" : "cvt.f32.bf16", wide, source(operand(1), Type::f16));
    std::string name = w[0];
    for (std::size_t k = 1; k + 1 < w.size(); ++k) name += "." + w[k];
    name += ".f32";
    const AluEntry& e = entry(name);
    Op op;
    op.fn = e.fn;
    op.a = wide;
    op.imm = e.immediate;
    op.d = destination(operand(0), e.destination);
    emit(op, e.cls, false);
    return;
  }
  alu(at_->opcode());
}

void FunctionDecoder::cvta() {
  const auto& w = at_->words();
  const bool to = w.size() > 1 && w[1] == "to";
  require(w.size() == (to ? 4u : 3u) && w.back() == "u64" && at_->operands.size() == 2);
  const std::string& space = w[to ? 2 : 1];
  std::int64_t window = 0;
  out_.asks_cluster = out_.asks_cluster || space == "shared::cluster";
  if (space == "shared" || space == "shared::cta" || space == "shared::cluster")
    window = static_cast<std::int64_t>(shared_window);
  else if (space == "local")
    window = static_cast<std::int64_t>(local_window);
  else if (space == "param" || space == "param::entry")
    window = 0;  // such addresses are generic already
  else if (space != "global" && space != "const")
    refuse();
  const AluEntry& e = entry(window == 0 ? "mov.b64" : to ? "@window.subtract" : "@window.add");
  Op op;
  op.fn = e.fn;
  op.a = source(operand(1), Type::u64);
  op.d = destination(operand(0), Type::u64);
  op.imm = window;
  emit(op, InstrClass::move, false);
}

void FunctionDecoder::isspacep() {
  require(at_->words().size() == 2 && at_->operands.size() == 2);
  const std::string& space = at_->words()[1];
  std::uint64_t window = 0;
  if (space == "shared" || space == "shared::cta" || space == "shared::cluster")
    window = shared_window;
  else if (space == "local")
    window = local_window;
  else if (space == "param" || space == "param::entry")
    window = param_window;
  else if (space != "global")
    refuse();  // constant memory shares the global window here
  Op op;
  op.fn = entry("@window.is").fn;
  op.a = source(operand(1), Type::u64);
  op.d = predicate_destination(operand(0));
  op.imm = static_cast<std::int64_t>(window);
  emit(op, InstrClass::predicate, false);
}

std::uint32_t FunctionDecoder::compare(const std::string& name, std::uint32_t a, std::uint32_t b, bool as_micro) {
  const AluEntry& e = entry(name);
  Op op;
  op.fn = e.fn;
  op.a = a;
  op.b = b;
  op.d = temporary(Type::pred);
  emit(op, InstrClass::predicate, as_micro);
  return op.d;
}

namespace {
bool is_boolean(const std::string& w) { return w == "and" || w == "or" || w == "xor"; }
}  // namespace

// setp.cmp[.bool][.ftz].type p[|q], a, b[, [!]c]
void FunctionDecoder::setp() {
  const auto& w = at_->words();
  require(w.size() >= 3);
  const bool combined = is_boolean(w[2]);
  std::string name = "setp." + w[1];
  for (std::size_t k = combined ? 3 : 2; k < w.size(); ++k) name += "." + w[k];
  const AluEntry& e = entry(name);
  require(at_->operands.size() == (combined ? 4u : 3u));
  const Operand& d = operand(0);
  const std::uint32_t a = source(operand(1), e.source[0]), b = source(operand(2), e.source[1]);
  if (!combined && d.kind != Operand::Kind::pair) {
    Op op;
    op.fn = e.fn;
    op.a = a;
    op.b = b;
    op.d = predicate_destination(d);
    emit(op, InstrClass::predicate, false);
    return;
  }
  const std::uint32_t c = combined ? predicate(operand(3)) : 0;  // offset 0 is true
  const std::uint32_t yes = compare(name, a, b, false);
  const std::uint32_t no = temporary(Type::pred);
  micro("not.pred", no, yes);
  const std::string logic = combined ? w[2] + ".pred" : "and.pred";
  const bool pair = d.kind == Operand::Kind::pair;
  // The combining predicate may be a destination as well: results first, then moves.
  const std::uint32_t p = temporary(Type::pred), q = temporary(Type::pred);
  micro(logic.c_str(), p, yes, c);
  if (pair) micro(logic.c_str(), q, no, c);
  micro("mov.pred", predicate_destination(pair ? d.parts[0] : d), p);
  if (pair) micro("mov.pred", predicate_destination(d.parts[1]), q);
}

// set.cmp[.bool][.ftz].dtype.stype d, a, b[, [!]c]: all ones, or 1.0, where the comparison holds
void FunctionDecoder::set() {
  const auto& w = at_->words();
  require(w.size() >= 4);
  const bool combined = is_boolean(w[2]);
  require(at_->operands.size() == (combined ? 4u : 3u));
  const std::string &to = w[w.size() - 2], &from = w[w.size() - 1];
  std::string name = "setp." + w[1];
  for (std::size_t k = combined ? 3 : 2; k + 2 < w.size(); ++k) name += "." + w[k];
  const bool packed = from == "f16x2" || from == "bf16x2";
  const std::string element = packed ? from.substr(0, from.size() - 2) : from;
  name += "." + element;
  std::uint64_t one = 0;
  if (to == "u32" || to == "s32")
    one = packed ? 0xffff : 0xffffffff;
  else if (to == "f32")
    one = 0x3f800000;
  else if (to == "f16" || to == "f16x2")
    one = 0x3c00;
  else if (to == "bf16" || to == "bf16x2")
    one = 0x3f80;
  else if (to == "u16" || to == "s16")
    one = 0xffff;
  else
    refuse();
  const AluEntry& e = entry(name);
  if (!packed) {
    const auto type = type_from_name(to);
    require(type.has_value());
    std::uint32_t p = compare(name, source(operand(1), e.source[0]), source(operand(2), e.source[1]), true);
    if (combined) {
      const std::uint32_t both = temporary(Type::pred);
      micro((w[2] + ".pred").c_str(), both, p, predicate(operand(3)));
      p = both;
    }
    const unsigned bytes = type_bytes(*type);
    Op op;
    op.fn = entry(bytes == 2 ? "selp.b16" : "selp.b32").fn;
    op.a = immediate(one, bytes);
    op.b = immediate(0, bytes);
    op.c = p;
    op.d = destination(operand(0), *type);
    emit(op, InstrClass::predicate, false);
    return;
  }
  const std::uint32_t a = source(operand(1), Type::b32), b = source(operand(2), Type::b32);
  std::uint32_t half[2];
  for (int k = 0; k < 2; ++k) {
    const std::uint32_t x = temporary(Type::b16), y = temporary(Type::b16);
    micro("@extract.b16.b32", x, a, 0, 0, 16 * k);
    micro("@extract.b16.b32", y, b, 0, 0, 16 * k);
    std::uint32_t p = compare(name, x, y, true);
    if (combined) {
      const std::uint32_t both = temporary(Type::pred);
      micro((w[2] + ".pred").c_str(), both, p, predicate(operand(3)));
      p = both;
    }
    half[k] = temporary(Type::b16);
    micro("selp.b16", half[k], immediate(one, 2), immediate(0, 2), p);
  }
  Op op;
  op.fn = entry("@pack.b32.b16").fn;
  op.a = half[0];
  op.b = half[1];
  op.d = destination(operand(0), Type::b32);
  emit(op, InstrClass::predicate, false);
}

}  // namespace ww::simt
