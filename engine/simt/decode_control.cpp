// SPDX-License-Identifier: Apache-2.0
// Branches, calls, barriers, and the instructions of a whole warp.
#include "simt/decode.h"

namespace ww::simt {
namespace {

std::uint32_t builtin_of(const std::string& name) {
  if (name == "vprintf") return 1;
  if (name == "__assertfail") return 2;
  if (name == "malloc") return 3;
  if (name == "free") return 4;
  return 0;
}

}  // namespace

bool FunctionDecoder::control() {
  const std::string& word = at_->words()[0];
  Op op;
  if (word == "bra") {
    require(at_->operands.size() == 1 && operand(0).kind == Operand::Kind::label);
    op.control = Control::branch;
    branches_.emplace_back(static_cast<std::uint32_t>(code_.ops.size()), operand(0).index);
    emit(op, InstrClass::control, false);
    code_.info.back().is_conditional = at_->guard >= 0;
    return true;
  }
  if (word == "brx") {
    branch_table();
    return true;
  }
  if (word == "ret" || word == "exit" || word == "trap" || word == "brkpt") {
    op.control = word == "ret" ? Control::ret : word == "exit" ? Control::exit : Control::trap;
    if (word == "ret" && !function_.is_entry) pass_registers(true);
    emit(op, InstrClass::control, false);
    return true;
  }
  if (word == "call") {
    call();
    return true;
  }
  if (word == "bar" || word == "barrier") {
    if (at_->opcode() == "bar.warp.sync")
      warp_sync(registry_.find_sync(at_->opcode()));
    else
      barrier();
    return true;
  }
  if (word == "shfl" || word == "vote" || word == "match" || word == "redux" || word == "elect") {
    warp_sync(registry_.find_sync(at_->opcode()));
    return true;
  }
  if (word == "membar" || word == "fence") {
    // Lanes and warps of a block run on one host thread in program order; between blocks the host orders stores itself.
    // What is left is what a fence says about races.
    if (at_->words().size() > 1 && at_->words()[1] == "proxy" && at_->words().size() > 2 &&
        at_->words()[2] == "tensormap::generic")
      refuse();
    const auto& words = at_->words();
    const bool wide = std::any_of(words.begin(), words.end(), [](const std::string& w) {
      return w == "gl" || w == "sys" || w == "gpu" || w == "cluster";
    });
    if (wide || (level_ & level_full) != 0)
      op.fn = note_fence;
    else
      op.control = Control::nop;
    if (!wide) op.flags |= op_block;
    emit(op, InstrClass::fence, false);
    return true;
  }
  if (word == "discard") {  // discard[.global].L2 [a], 128
    require(at_->operands.size() == 2 && operand(1).kind == Operand::Kind::integer && operand(1).value == 128 &&
            at_->words().back() == "L2");
    op.fn = discard_contents;
    address(op, operand(0), at_->words()[1] == "global" ? Space::global : Space::generic);
    emit(op, InstrClass::other, false);
    return true;
  }
  if (word == "prefetch" || word == "prefetchu" || word == "applypriority" || word == "nanosleep" ||
      word == "griddepcontrol" || word == "setmaxnreg" || word == "pmevent") {
    op.control = Control::nop;
    emit(op, word == "nanosleep" || word == "griddepcontrol" ? InstrClass::control : InstrClass::other, false);
    return true;
  }
  return false;
}

void FunctionDecoder::branch_table() {
  require(at_->words().size() >= 2 && at_->words()[1] == "idx" && at_->operands.size() == 2 &&
          operand(1).kind == Operand::Kind::table);
  const auto& targets = function_.branch_tables[operand(1).index];
  require(!targets.empty());
  Op op;
  op.control = Control::branch_table;
  op.a = source(operand(0), Type::u32);
  op.target = static_cast<std::uint32_t>(code_.lists.size());
  op.imm = static_cast<std::int64_t>(targets.size());
  for (const std::uint32_t t : targets) {
    list_branches_.emplace_back(static_cast<std::uint32_t>(code_.lists.size()), t);
    code_.lists.push_back(0);
  }
  emit(op, InstrClass::control, false);
  code_.info.back().is_conditional = true;
}

// call[.uni] [(ret),] target [, (args)] [, prototype]
void FunctionDecoder::call() {
  std::size_t k = 0;
  CallSite site;
  std::uint32_t slot = call_scratch_;
  struct Result {
    std::uint32_t reg, at;
    unsigned bytes;
  };
  std::vector<Result> results;  // in registers
  const auto places = [&](const Operand& list, const std::vector<Variable>* formals_of, bool is_result,
                          std::vector<CallSite::Argument>& out) {
    for (std::size_t i = 0; i < list.parts.size(); ++i) {
      const Operand& p = list.parts[i];
      if (p.kind != Operand::Kind::variable) {
        require(formals_of != nullptr && i < formals_of->size() && (*formals_of)[i].count == 1);
        const Type type = (*formals_of)[i].type;
        const unsigned bytes = type_bytes(type);
        if (is_result)
          results.push_back({destination(p, type), slot, bytes});
        else
          pass_value(true, source(p, type), slot, bytes);
        out.push_back({slot, bytes});
        slot += 8;
        continue;
      }
      require(function_.variables[p.index].space == Variable::Space::param);
      const std::size_t formals = function_.returns.size() + function_.params.size();
      require(!function_.is_entry || p.index >= formals);
      out.push_back({variable_offsets_[p.index], static_cast<std::uint32_t>(function_.variables[p.index].bytes())});
    }
  };
  const Operand* const result_list = operand(0).kind == Operand::Kind::list ? &operand(k++) : nullptr;
  const Operand& target = operand(k++);
  const Operand* const argument_list =
      k < at_->operands.size() && operand(k).kind == Operand::Kind::list ? &operand(k++) : nullptr;
  const std::vector<Variable>*returns_of = nullptr, *params_of = nullptr;
  if (target.kind == Operand::Kind::symbol) {
    if (const Function* f = module_.function(target.name)) returns_of = &f->returns, params_of = &f->params;
  } else if (k < at_->operands.size() && operand(k).kind == Operand::Kind::prototype) {
    const Prototype& p = function_.prototypes[operand(k).index];
    returns_of = &p.returns;
    params_of = &p.params;
  }
  if (result_list != nullptr) places(*result_list, returns_of, true, site.results);
  if (argument_list != nullptr) places(*argument_list, params_of, false, site.arguments);
  if (k < at_->operands.size() &&
      (operand(k).kind == Operand::Kind::prototype || operand(k).kind == Operand::Kind::symbol))
    ++k;
  require(k == at_->operands.size());
  Op op;
  op.control = Control::call;
  op.target = static_cast<std::uint32_t>(code_.calls.size());
  if (target.kind == Operand::Kind::symbol) {
    const auto it = module_.function_index.find(target.name);
    if (it == module_.function_index.end()) refuse("function " + target.name + " is not declared");
    const Function& f = module_.functions[it->second];
    if (!f.has_body) {
      site.builtin = builtin_of(target.name);
      if (site.builtin == 0) refuse("extern function " + target.name);
      static constexpr std::size_t counts[] = {0, 2, 5, 1, 1};
      require(site.arguments.size() == counts[site.builtin]);
      for (const auto& a : site.arguments) require(a.bytes == 8 || a.bytes == 4);
      for (const auto& a : site.results) require(a.bytes == 8 || a.bytes == 4);
    } else {
      require(!f.is_entry && f.params.size() == site.arguments.size() && f.returns.size() == site.results.size());
      for (std::size_t i = 0; i < f.params.size(); ++i) require(f.params[i].bytes() == site.arguments[i].bytes);
      for (std::size_t i = 0; i < f.returns.size(); ++i) require(f.returns[i].bytes() == site.results[i].bytes);
      site.function = static_cast<std::int32_t>(it->second);
      out_.callees.push_back(static_cast<std::uint32_t>(it->second));
    }
  } else {
    op.a = source(target, Type::u64);
    out_.calls_indirectly = true;
  }
  code_.calls.push_back(std::move(site));
  emit(op, InstrClass::control, false);
  for (const Result& r : results) pass_value(false, r.reg, r.at, r.bytes);
}

// barrier.cluster.arrive[.sem][.aligned], wait[.acquire][.aligned]: of one block, all of whose threads wait
void FunctionDecoder::cluster_barrier_of_one() {
  out_.asks_cluster = true;
  const bool waits = has_word({"wait"});
  require(at_->operands.empty() && (waits || has_word({"arrive"})));
  Op op;
  if (!waits) {
    op.control = Control::nop;
    emit(op, InstrClass::barrier, false);
    return;
  }
  BarrierSite site;
  site.aligned = has_word({"aligned"});
  site.of_cluster = true;
  site.id = immediate(cluster_barrier, 4);
  op.control = Control::barrier;
  op.target = static_cast<std::uint32_t>(code_.barriers.size());
  code_.barriers.push_back(site);
  emit(op, InstrClass::barrier, false);
}

// bar[.cta].sync|arrive|red and barrier[.cta].sync|arrive|red[.aligned]
void FunctionDecoder::barrier() {
  if (has_word({"cluster"})) return cluster_barrier_of_one();
  BarrierSite site;
  std::string kind, reduction;
  site.aligned = at_->words()[0] == "bar";
  for (std::size_t k = 1; k < at_->words().size(); ++k) {
    const std::string& w = at_->words()[k];
    if (w == "cta") continue;
    if (w == "aligned")
      site.aligned = true;
    else if (w == "sync" || w == "arrive" || w == "red")
      kind = w;
    else if (w == "popc" || w == "and" || w == "or")
      reduction = w;
    else if (!(w == "u32" && reduction == "popc") && !(w == "pred" && (reduction == "and" || reduction == "or")))
      refuse();
  }
  std::size_t next = 0;
  const std::size_t n = at_->operands.size();
  if (kind == "red") {
    require(n == 3 || n == 4);
    site.kind = reduction == "popc"  ? BarrierSite::Kind::reduce_popc
                : reduction == "and" ? BarrierSite::Kind::reduce_and
                                     : BarrierSite::Kind::reduce_or;
    if (reduction.empty()) refuse();
    site.destination = reduction == "popc" ? destination(operand(0), Type::u32) : predicate_destination(operand(0));
    site.id = source(operand(1), Type::u32);
    if (n == 4) site.count = source(operand(2), Type::u32);
    site.predicate = predicate(operand(n - 1));
  } else if (kind == "sync" || kind == "arrive") {
    require(n >= 1 && n <= 2);
    site.kind = kind == "arrive" ? BarrierSite::Kind::arrive : BarrierSite::Kind::sync;
    site.id = source(operand(next++), Type::u32);
    if (next < n) site.count = source(operand(next), Type::u32);
    require(kind != "arrive" || n == 2);
  } else {
    refuse();
  }
  Op op;
  op.control = Control::barrier;
  op.target = static_cast<std::uint32_t>(code_.barriers.size());
  code_.barriers.push_back(site);
  emit(op, InstrClass::barrier, false);
}

void FunctionDecoder::warp_sync(Handler fn) {
  if (fn == nullptr) refuse();
  const std::string& word = at_->words()[0];
  Op op;
  op.fn = fn;
  op.control = Control::warp_sync;
  const std::size_t n = at_->operands.size();
  require(n >= 1);
  op.e = source(operand(n - 1), Type::u32);
  InstrClass cls = InstrClass::shuffle;
  const auto pair = [&](Type type) {
    const Operand& d = operand(0);
    if (d.kind == Operand::Kind::pair) {
      op.d = destination(d.parts[0], type);
      op.imm = predicate_destination(d.parts[1]);
      op.flags |= op_second;
    } else {
      op.d = destination(d, type);
    }
  };
  if (word == "shfl") {
    require(n == 5);
    op.a = source(operand(1), Type::b32);
    op.b = source(operand(2), Type::u32);
    op.c = source(operand(3), Type::u32);
    const Operand& to = operand(0);
    const Operand& value = to.kind == Operand::Kind::pair ? to.parts[0] : to;
    if (value.kind == Operand::Kind::reg && discarded_[value.index] != 0) op.flags |= op_unused;
    pair(Type::b32);
  } else if (word == "vote") {
    require(n == 3);
    op.a = predicate(operand(1));
    op.d = at_->words().back() == "pred" ? predicate_destination(operand(0)) : destination(operand(0), Type::b32);
  } else if (word == "match") {
    require(n == 3);
    op.a = source(operand(1), at_->words().back() == "b64" ? Type::b64 : Type::b32);
    pair(Type::b32);
  } else if (word == "redux") {
    require(n == 3);
    op.a = source(operand(1), Type::b32);
    op.d = destination(operand(0), Type::b32);
  } else if (word == "elect") {
    require(n == 2);
    pair(Type::b32);
  } else {
    require(n == 1);
    cls = InstrClass::barrier;
  }
  emit(op, cls, false);
}

}  // namespace ww::simt
