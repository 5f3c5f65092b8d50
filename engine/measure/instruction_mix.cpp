// SPDX-License-Identifier: Apache-2.0
#include "measure/instruction_mix.h"
#include <array>
#include <cmath>
#include <span>
#include "ptx/syntax.h"

namespace ww::measure {
namespace {

struct MixKind {
  std::string_view name, title, about;
  std::array<std::string_view, 2> simulated;  // counts of the SIMT machine
};
enum class Kind : std::size_t {
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
constexpr MixKind mix_kinds[] = {
    {"integer", "Integer", "additions, shifts and logic of whole numbers: mostly addresses and counters", {"integer"}},
    {"f32", "f32", "arithmetic in single precision", {"f32"}},
    {"f64", "f64", "arithmetic in double precision", {"f64"}},
    {"f16", "f16 and bf16", "arithmetic in half precision", {"f16"}},
    {"special", "Special functions", "exponentials, logarithms, roots, reciprocals", {"special"}},
    {"conversion", "Conversions", "from one type to another", {"conversion"}},
    {"predicate", "Comparisons", "comparisons, selections, minimum and maximum of predicates", {"predicate"}},
    {"load_global", "Global loads", "loads from device memory", {"load_global"}},
    {"store_global", "Global stores", "stores to device memory", {"store_global"}},
    {"shared", "Shared memory", "loads and stores of shared memory", {"load_shared", "store_shared"}},
    {"local", "Local memory", "spilled registers, arrays with computed indices", {"load_local", "store_local"}},
    {"constant", "Constants", "kernel parameters and constants", {"load_const", "load_param"}},
    {"atomic", "Atomics", "atomic operations and reductions on memory", {"atomic"}},
    {"control", "Control", "jumps, calls, ends", {"control"}},
    {"barrier", "Barriers and fences", "barriers within a block, memory ordering", {"barrier", "fence"}},
    {"shuffle", "Shuffles", "values exchanged between lanes", {"shuffle"}},
    {"tensor", "Tensor cores", "matrix products of a warp", {"tensor"}},
    {"async_copy", "Asynchronous copies", "from global to shared memory without a register", {"async_copy"}},
    {"move", "Moves", "copies of registers, which the assembler removes for the most part", {"move"}},
    {"other", "Other", "everything else", {"other"}}};
static_assert(std::size(mix_kinds) == static_cast<std::size_t>(Kind::rest) + 1);

struct CountedPart {
  std::string_view name, title, about;
  std::array<std::string_view, 3> counters;  // those that it is the sum of
};
constexpr CountedPart unit_parts[] = {
    {"alu",
     "Integer and logic (ALU)",
     "additions, comparisons and logic of whole numbers: mostly addresses and counters",
     {"smsp__inst_executed_pipe_alu.sum"}},
    {"fma",
     "f32 multiply-add (FMA)",
     "single precision, and integer multiplications",
     {"smsp__inst_executed_pipe_fma.sum"}},
    {"fp64", "f64", "double precision", {"smsp__inst_executed_pipe_fp64.sum"}},
    {"xu",
     "Special and conversions (XU)",
     "exponentials, roots, reciprocals, conversions of types",
     {"smsp__inst_executed_pipe_xu.sum"}},
    {"lsu",
     "Other loads and stores (LSU)",
     "shuffles, and what is not counted on its own",
     {"smsp__inst_executed_pipe_lsu.sum"}},
    {"tensor", "Tensor cores", "matrix products of a warp", {"sm__inst_executed_pipe_tensor.sum"}},
    {"cbu", "Branches (CBU)", "jumps, ends, meeting of threads that parted", {"smsp__inst_executed_pipe_cbu.sum"}},
    {"adu", "Address unit (ADU)", "barriers, jumps by register", {"smsp__inst_executed_pipe_adu.sum"}},
    {"uniform", "Uniform datapath", "what is the same for a whole warp", {"smsp__inst_executed_pipe_uniform.sum"}}};
// Parts of a unit's instructions, and of those of no unit that was counted.
struct SplitPart {
  std::string_view of;  // the unit; "other"
  CountedPart part;
};
constexpr SplitPart unit_splits[] = {
    {"lsu", {"load_global", "Global loads", "loads from device memory", {"smsp__inst_executed_op_global_ld.sum"}}},
    {"lsu", {"store_global", "Global stores", "stores to device memory", {"smsp__inst_executed_op_global_st.sum"}}},
    {"lsu", {"load_shared", "Shared loads", "loads from shared memory", {"smsp__inst_executed_op_shared_ld.sum"}}},
    {"lsu", {"store_shared", "Shared stores", "stores to shared memory", {"smsp__inst_executed_op_shared_st.sum"}}},
    {"lsu",
     {"local",
      "Local memory",
      "spilled registers, arrays with computed indices",
      {"smsp__inst_executed_op_local_ld.sum", "smsp__inst_executed_op_local_st.sum"}}},
    {"lsu",
     {"atomic",
      "Atomics",
      "atomic operations and reductions on memory",
      {"smsp__inst_executed_op_global_red.sum", "smsp__inst_executed_op_generic_atom.sum",
       "smsp__inst_executed_op_shared_atom.sum"}}},
    {"other",
     {"branch", "Branches", "jumps; the branch unit itself was not counted", {"smsp__inst_executed_op_branch.sum"}}}};
constexpr CountedPart operation_parts[] = {
    {"f32",
     "f32",
     "arithmetic in single precision",
     {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
      "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"}},
    {"f64",
     "f64",
     "arithmetic in double precision",
     {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum",
      "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum"}},
    {"f16",
     "f16 and bf16",
     "arithmetic in half precision",
     {"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum",
      "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum"}},
    {"integer",
     "Integer",
     "whole numbers: mostly addresses and counters",
     {"smsp__sass_thread_inst_executed_op_integer_pred_on.sum"}},
    {"bit", "Bits and shifts", "logic of whole numbers", {"smsp__sass_thread_inst_executed_op_bit_pred_on.sum"}},
    {"conversion",
     "Conversions",
     "from one type to another",
     {"smsp__sass_thread_inst_executed_op_conversion_pred_on.sum"}},
    {"memory", "Memory", "loads, stores and atomics", {"smsp__sass_thread_inst_executed_op_memory_pred_on.sum"}},
    {"control", "Control", "jumps and barriers", {"smsp__sass_thread_inst_executed_op_control_pred_on.sum"}}};

// PTX ISA 8.x, chapter "Instruction Set": by opcode, state space and type.
Kind kind_of_ptx(std::string_view op) {
  using enum Kind;
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

MixPart part_of(const auto& words, double count) {
  return {std::string(words.name), std::string(words.title), std::string(words.about), count};
}

InstructionMix not_known(MixSource source, std::string why) { return {source, {}, profile::unknown, std::move(why)}; }

InstructionMix mix_of_kinds(MixSource source, std::span<const double> counts) {
  InstructionMix mix{source, {}, 0, {}};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    mix.total += counts[i];
    mix.parts.push_back(part_of(mix_kinds[i], counts[i]));
  }
  return mix;
}

InstructionMix mix_of_text(const CandidateProfile& view) {
  if (!view.record.verdict || view.record.verdict->ptx.empty()) return not_known(MixSource::written, "it has no PTX");
  std::array<double, std::size(mix_kinds)> counts{};
  for (const ptx::Statement& s : ptx::parse(view.record.verdict->ptx).statements)
    if (s.kind == ptx::Statement::Kind::instruction) ++counts[static_cast<std::size_t>(kind_of_ptx(s.name))];
  return mix_of_kinds(MixSource::written, counts);
}

InstructionMix mix_of_simulation(const CandidateProfile& view) {
  if (!simulated(view)) return not_known(MixSource::simulated, "it was not run on the SIMT machine");
  std::array<double, std::size(mix_kinds)> counts{};
  for (std::size_t i = 0; i < counts.size(); ++i)
    for (const std::string_view name : mix_kinds[i].simulated) {
      const double n = simulated_of(view, "warp_instructions." + std::string(name));
      if (std::isfinite(n)) counts[i] += n;
    }
  return mix_of_kinds(MixSource::simulated, counts);
}

InstructionMix mix_of_counters(const CandidateProfile& view, MixSource source, std::span<const CountedPart> list,
                               std::string_view whole, std::string missing) {
  if (!has_counters(view))
    return not_known(source, view.counters_why_not.empty() ? "it has no hardware counters" : view.counters_why_not);
  InstructionMix mix{source, {}, counter_of(view, whole), {}};
  double sum = 0;
  for (const CountedPart& part : list) {
    double count = 0;
    for (const std::string_view counter : part.counters)
      if (!counter.empty()) count += counter_of(view, counter);
    if (!std::isfinite(count)) continue;  // not of this set
    mix.parts.push_back(part_of(part, count));
    sum += count;
  }
  if (mix.parts.empty() || !std::isfinite(mix.total)) return not_known(source, std::move(missing));
  if (mix.total > sum) mix.parts.push_back(part_of(*std::rbegin(mix_kinds), mix.total - sum));
  return mix;
}

// Takes parts with a name of their own out of what a unit executed. Never more than the unit has: counters are read in
// several passes, and kernels with data races differ from one to the next.
void split_units(const CandidateProfile& view, InstructionMix& mix) {
  const bool branch_unit = std::ranges::find(mix.parts, "cbu", &MixPart::kind) != mix.parts.end();
  for (const SplitPart& split : unit_splits) {
    if (split.part.name == "branch" && branch_unit) continue;  // they are in it
    const auto whole = std::ranges::find(mix.parts, split.of, &MixPart::kind);
    double count = 0;
    for (const std::string_view counter : split.part.counters)
      if (!counter.empty()) count += counter_of(view, counter);
    if (whole == mix.parts.end() || !(count > 0) || count > whole->count) continue;
    whole->count -= count;
    mix.parts.insert(whole, part_of(split.part, count));
  }
}

}  // namespace

std::string title_of(MixSource source) {
  switch (source) {
    case MixSource::operations: return "Executed by threads, by kind (measured)";
    case MixSource::pipes: return "Executed, by unit (measured)";
    case MixSource::simulated: return "Executed by warps (simulated)";
    case MixSource::written: return "Written in the PTX (static)";
  }
  return {};
}

Provenance provenance_of(MixSource source) {
  return source == MixSource::simulated ? Provenance::simulated
         : source == MixSource::written ? Provenance::counted
                                        : Provenance::measured;
}

InstructionMix instruction_mix(const CandidateProfile& view, MixSource source) {
  switch (source) {
    case MixSource::operations:
      return mix_of_counters(view, source, operation_parts, "smsp__thread_inst_executed_pred_on.sum",
                             "not in the small set of counters: count the full set");
    case MixSource::pipes: {
      InstructionMix mix =
          mix_of_counters(view, source, unit_parts, "smsp__inst_executed.sum", "the counters of units are missing");
      split_units(view, mix);
      return mix;
    }
    case MixSource::simulated: return mix_of_simulation(view);
    case MixSource::written: return mix_of_text(view);
  }
  return {};
}

InstructionMix instruction_mix(const CandidateProfile& view) {
  InstructionMix mix;
  for (const auto& source : names_of(MixSource()))
    if (mix = instruction_mix(view, source.value); !mix.parts.empty()) break;
  return mix;  // with none, what the last one lacks
}

}  // namespace ww::measure
