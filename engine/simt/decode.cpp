// SPDX-License-Identifier: Apache-2.0
#include "simt/decode.h"
#include <algorithm>
#include <set>
#include <utility>
#include "simt/frame.h"
#include "simt/special.h"

namespace ww::simt {
namespace {

std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

const char* bits_name(unsigned bytes) {
  switch (bytes) {
    case 1: return "b8";
    case 2: return "b16";
    case 4: return "b32";
    default: return "b64";
  }
}

bool writes_first_operand(const std::string& word) {
  static const std::set<std::string, std::less<>> none = {"st",
                                                          "red",
                                                          "bra",
                                                          "brx",
                                                          "ret",
                                                          "exit",
                                                          "trap",
                                                          "brkpt",
                                                          "membar",
                                                          "fence",
                                                          "prefetch",
                                                          "prefetchu",
                                                          "discard",
                                                          "applypriority",
                                                          "nanosleep",
                                                          "call",
                                                          "griddepcontrol",
                                                          "setmaxnreg"};
  return none.find(word) == none.end();
}

// Registers wider than the instruction's type (PTX ISA, section 9.4.1).
bool allows_wider(const std::string& word) { return word == "ld" || word == "st" || word == "cvt" || word == "ldu"; }

}  // namespace

std::size_t layout_params(const std::vector<Variable>& params, std::vector<std::size_t>& offsets) {
  std::size_t at = 0;
  for (const Variable& v : params) {
    at = round_up(at, v.align);
    offsets.push_back(at);
    at += v.bytes();
  }
  return at;
}

FunctionDecoder::FunctionDecoder(const Module& module, std::uint32_t index, Decoded& code, unsigned level)
    : module_(module),
      function_(module.functions[index]),
      index_(index),
      code_(code),
      out_(code.functions[index]),
      level_(level),
      registry_(host_registry()) {}

std::uint32_t FunctionDecoder::reserve(std::size_t bytes, std::size_t align) {
  const std::size_t at = round_up(out_.frame_bytes, align);
  if (at + bytes > (std::size_t{1} << 30)) refuse("the register frame is too large");
  out_.frame_bytes = static_cast<std::uint32_t>(at + bytes);
  return static_cast<std::uint32_t>(at);
}

void FunctionDecoder::lay_out() {
  out_.is_entry = function_.is_entry;
  out_.has_body = function_.has_body;
  out_.frame_bytes = predicates_offset;
  if (!function_.has_body) return;
  register_offsets_.resize(function_.registers.size());
  for (std::size_t i = 0; i < function_.registers.size(); ++i)
    if (function_.registers[i].type == Type::pred) register_offsets_[i] = reserve(4, 4);
  for (std::size_t i = 0; i < function_.registers.size(); ++i)
    if (function_.registers[i].type != Type::pred)
      register_offsets_[i] = reserve(32 * type_bytes(function_.registers[i].type), 64);
  out_.registers = register_offsets_;
  if (function_.is_entry) layout_params(function_.params, entry_params_);
  variable_offsets_.resize(function_.variables.size());
  const std::size_t formals = function_.returns.size() + function_.params.size();
  std::size_t params = 0, locals = 0;
  for (std::size_t i = 0; i < function_.variables.size(); ++i) {
    const Variable& v = function_.variables[i];
    const bool passed = v.space == Variable::Space::param || v.space == Variable::Space::reg;
    if (passed && !(function_.is_entry && i < formals)) {
      params = round_up(params, v.align);
      variable_offsets_[i] = static_cast<std::uint32_t>(params);
      params += v.bytes();
    } else if (v.space == Variable::Space::local) {
      locals = round_up(locals, v.align);
      variable_offsets_[i] = static_cast<std::uint32_t>(locals);
      locals += v.bytes();
    } else if (v.space == Variable::Space::shared) {
      variable_offsets_[i] = static_cast<std::uint32_t>(code_.shared.size());
      code_.shared.push_back({v.name, v.bytes(), v.align, v.is_extern || v.count == 0});
    }
  }
  params = round_up(params, 8);
  call_scratch_ = static_cast<std::uint32_t>(params);
  params += 8 * most_passed_values();
  lay_out_stack(locals);
  if (params > (1u << 24) || locals > (1u << 24)) refuse("too many bytes of parameters or local variables");
  out_.param_bytes = static_cast<std::uint32_t>(round_up(params, 16));
  out_.param_at = reserve(std::size_t{32} * out_.param_bytes, 64);
  out_.local_bytes = static_cast<std::uint32_t>(round_up(locals, 16));
  for (std::size_t i = 0; i < formals && !function_.is_entry; ++i) {
    auto& list = i < function_.returns.size() ? out_.returns : out_.params;
    list.push_back({variable_offsets_[i], static_cast<std::uint32_t>(function_.variables[i].bytes())});
  }
}

// Of the calls, the most operands that are no variables: registers and values, which go through slots of 8 bytes.
std::size_t FunctionDecoder::most_passed_values() const {
  std::size_t most = 0;
  for (const Instruction& i : function_.body) {
    if (i.words()[0] != "call") continue;
    std::size_t here = 0;
    for (const Operand& list : i.operands)
      if (list.kind == Operand::Kind::list)
        here += static_cast<std::size_t>(
            std::ranges::count_if(list.parts, [](const Operand& p) { return p.kind != Operand::Kind::variable; }));
    most = std::max(most, here);
  }
  return most;
}

void FunctionDecoder::pass_value(bool store, std::uint32_t reg, std::uint32_t at, unsigned bytes) {
  Op op;
  op.space = Space::param;
  op.a = out_.param_at;
  op.b = out_.param_bytes;
  op.imm = at;
  op.d = reg;
  op.target = static_cast<std::uint32_t>(code_.lists.size());
  op.fn = registry_.find_frame_param(store, bytes);
  emit(op, InstrClass::move, true);
}

// Formals in registers arrive, and results leave, as others do.
void FunctionDecoder::pass_registers(bool results) {
  const std::size_t returns = function_.returns.size(), formals = returns + function_.params.size();
  for (std::size_t i = results ? 0 : returns; i < (results ? returns : formals); ++i)
    if (const Variable& v = function_.variables[i]; v.reg >= 0)
      pass_value(results, register_offsets_[static_cast<std::size_t>(v.reg)], variable_offsets_[i], type_bytes(v.type));
}

// Registers whose first appearance in the text is not an unconditional write start as the launch's garbage (zero
// without one), so that a read of what was never written gives the same result in every run with the same one.
void FunctionDecoder::find_clears() {
  std::vector<bool> seen(function_.registers.size());
  const auto clear = [&](std::uint32_t r) {
    if (seen[r]) return;
    seen[r] = true;
    const unsigned bytes = function_.registers[r].type == Type::pred ? 4 : 32 * type_bytes(function_.registers[r].type);
    out_.clears.push_back({register_offsets_[r], bytes});
  };
  const auto visit = [&](const auto& self, const Operand& o, bool write) -> void {
    if (o.kind == Operand::Kind::reg) {
      if (write)
        seen[o.index] = true;
      else
        clear(o.index);
    }
    for (const Operand& p : o.parts) self(self, p, write && o.kind != Operand::Kind::address);
  };
  for (const Instruction& i : function_.body) {
    const bool writes = writes_first_operand(i.words()[0]);
    if (i.guard >= 0) clear(static_cast<std::uint32_t>(i.guard));
    for (std::size_t k = writes ? 1 : 0; k < i.operands.size(); ++k) visit(visit, i.operands[k], false);
    if (writes && !i.operands.empty()) visit(visit, i.operands[0], i.guard < 0);
  }
  if (out_.clears.size() > 64) {  // one stretch is cheaper
    std::uint32_t end = 0;
    for (const auto& c : out_.clears) end = std::max(end, c.at + c.bytes);
    out_.clears = {{predicates_offset, end - predicates_offset}};
  }
}

void FunctionDecoder::run() {
  out_.entry = static_cast<std::uint32_t>(code_.ops.size());
  try {
    lay_out();
    if (function_.has_body) find_copied();
  } catch (const Refusal& r) {
    out_.unsupported.push_back({function_.line, function_.name, r.reason});
    refused();
    out_.end = static_cast<std::uint32_t>(code_.ops.size());
    return;
  }
  if (function_.has_body) {
    find_clears();
    find_selected();
    find_discarded();
    find_data();
    begin_stack();
    if (!function_.is_entry) pass_registers(false);
    for (std::uint32_t i = 0; i < function_.body.size(); ++i) instruction(i);
    // Falling off the end returns.
    first_op_.push_back(static_cast<std::uint32_t>(code_.ops.size()));
    at_ = nullptr;
    Op end;
    end.control = Control::ret;
    instruction_index_ = static_cast<std::uint32_t>(function_.body.size());
    if (!function_.is_entry) pass_registers(true);
    emit(end, InstrClass::control, true);
    for (const auto& [op, to] : branches_) code_.ops[op].target = first_op_[to];
    for (const auto& [entry, to] : list_branches_) code_.lists[entry] = first_op_[to];
    find_polling();
  }
  out_.end = static_cast<std::uint32_t>(code_.ops.size());
  if (out_.is_entry && function_.has_body) out_.joins = joins_of(code_, out_);
  out_.frame_bytes = static_cast<std::uint32_t>(round_up(out_.frame_bytes, 64));
}

void FunctionDecoder::find_polling() {
  std::vector<std::uint32_t> before{0};  // strong loads and atomic operations before each of this function's
  for (std::size_t i = out_.entry; i < code_.ops.size(); ++i) {
    const bool strong = (code_.ops[i].flags & op_strong) != 0 && !code_.info[i].is_store;
    before.push_back(before.back() + (strong || code_.info[i].is_atomic ? 1 : 0));
  }
  for (const auto& [op, to] : branches_) {
    const std::uint32_t target = first_op_[to];
    if (target <= op && before[op - out_.entry] != before[target - out_.entry]) code_.ops[op].flags |= op_polls;
  }
}

void FunctionDecoder::find_selected() {
  selected_.assign(function_.registers.size(), 0);
  std::vector<std::uint8_t> used(function_.registers.size(), 0);
  const auto mark = [](const Operand& o, std::vector<std::uint8_t>& into, auto& again) -> void {
    if (o.kind == Operand::Kind::reg) into[o.index] = 1;
    for (const Operand& p : o.parts) again(p, into, again);
  };
  for (const Instruction& i : function_.body) {
    const bool selects = i.words()[0] == "selp", loads = i.words()[0] == "ld";
    for (std::size_t k = 0; k < i.operands.size(); ++k)
      if (!(loads && k == 0) && !(selects && k == 0))
        mark(i.operands[k], (i.guard >= 0 && !loads) || (selects && k < 3) ? selected_ : used, mark);
  }
  for (std::size_t r = 0; r < used.size(); ++r) selected_[r] &= static_cast<std::uint8_t>(used[r] == 0);
}

void FunctionDecoder::find_discarded() {
  discarded_.assign(function_.registers.size(), 1);
  const auto visit = [](const Operand& o, const auto& each, const auto& again) -> void {
    if (o.kind == Operand::Kind::reg) each(o.index);
    for (const Operand& p : o.parts) again(p, each, again);
  };
  constexpr std::string_view arithmetic[] = {"mov", "add", "sub", "mul", "fma", "mad",
                                             "min", "max", "cvt", "neg", "abs"};
  bool changed = true;
  while (std::exchange(changed, false))
    for (const Instruction& i : function_.body) {
      const std::string& word = i.words()[0];
      if (i.operands.empty()) continue;
      bool kept = true;  // what it reads
      if (std::ranges::count(arithmetic, word) > 0) {
        kept = false;
        visit(
            i.operands[0], [&](std::uint32_t r) { kept |= discarded_[r] == 0; }, visit);
      }
      if (i.guard >= 0 && word != "st") kept = false;
      const bool writes = word != "st" && word != "red" && word != "bra" && word != "call" && word != "ret";
      for (std::size_t k = writes ? 1 : 0; k < i.operands.size(); ++k)
        if (kept && !(word == "selp" && k < 3))
          visit(
              i.operands[k], [&](std::uint32_t r) { changed |= std::exchange(discarded_[r], std::uint8_t{0}) != 0; },
              visit);
    }
}

void FunctionDecoder::find_data() {
  data_.assign(function_.registers.size(), 0);
  const auto has = [](const Instruction& i, std::string_view word) { return std::ranges::count(i.words(), word) > 0; };
  const auto strong = [&](const Instruction& i) {
    return i.words()[0] == "ld" && (has(i, "volatile") || has(i, "relaxed") || has(i, "acquire"));
  };
  if (std::ranges::none_of(function_.body, strong)) return;
  std::vector<std::uint8_t> decides(function_.registers.size(), 0);
  bool changed = true;
  const auto visit = [](const Operand& o, const auto& each, const auto& again) -> void {
    if (o.kind == Operand::Kind::reg) each(o.index);
    for (const Operand& p : o.parts) again(p, each, again);
  };
  const auto mark = [&](const Operand& o) {
    visit(
        o, [&](std::uint32_t r) { changed |= std::exchange(decides[r], std::uint8_t{1}) == 0; }, visit);
  };
  while (std::exchange(changed, false))
    for (auto i = function_.body.rbegin(); i != function_.body.rend(); ++i) {
      const std::string& word = i->words()[0];
      const bool stores = word == "st", kept = stores && has(*i, "global");  // elsewhere other threads may read it
      constexpr std::string_view alone[] = {"setp", "set", "testp", "slct", "atom", "red",
                                            "call", "bra", "brx",   "ld",   "ldu"};
      bool all = stores || std::ranges::count(alone, word) > 0;
      if (!all && !i->operands.empty())
        visit(
            i->operands[0], [&](std::uint32_t r) { all |= decides[r] != 0; }, visit);
      for (std::size_t k = stores || word == "red" || word == "call" || word == "brx" ? 0 : 1; k < i->operands.size();
           ++k)
        if (all && !(kept && k == 1)) mark(i->operands[k]);
    }
  for (const Instruction& i : function_.body)
    for (std::size_t k = i.words()[0] == "st" ? 0 : 1; k < i.operands.size(); ++k)
      visit(
          i.operands[k], [&](std::uint32_t r) { data_[r] = decides[r] == 0; }, visit);
}

const Operand& FunctionDecoder::operand(std::size_t i) const {
  if (i >= at_->operands.size()) refuse("an operand is missing");
  return at_->operands[i];
}

void FunctionDecoder::instruction(std::uint32_t index) {
  at_ = &function_.body[index];
  instruction_index_ = index;
  after_.clear();
  const std::size_t ops = code_.ops.size(), branches = branches_.size(), lists = list_branches_.size();
  first_op_.push_back(static_cast<std::uint32_t>(ops));
  const std::string& word = at_->words()[0];
  try {
    if (async_store()) {
    } else if (word == "ld" || word == "ldu")
      load_or_store(false);
    else if (word == "st")
      load_or_store(true);
    else if (word == "atom" || word == "red")
      atomic();
    else if (word == "mov")
      mov(), move_maps();
    else if (word == "cvt")
      cvt();
    else if (word == "cvta")
      cvta();
    else if (word == "isspacep")
      isspacep();
    else if (word == "setp")
      setp();
    else if (word == "set")
      set();
    else if (!control() && !matrix() && !lop3() && !video_instruction() && !stack_memory() && !async_copy() &&
             !mbarrier() && !cluster() && !create_policy())
      alu(at_->opcode());
    const auto after = std::move(after_);
    after_.clear();
    for (const After& a : after) micro(a.name.c_str(), a.d, a.a);
  } catch (const Refusal& r) {
    code_.ops.resize(ops);
    code_.info.resize(ops);
    branches_.resize(branches);
    list_branches_.resize(lists);
    after_.clear();
    out_.unsupported.push_back({at_->line, at_->opcode(), r.reason});
    refused();
  }
}

void FunctionDecoder::refused() {
  Op op;
  op.control = Control::unsupported;
  op.imm = static_cast<std::int64_t>(out_.unsupported.size()) - 1;
  emit(op, InstrClass::other, false);
}

Op& FunctionDecoder::emit(const Op& op, InstrClass cls, bool is_micro, int flops) {
  Op made = op;
  made.guard = true_offset;
  if (at_ != nullptr && at_->guard >= 0) {
    made.guard = register_offsets_[static_cast<std::uint32_t>(at_->guard)];
    made.guard_flip = at_->guard_negated ? full_mask : 0;
  }
  if (is_micro) made.flags |= op_micro;
  OpInfo info;
  info.function = index_;
  info.instruction = instruction_index_;
  info.cls = cls;
  info.flops = static_cast<std::uint16_t>(flops);
  code_.ops.push_back(made);
  code_.info.push_back(info);
  return code_.ops.back();
}

const AluEntry& FunctionDecoder::entry(const std::string& name) const {
  const AluEntry* e = registry_.find(name);
  if (e == nullptr) refuse();
  return *e;
}

void FunctionDecoder::micro(const char* name, std::uint32_t d, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                            std::int64_t imm) {
  const AluEntry& e = entry(name);
  Op op;
  op.fn = e.fn;
  op.d = d;
  op.a = a;
  op.b = b;
  op.c = c;
  op.imm = e.has_immediate ? imm : e.immediate;
  emit(op, e.cls, true);
}

std::uint32_t FunctionDecoder::constant(Constant c) {
  const auto key = std::tuple(static_cast<int>(c.kind), c.index, c.value, unsigned{c.bytes});
  if (const auto it = constants_.find(key); it != constants_.end()) return it->second;
  c.at = reserve(std::size_t{32} * c.bytes, 64);
  if (c.kind == Constant::Kind::local)
    out_.local_constants.push_back(static_cast<std::uint32_t>(out_.constants.size()));
  out_.constants.push_back(c);
  return constants_[key] = c.at;
}

std::uint32_t FunctionDecoder::immediate(std::uint64_t bits, unsigned bytes) {
  if (bytes < 8) bits &= (std::uint64_t{1} << (8 * bytes)) - 1;
  Constant c;
  c.bytes = static_cast<std::uint8_t>(bytes);
  c.value = static_cast<std::int64_t>(bits);
  return constant(c);
}

std::uint32_t FunctionDecoder::temporary(Type type) {
  return type == Type::pred ? reserve(4, 4) : reserve(std::size_t{32} * type_bytes(type), 64);
}

Type FunctionDecoder::register_type(const Operand& o) const { return function_.registers[o.index].type; }
std::uint32_t FunctionDecoder::register_at(const Operand& o) const { return register_offsets_[o.index]; }

std::uint32_t FunctionDecoder::address_of(const Operand& o, unsigned bytes) {
  Constant c;
  c.bytes = static_cast<std::uint8_t>(bytes);
  c.value = o.value;
  const auto shared = [&](std::uint32_t index) {
    c.kind = Constant::Kind::shared;
    c.index = index;
    if (std::find(out_.shared.begin(), out_.shared.end(), index) == out_.shared.end()) out_.shared.push_back(index);
    return constant(c);
  };
  if (o.kind == Operand::Kind::variable) {
    const Variable& v = function_.variables[o.index];
    if (v.space == Variable::Space::shared) return shared(variable_offsets_[o.index]);
    require(bytes == 8 || v.space == Variable::Space::local);
    if (v.space == Variable::Space::local) {
      c.kind = Constant::Kind::local;
      c.value += variable_offsets_[o.index];
      return constant(c);
    }
    const std::size_t formals = function_.returns.size() + function_.params.size();
    if (!function_.is_entry || o.index >= formals) refuse("the address of a function's parameter");
    c.value += static_cast<std::int64_t>(param_window + entry_params_[o.index - function_.returns.size()]);
    return constant(c);
  }
  if (const auto f = module_.function_index.find(o.name); f != module_.function_index.end()) {
    require(bytes == 8);
    c.kind = Constant::Kind::function;
    c.value = static_cast<std::int64_t>(function_base + 16 * f->second);
    return constant(c);
  }
  const auto v = module_.variable_index.find(o.name);
  if (v == module_.variable_index.end()) refuse(o.name + " is not declared");
  if (module_.variables[v->second].space == Variable::Space::shared) {
    for (std::uint32_t i = 0; i < module_.variables.size(); ++i)
      if (code_.shared[i].name == o.name) return shared(i);  // module-scope entries stand first, one per variable
    refuse();
  }
  require(bytes == 8);
  c.kind = Constant::Kind::variable;
  c.index = static_cast<std::uint32_t>(v->second);
  return constant(c);
}

std::uint32_t FunctionDecoder::predicate(const Operand& o) {
  if (o.kind == Operand::Kind::integer) {
    const std::uint32_t t = temporary(Type::pred);
    micro("mov.pred", t, true_offset);
    if (o.value != 0) return t;
    const std::uint32_t f = temporary(Type::pred);
    micro("not.pred", f, t);
    return f;
  }
  require(o.kind == Operand::Kind::reg && register_type(o) == Type::pred);
  if (!o.negated) return register_at(o);
  const std::uint32_t t = temporary(Type::pred);
  micro("not.pred", t, register_at(o));
  return t;
}

std::uint32_t FunctionDecoder::source(const Operand& o, Type type) {
  if (type == Type::pred) return predicate(o);
  const unsigned need = type_bytes(type);
  require(need != 0 && need <= 8 && !o.negated);
  switch (o.kind) {
    case Operand::Kind::reg: {
      const unsigned have = type_bytes(register_type(o));
      if (have == need) return register_at(o);
      require(have > need && have <= 8 && allows_wider(at_->words()[0]));
      const std::uint32_t t = temporary(type);
      micro((std::string("@extract.") + bits_name(need) + "." + bits_name(have)).c_str(), t, register_at(o));
      return t;
    }
    case Operand::Kind::integer:
      require(type != Type::f32 && type != Type::f64);
      return immediate(static_cast<std::uint64_t>(o.value), need);
    case Operand::Kind::real:
      require(ptx::Number::fits(o.form, need) &&
              (need == 8 || type == Type::f32 || o.form == ptx::Number::Kind::single));
      return immediate(need == 4 ? o.index : static_cast<std::uint64_t>(o.value), need);
    case Operand::Kind::special: {
      const auto s = special_from_name(o.name);
      if (!s) refuse("special register " + o.name);
      out_.asks_cluster = out_.asks_cluster || o.name.find("cluster") != std::string::npos;
      const std::uint32_t t = temporary(s->is_64 ? Type::u64 : Type::u32);
      micro(s->is_64 ? "@special64" : "@special", t, 0, 0, 0, static_cast<std::int64_t>(s->id));
      if (need == (s->is_64 ? 8u : 4u)) return t;
      const std::uint32_t u = temporary(type);
      micro((std::string("cvt.") +
             (need == 8   ? "u64"
              : need == 4 ? "u32"
                          : "u16") +
             (s->is_64 ? ".u64" : ".u32"))
                .c_str(),
            u, t);
      return u;
    }
    case Operand::Kind::variable:
    case Operand::Kind::symbol: return address_of(o, need);
    default: refuse("an operand has an unexpected form");
  }
}

std::uint32_t FunctionDecoder::predicate_destination(const Operand& o) {
  if (o.kind == Operand::Kind::sink) return temporary(Type::pred);
  require(o.kind == Operand::Kind::reg && register_type(o) == Type::pred && !o.negated);
  return register_at(o);
}

std::uint32_t FunctionDecoder::destination(const Operand& o, Type type) {
  if (type == Type::pred) return predicate_destination(o);
  if (o.kind == Operand::Kind::sink) return temporary(type);
  require(o.kind == Operand::Kind::reg && !o.negated);
  const unsigned have = type_bytes(register_type(o)), need = type_bytes(type);
  if (have == need) return register_at(o);
  require(have > need && have <= 8 && need != 0 && allows_wider(at_->words()[0]));
  // A narrower result is extended into the register (PTX ISA, section 9.4.1).
  const char* const unsigned_names[] = {"", "u8", "u16", "", "u32", "", "", "", "u64"};
  const char* const signed_names[] = {"", "s8", "s16", "", "s32", "", "", "", "s64"};
  const auto& names = type_is_signed(type) ? signed_names : unsigned_names;
  const std::uint32_t t = temporary(type);
  after_.push_back({std::string("cvt.") + names[have] + "." + names[need], register_at(o), t});
  return t;
}

std::unique_ptr<const Decoded> decode(const Module& module, unsigned level) {
  auto code = std::make_unique<Decoded>();
  code->functions.resize(module.functions.size());
  for (const Variable& v : module.variables)  // one entry per module variable, so that indices agree
    code->shared.push_back({v.name, v.space == Variable::Space::shared ? v.bytes() : 0, v.align,
                            v.space == Variable::Space::shared && (v.is_extern || v.count == 0)});
  for (std::uint32_t i = 0; i < module.functions.size(); ++i) FunctionDecoder(module, i, *code, level).run();
  return code;
}

}  // namespace ww::simt
