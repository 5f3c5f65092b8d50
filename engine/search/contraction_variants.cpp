// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>
#include "op/parse.h"
#include "op/walk.h"
#include "search/contraction.h"
#include "search/emit.h"
#include "search/families.h"
#include "search/group_lowering.h"
#include "search/row_steps.h"
#include "search/terms.h"

namespace ww::search {

using op::ExprKind;
using op::Type;

namespace {

enum class Form : std::uint8_t { tile, registers, split, blocked };

class ContractionLowering : GroupLowering {
 public:
  ContractionLowering(Source& source, const Group& group, const std::set<std::string>& kept, Kernel& kernel)
      : GroupLowering(source, group, kept, kernel), plan_(*plan_contraction(group)) {}

  void run(Form form) {
    form_ = form;
    sizes();
    const std::string m_total = op::print(*extent(plan_.m)), n_total = op::print(*extent(plan_.n)),
                      batch = op::print(*extent(plan_.batch));
    const std::string z = form == Form::split ? (plan_.batch.empty() ? splits_ : batch + " * " + splits_) : batch;
    k_.launch(fmt::format("ceildiv({}, {}), ceildiv({}, {}), {}", n_total, tile_n_, m_total, tile_m_, z),
              fmt::format("{}, {}", threads_n_, threads_m_));
    if (!plan_.batch.empty()) source_.require(z + " <= 65535");
    e_.name_sizes(group_.equations);
    head();
    if (form != Form::blocked) declare_tiles();
    for (const auto& [eq, r] : plan_.sums) {
      sums_[r] = k_.fresh(source_.identifier(eq->target) + "_sum");
      const std::string identity = identity_of(e_, r->reduce, accumulator_type(*r));
      if (identity == e_.literal(0) || identity == "0") {
        k_.line(fmt::format("{} {}{} = {};", e_.type_name(accumulator_type(*r)), sums_[r], per_thread(),
                            single() ? identity : "{}"));
      } else {
        k_.line(fmt::format("{} {}{}{};", e_.type_name(accumulator_type(*r)), sums_[r], per_thread(),
                            single() ? " = " + identity : ""));
        if (!single())
          k_.line(
              fmt::format("for (int mi = 0; mi < {0}; ++mi)\n    for (int nj = 0; nj < {1}; ++nj) {2}[mi][nj] = {3};",
                          micro_m_, micro_n_, sums_[r], identity));
      }
    }
    if (form == Form::blocked)
      walk_direct();
    else
      walk_tiles();
    if (form == Form::split)
      store_partial();
    else
      each_output([&] { epilogue(); });
  }

 private:
  bool single() const { return form_ == Form::tile || form_ == Form::split; }
  std::string per_thread() const { return single() ? "" : fmt::format("[{}][{}]", micro_m_, micro_n_); }

  void sizes() {
    if (form_ == Form::tile || form_ == Form::split) {
      tile_m_ = tile_n_ = tile_k_ = threads_m_ = threads_n_ = source_.tune("TILE", {16, 8, 32});
      micro_m_ = micro_n_ = "1";
      if (form_ == Form::split) {
        const std::int64_t k = program_.estimate(plan_.k);
        splits_ = source_.tune("SPLITS",
                               k >= 512 ? std::vector<std::int64_t>{8, 4, 16, 2} : std::vector<std::int64_t>{4, 2, 8});
      }
      return;
    }
    const std::int64_t m = program_.estimate(plan_.m), n = program_.estimate(plan_.n);
    const auto tiles = [](std::int64_t size) {
      return size >= 256  ? std::vector<std::int64_t>{64, 32, 128}
             : size >= 48 ? std::vector<std::int64_t>{32, 64, 16}
                          : std::vector<std::int64_t>{16, 32, 8};
    };
    if (form_ == Form::registers) {
      tile_m_ = source_.tune("TILE_M", tiles(m));
      tile_n_ = source_.tune("TILE_N", tiles(n));
      tile_k_ = source_.tune("TILE_K", {16, 8, 32});
      micro_m_ = source_.tune("THREAD_M", {4, 2, 8});
      micro_n_ = source_.tune("THREAD_N", {4, 2, 8});
      threads_m_ = tile_m_ + " / " + micro_m_;
      threads_n_ = tile_n_ + " / " + micro_n_;
    } else {
      micro_m_ = source_.tune("THREAD_M", {4, 2, 8});
      micro_n_ = source_.tune("THREAD_N", {4, 2, 8});
      threads_n_ = source_.tune("BLOCK_N", {32, 16});
      threads_m_ = source_.tune("BLOCK_M", {4, 8, 2});
      tile_m_ = threads_m_ + " * " + micro_m_;
      tile_n_ = threads_n_ + " * " + micro_n_;
    }
  }

