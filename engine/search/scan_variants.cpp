// SPDX-License-Identifier: Apache-2.0
// Prefix reductions along one dimension, forward or reverse, with or without the element itself.
#include <fmt/format.h>
#include <algorithm>
#include "op/parse.h"
#include "op/walk.h"
#include "search/emit.h"
#include "search/families.h"
#include "search/group_lowering.h"
#include "search/team.h"
#include "search/terms.h"

namespace ww::search {

using op::ReduceOp;
using op::Type;

namespace {

enum class Form : std::uint8_t { thread, warp, steps, chunks, levels };

class ScanLowering : GroupLowering {
 public:
  ScanLowering(Source& source, const Group& group, const std::set<std::string>& kept, Kernel& kernel)
      : GroupLowering(source, group, kept, kernel), scan_(*scan_of(group.equations[0])) {
    for (const Index& i : group.rows)
      if (i.name != scan_.position) outer_.push_back(i);
    for (const Index& i : group.equations[0].indices)
      if (i.name == scan_.position) position_ = i;
    type_ = accumulator_type(*scan_.reduce);
    identity_ = identity_of(e_, scan_.reduce->reduce, type_);
  }

  void run(Form form) {
    switch (form) {
      case Form::thread: by_thread(); break;
      case Form::warp: by_warp(); break;
      case Form::steps: by_steps(); break;
      case Form::chunks: by_chunks(); break;
      case Form::levels: by_levels(); break;
    }
  }

 private:
  std::string join(const std::string& a, const std::string& b) const {
    return combined(e_, scan_.reduce->reduce, type_, a, b);
  }
  std::string length() { return e_.subscript(position_.hi, sum_strength); }
  std::string rows() const { return op::print(*extent(outer_)); }
  std::string type() const { return e_.type_name(type_); }

  void begin() { e_.name_sizes(group_.equations); }

  // The place in the row of the step-th element of the scan.
  void bind_place(const std::string& step) {
    e_.bind(position_);
    const std::string p = e_.index(position_.name);
    e_.bind(scan_.along, p);
    const std::string code =
        scan_.reverse ? length() + " - 1 - " + (step.find(' ') == std::string::npos ? step : "(" + step + ")") : step;
    if (code != p) k_.line(fmt::format("const {} {} = {};", source_.index_type(), p, code));
  }

  // Element of the scan at the bound place. A condition that the scan's own bound makes is dropped: it is what a scan
  // is.
  std::string term() {
    const Expr& r = *scan_.reduce;
    const Code body = type_ == Type::real ? e_.real(*r.args[0]) : e_.emit(*r.args[0]);
    if (r.args.size() == 1 || uses(*r.args[1], scan_.position)) return body.text;
    return e_.emit(*r.args[1]).at(disjunction) + " ? " + body.at(choice + 1) + " : " + identity_;
  }

  void output(const std::string& value) {
    e_.replaced[scan_.reduce] = value;
    finish_equations(e_, group_, kept_, locals_);
    locals_.clear();
  }

  void by_thread() {
    const std::string block = source_.tune("BLOCK", {128, 64, 256});
    k_.launch(fmt::format("ceildiv({}, {})", rows(), block), block);
    begin();
    bind_row(outer_, fmt::format("blockIdx.x * {} + threadIdx.x", block), true);
    const std::string running = k_.fresh("running"), step = step_name("step");
    k_.line(fmt::format("{} {} = {};", type(), running, identity_));
    k_.open(fmt::format("for ({0} {1} = 0; {1} < {2}; ++{1}) {{", source_.index_type(), step, length()));
    bind_place(step);
    if (scan_.exclusive) output(running);
    k_.line(fmt::format("{} = {};", running, join(running, bracketed(term()))));
    if (!scan_.exclusive) output(running);
    k_.close();
  }

  static std::string bracketed(const std::string& text) {
    return text.find(' ') == std::string::npos || text.back() == ']' ? text : "(" + text + ")";
  }

  // A forward scan's step is the place itself.
  std::string step_name(const std::string& wanted) {
    return scan_.reverse ? k_.fresh_inside(wanted) : k_.index(position_.name);
  }

