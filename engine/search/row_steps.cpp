// SPDX-License-Identifier: Apache-2.0
#include "search/row_steps.h"
#include <algorithm>
#include "op/parse.h"
#include "op/walk.h"
#include "search/terms.h"

namespace ww::search {

using op::BinaryOp;
using op::ExprKind;
using op::ReduceOp;

bool same_loops(const std::vector<Index>& a, const std::vector<Index>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Index& x, const Index& y) { return x.name == y.name && same_range(x, y); });
}

namespace {

bool depends(const Equation& eq, const RowStep& step) {
  return std::any_of(step.equations.begin(), step.equations.end(),
                     [&](const Equation* s) { return reads(*eq.value, s->target); });
}

void add_passes(RowStep& step, const Equation& eq) {
  for (const Expr* r : outer_reductions(*eq.value)) {
    auto pass = std::find_if(step.passes.begin(), step.passes.end(),
                             [&](const RowPass& p) { return same_loops(p.domain, r->indices); });
    if (pass == step.passes.end()) pass = step.passes.insert(step.passes.end(), RowPass{r->indices, {}});
    pass->reductions.emplace_back(&eq, r);
  }
}

const Expr* only_reduce(const Equation& eq, ReduceOp op) {
  const auto all = outer_reductions(*eq.value);
  return all.size() == 1 && all[0]->reduce == op && all[0]->args.size() == 1 && !has_reduce(*all[0]->args[0]) ? all[0]
                                                                                                              : nullptr;
}

bool equal_text(const Expr& a, const Expr& b) { return op::print(a) == op::print(b); }

// f - t, where t is the row's value of `target`.
bool is_difference(const Expr& e, const Expr& f, const std::string& target) {
  return e.kind == ExprKind::binary && e.binary == BinaryOp::sub && equal_text(*e.args[0], f) &&
         e.args[1]->kind == ExprKind::access && e.args[1]->name == target;
}

bool softmax_pair(const Equation& a, const Equation& b, RowStep& step) {
  const Expr *largest = only_reduce(a, ReduceOp::max), *sum = only_reduce(b, ReduceOp::sum);
  if (!largest || !sum || a.value.get() != largest || !same_loops(largest->indices, sum->indices)) return false;
  const Expr& body = *sum->args[0];
  if (body.kind != ExprKind::call || body.name != "exp" || !is_difference(*body.args[0], *largest->args[0], a.target))
    return false;
  step.pattern = RowStep::Pattern::softmax;
  step.first = largest;
  step.second = sum;
  return true;
}

bool moments_pair(const Equation& a, const Equation& b, RowStep& step) {
  const Expr *first = only_reduce(a, ReduceOp::sum), *second = only_reduce(b, ReduceOp::sum);
  if (!first || !second || !same_loops(first->indices, second->indices) || first->type != op::Type::real) return false;
  const Expr& v = *a.value;
  if (v.kind != ExprKind::binary || v.binary != BinaryOp::div || v.args[0].get() != first ||
      !rectangular(first->indices))
    return false;
  if (v.args[1]->type != op::Type::integer || !op::same_integer(*v.args[1], *extent(first->indices))) return false;
  const Expr& body = *second->args[0];
  const bool power = body.kind == ExprKind::binary && body.binary == BinaryOp::pow &&
                     body.args[1]->kind == ExprKind::integer && body.args[1]->integer == 2 &&
                     is_difference(*body.args[0], *first->args[0], a.target);
  const bool product = body.kind == ExprKind::binary && body.binary == BinaryOp::mul &&
                       is_difference(*body.args[0], *first->args[0], a.target) &&
                       is_difference(*body.args[1], *first->args[0], a.target);
  if (!power && !product) return false;
  step.pattern = RowStep::Pattern::moments;
  step.first = first;
  step.second = second;
  return true;
}

}  // namespace

std::vector<RowStep> row_steps(const Group& group, bool online) {
  std::vector<RowStep> steps;
  const auto& eqs = group.equations;
  for (std::size_t i = 0; i < eqs.size(); ++i) {
    const Equation& eq = eqs[i];
    const bool vector = !group.inner(eq).empty();
    if (online && !vector && i + 1 < eqs.size() && group.inner(eqs[i + 1]).empty()) {
      RowStep step;
      if (softmax_pair(eq, eqs[i + 1], step) || moments_pair(eq, eqs[i + 1], step)) {
        step.equations = {&eq, &eqs[i + 1]};
        steps.push_back(std::move(step));
        ++i;
        continue;
      }
    }
    const bool joins = !steps.empty() && steps.back().vector == vector &&
                       steps.back().pattern == RowStep::Pattern::none && !depends(eq, steps.back()) &&
                       (!vector || same_loops(group.inner(eq), group.inner(*steps.back().equations[0])));
    if (!joins) {
      steps.emplace_back();
      steps.back().vector = vector;
    }
    steps.back().equations.push_back(&eq);
    if (!vector) add_passes(steps.back(), eq);
  }
  return steps;
}

