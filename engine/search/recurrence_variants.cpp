// SPDX-License-Identifier: Apache-2.0
// Recurrences: one row a thread, one row a block, and, for steps of the form h -> a * h + b, a scan over the steps.
#include <fmt/format.h>
#include <algorithm>
#include "op/parse.h"
#include "op/walk.h"
#include "search/emit.h"
#include "search/families.h"
#include "search/group_lowering.h"
#include "search/recurrence.h"
#include "search/terms.h"

namespace ww::search {

using op::Type;

namespace {

enum class Steps : std::uint8_t { thread, block, scan };

class RecurrenceLowering : GroupLowering {
 public:
  RecurrenceLowering(Source& source, const Group& group, const std::set<std::string>& kept, Kernel& kernel)
      : GroupLowering(source, group, kept, kernel) {
    for (const Index& i : group.equations[0].indices)
      if (i.name == group.carried) steps_ = i;
    e_.read = [this](const Expr& access) { return read(access); };
  }

  void run(Steps form) {
    switch (form) {
      case Steps::thread: by_thread(); break;
      case Steps::block: by_block(); break;
      case Steps::scan: by_scan(); break;
    }
  }

 private:
  std::string rows() const { return op::print(*extent(group_.rows)); }
  Type type_of(const Equation& eq) const {
    return is_real(program_.tensor(eq.target).dtype) ? Type::real : eq.value->type;
  }
  Code value_of(const Equation& eq) { return type_of(eq) == Type::real ? e_.real(*eq.value) : e_.emit(*eq.value); }

  // How many steps away from its own step an access to a tensor of the recurrence is; -1: of another tensor.
  std::int64_t distance(const Expr& access) const {
    for (const Equation& eq : group_.equations)
      for (std::size_t d = 0; eq.target == access.name && d < eq.indices.size(); ++d) {
        std::int64_t shift = 0;
        if (eq.indices[d].name != group_.carried) continue;
        if (!op::shift_of(*access.args[d], group_.carried, &shift)) return -1;
        return shift < 0 ? -shift : shift;
      }
    return -1;
  }
  std::int64_t farthest(const std::string& target) const {
    std::int64_t most = 0;
    for (const Equation& eq : group_.equations)
      for (const Expr* access : accesses(*eq.value, target)) most = std::max(most, distance(*access));
    return most;
  }

  // Values of this step and of the one before are in registers, where a thread has them.
  std::optional<std::string> read(const Expr& access) {
    const auto now = locals_.find(access.name), before = before_.find(access.name);
    if (now != locals_.end() && distance(access) == 0) return now->second;
    if (before != before_.end() && distance(access) == 1) return before->second;
    return std::nullopt;
  }

  void open_steps() {
    e_.bind(steps_);
    const std::string t = e_.index(steps_.name), lo = e_.subscript(steps_.lo),
                      hi = e_.subscript(steps_.hi, sum_strength);
    if (group_.backward)
      k_.open(fmt::format("for ({0} {1} = {2} - 1; {1} >= {3}; --{1}) {{", source_.index_type(), t, hi, lo));
    else
      k_.open(fmt::format("for ({0} {1} = {2}; {1} < {3}; ++{1}) {{", source_.index_type(), t, lo, hi));
  }

  void by_thread() {
    const std::string block = source_.tune("BLOCK", {64, 32, 128, 256});
    k_.launch(fmt::format("ceildiv({}, {})", rows(), block), block);
    e_.name_sizes(group_.equations);
    bind_row(group_.rows, fmt::format("blockIdx.x * {} + threadIdx.x", block), true);
    for (const Equation& eq : group_.equations) {
      if (farthest(eq.target) < 1) continue;
      const Type type = type_of(eq);
      const std::string name = before_[eq.target] = k_.fresh(source_.identifier(eq.target) + "_before");
      k_.line(fmt::format("{} {} = {};", e_.type_name(type), name, type == Type::real ? e_.literal(0) : "0"));
    }
    open_steps();
    for (const Equation& eq : group_.equations) {
      const Type type = type_of(eq);
      const std::string now = e_.local(source_.identifier(eq.target) + "_now", value_of(eq), type);
      locals_[eq.target] = now;
      const bool stored =
          program_.tensor(eq.target).storage != Storage::temp || kept_.count(eq.target) != 0 || farthest(eq.target) > 1;
      if (stored) e_.store(eq.target, eq.at, {now}, type);
    }
    for (const auto& [target, name] : before_) k_.line(name + " = " + locals_.at(target) + ";");
    k_.close();
  }