  void head() {
    const std::string t = source_.index_type();
    m_size_ = size_name(plan_.m, "rows");
    n_size_ = size_name(plan_.n, "columns");
    k_size_ = size_name(plan_.k, "terms");
    if (form_ == Form::split) {
      part_ = k_.fresh("part");
      if (plan_.batch.empty()) {
        k_.line(fmt::format("const int {} = blockIdx.z;", part_));
      } else {
        k_.line(fmt::format("const int {} = blockIdx.z % {};", part_, splits_));
        const std::string flat = flat_name(plan_.batch, "batch");
        k_.line(fmt::format("const {} {} = blockIdx.z / {};", t, flat, splits_));
        bind_flat(flat, plan_.batch);
      }
    } else if (!plan_.batch.empty()) {
      const std::string flat = flat_name(plan_.batch, "batch");
      k_.line(fmt::format("const {} {} = blockIdx.z;", t, flat));
      bind_flat(flat, plan_.batch);
    }
    m0_ = k_.fresh("row0");
    n0_ = k_.fresh("column0");
    const auto bracketed = [](const std::string& s) { return s.find(' ') == std::string::npos ? s : "(" + s + ")"; };
    k_.line(fmt::format("const {} {} = blockIdx.y * {};", t, m0_, bracketed(tile_m_)));
    k_.line(fmt::format("const {} {} = blockIdx.x * {};", t, n0_, bracketed(tile_n_)));
  }

  std::string size_name(const std::vector<Index>& domain, const std::string& wanted) {
    const Code c = e_.emit(*extent(domain), true);
    if (c.strength == primary) return c.text;
    const std::string name = k_.fresh(wanted);
    k_.line(fmt::format("const {} {} = {};", source_.index_type(), name, c.text));
    return name;
  }

  // A domain of one index from 0 is its own flat position.
  std::string flat_name(const std::vector<Index>& domain, const std::string& wanted) {
    return domain.size() == 1 && from_zero(domain[0]) ? k_.index(domain[0].name) : k_.fresh(wanted);
  }
  void bind_flat(const std::string& flat, const std::vector<Index>& domain) { e_.decompose(flat, domain); }

  void declare_tiles() {
    for (const Operand& o : plan_.operands) {
      std::string word = "operand";
      op::for_each(*o.value, [&](const Expr& x) {
        if (x.kind == ExprKind::access && word == "operand") word = source_.identifier(x.name);
      });
      tiles_.push_back(k_.fresh(word + "_tile"));
      // One column more where the store goes down a column: the 32 lanes then hit 32 banks.
      k_.line(fmt::format("__shared__ {} {}[{}][{}{}];", e_.type_name(o.value->type), tiles_.back(), tile_k_,
                          o.left ? tile_m_ : tile_n_, o.along_k ? " + 1" : ""));
    }
  }

  void load_tiles(const std::string& k0, const std::string& k_end) {
    const std::string t = source_.index_type();
    const std::string threads =
        single() ? fmt::format("{0} * {0}", tile_m_) : fmt::format("({}) * ({})", threads_m_, threads_n_);
    for (std::size_t i = 0; i < plan_.operands.size(); ++i) {
      const Operand& o = plan_.operands[i];
      const std::string side = o.left ? tile_m_ : tile_n_;
      const auto& own = o.left ? plan_.m : plan_.n;
      const std::string a = k_.fresh_inside(o.left ? "row" : "column"), kk = k_.fresh_inside("kk"),
                        at = k_.fresh_inside("at");
      if (single()) {
        // As many threads as elements: each copies one.
        k_.open("{");
        k_.line(fmt::format("const int {} = {}, {} = {};", a, o.along_k ? "threadIdx.y" : "threadIdx.x", kk,
                            o.along_k ? "threadIdx.x" : "threadIdx.y"));
      } else {
        k_.open(
            fmt::format("for (int {0} = {1}; {0} < {2} * {3}; {0} += {4}) {{", at, thread_, side, tile_k_, threads));
        if (o.along_k)
          k_.line(fmt::format("const int {} = {} / {}, {} = {} % {};", a, at, tile_k_, kk, at, tile_k_));
        else
          k_.line(fmt::format("const int {} = {} % {}, {} = {} / {};", a, at, side, kk, at, side));
      }
      const std::string own_flat = flat_name(own, o.left ? "m_flat" : "n_flat"), k_flat = flat_name(plan_.k, "k_flat");
      k_.line(fmt::format("const {} {} = {} + {}, {} = {} + {};", t, own_flat, o.left ? m0_ : n0_, a, k_flat, k0, kk));
      const std::string value = k_.fresh("value"), type = e_.type_name(o.value->type);
      const Type vt = o.value->type;
      k_.line(fmt::format("{} {} = {};", type, value, vt == Type::real ? e_.literal(0) : "0"));
      k_.open(fmt::format("if ({} < {} && {} < {}) {{", own_flat, o.left ? m_size_ : n_size_, k_flat, k_end));
      bind_flat(own_flat, own);
      bind_flat(k_flat, plan_.k);
      std::string mask;
      for (const ExprPtr& c : o.left ? plan_.left_masks : plan_.right_masks)
        mask += (mask.empty() ? "" : " && ") + e_.emit(*c).at(equality);
      if (!mask.empty()) k_.open("if (" + mask + ") {");
      const Code v = vt == Type::real ? e_.real(*o.value) : e_.emit(*o.value);
      k_.line(value + " = " + v.text + ";");
      if (!mask.empty()) k_.close();
      k_.close();
      k_.line(fmt::format("{}[{}][{}] = {};", tiles_[i], kk, a, value));
      k_.close();
    }
  }

