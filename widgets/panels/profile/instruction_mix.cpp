// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/instruction_mix.h"
#include <array>
#include <cmath>
#include <string_view>
#include <QCoreApplication>
#include "ptx/syntax.h"
#include "parts/theme/text.h"

namespace ww::widgets {
namespace {

QString mix_tr(const char* text) { return QCoreApplication::translate("InstructionMix", text); }

struct MixKind {
  enum Id {
    integer,
    f32,
    f64,
    f16,
    special,
    conversion,
    predicate,
    load_global,
    store_global,
    shared_memory,
    local_memory,
    constants,
    atomic,
    control,
    barrier,
    shuffle,
    tensor,
    async_copy,
    move,
    rest
  };
  static constexpr std::size_t count = rest + 1;
};

std::array<MixPart, MixKind::count> mix_kinds() {
  return {
      {{mix_tr("Integer"), mix_tr("additions, shifts and logic of whole numbers: mostly addresses and counters"), 0},
       {mix_tr("f32"), mix_tr("arithmetic in single precision"), 0},
       {mix_tr("f64"), mix_tr("arithmetic in double precision"), 0},
       {mix_tr("f16 and bf16"), mix_tr("arithmetic in half precision"), 0},
       {mix_tr("Special functions"), mix_tr("exponentials, logarithms, roots, reciprocals"), 0},
       {mix_tr("Conversions"), mix_tr("from one type to another"), 0},
       {mix_tr("Comparisons"), mix_tr("comparisons, selections, minimum and maximum of predicates"), 0},
       {mix_tr("Global loads"), mix_tr("loads from device memory"), 0},
       {mix_tr("Global stores"), mix_tr("stores to device memory"), 0},
       {mix_tr("Shared memory"), mix_tr("loads and stores of shared memory"), 0},
       {mix_tr("Local memory"), mix_tr("spilled registers, arrays with computed indices"), 0},
       {mix_tr("Constants"), mix_tr("kernel parameters and constants"), 0},
       {mix_tr("Atomics"), mix_tr("atomic operations and reductions on memory"), 0},
       {mix_tr("Control"), mix_tr("jumps, calls, ends"), 0},
       {mix_tr("Barriers and fences"), mix_tr("barriers within a block, memory ordering"), 0},
       {mix_tr("Shuffles"), mix_tr("values exchanged between lanes"), 0},
       {mix_tr("Tensor cores"), mix_tr("matrix products of a warp"), 0},
       {mix_tr("Asynchronous copies"), mix_tr("from global to shared memory without a register"), 0},
       {mix_tr("Moves"), mix_tr("copies of registers, which the assembler removes for the most part"), 0},
       {mix_tr("Other"), mix_tr("everything else"), 0}}};
}

// PTX ISA 8.x, chapter "Instruction Set": by opcode, state space and type.
MixKind::Id kind_of_ptx(std::string_view op) {
  using enum MixKind::Id;
  const auto starts = [&](std::initializer_list<std::string_view> fronts) {
    for (const std::string_view f : fronts)
      if (op.starts_with(f) && (op.size() == f.size() || op[f.size()] == '.')) return true;
    return false;
  };
  const auto has = [&](std::string_view part) { return op.find(part) != std::string_view::npos; };
  if (starts({"mma", "wmma", "wgmma", "tcgen05"})) return tensor;
  if (starts({"cp"})) return async_copy;
  if (starts({"ld", "ldu", "st", "ldmatrix", "stmatrix"})) {
    if (has(".shared") || starts({"ldmatrix", "stmatrix"})) return shared_memory;
    if (has(".local")) return local_memory;
    if (has(".param") || has(".const")) return constants;
    return op.starts_with("ld") ? load_global : store_global;
  }
  if (starts({"atom", "red"})) return atomic;
  if (starts({"bar", "barrier", "membar", "fence", "mbarrier"})) return barrier;
  if (starts({"shfl", "vote", "match", "activemask", "redux"})) return shuffle;
  if (starts({"bra", "brx", "call", "ret", "exit", "trap"})) return control;
  if (starts({"cvt", "cvta"})) return op.starts_with("cvta") ? integer : conversion;
  if (starts({"mov", "prmt"})) return move;
  if (starts({"setp", "selp", "set", "slct"})) return predicate;
  if (has(".pred")) return predicate;
  if (starts({"ex2", "lg2", "sin", "cos", "rcp", "rsqrt", "sqrt", "tanh", "div"}) &&
      (has(".f32") || has(".f16") || has(".f64") || has(".bf16")))
    return special;
  if (has(".f64")) return f64;
  if (has(".f16") || has(".bf16")) return f16;
  if (has(".f32")) return f32;
  if (has(".s16") || has(".u16") || has(".b16") || has(".s32") || has(".u32") || has(".b32") || has(".s64") ||
      has(".u64") || has(".b64"))
    return integer;
  return rest;
}

InstructionMix of_kinds(std::array<MixPart, MixKind::count> parts) {
  InstructionMix mix;
  mix.total = 0;
  for (MixPart& part : parts) {
    mix.total += part.count;
    mix.parts.append(std::move(part));
  }
  return mix;
}

InstructionMix mix_of_text(const std::string& ptx) {
  if (ptx.empty()) return {{}, profile::unknown, mix_tr("it has no PTX")};
  std::array<MixPart, MixKind::count> parts = mix_kinds();
  for (const ptx::Statement& s : ptx::parse(ptx).statements)
    if (s.kind == ptx::Statement::Kind::instruction) ++parts[kind_of_ptx(s.name)].count;
  return of_kinds(std::move(parts));
}

InstructionMix mix_of_simulation(const ProfileView& view) {
  if (!simulated(view)) return {{}, profile::unknown, mix_tr("it was not run on the SIMT machine")};
  std::array<MixPart, MixKind::count> parts = mix_kinds();
  using enum MixKind::Id;
  const auto take = [&](MixKind::Id kind, std::initializer_list<const char*> names) {
    for (const char* name : names) {
      const double n = simulated_of(view, std::string("warp_instructions.") + name);
      if (std::isfinite(n)) parts[kind].count += n;
    }
  };
  take(integer, {"integer"});
  take(f32, {"f32"});
  take(f64, {"f64"});
  take(f16, {"f16"});
  take(special, {"special"});
  take(conversion, {"conversion"});
  take(predicate, {"predicate"});
  take(load_global, {"load_global"});
  take(store_global, {"store_global"});
  take(shared_memory, {"load_shared", "store_shared"});
  take(local_memory, {"load_local", "store_local"});
  take(constants, {"load_const", "load_param"});
  take(atomic, {"atomic"});
  take(control, {"control"});
  take(barrier, {"barrier", "fence"});
  take(shuffle, {"shuffle"});
  take(tensor, {"tensor"});
  take(async_copy, {"async_copy"});
  take(move, {"move"});
  take(rest, {"other"});
  return of_kinds(std::move(parts));
}

struct CounterPart {
  const char *title, *about;
  std::initializer_list<const char*> counters;
};

InstructionMix mix_of_counters(const ProfileView& view, std::initializer_list<CounterPart> list, const char* whole,
                               const QString& missing) {
  if (!has_counters(view))
    return {{},
            profile::unknown,
            view.counters_why_not.empty() ? mix_tr("it has no hardware counters") : qs(view.counters_why_not)};
  InstructionMix mix;
  mix.total = counter_of(view, whole);
  double sum = 0;
  for (const CounterPart& n : list) {
    double count = 0;
    for (const char* counter : n.counters) count += counter_of(view, counter);
    if (!std::isfinite(count)) continue;  // not of this set
    mix.parts.append({mix_tr(n.title), mix_tr(n.about), count});
    sum += count;
  }
  if (mix.parts.isEmpty() || !std::isfinite(mix.total)) return {{}, profile::unknown, missing};
  if (mix.total > sum) mix.parts.append({mix_tr("Other"), mix_tr("everything else"), mix.total - sum});
  return mix;
}

}  // namespace

QString mix_source_title(MixSource source) {
  switch (source) {
    case MixSource::simulated: return mix_tr("Executed by warps (simulated)");
    case MixSource::pipes: return mix_tr("Executed, by unit (measured)");
    case MixSource::operations: return mix_tr("Executed by threads, by kind (measured)");
    case MixSource::written: return mix_tr("Written in the PTX (static)");
  }
  return {};
}

QString mix_provenance(MixSource source) {
  if (source == MixSource::simulated) return QStringLiteral("simulated");
  return source == MixSource::written ? mix_tr("counted in the PTX text") : QStringLiteral("measured");
}

InstructionMix instruction_mix(const ProfileView& view, MixSource source) {
  switch (source) {
    case MixSource::simulated: return mix_of_simulation(view);
    case MixSource::written: return mix_of_text(view.record.verdict ? view.record.verdict->ptx : std::string());
    case MixSource::pipes:
      return mix_of_counters(
          view,
          {{QT_TRANSLATE_NOOP("InstructionMix", "Integer and logic (ALU)"),
            QT_TRANSLATE_NOOP("InstructionMix",
                              "additions, comparisons and logic of whole numbers: mostly addresses and counters"),
            {"smsp__inst_executed_pipe_alu.sum"}},
           {QT_TRANSLATE_NOOP("InstructionMix", "f32 multiply-add (FMA)"),
            QT_TRANSLATE_NOOP("InstructionMix", "single precision, and integer multiplications"),
            {"smsp__inst_executed_pipe_fma.sum"}},
           {QT_TRANSLATE_NOOP("InstructionMix", "f64"),
            QT_TRANSLATE_NOOP("InstructionMix", "double precision"),
            {"smsp__inst_executed_pipe_fp64.sum"}},
           {QT_TRANSLATE_NOOP("InstructionMix", "Special and conversions (XU)"),
            QT_TRANSLATE_NOOP("InstructionMix", "exponentials, roots, reciprocals, conversions of types"),
            {"smsp__inst_executed_pipe_xu.sum"}},
           {QT_TRANSLATE_NOOP("InstructionMix", "Load and store (LSU)"),
            QT_TRANSLATE_NOOP("InstructionMix", "global, local and shared memory, shuffles"),
            {"smsp__inst_executed_pipe_lsu.sum"}},
           {QT_TRANSLATE_NOOP("InstructionMix", "Tensor cores"),
            QT_TRANSLATE_NOOP("InstructionMix", "matrix products of a warp"),
            {"sm__inst_executed_pipe_tensor.sum"}},
           {QT_TRANSLATE_NOOP("InstructionMix", "Branches (CBU)"),
            QT_TRANSLATE_NOOP("InstructionMix", "jumps, ends, meeting of threads that parted"),
            {"smsp__inst_executed_pipe_cbu.sum"}},
           {QT_TRANSLATE_NOOP("InstructionMix", "Address unit (ADU)"),
            QT_TRANSLATE_NOOP("InstructionMix", "barriers, jumps by register"),
            {"smsp__inst_executed_pipe_adu.sum"}},
           {QT_TRANSLATE_NOOP("InstructionMix", "Uniform datapath"),
            QT_TRANSLATE_NOOP("InstructionMix", "what is the same for a whole warp"),
            {"smsp__inst_executed_pipe_uniform.sum"}}},
          "smsp__inst_executed.sum", mix_tr("the counters of units are missing"));
    case MixSource::operations:
      return mix_of_counters(view,
                             {{QT_TRANSLATE_NOOP("InstructionMix", "f32"),
                               QT_TRANSLATE_NOOP("InstructionMix", "arithmetic in single precision"),
                               {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
                                "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
                                "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"}},
                              {QT_TRANSLATE_NOOP("InstructionMix", "f64"),
                               QT_TRANSLATE_NOOP("InstructionMix", "arithmetic in double precision"),
                               {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum",
                                "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum",
                                "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum"}},
                              {QT_TRANSLATE_NOOP("InstructionMix", "f16 and bf16"),
                               QT_TRANSLATE_NOOP("InstructionMix", "arithmetic in half precision"),
                               {"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum",
                                "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum",
                                "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum"}},
                              {QT_TRANSLATE_NOOP("InstructionMix", "Integer"),
                               QT_TRANSLATE_NOOP("InstructionMix", "whole numbers: mostly addresses and counters"),
                               {"smsp__sass_thread_inst_executed_op_integer_pred_on.sum"}},
                              {QT_TRANSLATE_NOOP("InstructionMix", "Bits and shifts"),
                               QT_TRANSLATE_NOOP("InstructionMix", "logic of whole numbers"),
                               {"smsp__sass_thread_inst_executed_op_bit_pred_on.sum"}},
                              {QT_TRANSLATE_NOOP("InstructionMix", "Conversions"),
                               QT_TRANSLATE_NOOP("InstructionMix", "from one type to another"),
                               {"smsp__sass_thread_inst_executed_op_conversion_pred_on.sum"}},
                              {QT_TRANSLATE_NOOP("InstructionMix", "Memory"),
                               QT_TRANSLATE_NOOP("InstructionMix", "loads, stores and atomics"),
                               {"smsp__sass_thread_inst_executed_op_memory_pred_on.sum"}},
                              {QT_TRANSLATE_NOOP("InstructionMix", "Control"),
                               QT_TRANSLATE_NOOP("InstructionMix", "jumps and barriers"),
                               {"smsp__sass_thread_inst_executed_op_control_pred_on.sum"}}},
                             "smsp__thread_inst_executed_pred_on.sum",
                             mix_tr("not in the small set of counters: count the full set"));
  }
  return {};
}

}  // namespace ww::widgets