  std::string warp_scan() {
    const std::string name = std::string("warp_scan_") + std::string(word());
    source_.helper(name + type(), fmt::format("// Inclusive scan over the lanes of a warp: after each step a lane "
                                              "holds twice as many elements up to its own (Hillis and Steele 1986).\n"
                                              "__device__ {0} {1}({0} v) {{\n  const int lane = threadIdx.x % 32;\n  "
                                              "for (int step = 1; step < 32; step *= 2) {{\n"
                                              "    const {0} before = __shfl_up_sync(0xffffffffu, v, step);\n    if "
                                              "(lane >= step) v = {2};\n  }}\n  return v;\n}}\n",
                                              type(), name, join("before", "v")));
    return name;
  }

  std::string_view word() const {
    static constexpr std::string_view words[] = {"sum", "product", "max", "min"};
    return words[static_cast<int>(scan_.reduce->reduce)];
  }

  void by_warp() {
    const std::string warps = source_.tune("WARPS", {4, 8, 2, 1}), scan = warp_scan(), t = source_.index_type();
    k_.launch(fmt::format("ceildiv({}, {})", rows(), warps), "32, " + warps);
    begin();
    const std::string lane = k_.fresh("lane");
    k_.line(fmt::format("const int {} = threadIdx.x;", lane));
    bind_row(outer_, fmt::format("blockIdx.x * {} + threadIdx.y", warps), true);
    const std::string carry = k_.fresh("carry"), first = k_.fresh_inside("first"), value = k_.fresh_inside("value"),
                      step = step_name("step");
    k_.line(fmt::format("{} {} = {};", type(), carry, identity_));
    k_.open(fmt::format("for ({0} {1} = 0; {1} < {2}; {1} += 32) {{", t, first, length()));
    k_.line(fmt::format("const {} {} = {} + {};", t, step, first, lane));
    k_.line(fmt::format("{} {} = {};", type(), value, identity_));
    k_.open(fmt::format("if ({} < {}) {{", step, length()));
    bind_place(step);
    k_.line(fmt::format("{} = {};", value, term()));
    k_.close();
    k_.line(fmt::format("{} = {};", value, join(carry, scan + "(" + value + ")")));
    std::string result = value;
    if (scan_.exclusive) {
      const std::string before = k_.fresh("before");
      k_.comment("Without the element itself: what the lane before has; the first lane takes what was carried here.");
      k_.line(fmt::format("{} {} = __shfl_up_sync(0xffffffffu, {}, 1);", type(), before, value));
      k_.line(fmt::format("if ({} == 0) {} = {};", lane, before, carry));
      result = before;
    }
    k_.line(fmt::format("{} = __shfl_sync(0xffffffffu, {}, 31);", carry, value));
    k_.open(fmt::format("if ({} < {}) {{", step, length()));
    bind_place(step);
    output(result);
    k_.close();
    k_.close();
  }

