// SPDX-License-Identifier: Apache-2.0
// The work of a spec. A part of an expression counts once for each value of the indices it depends on, wherever it
// stands: what does not depend on an index is not computed again for each of its values.
#include "op/work.h"
#include <algorithm>
#include <cmath>
#include "op/evaluate.h"
#include "op/functions.h"
#include "op/parse.h"
#include "op/program.h"
#include "op/walk.h"

namespace ww::op {
namespace {

class Counter {
 public:
  explicit Counter(const Resolved& known) : known_(known) {}

  void equation(const Equation& e) {
    scope_.clear();
    ranges_.clear();
    std::vector<std::string> names;
    for (const Index& i : e.indices) {
      enter(i);
      names.push_back(i.name);
    }
    steps += points(names) * nodes(*e.value);
    visit(*e.value);
  }

  Work work;
  double steps = 0;
  std::map<std::string, double> reads;  // elements of each tensor that are asked for

 private:
  struct Range {
    Index index;
    std::vector<std::string> depends;
    double hull = 1;
  };

  void enter(const Index& i) {
    Range r{i, free_indices(*i.lo), 1};
    for (const std::string& n : free_indices(*i.hi))
      if (std::find(r.depends.begin(), r.depends.end(), n) == r.depends.end()) r.depends.push_back(n);
    GridIndex g{i.name, 0, 0};
    std::int64_t other = 0;
    if (interval(*i.lo, scope_, known_, &g.lo, &other) && interval(*i.hi, scope_, known_, &other, &g.hi)) {
      scope_[i.name] = g;
      r.hull = static_cast<double>(g.extent());
    } else {
      scope_.erase(i.name);
    }
    ranges_[i.name] = std::move(r);
  }

  // The mean extent of a range over the values of the one index that it depends on; the hull when there are several.
  double extent(const Range& r, const std::vector<std::string>& among) const {
    if (r.depends.size() != 1 || std::find(among.begin(), among.end(), r.depends[0]) == among.end()) return r.hull;
    const auto by = scope_.find(r.depends[0]);
    if (by == scope_.end() || by->second.extent() == 0) return r.hull;
    const std::int64_t n = by->second.extent(), step = std::max<std::int64_t>(1, n / 4096);
    double total = 0, samples = 0;
    for (std::int64_t v = by->second.lo; v < by->second.hi; v += step) {
      const Lookup lookup = [&](const std::string& name) -> std::optional<std::int64_t> {
        if (name == by->first) return v;
        return known_.integer(name);
      };
      const auto lo = eval_integer(*r.index.lo, lookup), hi = eval_integer(*r.index.hi, lookup);
      if (!lo || !hi) return r.hull;
      total += static_cast<double>(std::max<std::int64_t>(0, *hi - *lo));
      samples += 1;
    }
    return total / samples;
  }

  double points(const std::vector<std::string>& names) const {
    double n = 1;
    for (const std::string& name : names) {
      const auto r = ranges_.find(name);
      if (r != ranges_.end()) n *= extent(r->second, names);
    }
    return n;
  }

  // Nodes of an expression down to the reductions in it.
  static double nodes(const Expr& e) {
    double n = 1;
    if (e.kind == ExprKind::reduce) return n;
    for (const ExprPtr& a : e.args) n += nodes(*a);
    return n;
  }

  void visit(const Expr& e) {
    if (e.kind == ExprKind::access) {
      reads[e.name] += points(free_indices(e));
      for (const ExprPtr& a : e.args) gathers(*a);
      return;
    }
    if (e.kind == ExprKind::reduce) return reduce(e);
    for (const ExprPtr& a : e.args) visit(*a);
    if (tensors_read(e).empty()) return;
    const double n = points(free_indices(e));
    const bool real = e.type == Type::real ||
                      std::any_of(e.args.begin(), e.args.end(), [](const ExprPtr& a) { return a->type == Type::real; });
    switch (e.kind) {
      case ExprKind::binary:
        if (e.binary == BinaryOp::pow) {
          const Expr& b = *e.args[1];
          if (b.kind == ExprKind::integer && b.integer >= 0 && b.integer <= 64)
            work.flops += n * static_cast<double>(std::max<std::int64_t>(0, b.integer - 1));
          else
            work.special += n;
        } else if (real || e.type == Type::integer) {
          work.flops += n;
        }
        return;
      case ExprKind::call: {
        const auto fn = fn_from_name(e.name);
        if (fn && *fn <= Fn::pow)
          work.special += n;
        else
          work.flops += n * (e.name == "clamp" ? 2 : 1);
        return;
      }
      default: return;
    }
  }

  // Tensors that are read for a subscript.
  void gathers(const Expr& e) {
    for_each(e, [&](const Expr& x) {
      if (x.kind == ExprKind::access) reads[x.name] += points(free_indices(x));
    });
  }

  void reduce(const Expr& e) {
    const auto scope = scope_;
    const auto ranges = ranges_;
    std::vector<std::string> names = free_indices(*e.args[0]);
    const auto add = [&](const std::string& n) {
      if (std::find(names.begin(), names.end(), n) == names.end()) names.push_back(n);
    };
    for (const Index& i : e.indices) {
      enter(i);
      add(i.name);
      gathers(*i.lo);
      gathers(*i.hi);
    }
    if (e.args.size() > 1)
      for (const std::string& n : free_indices(*e.args[1])) add(n);
    const double n = points(names);
    if (!tensors_read(*e.args[0]).empty()) work.flops += n;
    const bool product =
        e.reduce == ReduceOp::sum && e.args[0]->kind == ExprKind::binary && e.args[0]->binary == BinaryOp::mul;
    for (const ExprPtr& a : e.args) {
      steps += n * nodes(*a) * (product && n >= 65536 ? 0.25 : 1);
      visit(*a);
    }
    scope_ = scope;
    ranges_ = ranges;
  }

  const Resolved& known_;
  Scope scope_;
  std::map<std::string, Range> ranges_;
};

}  // namespace

Result<Work> work_of(const Spec& spec, const Binding& binding) {
  const auto known = WW_TRY(resolve(spec, binding));
  Counter counter(known);
  for (const Equation& e : spec.equations) counter.equation(e);
  for (const Param& p : spec.inputs) {
    const auto shape = WW_TRY(shape_of(spec, p, binding));
    counter.work.bytes_read += std::min(static_cast<double>(element_count(shape)), counter.reads[p.name]) *
                               static_cast<double>(dtype_size(p.dtype));
  }
  for (const Param& p : spec.outputs) {
    const auto shape = WW_TRY(shape_of(spec, p, binding));
    counter.work.bytes_written += static_cast<double>(element_count(shape)) * static_cast<double>(dtype_size(p.dtype));
  }
  return counter.work;
}

Result<double> steps_of(const Spec& spec, const Binding& binding) {
  const auto known = WW_TRY(resolve(spec, binding));
  Counter counter(known);
  for (const Equation& e : spec.equations) counter.equation(e);
  return counter.steps;
}

bool has_elements(const Spec& spec, const Binding& binding) {
  for (const std::vector<Param>* list : {&spec.inputs, &spec.outputs, &spec.temporaries})
    for (const Param& p : *list) {
      const auto shape = shape_of(spec, p, binding);
      if (!shape || element_count(*shape) < 1) return false;
    }
  return true;
}

}  // namespace ww::op
