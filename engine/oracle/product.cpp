// SPDX-License-Identifier: Apache-2.0
// Sums of products of two tensors, in tiles of shared memory. The bound is that of op/contraction.cpp: the operands'
// errors |a| eb + ea (|b| + eb) and the additions' roundings from the sum of the squares of the products. What differs:
// where it finds few distinct values, whose roundings do not cancel, the evaluator takes a bound that grows with the
// number of terms. Here each element has a sequential sum in f32 beside it, and twice that sum's error is taken where
// it is larger than the probabilistic bound (more than five deviations: never of ordinary data), as the rule of plain
// sums has it. A tile whose operands are all multiples of 2^-4, small enough for every partial sum to be a number of
// f32, has no error.
#include <fmt/format.h>
#include <algorithm>
#include <set>
#include "op/program.h"
#include "op/walk.h"
#include "oracle/lowering.h"
#include "oracle/texts.h"

namespace ww::oracle {

using op::BinaryOp;
using op::Expr;
using op::ExprKind;
using op::ExprPtr;
using op::Type;

namespace {

// Whether consecutive terms, rather than consecutive rows, are neighbours in memory.
bool along_terms(const Expr& e, const std::vector<op::Index>& summed) {
  bool along = false;
  op::for_each(e, [&](const Expr& x) {
    if (x.kind != ExprKind::access || x.args.empty()) return;
    const op::NameSet last = op::names_in(*x.args.back());
    for (const op::Index& i : summed) along = along || last.count(i.name) != 0;
  });
  return along;
}

}  // namespace

bool Lowering::product_of(const Step& s, Product* out) const {
  const Expr& e = *s.main;
  if (e.reduce != op::ReduceOp::sum || e.type != Type::real) return false;
  for (const op::Index& i : e.indices)
    if (reads_tensors(*i.lo) || reads_tensors(*i.hi)) return false;
  auto sum = op::group_sum(e, op::FactorOrder::as_written);
  if (!sum) return false;
  out->summed = e.indices;
  out->left = sum->left.masked();
  out->right = sum->right.masked();
  out->outside = std::move(sum->outside);
  out->negative = sum->negative;
  out->roundings = sum->roundings;
  out->truncated = Emitter(tensors_, 0).truncated(e);
  for (const op::Index& i : s.indices) {
    const bool in_left = sum->left.names.count(i.name) != 0, in_right = sum->right.names.count(i.name) != 0;
    (in_left == in_right ? out->batch : in_left ? out->rows : out->columns).push_back(i);
  }
  return !out->rows.empty() && !out->columns.empty();
}

// Whether the evaluator would take care not to compute `e` where no term needs it: op/hoist.cpp.
bool Lowering::may_fail(const Expr& e, const std::map<std::string, std::pair<std::int64_t, std::int64_t>>& ranges,
                        bool padded) const {
  op::Scope scope;
  for (const auto& [name, range] : ranges) scope[name] = {name, range.first, range.second};
  std::int64_t first = 0, last = 0;
  if (e.kind == ExprKind::padded) return may_fail(*e.args[0], ranges, true) || may_fail(*e.args[1], ranges);
  if (e.kind == ExprKind::reduce) return true;
  if (e.kind == ExprKind::access && !padded) {
    const Tensor& t = tensors_.at(e.name);
    for (std::size_t k = 0; k < e.args.size(); ++k) {
      const auto size = number(*t.shape[k]);
      if (!size || !op::interval(*e.args[k], scope, known_, &first, &last) || first < 0 || last >= *size) return true;
    }
  }
  if (e.type == Type::integer && e.kind == ExprKind::binary &&
      (e.binary == BinaryOp::div || e.binary == BinaryOp::mod) &&
      (!op::interval(*e.args[1], scope, known_, &first, &last) || first <= 0))
    return true;
  if (e.type == Type::integer && e.kind == ExprKind::binary && e.binary == BinaryOp::pow) return true;
  if (e.type == Type::integer && e.kind == ExprKind::call && (e.name == "ceildiv" || e.name == "pow2ceil")) return true;
  return std::any_of(e.args.begin(), e.args.end(), [&](const ExprPtr& a) { return may_fail(*a, ranges); });
}

// As in op/contraction.cpp: below these sizes, and where a factor may fail, the rule of plain sums is taken. `hull`:
// ends of ranges that hold all the summed indices' values.
bool Lowering::worth(const Step& s, const Product& p, std::vector<std::int64_t>* hull) const {
  op::Scope scope;
  for (const op::Index& i : s.indices) scope[i.name] = {i.name, number(*i.lo).value_or(0), number(*i.hi).value_or(0)};
  double terms = 1;
  for (const op::Index& i : p.summed) {
    op::GridIndex g{i.name, 0, 0};
    std::int64_t other = 0;
    if (!op::interval(*i.lo, scope, known_, &g.lo, &other) || !op::interval(*i.hi, scope, known_, &other, &g.hi) ||
        g.extent() == 0)
      return false;
    scope[i.name] = g;
    hull->push_back(g.lo);
    hull->push_back(g.hi);
    terms *= static_cast<double>(g.extent());
  }
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> ranges;
  for (const auto& [name, g] : scope) ranges[name] = {g.lo, g.hi};
  // Of a factor with a mask the mask alone: it leaves out what would fail.
  for (const ExprPtr& side : {p.left, p.right})
    if (may_fail(side->kind == ExprKind::select ? *side->args[0] : *side, ranges)) return false;
  for (const op::Factor& f : p.outside)
    if (may_fail(*f.expr, ranges)) return false;
  const op::NameSet in_product = op::names_in(*p.left);
  std::vector<op::Index> shared;
  for (const op::Index& i : p.batch)
    if (in_product.count(i.name) != 0) shared.push_back(i);
  const auto B = points(shared), M = points(p.rows), N = points(p.columns);
  if (!B || !M || !N || *M < 4 || *N < 4 || terms < 2 || terms > 0x1p40) return false;
  return static_cast<double>(*B) * static_cast<double>(*M) * static_cast<double>(*N) * terms >= 65536;
}

namespace {

// One operand of a product in the kernel's text.
struct Side {
  const char* name;  // of its variables
  const ExprPtr& factor;
  const std::vector<op::Index>& own;  // the rows or the columns
  const char *origin, *count, *thread;
  bool exact = true;  // its values carry no error
};

void load_tile(Emitter& out, Side& side, const std::vector<op::Index>& true_ranges,
               const std::vector<op::Index>& summed) {
  out.open(fmt::format("for (int at = threadIdx.x; at < {}; at += {})", tile * tile_terms, tile_threads));
  if (along_terms(*side.factor, true_ranges))
    out.line(fmt::format("const int own = at / {0}, term = at % {0};", tile_terms));
  else
    out.line(fmt::format("const int own = at % {0}, term = at / {0};", tile));
  out.line(fmt::format("const I line = {} + own, which = first + term;", side.origin));
  out.line("R x = {0.0, 0.0};");
  out.open(fmt::format("if (line < {} && which < terms)", side.count));
  out.decode(side.own, "line");
  out.decode(summed, "which");
  for (const op::Index& i : side.own) out.enter(i);
  // The true ranges, so that subscripts that cannot leave their tensor are seen as such.
  for (const op::Index& i : true_ranges) out.enter(i);
  const Val v = out.as_real(out.emit(*side.factor));
  out.leave(side.own.size() + summed.size());
  side.exact = v.clean;
  out.line(fmt::format("x = {};", v.text));
  out.close();
  out.line(fmt::format("{0}_v[term][own] = x.v;", side.name));
  if (!v.clean) out.line(fmt::format("{0}_e[term][own] = x.e;", side.name));
  out.line("const double units = fabs(x.v) * 16;");
  out.line(fmt::format("{0}_top = fmax({0}_top, {1}units == floor(units) ? units : INF);", side.name,
                       v.clean ? "" : "x.e == 0 && "));
  out.close();
}

void multiply_tile(Emitter& out, const Side (&sides)[2], bool f64) {
  out.open(fmt::format("for (int term = 0; term < {}; ++term)", tile_terms));
  for (const Side& side : sides) {
    out.line(fmt::format("double {0}[4], {0}{0}[4]{1};", side.name,
                         side.exact ? "" : fmt::format(", {}_error[4]", side.name)));
    out.line(fmt::format(
        "for (int k = 0; k < 4; ++k) {{ {0}[k] = {0}_v[term][{1} + 16 * k]; {0}{0}[k] = {0}[k] * {0}[k]; }}", side.name,
        side.thread));
    if (!side.exact)
      out.line(
          fmt::format("for (int k = 0; k < 4; ++k) {0}_error[k] = {0}_e[term][{1} + 16 * k];", side.name, side.thread));
  }
  out.open("for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j)");
  out.line("value[i][j] = fma(a[i], b[j], value[i][j]);");
  out.line("squares[i][j] = fma(aa[i], bb[j], squares[i][j]);");
  out.line(f64 ? "narrow[i][j] = narrow[i][j] + __dmul_rn(a[i], b[j]);"
               : "narrow[i][j] = __fadd_rn(narrow[i][j], __fmul_rn((float)a[i], (float)b[j]));");
  // |a| eb + ea (|b| + eb)
  if (!sides[1].exact) out.line("spread[i][j] = fma(fabs(a[i]), b_error[j], spread[i][j]);");
  if (!sides[0].exact)
    out.line(fmt::format("spread[i][j] = fma(a_error[i], fabs(b[j]){}, spread[i][j]);",
                         sides[1].exact ? "" : " + b_error[j]"));
  out.close();
  out.close();
}

// Whether every partial sum of the tile is a number of f32, from the largest operands of all its threads.
void decide_exact(Emitter& out) {
  out.line("a_tops[threadIdx.x] = a_top;");
  out.line("b_tops[threadIdx.x] = b_top;");
  out.line("__syncthreads();");
  out.open(fmt::format("for (int half = {}; half > 0; half /= 2)", tile_threads / 2));
  out.open("if (threadIdx.x < half)");
  for (const char* n : {"a", "b"})
    out.line(fmt::format("{0}_tops[threadIdx.x] = fmax({0}_tops[threadIdx.x], {0}_tops[threadIdx.x + half]);", n));
  out.close();
  out.line("__syncthreads();");
  out.close();
  out.line("const bool exact = a_tops[0] * b_tops[0] * (double)terms < 0x1p24;");
  out.line("__syncthreads();");
}

}  // namespace

Status Lowering::product(const Step& s, const Target& t, const Product& p, const std::vector<std::int64_t>& hull,
                         bool launched) {
  Kernel k = kernel(s, "_product");
  k.attributes = fmt::format("__launch_bounds__({}) ", tile_threads);
  // Ranges of the summed indices as kernel parameters: they hold the values of ranges that depend on other indices.
  std::vector<op::Index> summed;
  for (std::size_t i = 0; i < p.summed.size(); ++i) {
    const auto end = [&](const char* what, std::size_t at) {
      const std::string name = fmt::format("${}{}", what, i);
      pass_integer(k, identifier('n', name), launched ? hull[at] : 0);
      return op::name_of(name, op::Role::symbol);
    };
    op::Index index = p.summed[i];
    index.lo = end("from", 2 * i);
    index.hi = end("to", 2 * i + 1);
    summed.push_back(index);
  }
  pass_tensor(k, "double", "to_value", t.value);
  pass_tensor(k, "double", "to_error", t.error.empty() ? t.bound : t.error);

  Emitter out(tensors_, 1);
  out.line("const I batches = " + out.points(p.batch) + ", rows = " + out.points(p.rows) +
           ", columns = " + out.points(p.columns) + ";");
  out.line("const I terms = " + out.points(summed) + ";");
  out.line(fmt::format("const I down = (rows + {0} - 1) / {0}, across = (columns + {0} - 1) / {0};", tile));
  for (const char* side : {"a", "b"}) {
    out.line(fmt::format("__shared__ double {0}_v[{1}][{2} + 1], {0}_e[{1}][{2} + 1];", side, tile_terms, tile));
    out.line(fmt::format("__shared__ double {}_tops[{}];", side, tile_threads));
  }
  out.line("const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;");
  out.open("for (I tile = blockIdx.x; tile < batches * down * across; tile += gridDim.x)");
  out.line("const I batch = tile / (down * across), rest = tile - batch * (down * across);");
  out.line(fmt::format("const I row0 = rest / across * {0}, column0 = rest % across * {0};", tile));
  out.decode(p.batch, "batch");
  for (const op::Index& i : p.batch) out.enter(i);
  out.line(
      "double value[4][4] = {}, squares[4][4] = {}, spread[4][4] = {};  // of rows ty + 16 i and columns tx + 16 j");
  out.line(f64_ ? "double narrow[4][4] = {};" : "float narrow[4][4] = {};");
  out.line(
      "double a_top = 0, b_top = 0;  // largest |a| in units of 2^-4; infinite where one is not a whole number of "
      "them, or is inexact");
  out.open(fmt::format("for (I first = 0; first < terms; first += {})", tile_terms));
  Side sides[2] = {{"a", p.left, p.rows, "row0", "rows", "ty"}, {"b", p.right, p.columns, "column0", "columns", "tx"}};
  for (Side& side : sides) load_tile(out, side, p.summed, summed);
  out.line("__syncthreads();");
  multiply_tile(out, sides, f64_);
  out.line("__syncthreads();");
  out.close();
  decide_exact(out);
  out.open("for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j)");
  out.line("const I row = row0 + ty + 16 * i, column = column0 + tx + 16 * j;");
  out.line("if (row >= rows || column >= columns) continue;");
  out.decode(p.rows, "row");
  out.decode(p.columns, "column");
  out.line("const double v = value[i][j];");
  out.line("double e = 0;");
  out.open("if (!exact)");
  out.line(fmt::format("const double order = order_error((double)terms, v, squares[i][j], 0.0, {});", p.truncated));
  out.line("const double magnitude = sqrt((double)terms * squares[i][j]), flushed = fmin(magnitude, terms * TINY);");
  out.line(fmt::format("e = {}U * {} * magnitude + flushed + fmax(order, 2 * fabs((double)narrow[i][j] - v));",
                       sides[0].exact && sides[1].exact ? "" : "spread[i][j] + ", p.roundings));
  const bool exact = sides[0].exact && sides[1].exact;
  out.line(exact ? "if (!isfinite(v)) e = 0;" : "if (!isfinite(v)) e = spread[i][j] == 0 ? 0 : INF;");
  out.line("e = settle(v, e);");
  out.close();
  out.line("const I to = " + place(out, s.indices) + ";");
  out.line("to_value[to] = v;");
  out.line("to_error[to] = e;");
  out.close();
  out.close();
  std::int64_t blocks = 0;
  if (launched) {
    const auto B = points(p.batch), M = points(p.rows), N = points(p.columns);
    blocks = *B * ((*M + tile - 1) / tile) * ((*N + tile - 1) / tile);
  }
  finish(std::move(k), out, launched, blocks * tile_threads, tile_threads);
  joined(s, t, &p, launched ? 1 : 0);
  return {};
}

}  // namespace ww::oracle