  // Block per row, Hillis-Steele in shared memory with two buffers.
  void by_steps() {
    const std::string block = source_.tune("BLOCK", {256, 128, 512}), t = source_.index_type();
    k_.launch(rows(), block);
    begin();
    bind_row(outer_, "blockIdx.x", false);
    const std::string buffer = k_.fresh("buffer"), carry = k_.fresh("carry"), first = k_.fresh_inside("first"),
                      step = step_name("step"), from = k_.fresh_inside("from"), width = k_.fresh_inside("width");
    k_.line(fmt::format("__shared__ {} {}[2][{}];", type(), buffer, block));
    k_.line(fmt::format("{} {} = {};", type(), carry, identity_));
    k_.open(fmt::format("for ({0} {1} = 0; {1} < {2}; {1} += {3}) {{", t, first, length(), block));
    k_.line(fmt::format("const {} {} = {} + threadIdx.x;", t, step, first));
    k_.line(fmt::format("int {} = 0;", from));
    const std::string value = k_.fresh("value");
    k_.line(fmt::format("{} {} = {};", type(), value, identity_));
    k_.open(fmt::format("if ({} < {}) {{", step, length()));
    bind_place(step);
    k_.line(fmt::format("{} = {};", value, term()));
    k_.close();
    k_.line(fmt::format("{}[0][threadIdx.x] = {};", buffer, value));
    k_.barrier();
    k_.comment("Each step reads one buffer and writes the other, so one barrier per step is enough.");
    k_.open(fmt::format("for (int {0} = 1; {0} < {1}; {0} *= 2) {{", width, block));
    k_.line(fmt::format("{0} here = {1}[{2}][threadIdx.x];", type(), buffer, from));
    k_.line(fmt::format("if (threadIdx.x >= {0}) here = {1};", width,
                        join(fmt::format("{}[{}][threadIdx.x - {}]", buffer, from, width), "here")));
    k_.line(fmt::format("{} = 1 - {};", from, from));
    k_.line(fmt::format("{}[{}][threadIdx.x] = here;", buffer, from));
    k_.barrier();
    k_.close();
    k_.open(fmt::format("if ({} < {}) {{", step, length()));
    bind_place(step);
    if (scan_.exclusive)
      k_.line(fmt::format("const {} result = threadIdx.x == 0 ? {} : {};", type(), carry,
                          join(carry, fmt::format("{}[{}][threadIdx.x - 1]", buffer, from))));
    else
      k_.line(
          fmt::format("const {} result = {};", type(), join(carry, fmt::format("{}[{}][threadIdx.x]", buffer, from))));
    output("result");
    k_.close();
    k_.line(fmt::format("{} = {};", carry, join(carry, fmt::format("{}[{}][{} - 1]", buffer, from, block))));
    k_.line("__syncthreads();  // the next round overwrites the buffers");
    k_.close();
  }

  // Helper: exclusive scan over the block's threads, and the total.
  std::string block_scan() {
    const std::string scan = warp_scan(), name = std::string("block_scan_") + std::string(word());
    source_.helper(
        name + type(),
        fmt::format("// What all threads before this one hold, joined; `total` becomes what all threads hold. Warps "
                    "scan their lanes, then each warp takes in\n"
                    "// what the warps before it hold.\n"
                    "__device__ {0} {1}({0} v, {0}& total) {{\n  __shared__ {0} of_warp[32];\n"
                    "  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;\n"
                    "  const {0} inclusive = {2}(v);\n  {0} before = __shfl_up_sync(0xffffffffu, inclusive, 1);\n  if "
                    "(lane == 0) before = {3};\n"
                    "  __syncthreads();  // the call before may still be reading\n  if (lane == 31) of_warp[warp] = "
                    "inclusive;\n  __syncthreads();\n"
                    "  {0} warps_before = {3};\n  total = {3};\n  for (int w = 0; w < warps; ++w) {{\n    if (w == "
                    "warp) warps_before = total;\n    total = {4};\n  }}\n"
                    "  return {5};\n}}\n",
                    type(), name, scan, identity_, join("total", "of_warp[w]"), join("warps_before", "before")));
    return name;
  }