  void by_block() {
    const std::string block = source_.tune("BLOCK", {128, 64, 256, 512});
    k_.launch(rows(), block);
    e_.name_sizes(group_.equations);
    bind_row(group_.rows, "blockIdx.x", false);
    open_steps();
    for (const Equation& eq : group_.equations) {
      std::vector<Index> inner = group_.inner(eq);
      std::erase_if(inner, [&](const Index& i) { return i.name == group_.carried; });
      if (inner.empty()) {
        k_.open("if (threadIdx.x == 0) {");
      } else {
        const bool single = inner.size() == 1 && from_zero(inner[0]);
        const std::string at = single ? k_.index(inner[0].name) : k_.fresh_inside("element");
        k_.open(fmt::format("for ({0} {1} = threadIdx.x; {1} < {2}; {1} += {3}) {{", source_.index_type(), at,
                            e_.subscript(extent(inner), sum_strength), block));
        e_.decompose(at, inner);
      }
      e_.store(eq.target, eq.at, value_of(eq), type_of(eq));
      k_.close();
      k_.barrier();
    }
    k_.close();
  }

  std::string join_helper() {
    const std::string t = source_.real(), one = e_.literal(1), zero = e_.literal(0);
    source_.helper(
        "steps_before",
        fmt::format(
            "// A pair (a, b) stands for the step h -> a * h + b. On return a and b are all the steps of the threads "
            "before this one,\n// joined, and all_a and all_b those of the whole block.\n"
            "__device__ void steps_before({0}& a, {0}& b, {0}& all_a, {0}& all_b) {{\n"
            "  __shared__ {0} a_of[32], b_of[32];\n"
            "  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;\n"
            "  for (int step = 1; step < 32; step *= 2) {{\n"
            "    const {0} other_a = __shfl_up_sync(0xffffffffu, a, step), other_b = __shfl_up_sync(0xffffffffu, b, "
            "step);\n"
            "    if (lane >= step) {{\n      b = a * other_b + b;\n      a = a * other_a;\n    }}\n  }}\n"
            "  __syncthreads();  // the call before may still be reading\n"
            "  if (lane == 31) {{\n    a_of[warp] = a;\n    b_of[warp] = b;\n  }}\n"
            "  __syncthreads();\n"
            "  {0} before_a = {1}, before_b = {2};\n  all_a = {1};\n  all_b = {2};\n"
            "  for (int w = 0; w < warps; ++w) {{\n"
            "    if (w == warp) {{\n      before_a = all_a;\n      before_b = all_b;\n    }}\n"
            "    all_b = a_of[w] * all_b + b_of[w];\n    all_a = a_of[w] * all_a;\n  }}\n"
            "  a = __shfl_up_sync(0xffffffffu, a, 1);\n  b = __shfl_up_sync(0xffffffffu, b, 1);\n"
            "  if (lane == 0) {{\n    a = {1};\n    b = {2};\n  }}\n"
            "  b = a * before_b + b;\n  a = a * before_a;\n}}\n",
            t, one, zero));
    return "steps_before";
  }

  // The bound place of step number `step`, counted from where the recurrence begins.
  void bind_step(const std::string& step) {
    e_.bind(steps_);
    const std::string t = e_.index(steps_.name);
    const std::string code = group_.backward     ? e_.subscript(steps_.hi, sum_strength) + " - 1 - " + step
                             : from_zero(steps_) ? step
                                                 : e_.subscript(steps_.lo, sum_strength) + " + " + step;
    if (code != t) k_.line(fmt::format("const {} {} = {};", source_.index_type(), t, code));
  }