  void walk_tiles() {
    const std::string t = source_.index_type(), k0 = k_.fresh("k0");
    if (!single()) {
      thread_ = k_.fresh("thread");
      k_.line(fmt::format("const int {} = threadIdx.y * ({}) + threadIdx.x;", thread_, threads_n_));
    }
    std::string begin = "0", end = k_size_;
    if (form_ == Form::split) {
      const std::string share = k_.fresh("share");
      begin = k_.fresh("first");
      end = k_.fresh("last");
      k_.comment("This block's share of the terms, a whole number of tiles.");
      k_.line(fmt::format("const {0} {1} = ({2} + {3} * {4} - 1) / ({3} * {4}) * {4};", t, share, k_size_, splits_,
                          tile_k_));
      k_.line(fmt::format("const {} {} = {} * {}, {} = min({} + {}, {});", t, begin, part_, share, end, begin, share,
                          k_size_));
    }
    k_.open(fmt::format("for ({0} {1} = {2}; {1} < {3}; {1} += {4}) {{", t, k0, begin, end, tile_k_));
    load_tiles(k0, end);
    k_.barrier();
    std::string bound = tile_k_;
    if (!plan_.zero_fills) {
      bound = k_.fresh("here");
      k_.line(fmt::format("const int {} = min({}, {} - {});", bound, tile_k_, end, k0));
    }
    const std::string kk = k_.fresh_inside("kk");
    if (plan_.zero_fills) k_.line("#pragma unroll");
    k_.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", kk, bound));
    if (single()) {
      for (std::size_t i = 0; i < plan_.operands.size(); ++i)
        set_operand(i,
                    fmt::format("{}[{}][{}]", tiles_[i], kk, plan_.operands[i].left ? "threadIdx.y" : "threadIdx.x"));
      accumulate("");
    } else {
      std::vector<std::string> registers;
      for (std::size_t i = 0; i < plan_.operands.size(); ++i) {
        const Operand& o = plan_.operands[i];
        registers.push_back(k_.fresh(o.left ? "left" : "right"));
        k_.line(fmt::format("{} {}[{}];", e_.type_name(o.value->type), registers[i], o.left ? micro_m_ : micro_n_));
        k_.line("#pragma unroll");
        k_.line(o.left ? fmt::format("for (int mi = 0; mi < {0}; ++mi) {1}[mi] = {2}[{3}][threadIdx.y + mi * ({4})];",
                                     micro_m_, registers[i], tiles_[i], kk, threads_m_)
                       : fmt::format("for (int nj = 0; nj < {0}; ++nj) {1}[nj] = {2}[{3}][threadIdx.x + nj * ({4})];",
                                     micro_n_, registers[i], tiles_[i], kk, threads_n_));
      }
      micro_loops([&] {
        for (std::size_t i = 0; i < plan_.operands.size(); ++i)
          set_operand(i, registers[i] + (plan_.operands[i].left ? "[mi]" : "[nj]"));
        accumulate("[mi][nj]");
      });
    }
    k_.close();
    k_.barrier();
    k_.close();
  }

