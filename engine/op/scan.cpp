// SPDX-License-Identifier: Apache-2.0
// Running reductions: sum(j in 0..c+1), prod(j in c..C) and the like, where the terms do not depend on c, in one pass
// over j.
#include <algorithm>
#include <cmath>
#include <limits>
#include "base/parallel.h"
#include "op/evaluator.h"
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
      case ReduceOp::prod: {
        const double before = count_ > 0 ? value_ : 1;
        value_ = before * t;
        error_ = std::fabs(before) * e + error_ * (std::fabs(t) + e) + (count_ > 0 ? rules_.u * std::fabs(value_) : 0);
        break;
      }
      default: {
        const bool max = op_ == ReduceOp::max;
        if (count_ == 0 || std::isnan(t) || (max ? t > value_ : t < value_)) value_ = t;
        error_ = std::max(error_, e);
      }
    }
    count_ += 1;
  }

  double value() const {
    if (op_ == ReduceOp::sum) return track_.value(rules_.f64);
    if (count_ > 0) return value_;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return op_ == ReduceOp::prod ? 1 : op_ == ReduceOp::max ? -infinity : infinity;
  }

  double error() const { return op_ == ReduceOp::sum ? rules_.sum_error(track_) : rules_.settle(value(), error_); }

 private:
  const ReduceOp op_;
  const Rules& rules_;
  SumTrack track_;
  double error_ = 0, value_ = 0, count_ = 0;
};

bool moves_with(const Expr& bound, const std::string& index) {
  const std::vector<std::string> free = free_indices(bound);
  if (free.size() != 1 || free[0] != index || !tensors_read(bound).empty()) return false;
  const ExprPtr at_zero = substitute(std::make_shared<Expr>(bound), {{index, integer_literal(0)}});
  return same_integer(bound, *binary_of(BinaryOp::add, name_of(index, Role::index), at_zero));
}

}  // namespace

ExprPtr Evaluator::scan(const Expr& e, const std::vector<std::string>& free, const Scope& scope) {
  if (e.indices.size() != 1 || e.type != Type::real) return nullptr;
  if (e.reduce != ReduceOp::sum && e.reduce != ReduceOp::prod && e.reduce != ReduceOp::max && e.reduce != ReduceOp::min)
    return nullptr;
  const Index& j = e.indices[0];
  const std::vector<std::string> lo_free = free_indices(*j.lo), hi_free = free_indices(*j.hi);
  const bool forward = lo_free.empty() && hi_free.size() == 1 && moves_with(*j.hi, hi_free[0]);
  const bool backward = hi_free.empty() && lo_free.size() == 1 && moves_with(*j.lo, lo_free[0]);
  if (!forward && !backward) return nullptr;
  const std::string& moving = forward ? hi_free[0] : lo_free[0];
  const std::vector<std::string> reads = e.args.size() > 1 ? free_indices(*e.args[1]) : std::vector<std::string>{};
  std::vector<std::string> body = free_indices(*e.args[0]);
  body.insert(body.end(), reads.begin(), reads.end());
  if (std::find(body.begin(), body.end(), moving) != body.end()) return nullptr;

  GridIndex range{j.name, 0, 0};
  std::int64_t first_end = 0, other = 0;
  // The ranges at the first and at the last value of the moving index.
  if (!interval(*j.lo, scope, known_, &range.lo, &other)) return nullptr;
  const std::int64_t last_lo = other;
  if (!interval(*j.hi, scope, known_, &first_end, &range.hi)) return nullptr;
  std::vector<GridIndex> outer;
  for (const std::string& n : free)
    if (n != moving) outer.push_back(scope.at(n));
  const GridIndex move = scope.at(moving);
  const std::int64_t rows = points_of(outer), terms = range.extent(), steps = move.extent();
  if (terms == 0 || static_cast<double>(rows) * static_cast<double>(terms) > double{1 << 27}) return nullptr;
  if (static_cast<double>(terms) * static_cast<double>(steps) < 256) return nullptr;

  // Terms outside the condition become the reduction's neutral element.
  ExprPtr term = e.args[0];
  if (e.args.size() > 1) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    auto pick = std::make_shared<Expr>();
    pick->kind = ExprKind::select;
    pick->type = Type::real;
    const double neutral = e.reduce == ReduceOp::sum    ? 0
                           : e.reduce == ReduceOp::prod ? 1
                           : e.reduce == ReduceOp::max  ? -infinity
                                                        : infinity;
    pick->args = {e.args[1], term, real_literal(neutral)};
    term = pick;
  }
  std::vector<GridIndex> grid = outer;
  grid.push_back(range);
  // Values beyond the tensors' ends are not terms of a shorter range.
  Scope inner = scope;
  inner[j.name] = range;
  if (may_fail(*term, inner)) return nullptr;
  Dense all;
  status_ = compute(term, Type::real, grid, all);
  if (!status_) return nullptr;

  auto out = std::make_unique<Dense>();
  std::vector<GridIndex> result = outer;
  result.push_back(move);
  for (const GridIndex& g : result) out->shape.push_back(g.extent());
  out->value.resize(static_cast<std::size_t>(rows * steps));
  if (rules_.bounds) out->error.resize(out->value.size());
  const std::int64_t first_hi = first_end;  // hi at the first step; lo at the last step is last_lo
  parallel_for(
      static_cast<std::size_t>(rows), 1, options_.threads,
      [&](std::size_t from, std::size_t to, int) {
        for (std::size_t row = from; row < to; ++row) {
          const std::size_t in = row * static_cast<std::size_t>(terms), at = row * static_cast<std::size_t>(steps);
          Running running(e.reduce, rules_);
          std::int64_t done = 0;  // terms taken, from the fixed end
          for (std::int64_t s = 0; s < steps; ++s) {
            const std::int64_t wanted =
                std::max<std::int64_t>(0, forward ? first_hi + s - range.lo : range.hi - (last_lo - s));
            for (; done < wanted; ++done) {
              const std::size_t x = in + static_cast<std::size_t>(forward ? done : terms - 1 - done);
              running.add(all.value[x], rules_.bounds ? all.error[x] : 0);
            }
            const std::size_t y = at + static_cast<std::size_t>(forward ? s : steps - 1 - s);
            out->value[y] = running.value();
            if (rules_.bounds) out->error[y] = running.error();
          }
        }
      },
      options_.stop);
  return keep(std::move(out), result);
}

}  // namespace ww::op