  void by_scan() {
    const Equation& eq = group_.equations[0];
    const AffineStep affine = *affine_step(group_);
    const std::string block = source_.tune("BLOCK", {128, 64, 256, 32}), items = source_.tune("ITEMS", {4, 2, 8}),
                      t = source_.index_type(), type = source_.real(), join = join_helper();
    k_.launch(rows(), block);
    e_.name_sizes(group_.equations);
    bind_row(group_.rows, "blockIdx.x", false);
    const std::string length = e_.subscript(extent(steps_), sum_strength), carry = k_.fresh("carry"),
                      first = k_.fresh_inside("first"), item = k_.fresh_inside("item"), a = k_.fresh("a"),
                      b = k_.fresh("b"), own_a = k_.fresh("own_a"), own_b = k_.fresh("own_b"),
                      all_a = k_.fresh("all_a"), all_b = k_.fresh("all_b"), start = k_.fresh("start"),
                      step = k_.fresh_inside("step");
    k_.line(fmt::format("{} {} = {};", type, carry, e_.literal(0)));
    k_.open(fmt::format("for ({0} {1} = 0; {1} < {2}; {1} += {3} * {4}) {{", t, first, length, block, items));
    k_.line(fmt::format("const {} {} = {} + threadIdx.x * {};", t, start, first, items));
    k_.line(fmt::format("{0} {1}[{2}], {3}[{2}];", type, a, items, b));
    k_.line(fmt::format("{0} {1} = {2}, {3} = {4}, {5}, {6};", type, own_a, e_.literal(1), own_b, e_.literal(0), all_a,
                        all_b));
    const Items own{.count = items, .item = item, .index = step, .first = start};
    each_item(own, [&] {
      k_.line(fmt::format("{}[{}] = {};", a, item, e_.literal(1)));
      k_.line(fmt::format("{}[{}] = {};", b, item, e_.literal(0)));
      k_.open(fmt::format("if ({} < {}) {{", step, length));
      bind_step(step);
      k_.line(fmt::format("{}[{}] = {};", a, item, e_.real(*affine.factor).text));
      k_.line(fmt::format("{}[{}] = {};", b, item, e_.real(*affine.term).text));
      k_.close();
      k_.line(fmt::format("{0} = {1}[{2}] * {0} + {3}[{2}];", own_b, a, item, b));
      k_.line(fmt::format("{0} = {1}[{2}] * {0};", own_a, a, item));
    });
    k_.line(fmt::format("{}({}, {}, {}, {});", join, own_a, own_b, all_a, all_b));
    const std::string running = k_.fresh("running");
    k_.line(fmt::format("{} {} = {} * {} + {};", type, running, own_a, carry, own_b));
    each_item(own, [&] {
      k_.line(fmt::format("{0} = {1}[{2}] * {0} + {3}[{2}];", running, a, item, b));
      k_.open(fmt::format("if ({} < {}) {{", step, length));
      bind_step(step);
      e_.store(eq.target, eq.at, {running}, Type::real);
      k_.close();
    });
    k_.line(fmt::format("{0} = {1} * {0} + {2};", carry, all_a, all_b));
    k_.close();
  }

  Index steps_;
  std::map<std::string, std::string> before_;  // tensors whose value one step before is in a register
};

bool alone_in_row(const Group& group) {
  return std::all_of(group.equations.begin(), group.equations.end(),
                     [&](const Equation& eq) { return eq.indices.size() == group.rows.size() + 1; });
}

}  // namespace

std::vector<Variant> recurrence_variants(const Program&, const Group& group) {
  std::vector<Variant> out;
  if (alone_in_row(group))
    out.push_back(variant_by<RecurrenceLowering>("recurrence-thread", "One thread per row, step by step",
                                                 "A thread takes its row through all steps and keeps the last value in "
                                                 "a register. The fewest operations; parallel "
                                                 "only over rows.",
                                                 Steps::thread));
  if (affine_step(group))
    out.push_back(variant_by<RecurrenceLowering>(
        "recurrence-scan", "One block per row, the steps joined by a scan",
        "Each step is h -> a * h + b, and two such steps in a row are one of the same form. Threads join a few "
        "neighbouring "
        "steps, the block scans the results, and each thread goes through its own steps again from the right "
        "start (Blelloch: Prefix sums and their applications, 1990). More operations, far fewer in a row.",
        Steps::scan));
  out.push_back(variant_by<RecurrenceLowering>(
      "recurrence-block", "One block per row, step by step",
      "The threads of a block share the elements of a step, with a barrier before the next equation reads them. All "
      "steps are in one launch.",
      Steps::block));
  return out;
}

}  // namespace ww::search
