// SPDX-License-Identifier: Apache-2.0
#include "search/team.h"
#include <fmt/format.h>

namespace ww::search {

using op::ReduceOp;
using op::Type;

namespace {

const char* word(ReduceOp op) {
  static constexpr const char* words[] = {"sum", "product", "max", "min", "argmax", "argmin", "any", "all"};
  return words[static_cast<int>(op)];
}

std::string warp_helper(Emitter& e, ReduceOp op, Type type) {
  const std::string t = e.type_name(type), name = std::string("warp_") + word(op);
  if (type == Type::boolean) {
    e.kernel().source().helper(
        name, fmt::format(
                  "// A vote of the 32 lanes.\n__device__ bool {0}(bool v) {{ return __{1}_sync(0xffffffffu, v); }}\n",
                  name, word(op)));
    return name;
  }
  e.kernel().source().helper(
      name + t,
      fmt::format("// Butterfly over the 32 lanes of a warp: after 5 exchanges every lane holds the {}.\n"
                  "__device__ {} {}({} v) {{\n  for (int step = 16; step > 0; step /= 2) {}\n  return v;\n}}\n",
                  word(op), t, name, t,
                  combine_statement(e, op, type, "v", {"__shfl_xor_sync(0xffffffffu, v, step)", primary, 64})));
  return name;
}

std::string block_helper(Emitter& e, ReduceOp op, Type type) {
  const std::string t = e.type_name(type), warp = warp_helper(e, op, type), name = std::string("block_") + word(op);
  e.kernel().source().helper(
      name + t, fmt::format("// Every warp reduces with shuffles, the warps' results meet in shared memory, and every "
                            "warp reduces those.\n"
                            "__device__ {0} {1}({0} v) {{\n"
                            "  __shared__ {0} partial[32];\n"
                            "  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;\n"
                            "  v = {2}(v);\n"
                            "  __syncthreads();  // the call before may still be reading\n"
                            "  if (lane == 0) partial[warp] = v;\n"
                            "  __syncthreads();\n"
                            "  return {2}(lane < warps ? partial[lane] : {3});\n}}\n",
                            t, name, warp, identity_of(e, op, type)));
  return name;
}

std::string tree_helper(Emitter& e, ReduceOp op, Type type, const std::string& block) {
  const std::string t = e.type_name(type), name = std::string("block_") + word(op) + "_tree";
  e.kernel().source().helper(name + t, fmt::format("// Tree in shared memory: half of the threads add the other half's "
                                                   "values, then a quarter, … log2({3}) steps.\n"
                                                   "__device__ {0} {1}({0} v) {{\n"
                                                   "  __shared__ {0} partial[{3}];\n"
                                                   "  partial[threadIdx.x] = v;\n"
                                                   "  __syncthreads();\n"
                                                   "  for (int half = {3} / 2; half > 0; half /= 2) {{\n"
                                                   "    if (threadIdx.x < half) {2}\n"
                                                   "    __syncthreads();\n"
                                                   "  }}\n"
                                                   "  v = partial[0];\n"
                                                   "  __syncthreads();  // all have read before the next call writes\n"
                                                   "  return v;\n}}\n",
                                                   t, name,
                                                   combine_statement(e, op, type, "partial[threadIdx.x]",
                                                                     {"partial[threadIdx.x + half]", primary, 64}),
                                                   block));
  return name;
}

}  // namespace

void join_fields(Source& source, Team team, const std::string& name, const std::string& about,
                 const std::vector<Field>& fields, const std::string& combine) {
  std::string params, args, others, declare, put, get;
  for (const Field& f : fields) {
    const std::string comma = params.empty() ? "" : ", ";
    params += comma + f.type + "& " + f.name;
    args += comma + f.name;
    others += fmt::format("    const {0} other_{1} = __shfl_xor_sync(0xffffffffu, {1}, step);\n", f.type, f.name);
    declare += fmt::format("  __shared__ {0} {1}_of[32];\n", f.type, f.name);
    put += fmt::format("    {0}_of[warp] = {0};\n", f.name);
    get += fmt::format("  {0} = lane < warps ? {0}_of[lane] : {1};\n", f.name, f.identity);
  }
  source.helper(
      "warp_" + name,
      fmt::format(
          "// {}: pairs of lanes merge what they hold until every lane has all of it.\n__device__ void warp_{}({}) {{\n"
          "  for (int step = 16; step > 0; step /= 2) {{\n{}{}  }}\n}}\n",
          about, name, params, others, combine));
  if (team != Team::block) return;
  source.helper("block_" + name,
                fmt::format("// The warps' results meet in shared memory, and every warp merges those.\n__device__ "
                            "void block_{0}({1}) {{\n{2}"
                            "  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;\n"
                            "  warp_{0}({3});\n  __syncthreads();  // the call before may still be reading\n  if (lane "
                            "== 0) {{\n{4}  }}\n  __syncthreads();\n{5}  warp_{0}({3});\n}}\n",
                            name, params, declare, args, put, get));
}

void join_team(Emitter& emitter, Team team, const Accumulator& a, const std::string& block, bool tree) {
  if (team == Team::thread) return;
  Kernel& k = emitter.kernel();
  const ReduceOp op = a.node->reduce;
  const Type type = accumulator_type(*a.node);
  if (a.positional()) {
    const std::string name = word(op), t = emitter.type_name(type);
    const std::string better = op == ReduceOp::argmax ? ">" : "<";
    join_fields(k.source(), team, name,
                op == ReduceOp::argmax ? "Largest value and the lowest place that has it"
                                       : "Smallest value and the lowest place that has it",
                {{t, "value", identity_of(emitter, op, type)}, {"long long", "place", "-1"}},
                fmt::format("    if (other_place >= 0 && (place < 0 || other_value {0} value || (other_value == value "
                            "&& other_place < place))) {{\n"
                            "      value = other_value;\n      place = other_place;\n    }}\n",
                            better));
    k.line(fmt::format("{}_{}({}, {});", team == Team::warp ? "warp" : "block", name, a.value, a.at));
    return;
  }
  const std::string name = team == Team::warp ? warp_helper(emitter, op, type)
                           : tree             ? tree_helper(emitter, op, type, block)
                                              : block_helper(emitter, op, type);
  k.line(a.value + " = " + name + "(" + a.value + ");");
}

}  // namespace ww::search