  // Blocks of outputs in registers, operands straight from global memory.
  void walk_direct() {
    e_.open_loops(plan_.k);
    std::vector<std::string> registers;
    for (const Operand& o : plan_.operands) {
      registers.push_back(k_.fresh(o.left ? "left" : "right"));
      const auto& own = o.left ? plan_.m : plan_.n;
      const std::string i = o.left ? "mi" : "nj", count = o.left ? micro_m_ : micro_n_,
                        type = e_.type_name(o.value->type);
      k_.line(fmt::format("{} {}[{}];", type, registers.back(), count));
      k_.line("#pragma unroll");
      k_.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", i, count));
      const std::string flat = flat_name(own, o.left ? "m_flat" : "n_flat");
      k_.line(fmt::format("const {} {} = {};", source_.index_type(), flat, position(o.left)));
      k_.line(fmt::format("{}[{}] = {};", registers.back(), i, o.value->type == Type::real ? e_.literal(0) : "0"));
      k_.open(fmt::format("if ({} < {}) {{", flat, o.left ? m_size_ : n_size_));
      bind_flat(flat, own);
      std::string mask;
      for (const ExprPtr& c : o.left ? plan_.left_masks : plan_.right_masks)
        mask += (mask.empty() ? "" : " && ") + e_.emit(*c).at(equality);
      if (!mask.empty()) k_.open("if (" + mask + ") {");
      k_.line(fmt::format("{}[{}] = {};", registers.back(), i,
                          (o.value->type == Type::real ? e_.real(*o.value) : e_.emit(*o.value)).text));
      if (!mask.empty()) k_.close();
      k_.close();
      k_.close();
    }
    micro_loops([&] {
      for (std::size_t i = 0; i < plan_.operands.size(); ++i)
        set_operand(i, registers[i] + (plan_.operands[i].left ? "[mi]" : "[nj]"));
      accumulate("[mi][nj]");
    });
    e_.close_loops(plan_.k.size());
  }

  void micro_loops(const std::function<void()>& body) {
    k_.line("#pragma unroll");
    k_.open(fmt::format("for (int mi = 0; mi < {}; ++mi) {{", micro_m_));
    k_.line("#pragma unroll");
    k_.open(fmt::format("for (int nj = 0; nj < {}; ++nj) {{", micro_n_));
    body();
    k_.close();
    k_.close();
  }

  // Occurrences of an operand in the sums' bodies stand for `text` from here on.
  void set_operand(std::size_t i, const std::string& text) {
    const std::string printed = op::print(*plan_.operands[i].value);
    for (const auto& [eq, r] : plan_.sums) {
      const auto c = contraction_of(*eq);
      for (const ExprPtr& e : plan_.operands[i].left ? c->left : c->right)
        if (op::print(*e) == printed) e_.replaced[e.get()] = text;
    }
  }

  void accumulate(const std::string& place) {
    for (const auto& [eq, r] : plan_.sums) {
      const Type type = accumulator_type(*r);
      const Code term = type == Type::real ? e_.real(*r->args[0]) : e_.emit(*r->args[0]);
      k_.line(combine_statement(e_, r->reduce, type, sums_[r] + place, term));
    }
  }

  std::string position(bool left) const {
    if (single()) return left ? m0_ + " + threadIdx.y" : n0_ + " + threadIdx.x";
    return left ? fmt::format("{} + threadIdx.y + mi * ({})", m0_, threads_m_)
                : fmt::format("{} + threadIdx.x + nj * ({})", n0_, threads_n_);
  }

  void each_output(const std::function<void()>& body) {
    const std::string t = source_.index_type();
    const std::string m = flat_name(plan_.m, "m_flat"), n = flat_name(plan_.n, "n_flat");
    if (!single()) {
      k_.line("#pragma unroll");
      k_.open(fmt::format("for (int mi = 0; mi < {}; ++mi) {{", micro_m_));
      k_.line("#pragma unroll");
      k_.open(fmt::format("for (int nj = 0; nj < {}; ++nj) {{", micro_n_));
    }
    k_.line(fmt::format("const {} {} = {};", t, m, position(true)));
    k_.line(fmt::format("const {} {} = {};", t, n, position(false)));
    k_.open(fmt::format("if ({} < {} && {} < {}) {{", m, m_size_, n, n_size_));
    bind_flat(m, plan_.m);
    bind_flat(n, plan_.n);
    for (const auto& [eq, r] : plan_.sums) e_.replaced[r] = sums_[r] + (single() ? "" : "[mi][nj]");
    body();
    k_.close();
    if (!single()) {
      k_.close();
      k_.close();
    }
  }

  void epilogue() { finish_equations(e_, group_, kept_, locals_); }

