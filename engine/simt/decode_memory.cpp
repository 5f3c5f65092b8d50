// SPDX-License-Identifier: Apache-2.0
// ld, st, atom, red, and the cache policies that they may carry.
#include <algorithm>
#include <utility>
#include "simt/decode.h"
#include "simt/wide_atomics.h"

namespace ww::simt {
namespace {

bool is_order(const std::string& w) {
  static const char* const words[] = {"weak", "relaxed", "acquire", "release", "acq_rel",
                                      "mmio", "cta",     "gpu",     "sys",     "cluster"};
  return std::any_of(std::begin(words), std::end(words), [&](const char* s) { return w == s; });
}
// PTX ISA, section "Cache Eviction Priority Hints".
bool is_eviction(const std::string& w, const char* level) {
  if (!w.starts_with(level)) return false;
  static const char* const words[] = {"evict_normal", "evict_unchanged", "evict_first", "evict_last", "no_allocate"};
  return std::any_of(std::begin(words), std::end(words),
                     [&](const char* s) { return w.compare(4, std::string::npos, s) == 0; });
}
bool is_prefetch_size(const std::string& w) { return w == "L2::64B" || w == "L2::128B" || w == "L2::256B"; }
bool is_cache_hint(const std::string& w) {
  static const char* const words[] = {"ca", "cg", "cs", "cv", "lu", "wb", "wt", "nc"};
  return std::any_of(std::begin(words), std::end(words), [&](const char* s) { return w == s; }) ||
         is_eviction(w, "L1::") || is_eviction(w, "L2::") || is_prefetch_size(w);
}
bool space_word(const std::string& w, Space& out) {
  if (w == "global")
    out = Space::global;
  else if (w == "shared" || w == "shared::cta" || w == "shared::cluster")  // of one block
    out = Space::shared;
  else if (w == "local")
    out = Space::local;
  else if (w == "const")
    out = Space::constant;
  else if (w == "param" || w == "param::entry" || w == "param::func")
    out = Space::param;
  else
    return false;
  return true;
}

}  // namespace

FunctionDecoder::MemoryWords FunctionDecoder::memory_words() const {
  MemoryWords r;
  const auto& w = at_->words();
  require(w.size() >= 2);
  for (std::size_t k = 1; k + 1 < w.size(); ++k) {
    if (space_word(w[k], r.space) || is_order(w[k]) || is_cache_hint(w[k])) continue;
    if (w[k] == "L2::cache_hint")
      r.has_policy = true;
    else if (w[k] == "volatile")
      r.is_volatile = true;
    else if (w[k] == "v2")
      r.vector = 2;
    else if (w[k] == "v4")
      r.vector = 4;
    else if (w[k] == "v8")
      r.vector = 8;
    else
      refuse();
  }
  const auto type = type_from_name(w.back());
  if (!type || *type == Type::pred || (*type == Type::b128 && (r.vector != 1 || r.space == Space::param))) refuse();
  r.type = *type;
  require(type_bytes(r.type) * r.vector <= 32);
  return r;
}

// The cache-policy operand that ".L2::cache_hint" asks for: a 64-bit register. No cache is simulated, so that its value
// changes nothing.
void FunctionDecoder::policy(std::size_t at) const {
  require(at_->operands.size() == at + 1 && operand(at).kind == Operand::Kind::reg &&
          type_bytes(register_type(operand(at))) == 8);
}

// createpolicy.fractional.L2::p[.L2::p].b64 d[, fraction]; createpolicy.range[.global].L2::p[.L2::p].b64 d, [a], size,
// size; createpolicy.cvt.L2.b64 d, a (PTX ISA, section "createpolicy"). The policy is opaque: any value stands for it.
bool FunctionDecoder::create_policy() {
  const auto& w = at_->words();
  if (w[0] != "createpolicy") return false;
  require(w.size() >= 4 && w.back() == "b64");
  const std::size_t count = at_->operands.size();
  if (w[1] == "cvt") {
    require(w.size() == 4 && w[2] == "L2" && count == 2);
    (void)source(operand(1), Type::b64);
  } else {
    std::size_t k = 2;
    const bool range = w[1] == "range";
    require(range || w[1] == "fractional");
    if (range && w[k] == "global") ++k;
    require(k + 1 < w.size() && is_eviction(w[k], "L2::") && w[k] != "L2::no_allocate");
    ++k;
    if (k + 1 < w.size()) require(w[k] == "L2::evict_first" || w[k] == "L2::evict_unchanged"), ++k;
    require(k + 1 == w.size());
    if (range) {
      require(count == 4);
      Op from;
      address(from, operand(1), Space::global);
      (void)source(operand(2), Type::u32);
      (void)source(operand(3), Type::u32);
    } else {
      require(count == 1 || count == 2);
      if (count == 2) (void)source(operand(1), Type::f32);
    }
  }
  Op op;
  op.fn = entry("mov.b64").fn;
  op.a = immediate(1, 8);
  op.d = destination(operand(0), Type::b64);
  emit(op, InstrClass::other, false);
  return true;
}

void FunctionDecoder::address(Op& op, const Operand& o, Space space) {
  require(o.kind == Operand::Kind::address && o.parts.size() == 1);
  op.imm = o.value;
  op.space = space;
  const Operand& base = o.parts[0];
  if (base.kind == Operand::Kind::reg) {
    const unsigned bytes = type_bytes(register_type(base));
    require(bytes == 8 || (bytes == 4 && (space == Space::shared || space == Space::local)));
    op.a = register_at(base);
    if (bytes == 4) op.flags |= op_address32;
    return;
  }
  if (base.kind == Operand::Kind::integer) {
    op.a = immediate(0, 8);
    return;
  }
  require(base.kind == Operand::Kind::variable || base.kind == Operand::Kind::symbol);
  op.a = address_of(base, 8);
}

// Kernel parameters are the same for all lanes; parameters of functions and of calls are bytes in the frame.
void FunctionDecoder::param_access(const MemoryWords& w, bool is_store) {
  const Operand& o = operand(is_store ? 0 : 1);
  const Operand& data = operand(is_store ? 1 : 0);
  require(o.kind == Operand::Kind::address && o.parts.size() == 1 && at_->operands.size() == 2);
  const Operand& base = o.parts[0];
  const unsigned bytes = type_bytes(w.type);
  Op op;
  op.n = static_cast<std::uint8_t>(w.vector);
  op.space = Space::param;
  if (base.kind == Operand::Kind::reg) {  // an address from mov or cvta.param: generic
    require(!is_store);
    address(op, o, Space::generic);
    op.fn = registry_.find_memory(false, Space::generic, bytes, level_);
  } else {
    require(base.kind == Operand::Kind::variable);
    const Variable& v = function_.variables[base.index];
    require(v.space == Variable::Space::param);
    if (o.value < 0 || static_cast<std::uint64_t>(o.value) + bytes * w.vector > v.bytes())
      refuse("beyond the end of parameter " + v.name);
    const std::size_t formals = function_.returns.size() + function_.params.size();
    op.imm = o.value;
    if (function_.is_entry && base.index < formals) {
      require(!is_store);
      op.imm += static_cast<std::int64_t>(entry_params_[base.index - function_.returns.size()]);
      op.fn = registry_.find_param_broadcast(bytes);
    } else {
      op.imm += variable_offsets_[base.index];
      op.a = out_.param_at;
      op.b = out_.param_bytes;
      op.fn = registry_.find_frame_param(is_store, bytes);
    }
  }
  data_places(op, data, w, is_store);
  emit(op, is_store ? InstrClass::move : InstrClass::load_param, false);
}

// The registers, or the value, that go to or come from memory.
void FunctionDecoder::data_places(Op& op, const Operand& data, const MemoryWords& w, bool is_store) {
  std::vector<std::uint32_t> places;
  const auto add = [&](const Operand& o) { places.push_back(is_store ? source(o, w.type) : destination(o, w.type)); };
  if (w.type == Type::b128) {
    places = {wide(data), wide(data) + wide_half};
  } else if (w.vector == 1) {
    add(data);
  } else {
    require(data.kind == Operand::Kind::vector && data.parts.size() == w.vector);
    for (const Operand& p : data.parts) add(p);
  }
  op.d = places[0];
  op.target = static_cast<std::uint32_t>(code_.lists.size());
  if (places.size() > 1) code_.lists.insert(code_.lists.end(), places.begin(), places.end());
}

// What is only copied of an access: see op_parts.
void FunctionDecoder::note_parts(Op& op, const Operand& data, const MemoryWords& w, bool is_store) {
  if (copied_.empty() || w.type == Type::b128) return;
  const unsigned bytes = type_bytes(w.type);
  const std::uint32_t all = (1u << bytes) - 1;
  std::vector<std::uint32_t> maps;
  std::uint32_t needed = 0;
  bool stays = w.space == Space::shared || w.space == Space::local, partial = false, followed = false;
  for (unsigned k = 0; k < w.vector; ++k) {
    const Operand& o = w.vector == 1 ? data : data.parts[k];
    const bool is_register = o.kind == Operand::Kind::reg && type_bytes(register_type(o)) == bytes;
    const CopiedRegister r = is_register
                                 ? copied_[o.index]
                                 : CopiedRegister{static_cast<std::uint8_t>(o.kind == Operand::Kind::sink ? 0 : all)};
    maps.push_back(is_register ? maps_[o.index] : 0);
    followed = followed || maps.back() != 0;
    partial = partial || (r.needed & all) != all;
    stays = stays && r.carries && !r.leaves;
    needed |= (r.needed & all) << (k * bytes);
  }
  if (is_store ? !followed : !partial) return;
  op.flags |= op_parts;
  op.b = static_cast<std::uint32_t>(code_.lists.size());
  code_.lists.insert(code_.lists.end(), maps.begin(), maps.end());
  op.c = needed;
  op.e = stays ? 0 : 1;
}

bool FunctionDecoder::has_word(std::initializer_list<std::string_view> any) const {
  const auto& w = at_->words();
  return std::any_of(w.begin(), w.end(),
                     [&](const std::string& s) { return std::find(any.begin(), any.end(), s) != any.end(); });
}
bool FunctionDecoder::is_strong() const { return has_word({"volatile", "relaxed", "acquire", "release", "mmio"}); }

// Accesses that acquire or release are taken for a fence and a relaxed access.
void FunctionDecoder::fence_if_ordered() {
  if (!has_word({"acquire", "release", "acq_rel"})) return;
  Op op;
  op.fn = note_fence;
  if (has_word({"cta"})) op.flags |= op_block;
  emit(op, InstrClass::fence, true);
}

void FunctionDecoder::load_or_store(bool is_store) {
  const MemoryWords w = memory_words();
  if (w.space == Space::param) return param_access(w, is_store);
  if (is_store) require(w.space != Space::constant);
  if (w.has_policy)
    policy(2);
  else
    require(at_->operands.size() == 2);
  const unsigned bytes = w.type == Type::b128 ? 8 : type_bytes(w.type);
  fence_if_ordered();
  if (has_word({"shared::cluster"})) out_.asks_cluster = true;
  Op op;
  op.n = static_cast<std::uint8_t>(w.type == Type::b128 ? 2 : w.vector);
  if (is_strong()) op.flags |= op_strong;
  if (!is_store && has_word({"nc"})) op.flags |= op_read_only;
  if (const Operand& data = operand(0); !is_store && data.kind == Operand::Kind::reg && selected_[data.index] != 0)
    op.flags |= op_unused;
  const auto is_data = [&](const Operand& o) { return o.kind == Operand::Kind::reg && data_[o.index] != 0; };
  if (const Operand& data = operand(0);
      !is_store && is_strong() && (data.parts.empty() ? is_data(data) : std::ranges::all_of(data.parts, is_data)))
    op.flags |= op_data;
  op.fn = registry_.find_memory(is_store, w.space, bytes, level_);
  if (op.fn == nullptr) refuse();
  address(op, operand(is_store ? 0 : 1), w.space);
  data_places(op, operand(is_store ? 1 : 0), w, is_store);
  note_parts(op, operand(is_store ? 1 : 0), w, is_store);
  switch (w.space) {
    case Space::shared: emit(op, is_store ? InstrClass::store_shared : InstrClass::load_shared, false); break;
    case Space::local: emit(op, is_store ? InstrClass::store_local : InstrClass::load_local, false); break;
    case Space::constant: emit(op, InstrClass::load_const, false); break;
    default:
      if (!is_store && (level_ & level_full) != 0) op.control = Control::load;
      emit(op, is_store ? InstrClass::store_global : InstrClass::load_global, false);
  }
  code_.info.back().bytes = static_cast<std::uint16_t>(bytes * op.n);
  code_.info.back().is_store = is_store;
}

// Whether another instruction names the register, or one of a vector.
bool FunctionDecoder::is_named_elsewhere(const Operand& o) {
  if (!o.parts.empty())
    return std::ranges::any_of(o.parts, [&](const Operand& part) { return is_named_elsewhere(part); });
  if (o.kind != Operand::Kind::reg) return false;
  if (naming_.empty()) count_naming();
  return naming_[o.index] > 1;
}

void FunctionDecoder::count_naming() {
  naming_.assign(function_.registers.size(), 0);
  std::vector<const Instruction*> last(naming_.size(), nullptr);
  for (const Instruction& i : function_.body) {
    const auto count = [&](std::uint32_t r) { naming_[r] += std::exchange(last[r], &i) != &i; };
    const auto visit = [&](const Operand& o, const auto& again) -> void {
      if (o.kind == Operand::Kind::reg) count(o.index);
      for (const Operand& part : o.parts) again(part, again);
    };
    for (const Operand& o : i.operands) visit(o, visit);
    if (i.guard >= 0) count(static_cast<std::uint32_t>(i.guard));
  }
}

// atom{.sem}{.scope}{.space}.op.type d, [a], b{, c} and red without d
void FunctionDecoder::atomic() {
  const auto& w = at_->words();
  const bool has_result = w[0] == "atom";
  require(w.size() >= 3);
  Space space = Space::generic;
  std::string operation;
  bool has_policy = false;
  std::size_t vector = 1;
  std::optional<Type> type;
  for (std::size_t k = 1; k < w.size(); ++k) {  // the type comes last, but of vectors before the operation
    if (space_word(w[k], space) || is_order(w[k]) || w[k] == "noftz") continue;
    if (const auto named = type_from_name(w[k]); named && !type) {
      type = named;
      continue;
    }
    if (w[k] == "L2::cache_hint") {
      has_policy = true;
      continue;
    }
    if (w[k] == "v2" || w[k] == "v4" || w[k] == "v8") {
      vector = static_cast<std::size_t>(w[k][1] - '0');
      continue;
    }
    if (!operation.empty()) refuse();
    operation = w[k];
  }
  if (!type || (space != Space::global && space != Space::shared && space != Space::generic)) refuse();
  const bool is_wide = *type == Type::b128;
  if (has_word({"shared::cluster"})) out_.asks_cluster = true;
  fence_if_ordered();
  Op op;
  op.fn = !is_wide              ? registry_.find_atomic(operation, type_name(*type))
          : operation == "exch" ? exchange_wide
          : operation == "cas"  ? compare_and_swap_wide
                                : nullptr;
  if (op.fn == nullptr) refuse();
  const std::size_t first = has_result ? 1 : 0;
  const bool compares = operation == "cas";
  const std::size_t plain = first + (compares ? 3 : 2);
  if (has_policy)
    policy(plain);
  else
    require(at_->operands.size() == plain);
  if (has_word({"cta"})) op.flags |= op_block;
  if (!has_result || !is_named_elsewhere(operand(0))) op.flags |= op_unread;
  address(op, operand(first), space);
  require(vector == 1 || (!compares && parts(first + 1) == vector && (!has_result || parts(0) == vector)));
  const auto part = [vector](const Operand& o, std::size_t k) -> const Operand& {
    return vector == 1 ? o : o.parts[k];
  };
  for (std::size_t k = 0; k < vector; ++k) {  // the elements are separate operations, in no order
    const auto from = [&](const Operand& o) { return is_wide ? wide(o) : source(o, *type); };
    const bool kept = has_result && !(is_wide && operand(0).kind == Operand::Kind::sink);
    op.b = from(part(operand(first + 1), k));
    op.c = compares ? from(operand(first + 2)) : op.b;
    op.d = !kept ? temporary(*type) : is_wide ? wide(operand(0)) : destination(part(operand(0), k), *type);
    emit(op, InstrClass::atomic, k != 0);
    code_.info.back().bytes = static_cast<std::uint16_t>(type_bytes(*type));
    code_.info.back().is_atomic = true;
    op.imm += type_bytes(*type);
  }
}

}  // namespace ww::simt