CachedReads cached_reads(const Program& program, const Group& group, const std::vector<RowStep>& steps) {
  struct Visit {
    std::vector<Index> domain;
    std::map<std::string, const Expr*> reads;
  };
  std::vector<Visit> visits;
  const auto visit = [&](const std::vector<Index>& domain, const std::vector<const Expr*>& exprs) {
    if (domain.empty() || !rectangular(domain)) return;
    for (const Index& i : domain)
      if (!from_zero(i) || !op::free_indices(*i.hi).empty()) return;
    std::set<std::string> allowed = names_of(domain);
    for (const Index& r : group.rows) allowed.insert(r.name);
    Visit v{domain, {}};
    for (const Expr* e : exprs)
      op::for_each(*e, [&](const Expr& x) {
        if (x.kind != ExprKind::access || program.tensor(x.name).storage != Storage::input || x.type != op::Type::real)
          return;
        const auto free = op::free_indices(x);
        for (const std::string& f : free)
          if (!allowed.count(f)) return;
        for (const Index& i : domain)
          if (std::find(free.begin(), free.end(), i.name) == free.end()) return;
        // Depends on the row too, otherwise the hardware's caches hold it for all rows alike.
        bool row = group.rows.empty();
        for (const Index& r : group.rows) row = row || std::find(free.begin(), free.end(), r.name) != free.end();
        if (row) v.reads.emplace(op::print(x), &x);
      });
    visits.push_back(std::move(v));
  };
  for (const RowStep& s : steps) {
    if (s.pattern != RowStep::Pattern::none) {
      visit(s.first->indices, {s.first->args[0].get()});
      continue;
    }
    for (const RowPass& p : s.passes) {
      std::vector<const Expr*> exprs;
      for (const auto& [eq, r] : p.reductions)
        for (const ExprPtr& a : r->args) exprs.push_back(a.get());
      visit(p.domain, exprs);
    }
    if (s.vector) {
      std::vector<const Expr*> exprs;
      for (const Equation* eq : s.equations) exprs.push_back(eq->value.get());
      visit(group.inner(*s.equations[0]), exprs);
    }
  }
  CachedReads best;
  for (const Visit& v : visits) {
    CachedReads here{v.domain, {}};
    for (const auto& [text, access] : v.reads) {
      int count = 0;
      for (const Visit& o : visits) count += same_loops(o.domain, v.domain) && o.reads.count(text);
      if (count > 1) here.reads.emplace(text, access);
    }
    if (here.reads.size() > best.reads.size()) best = std::move(here);
  }
  return best;
}

bool packable(const Program& program, const std::string& tensor, const std::vector<ExprPtr>& at, const Index& last) {
  const Tensor& t = program.tensor(tensor);
  if (at.empty() || !is_real(t.dtype) || t.dtype == DType::f64 || !is_name(*at.back(), last.name) ||
      !same(t.shape.back(), last.hi))
    return false;
  for (std::size_t d = 0; d + 1 < at.size(); ++d)
    if (uses(*at[d], last.name)) return false;
  return true;
}

static void find_packable(const Program& program, const Expr& e, const Index& last, bool guarded,
                          std::vector<const Expr*>& out) {
  // In a reduction or padding the element may be another. In a branch it may not be there: only plain subscripts are
  // surely in range.
  if (e.kind == ExprKind::reduce || e.kind == ExprKind::padded) return;
  if (e.kind == ExprKind::access && program.tensor(e.name).storage == Storage::input &&
      packable(program, e.name, e.args, last) &&
      (!guarded || std::all_of(e.args.begin(), e.args.end(), [](const ExprPtr& s) { return is_index(*s); })))
    out.push_back(&e);
  for (std::size_t i = 0; i < e.args.size(); ++i)
    find_packable(program, *e.args[i], last, guarded || (e.kind == ExprKind::select && i > 0), out);
}

std::vector<const Expr*> packable_reads(const Program& program, const Expr& e, const Index& last) {
  std::vector<const Expr*> out;
  find_packable(program, e, last, false, out);
  return out;
}

bool vectorizable(const Program& program, const std::vector<Index>& domain, const std::vector<const Expr*>& exprs,
                  const std::vector<const Equation*>& writes) {
  if (domain.empty() || !rectangular(domain)) return false;
  for (const Index& i : domain)
    if (!from_zero(i) || !op::free_indices(*i.hi).empty() || !op::tensors_read(*i.hi).empty()) return false;
  const Index& last = domain.back();
  if (program.estimate(last.hi, 1) % 4 != 0) return false;
  for (const Expr* e : exprs)
    if (!packable_reads(program, *e, last).empty()) return true;
  return std::any_of(writes.begin(), writes.end(),
                     [&](const Equation* eq) { return packable(program, eq->target, eq->at, last); });
}

bool step_vectorizable(const Program& program, const Group& group, const RowStep& step) {
  if (step.vector) {
    std::vector<const Expr*> exprs;
    for (const Equation* eq : step.equations) exprs.push_back(eq->value.get());
    return vectorizable(program, group.inner(*step.equations[0]), exprs, step.equations);
  }
  if (step.first) return vectorizable(program, step.first->indices, {step.first->args[0].get()}, {});
  return std::any_of(step.passes.begin(), step.passes.end(), [&](const RowPass& p) {
    std::vector<const Expr*> exprs;
    for (const auto& [eq, r] : p.reductions) exprs.push_back(r->args[0].get());
    return vectorizable(program, p.domain, exprs, {});
  });
}

std::int64_t widest_inner(const Program& program, const Group& group) {
  std::int64_t widest = 1;
  for (const Equation& eq : group.equations) {
    widest = std::max(widest, program.estimate(group.inner(eq)));
    for (const Expr* r : outer_reductions(*eq.value)) widest = std::max(widest, program.estimate(r->indices));
  }
  return widest;
}

}  // namespace ww::search
