// SPDX-License-Identifier: Apache-2.0
// Running reductions: sum(j in 0..c+1), prod(j in c..C) and the like, where the terms do not depend on c, in one pass
// over j.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include "base/parallel.h"
#include "op/evaluator.h"
#include "op/factors.h"
#include "op/walk.h"

namespace ww::op {
namespace {

// One running value with what its bound needs.
class Running {
 public:
  Running(ReduceOp op, const Rules& rules) : op_(op), rules_(rules) {}

  void add(double t, double e) {
    switch (op_) {
      case ReduceOp::sum: track_.add(t, e, rules_.f64); break;
      case ReduceOp::prod: rules_.multiply(product_, t, e); break;
      default: {
        const bool max = op_ == ReduceOp::max;
        if (!any_ || rules_.beats(t, value_, max)) value_ = t;
        error_ = std::max(error_, e);
      }
    }
    any_ = true;
  }

  double value() const {
    if (op_ == ReduceOp::sum) return track_.value(rules_.f64);
    if (op_ == ReduceOp::prod) return product_.value;
    if (any_) return value_;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return op_ == ReduceOp::max ? -infinity : infinity;
  }

  double error() const {
    if (op_ == ReduceOp::sum) return rules_.sum_error(track_);
    if (op_ == ReduceOp::prod) return rules_.factors_error(product_);
    if (rules_.nan == NanRule::ignore && std::isnan(value())) return std::numeric_limits<double>::infinity();
    return rules_.settle(value(), error_);
  }

 private:
  const ReduceOp op_;
  const Rules& rules_;
  SumTrack track_;
  ProductTrack product_;
  double error_ = 0, value_ = 0;
  bool any_ = false;
};

bool moves_with(const Expr& bound, const std::string& index) {
  const std::vector<std::string> free = free_indices(bound);
  if (free.size() != 1 || free[0] != index || !tensors_read(bound).empty()) return false;
  const ExprPtr at_zero = substitute(std::make_shared<Expr>(bound), {{index, integer_literal(0)}});
  return same_integer(bound, *binary_of(BinaryOp::add, name_of(index, Role::index), at_zero));
}

}  // namespace

// The ranges of a running reduction: one end is fixed, the other moves with an index of the result.
struct Evaluator::Scan {
  bool forward = false;  // the upper end moves
  GridIndex range;       // of the reduction: holds all its ranges
  GridIndex moving;
  std::vector<GridIndex> outer;
  std::int64_t first_hi = 0, last_lo = 0;  // upper end at the first step, lower end at the last

  // How many terms, from the fixed end, step `s` has; steps are counted from the shortest range.
  std::int64_t terms_at(std::int64_t s) const {
    return std::max<std::int64_t>(0, forward ? first_hi + s - range.lo : range.hi - (last_lo - s));
  }
  // Below the first number a plain reduction is quicker, above the second the terms need too much memory.
  bool worthwhile() const {
    const double terms = static_cast<double>(range.extent());
    return terms > 0 && terms * static_cast<double>(moving.extent()) >= 256 &&
           static_cast<double>(points_of(outer)) * terms <= double{1 << 27};
  }
};

std::optional<Evaluator::Scan> Evaluator::scan_ranges(const Expr& e, const std::vector<std::string>& free,
                                                      const Scope& scope) const {
  const Index& j = e.indices[0];
  const std::vector<std::string> lo_free = free_indices(*j.lo), hi_free = free_indices(*j.hi);
  Scan s;
  s.forward = lo_free.empty() && hi_free.size() == 1 && moves_with(*j.hi, hi_free[0]);
  const bool backward = hi_free.empty() && lo_free.size() == 1 && moves_with(*j.lo, lo_free[0]);
  if (!s.forward && !backward) return std::nullopt;
  const std::string& moving = s.forward ? hi_free[0] : lo_free[0];
  for (const ExprPtr& arg : e.args)
    if (names_in(*arg).count(moving) != 0) return std::nullopt;
  s.range.name = j.name;
  if (!interval(*j.lo, scope, known_, &s.range.lo, &s.last_lo)) return std::nullopt;
  if (!interval(*j.hi, scope, known_, &s.first_hi, &s.range.hi)) return std::nullopt;
  for (const std::string& n : free)
    if (n != moving) s.outer.push_back(scope.at(n));
  s.moving = scope.at(moving);
  return s;
}

ExprPtr Evaluator::scan(const Expr& e, const std::vector<std::string>& free, const Scope& scope) {
  if (e.indices.size() != 1 || e.type != Type::real) return nullptr;
  if (e.reduce != ReduceOp::sum && e.reduce != ReduceOp::prod && e.reduce != ReduceOp::max && e.reduce != ReduceOp::min)
    return nullptr;
  const auto s = scan_ranges(e, free, scope);
  if (!s || !s->worthwhile()) return nullptr;
  const ExprPtr term = term_or_neutral(e);
  std::vector<GridIndex> grid = s->outer, result = s->outer;
  grid.push_back(s->range);
  result.push_back(s->moving);
  // Values beyond the tensors' ends are not terms of a shorter range.
  Scope inner = scope;
  inner[s->range.name] = s->range;
  if (may_fail(*term, inner)) return nullptr;
  Dense all;
  status_ = compute(term, Type::real, grid, all);
  if (!status_) return nullptr;

  auto out = std::make_unique<Dense>();
  for (const GridIndex& g : result) out->shape.push_back(g.extent());
  const std::int64_t rows = points_of(s->outer), terms = s->range.extent(), steps = s->moving.extent();
  out->value.resize(static_cast<std::size_t>(rows * steps));
  if (rules_.bounds) out->error.resize(out->value.size());
  parallel_for(
      static_cast<std::size_t>(rows), 1, options_.threads,
      [&](std::size_t from, std::size_t to, int) {
        for (std::size_t row = from; row < to; ++row) {
          const std::size_t in = row * static_cast<std::size_t>(terms), at = row * static_cast<std::size_t>(steps);
          Running running(e.reduce, rules_);
          std::int64_t done = 0;  // terms taken, from the fixed end
          for (std::int64_t step = 0; step < steps; ++step) {
            for (const std::int64_t last = s->terms_at(step); done < last; ++done) {
              const std::size_t x = in + static_cast<std::size_t>(s->forward ? done : terms - 1 - done);
              running.add(all.value[x], rules_.bounds ? all.error[x] : 0);
            }
            const std::size_t y = at + static_cast<std::size_t>(s->forward ? step : steps - 1 - step);
            out->value[y] = running.value();
            if (rules_.bounds) out->error[y] = running.error();
          }
        }
      },
      options_.stop);
  return keep(std::move(out), result);
}

}  // namespace ww::op