  void store_partial() {
    const Equation& eq = *plan_.sums[0].first;
    // One plane per part, laid out as the result.
    std::vector<std::string> shape{splits_};
    for (const Index& i : eq.indices) shape.push_back(op::print(*extent(i)));
    ExprPtr offset = op::integer_literal(0);
    for (const Index& i : eq.indices)
      offset = add(mul(offset, extent(i)), sub(op::name_of(i.name, op::Role::index), i.lo));
    for (const auto& [sum_eq, r] : plan_.sums) {
      const DType dtype = accumulator_type(*r) == Type::real ? (program_.f64 ? DType::f64 : DType::f32) : DType::i64;
      parts_[r] = source_.scratch(source_.identifier(sum_eq->target) + "_parts", dtype, shape);
    }
    each_output([&] {
      const std::string total = e_.subscript(extent(eq.indices), primary);
      for (const auto& [sum_eq, r] : plan_.sums)
        k_.line(fmt::format("{}[{} * {} + {}] = {};", k_.tensor(parts_[r], true), part_, total,
                            e_.subscript(offset, sum_strength), sums_[r]));
    });
    // The parts of every element, in order: the same sum every time.
    Kernel& second = source_.kernel(k_.name() + "_finish");
    second.about("Adds the parts of every element, then the rest of its equation.");
    const std::string block = "256", t = source_.index_type();
    second.launch(fmt::format("ceildiv({}, {})", op::print(*extent(eq.indices)), block), block);
    ContractionLowering last(source_, group_, kept_, second);
    last.form_ = Form::split;
    last.e_.name_sizes(group_.equations);
    const std::string element = second.fresh("element"), total = last.e_.subscript(extent(eq.indices), sum_strength);
    second.line(fmt::format("const {} {} = {}blockIdx.x * {} + threadIdx.x;", t, element,
                            program_.wide ? "(long long)" : "", block));
    second.line(fmt::format("if ({} >= {}) return;", element, total));
    last.e_.decompose(element, eq.indices);
    for (const auto& [sum_eq, r] : plan_.sums) {
      const Accumulator a = declare_accumulator(last.e_, *r, source_.identifier(sum_eq->target) + "_sum");
      const std::string part = second.fresh("part");
      second.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", part, splits_));
      second.line(combine_statement(last.e_, r->reduce, accumulator_type(*r), a.value,
                                    {fmt::format("{}[{} * {} + {}]", second.tensor(parts_[r], false), part,
                                                 last.e_.subscript(extent(eq.indices), primary), element),
                                     primary, 64}));
      second.close();
      last.e_.replaced[r] = a.result();
    }
    last.epilogue();
  }

  const ContractionPlan plan_;
  Form form_ = Form::tile;
  std::string tile_m_, tile_n_, tile_k_, micro_m_, micro_n_, threads_m_, threads_n_, splits_, part_, thread_;
  std::string m_size_, n_size_, k_size_, m0_, n0_;
  std::vector<std::string> tiles_;
  std::map<const Expr*, std::string> sums_, parts_;
};

}  // namespace

std::vector<Variant> contraction_variants(const Program& program, const Group& group) {
  const auto plan = plan_contraction(group);
  if (!plan) return {};
  std::vector<Variant> out;
  out.push_back(variant_by<ContractionLowering>(
      "contraction-tiled", "Square tiles of both operands in shared memory",
      "A block computes a square of outputs. In rounds, its threads copy one tile of each "
      "operand to shared memory and use it from there: every element that is "
      "loaded from global memory is used TILE times.",
      Form::tile));
  out.push_back(variant_by<ContractionLowering>(
      "contraction-registers", "Shared tiles, a block of outputs in each thread's registers",
      "As with plain tiles, but each thread computes THREAD_M x THREAD_N outputs: per step it "
      "reads THREAD_M + THREAD_N values from shared memory for THREAD_M * "
      "THREAD_N multiply-adds. Shared memory is no longer what limits.",
      Form::registers));
  out.push_back(variant_by<ContractionLowering>(
      "contraction-blocked", "A block of outputs in registers, operands from global memory",
      "Each thread keeps a small block of outputs in registers and reads the operands straight "
      "from global memory, each once for a whole line of its block. No "
      "shared memory and no barriers.",
      Form::blocked));
  out.push_back(variant_by<ContractionLowering>(
      "contraction-split", "Tiles, the terms split over several blocks",
      "The sum is cut into parts that different blocks compute, and a second kernel adds the "
      "parts in a fixed order. More parallel work when the result is small and "
      "the sum is long.",
      Form::split));
  if (!plan->zero_fills) {  // registers and blocks fill what is outside with zeros
    std::erase_if(out, [](const Variant& v) { return v.structure == "contraction-blocked"; });
  }
  for (auto* variants : {mma_variants, wide_variants}) {
    std::vector<Variant> more = variants(program, group);
    out.insert(out.begin() + 1, std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  return out;
}

}  // namespace ww::search