  void by_chunks() {
    const std::int64_t n = program_.estimate(position_.hi, 256);
    const std::string block = source_.tune("BLOCK", n <= 512 ? std::vector<std::int64_t>{64, 32, 128}
                                                             : std::vector<std::int64_t>{128, 64, 256});
    const std::string items = source_.tune("ITEMS", {4, 8, 2}), t = source_.index_type(), scan = block_scan();
    k_.launch(rows(), block);
    begin();
    bind_row(outer_, "blockIdx.x", false);
    const std::string carry = k_.fresh("carry"), first = k_.fresh_inside("first"), item = k_.fresh_inside("item"),
                      step = step_name("step");
    k_.line(fmt::format("{} {} = {};", type(), carry, identity_));
    k_.open(fmt::format("for ({0} {1} = 0; {1} < {2}; {1} += {3} * {4}) {{", t, first, length(), block, items));
    const std::string values = k_.fresh("values"), own = k_.fresh("own"), total = k_.fresh("total"),
                      running = k_.fresh("running"), start = k_.fresh("start");
    k_.line(fmt::format("const {} {} = {} + threadIdx.x * {};", t, start, first, items));
    k_.line(fmt::format("{} {}[{}];", type(), values, items));
    k_.line(fmt::format("{} {} = {};", type(), own, identity_));
    k_.line("#pragma unroll");
    k_.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", item, items));
    k_.line(fmt::format("const {} {} = {} + {};", t, step, start, item));
    k_.line(fmt::format("{}[{}] = {};", values, item, identity_));
    k_.open(fmt::format("if ({} < {}) {{", step, length()));
    bind_place(step);
    k_.line(fmt::format("{}[{}] = {};", values, item, term()));
    k_.close();
    k_.line(fmt::format("{} = {};", own, join(own, values + "[" + item + "]")));
    k_.close();
    k_.line(fmt::format("{} {};", type(), total));
    k_.line(fmt::format("const {} before_block = {}({}, {});", type(), scan, own, total));
    k_.line(fmt::format("{} {} = {};", type(), running, join(carry, "before_block")));
    k_.line("#pragma unroll");
    k_.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", item, items));
    k_.line(fmt::format("const {} {} = {} + {};", t, step, start, item));
    const std::string before = k_.fresh("before");
    if (scan_.exclusive) k_.line(fmt::format("const {} {} = {};", type(), before, running));
    k_.line(fmt::format("{} = {};", running, join(running, values + "[" + item + "]")));
    k_.open(fmt::format("if ({} < {}) {{", step, length()));
    bind_place(step);
    output(scan_.exclusive ? before : running);
    k_.close();
    k_.close();
    k_.line(fmt::format("{} = {};", carry, join(carry, total)));
    k_.close();
  }

