// SPDX-License-Identifier: Apache-2.0
#include "search/attention.h"
#include <fmt/format.h>
#include <algorithm>
#include <optional>
#include "op/parse.h"
#include "op/walk.h"
#include "search/row_steps.h"
#include "search/team.h"
#include "search/terms.h"

namespace ww::search {

using op::BinaryOp;
using op::ExprKind;
using op::ReduceOp;
using op::Type;

namespace {

struct Attention {
  const Equation *scores = nullptr, *top = nullptr, *weights = nullptr, *total = nullptr, *output = nullptr;
  const Expr *product = nullptr, *largest = nullptr, *sum = nullptr, *mix = nullptr;  // the four reductions
  ExprPtr weight;  // exp(s - top), or 0 where a condition does not hold, at the key index
  Index key;       // over which the softmax runs
};

const Expr* single_reduce(const Equation& eq, ReduceOp op) {
  const auto all = outer_reductions(*eq.value);
  return all.size() == 1 && all[0]->reduce == op && all[0]->args.size() == 1 && !has_reduce(*all[0]->args[0]) ? all[0]
                                                                                                              : nullptr;
}

bool is_exp_of_difference(const Expr& e, const std::string& a, const std::string& b) {
  if (e.kind != ExprKind::call || e.name != "exp" || e.args[0]->kind != ExprKind::binary ||
      e.args[0]->binary != BinaryOp::sub)
    return false;
  const Expr &x = *e.args[0]->args[0], &y = *e.args[0]->args[1];
  return x.kind == ExprKind::access && x.name == a && y.kind == ExprKind::access && y.name == b;
}

// exp(s - top), or a choice between it and 0.
bool is_weight(const Expr& e, const std::string& s, const std::string& top) {
  if (is_exp_of_difference(e, s, top)) return true;
  return e.kind == ExprKind::select && is_exp_of_difference(*e.args[1], s, top) && e.args[2]->kind == ExprKind::real &&
         e.args[2]->real == 0 && !reads(*e.args[0], s) && !reads(*e.args[0], top);
}

std::optional<Attention> attention_of(const Program& program, const Group& group) {
  const auto& eqs = group.equations;
  if (eqs.size() != 5 || group.rows.empty()) return std::nullopt;
  Attention a{&eqs[0], &eqs[1], &eqs[2], &eqs[3], &eqs[4]};
  for (const Equation* eq : {a.scores, a.top, a.weights, a.total})
    if (program.tensor(eq->target).storage != Storage::temp) return std::nullopt;
  const auto inner_scores = group.inner(*a.scores), inner_weights = group.inner(*a.weights),
             inner_output = group.inner(*a.output);
  if (inner_scores.size() != 1 || inner_weights.size() != 1 || inner_output.size() != 1 ||
      !group.inner(*a.top).empty() || !group.inner(*a.total).empty())
    return std::nullopt;
  a.product = single_reduce(*a.scores, ReduceOp::sum);
  a.largest = single_reduce(*a.top, ReduceOp::max);
  a.sum = single_reduce(*a.total, ReduceOp::sum);
  a.mix = single_reduce(*a.output, ReduceOp::sum);
  if (!a.product || !a.largest || !a.sum || !a.mix || has_reduce(*a.weights->value) || a.product->indices.size() != 1 ||
      !rectangular(a.product->indices))
    return std::nullopt;
  if (a.top->value.get() != a.largest || a.total->value.get() != a.sum) return std::nullopt;
  // All three run over the same keys.
  if (a.largest->indices.size() != 1 || !same_loops(a.largest->indices, a.sum->indices) ||
      !same_loops(a.largest->indices, a.mix->indices))
    return std::nullopt;
  a.key = a.largest->indices[0];
  if (inner_scores[0].name != a.key.name || inner_weights[0].name != a.key.name || !from_zero(inner_output[0]))
    return std::nullopt;
  const auto element_of = [&](const Expr& e, const Equation& eq) {
    if (e.kind != ExprKind::access || e.name != eq.target) return false;
    for (std::size_t d = 0; d < e.args.size(); ++d)
      if (op::print(*e.args[d]) != op::print(*eq.at[d])) return false;
    return true;
  };
  if (!element_of(*a.largest->args[0], *a.scores) || !element_of(*a.sum->args[0], *a.weights) ||
      !is_weight(*a.weights->value, a.scores->target, a.top->target))
    return std::nullopt;
  // The mix is a product of one weight and values that do not depend on the softmax.
  const Factors f = factors_of(a.mix->args[0]);
  int weights = 0;
  for (const ExprPtr& x : f.over) {
    if (element_of(*x, *a.weights))
      ++weights;
    else if (reads_any(*x, {a.scores->target, a.top->target, a.weights->target, a.total->target}))
      return std::nullopt;
  }
  if (weights != 1 || !f.under.empty()) return std::nullopt;
  // The output uses the state only through the mix and the total.
  if (!accesses(*a.output->value, a.scores->target).empty() || !accesses(*a.output->value, a.top->target).empty())
    return std::nullopt;
  return a;
}

void lower_online(Source& source, const Group& group, Kernel& k) {
  const Program& p = source.program();
  const Attention a = *attention_of(p, group);
  Emitter e(k);
  const Index out = group.inner(*a.output)[0];
  const std::int64_t width = p.estimate(out.hi, 64);
  std::int64_t items = 1;
  while (items * 32 < width) items *= 2;
  const std::string warps = source.tune("WARPS", {4, 8, 2, 1}), count = source.tune("ITEMS", {items, items * 2});
  source.require(fmt::format("{} <= 32 * {}", op::print(*out.hi), count));
  const std::string rows = op::print(*extent(group.rows)), t = source.index_type(), real = source.real(),
                    exp = p.f64 ? "exp" : "expf", fmax = p.f64 ? "fmax" : "fmaxf";
  k.launch(fmt::format("ceildiv({}, {})", rows, warps), "32, " + warps);
  e.name_sizes(group.equations);
  const std::string lane = k.fresh("lane"), row = k.fresh("row"), top = k.fresh("largest"), total = k.fresh("total"),
                    mix = k.fresh("mix"), item = k.fresh_inside("item");
  k.line(fmt::format("const int {} = threadIdx.x;", lane));
  k.line(fmt::format("const {} {} = blockIdx.x * {} + threadIdx.y;", t, row, warps));
  k.line(fmt::format("if ({} >= {}) return;", row, e.subscript(extent(group.rows), sum_strength)));
  e.decompose(row, group.rows);
  std::string score, weight;
  e.read = [&](const Expr& x) -> std::optional<std::string> {
    if (x.name == a.scores->target) return score;
    if (x.name == a.top->target) return top;
    if (x.name == a.weights->target) return weight;
    if (x.name == a.total->target) return total;
    return std::nullopt;
  };
  k.line(fmt::format("{} {} = {}, {} = {};", real, top, p.f64 ? "-1.7976931348623157e308" : "-3.402823466e38f", total,
                     e.literal(0)));
  k.line(fmt::format("{} {}[{}] = {{}};", real, mix, count));
  k.comment(
      "Keys one after the other. What was gathered against the largest score so far is scaled down when a larger one "
      "appears.");
  e.open_loops({a.key});
  // The score: the lanes share the terms of its sum.
  const Accumulator sum = declare_accumulator(e, *a.product, "product");
  const Index term = a.product->indices[0];
  e.bind(term);
  const std::string term_name = e.index(term.name);
  k.open(fmt::format("for ({0} {1} = {2}{3}; {1} < {4}; {1} += 32) {{", t, term_name,
                     from_zero(term) ? "" : e.subscript(term.lo, sum_strength) + " + ", lane,
                     e.subscript(term.hi, sum_strength)));
  update_accumulator(e, sum);
  k.close();
  join_team(e, Team::warp, sum);
  e.replaced[a.product] = sum.result();
  score = e.local("score", e.real(*a.scores->value), Type::real);
  const std::string before = k.fresh("before"), scale = k.fresh("scale");
  k.line(fmt::format("const {} {} = {};", real, before, top));
  k.line(fmt::format("{} = {}({}, {});", top, fmax, before, score));
  k.line(fmt::format("const {} {} = {}({} - {});", real, scale, exp, before, top));
  weight = e.local("weight", e.real(*a.weights->value), Type::real);
  k.line(fmt::format("{0} = {0} * {1} + {2};", total, scale, weight));
  const auto each_item = [&](const std::function<void()>& body) {
    k.line("#pragma unroll");
    k.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", item, count));
    e.bind(out);
    k.line(fmt::format("const {} {} = {} + {} * 32;", t, e.index(out.name), lane, item));
    k.open(fmt::format("if ({} < {}) {{", e.index(out.name), e.subscript(out.hi, sum_strength)));
    body();
    k.close();
    k.close();
  };
  each_item(
      [&] { k.line(fmt::format("{0}[{1}] = {0}[{1}] * {2} + {3};", mix, item, scale, e.real(*a.mix->args[0]).text)); });
  e.close_loops(1);
  each_item([&] {
    e.replaced[a.mix] = mix + "[" + item + "]";
    const bool is_real_out = is_real(p.tensor(a.output->target).dtype);
    e.store(a.output->target, a.output->at, is_real_out ? e.real(*a.output->value) : e.emit(*a.output->value),
            is_real_out ? Type::real : a.output->value->type);
  });
}

}  // namespace

std::vector<Variant> attention_variants(const Program& program, const Group& group) {
  if (!attention_of(program, group)) return {};
  return {{"attention-online", "One warp per query, one pass over the keys",
           "A warp takes one query through all keys in one pass, with a running maximum, sum and weighted mix that are "
           "rescaled when a larger score appears (Milakov and Gimelshein 2018; "
           "the core of FlashAttention, Dao et al. 2022). The matrix of scores never exists in memory.",
           [](Source& source, const Group& g, const std::set<std::string>&, const std::string& name,
              const std::string& about) {
             Kernel& kernel = source.kernel(name);
             kernel.about(about);
             lower_online(source, g, kernel);
           }}};
}

}  // namespace ww::search