  // Three launches: each block reduces a chunk, one thread per row scans the chunks, each block scans its chunk from
  // there.
  void by_levels() {
    const std::string block = source_.tune("BLOCK", {128, 64, 256}), t = source_.index_type();
    const DType dtype = type_ == Type::real ? (program_.f64 ? DType::f64 : DType::f32) : DType::i64;
    const std::string n = op::print(*position_.hi), chunks = fmt::format("ceildiv({}, {})", n, block);
    const std::string sums =
        source_.scratch(source_.identifier(group_.equations[0].target) + "_chunks", dtype, {rows(), chunks});
    const auto head = [&](ScanLowering& s) {
      s.begin();
      s.k_.line(fmt::format("const int chunk = blockIdx.x, chunks = ({} + {} - 1) / {};",
                            s.e_.subscript(position_.hi, sum_strength), block, block));
      s.bind_row(outer_, "blockIdx.y", false);
    };
    const auto row = [&](ScanLowering& s) {
      ExprPtr flat = op::integer_literal(0);
      for (const Index& i : outer_) flat = add(mul(flat, extent(i)), sub(op::name_of(i.name, op::Role::index), i.lo));
      return s.e_.subscript(flat, product_strength + 1);
    };
    source_.require(rows() + " <= 65535");
    k_.launch(chunks + ", " + rows(), block);
    head(*this);
    const std::string value = k_.fresh("value"), step = scan_.reverse ? k_.fresh("step") : k_.index(position_.name);
    k_.line(fmt::format("const {} {} = chunk * {} + threadIdx.x;", t, step, block));
    k_.line(fmt::format("{} {} = {};", type(), value, identity_));
    k_.open(fmt::format("if ({} < {}) {{", step, length()));
    bind_place(step);
    k_.line(fmt::format("{} = {};", value, term()));
    k_.close();
    Accumulator a;
    a.node = scan_.reduce;
    a.value = value;
    join_team(e_, Team::block, a, block);
    k_.line(
        fmt::format("if (threadIdx.x == 0) {}[{} * chunks + chunk] = {};", k_.tensor(sums, true), row(*this), value));

    Kernel& middle = source_.kernel(k_.name() + "_chunks");
    middle.about("One thread per row turns the chunks' results into the prefix before each chunk.");
    middle.launch(fmt::format("ceildiv({}, 64)", rows()), "64");
    ScanLowering m(source_, group_, kept_, middle);
    middle.line(fmt::format("const {} row_number = blockIdx.x * 64 + threadIdx.x;", t));
    middle.line(fmt::format("if (row_number >= {}) return;",
                            outer_.empty() ? "1" : m.e_.subscript(extent(outer_), sum_strength)));
    middle.line(fmt::format("const int chunks = ({} + {} - 1) / {};", m.e_.subscript(position_.hi, sum_strength), block,
                            block));
    middle.line(fmt::format("{} running = {};", type(), identity_));
    middle.open("for (int chunk = 0; chunk < chunks; ++chunk) {");
    middle.line(fmt::format("const {} here = {}[row_number * chunks + chunk];", type(), middle.tensor(sums, true)));
    middle.line(fmt::format("{}[row_number * chunks + chunk] = running;", middle.tensor(sums, true)));
    middle.line(fmt::format("running = {};", join("running", "here")));
    middle.close();

    Kernel& last = source_.kernel(k_.name() + "_finish");
    last.about("Each block scans its chunk, after adding the prefix before it.");
    last.launch(chunks + ", " + rows(), block);
    ScanLowering l(source_, group_, kept_, last);
    head(l);
    const std::string scan = l.block_scan(), lstep = scan_.reverse ? last.fresh("step") : last.index(position_.name);
    last.line(fmt::format("const {} {} = chunk * {} + threadIdx.x;", t, lstep, block));
    last.line(fmt::format("{} value = {};", type(), l.identity_));
    last.open(fmt::format("if ({} < {}) {{", lstep, l.length()));
    l.bind_place(lstep);
    last.line(fmt::format("value = {};", l.term()));
    last.close();
    last.line(fmt::format("{} total;", type()));
    last.line(fmt::format("const {} in_block = {}(value, total);", type(), scan));
    last.open(fmt::format("if ({} < {}) {{", lstep, l.length()));
    l.bind_place(lstep);
    last.line(fmt::format("const {} before = {};", type(),
                          join(fmt::format("{}[{} * chunks + chunk]", last.tensor(sums, false), row(l)), "in_block")));
    if (scan_.exclusive) {
      l.output("before");
    } else {
      last.line(fmt::format("const {} result = {};", type(), join("before", "value")));
      l.output("result");
    }
    last.close();
  }

  const Scan scan_;
  std::vector<Index> outer_;
  Index position_;
  Type type_ = Type::real;
  std::string identity_;
};

}  // namespace

std::vector<Variant> scan_variants(const Program&, const Group&) {
  return {
      variant_by<ScanLowering>(
          "scan-warp", "One warp per row, scans by shuffles",
          "A warp walks along its row 32 elements at a time: a scan over the lanes by shuffles, then the last "
          "lane's result is carried into the next 32.",
          Form::warp),
      variant_by<ScanLowering>(
          "scan-chunks", "One block per row, serial chunks and a scan of their results",
          "Each thread takes a few neighbouring elements and joins them serially; the block scans the "
          "threads' results; each thread then goes through its own elements again from "
          "registers. Work close to the serial minimum, with few barriers.",
          Form::chunks),
      variant_by<ScanLowering>(
          "scan-thread", "One thread per row, serial",
          "One thread runs along one row. The least work of all forms; parallel only over rows, and the loads "
          "of a warp lie a row apart.",
          Form::thread),
      variant_by<ScanLowering>(
          "scan-steps", "One block per row, Hillis-Steele in shared memory",
          "The step-doubling scan in shared memory: log2(BLOCK) steps of BLOCK additions. Simple and with "
          "little latency, at the price of more additions than needed.",
          Form::steps),
      variant_by<ScanLowering>(
          "scan-levels", "Two levels: chunks over the whole grid, three launches",
          "Rows are cut into chunks that different blocks reduce; a small kernel scans the chunks' results; a "
          "last kernel scans each chunk on top. The only form that spreads one long "
          "row over many blocks.",
          Form::levels),
  };
}

}  // namespace ww::search
