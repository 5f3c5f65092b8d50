// SPDX-License-Identifier: Apache-2.0
// sum(k) A[…] * B[…] as matrix products. The factors under the sum are divided into two groups; the indices of the
// result belong to both groups (batch), to the first (rows) or to the second (columns). Each group is evaluated once
// into a dense matrix (which unfolds convolutions, padding and masks), the product is Eigen's. Factors free of the
// summed indices are applied to the result. The bound is a second product, of the squares.
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <new>
#include <set>
#include "base/parallel.h"
#include "op/evaluator.h"
#include "op/walk.h"

namespace ww::op {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const Matrix>;
using NameSet = std::set<std::string>;

constexpr std::int64_t max_group = std::int64_t{1} << 26;  // elements of the second group's matrix
constexpr std::int64_t tile_elements = std::int64_t{1} << 23;

struct Factors {
  std::vector<ExprPtr> above, below;
  bool negative = false;
};

void flatten(const ExprPtr& e, bool below, Factors& out) {
  if (e->kind == ExprKind::binary && e->type == Type::real &&
      (e->binary == BinaryOp::mul || e->binary == BinaryOp::div)) {
    flatten(e->args[0], below, out);
    flatten(e->args[1], e->binary == BinaryOp::div ? !below : below, out);
  } else if (e->kind == ExprKind::unary && e->unary == UnaryOp::negate && e->type == Type::real) {
    out.negative = !out.negative;
    flatten(e->args[0], below, out);
  } else {
    (below ? out.below : out.above).push_back(e);
  }
}

NameSet names_in(const Expr& e) {
  const std::vector<std::string> v = free_indices(e);
  return {v.begin(), v.end()};
}

bool within(const NameSet& a, const NameSet& b) { return std::includes(b.begin(), b.end(), a.begin(), a.end()); }

bool touches(const NameSet& a, const NameSet& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& n) { return b.count(n) != 0; });
}

struct Group {
  NameSet names;
  ExprPtr expr;  // product of the factors
  ExprPtr mask;  // terms outside it are 0
  std::vector<GridIndex> own;

  void take(const ExprPtr& factor, bool below, const NameSet& of) {
    names.insert(of.begin(), of.end());
    if (!expr)
      expr = below ? binary_of(BinaryOp::div, real_literal(1), factor) : factor;
    else
      expr = binary_of(below ? BinaryOp::div : BinaryOp::mul, expr, factor);
  }
  void restrict_to(const ExprPtr& condition) {
    mask = mask ? binary_of(BinaryOp::logical_and, mask, condition) : condition;
  }
  ExprPtr masked() const {
    ExprPtr real = expr;
    if (expr->type != Type::real) {
      auto cast = std::make_shared<Expr>();  // an integer factor, as the product would convert it
      cast->kind = ExprKind::cast;
      cast->cast = DType::f64;
      cast->type = Type::real;
      cast->args = {expr};
      real = cast;
    }
    if (!mask) return real;
    auto pick = std::make_shared<Expr>();
    pick->kind = ExprKind::select;
    pick->type = Type::real;
    pick->args = {mask, real, real_literal(0)};
    return pick;
  }
};

bool all_finite(const std::vector<double>& v, std::size_t n) {
  double sum = 0;  // of v - v: 0, or NaN when an element is not finite
  for (std::size_t i = 0; i < n; ++i) sum += v[i] - v[i];
  return sum == 0;
}

// Whether the matrix looks like one of few distinct values.
bool discrete(const std::vector<double>& v, std::size_t n) {
  std::set<double> seen;
  const std::size_t step = std::max<std::size_t>(1, n / 4096) | 1;
  for (std::size_t i = 0; i < n; i += step) {
    seen.insert(std::fabs(v[i]));
    if (seen.size() > 32) return false;
  }
  return true;
}

// The largest |v| in units of 2^-4, when every value is a multiple of that; infinity otherwise.
double units(const std::vector<double>& v, std::size_t n) {
  double largest = 0, off = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = std::fabs(v[i]) * 16;
    off += std::fabs(x - std::floor(x));
    largest = std::max(largest, x);
  }
  return off == 0 ? largest : std::numeric_limits<double>::infinity();
}

}  // namespace

ExprPtr Evaluator::contraction(const Expr& e, const std::vector<std::string>& free, const Scope& scope) {
  if (e.reduce != ReduceOp::sum || e.type != Type::real) return nullptr;
  Factors factors;
  flatten(e.args[0], false, factors);
  if (factors.above.size() + factors.below.size() < 2) return nullptr;

  // The summed indices run over the hull of their ranges; what a range excludes is masked.
  Scope inner = scope;
  std::vector<GridIndex> summed;
  std::vector<ExprPtr> masks;
  NameSet summed_names;
  for (const Index& i : e.indices) {
    GridIndex g{i.name, 0, 0};
    std::int64_t other = 0;
    if (!interval(*i.lo, inner, known_, &g.lo, &other) || !interval(*i.hi, inner, known_, &other, &g.hi) ||
        g.extent() == 0)
      return nullptr;
    const ExprPtr name = name_of(i.name, Role::index);
    if (!free_indices(*i.lo).empty()) masks.push_back(binary_of(BinaryOp::ge, name, i.lo));
    if (!free_indices(*i.hi).empty()) masks.push_back(binary_of(BinaryOp::lt, name, i.hi));
    inner[i.name] = g;
    summed.push_back(g);
    summed_names.insert(i.name);
  }
  if (e.args.size() > 1) masks.push_back(e.args[1]);

  struct Part {
    ExprPtr expr;
    bool below;
    NameSet names;
  };
  std::vector<Part> parts, outside;
  for (const bool below : {false, true}) {
    for (const ExprPtr& f : below ? factors.below : factors.above) {
      Part p{f, below, names_in(*f)};
      (touches(p.names, summed_names) ? parts : outside).push_back(std::move(p));
    }
  }
  if (parts.size() < 2) return nullptr;
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.names.size() > b.names.size(); });
  Group groups[2];
  groups[0].names = parts[0].names;
  for (const Part& p : parts) groups[within(p.names, groups[0].names) ? 0 : 1].take(p.expr, p.below, p.names);
  if (!groups[1].expr) return nullptr;
  for (const ExprPtr& m : masks) {
    const NameSet names = names_in(*m);
    const int g = within(names, groups[0].names) ? 0 : within(names, groups[1].names) ? 1 : -1;
    if (g < 0) return nullptr;
    groups[g].restrict_to(m);
  }

  std::vector<GridIndex> batch;
  for (const std::string& n : free) {
    const bool first = groups[0].names.count(n) != 0, second = groups[1].names.count(n) != 0;
    if (!first && !second) {
      // Only a factor outside the sum, or a range, depends on it.
      if (std::none_of(outside.begin(), outside.end(), [&](const Part& p) { return p.names.count(n) != 0; }))
        return nullptr;
      continue;
    }
    if (first && second)
      batch.push_back(scope.at(n));
    else
      groups[first ? 0 : 1].own.push_back(scope.at(n));
  }
  if (points_of(groups[0].own) < points_of(groups[1].own)) std::swap(groups[0], groups[1]);
  const std::int64_t B = points_of(batch), M = points_of(groups[0].own), N = points_of(groups[1].own),
                     K = points_of(summed);
  if (M < 4 || N < 4 || K < 2) return nullptr;
  const double products =
      static_cast<double>(B) * static_cast<double>(M) * static_cast<double>(N) * static_cast<double>(K);
  if (products < 65536 || B > max_group / N / K || B * M > (std::int64_t{1} << 28) / N) return nullptr;

  std::vector<GridIndex> grids[2];
  for (const int g : {0, 1}) {
    grids[g] = batch;
    grids[g].insert(grids[g].end(), groups[g].own.begin(), groups[g].own.end());
    grids[g].insert(grids[g].end(), summed.begin(), summed.end());
  }
  const ExprPtr exprs[2] = {groups[0].masked(), groups[1].masked()};
  for (const int g : {0, 1}) {
    Scope s;
    for (const GridIndex& i : grids[g]) s[i.name] = i;
    if (!groups[g].mask && may_fail(*exprs[g], s)) return nullptr;  // the plain path finds and names the failure
    if (groups[g].mask && may_fail(*groups[g].mask, s)) return nullptr;
  }
  // A factor that is infinite or NaN somewhere, or a zero divisor, must meet every term, not their sum.
  for (const Part& p : outside) {
    const std::vector<GridIndex> grid = grid_of({p.names.begin(), p.names.end()}, scope);
    Scope s;
    for (const GridIndex& i : grid) s[i.name] = i;
    if (may_fail(*p.expr, s)) return nullptr;
    Dense factor;
    status_ = compute(p.below ? binary_of(BinaryOp::div, real_literal(1), p.expr)
                              : binary_of(BinaryOp::mul, real_literal(1), p.expr),
                      Type::real, grid, factor);
    if (!status_ || !all_finite(factor.value, factor.value.size())) return nullptr;
  }
  Dense right;
  status_ = compute(exprs[1], Type::real, grids[1], right);
  if (!status_) return nullptr;
  const std::size_t right_count = right.value.size();
  if (!all_finite(right.value, right_count)) return nullptr;
  const bool bounds = rules_.bounds;
  const bool right_errors =
      bounds && std::any_of(right.error.begin(), right.error.end(), [](double x) { return x != 0; });
  const bool right_discrete = bounds && discrete(right.value, right_count);
  const double right_units = right_discrete ? units(right.value, right_count) : 0;
  std::vector<double> right_squares, right_abs;  // right_abs: |b| + its error
  if (bounds) {
    right_squares.resize(right_count);
    right_abs.resize(right_count);
    for (std::size_t i = 0; i < right_count; ++i) {
      right_squares[i] = right.value[i] * right.value[i];
      right_abs[i] = std::fabs(right.value[i]) + right.error[i];
    }
  }

  auto out = std::make_unique<Dense>();
  std::vector<GridIndex> result = batch;
  result.insert(result.end(), groups[0].own.begin(), groups[0].own.end());
  result.insert(result.end(), groups[1].own.begin(), groups[1].own.end());
  for (const GridIndex& g : result) out->shape.push_back(g.extent());
  out->value.resize(static_cast<std::size_t>(B * M * N));
  if (bounds) out->error.resize(out->value.size());

  // What the first group's expression hoists must live until its last tile.
  const std::size_t outer_kept = kept_.size();
  Scope left_scope;
  for (const GridIndex& i : grids[0]) left_scope[i.name] = i;
  const ExprPtr left_expr = hoist(exprs[0], left_scope, false, static_cast<double>(B * M * K));
  if (!status_) return nullptr;
  const Program program = compile(left_expr, Type::real, grids[0], left_scope, known_, tensors_, rules_);
  const std::int64_t tile = std::clamp<std::int64_t>(tile_elements / K, 1, B * M);
  std::vector<double> left(static_cast<std::size_t>(tile * K)), left_error(bounds ? left.size() : 0);
  const double terms = static_cast<double>(K);
  const double roundings = static_cast<double>(factors.above.size() + factors.below.size() - 1 - outside.size());
  for (std::int64_t row = 0; row < B * M; row += tile) {
    const std::int64_t rows = std::min(tile, B * M - row);
    const std::size_t count = static_cast<std::size_t>(rows * K);
    status_ = run(program, grids[0], row * K, (row + rows) * K, left.data(), bounds ? left_error.data() : nullptr,
                  nullptr, nullptr);
    if (!status_) return nullptr;
    if (!all_finite(left, count)) {
      kept_.resize(outer_kept);
      return nullptr;
    }
    const bool left_errors =
        bounds && std::any_of(left_error.begin(), left_error.begin() + static_cast<std::ptrdiff_t>(count),
                              [](double x) { return x != 0; });
    // Sums of products of few distinct values: exact when they are small multiples of a power of two; else their
    // roundings do not cancel.
    const bool few = right_discrete && discrete(left, count);
    const bool exact = few && !left_errors && !right_errors && units(left, count) * right_units * terms < 0x1p24;
    const double linear = roundings + (few ? terms / 4 : 0);
    // Pieces of rows within one batch element.
    struct Piece {
      std::int64_t begin, rows, columns_begin, columns;
    };
    std::vector<Piece> pieces;
    const std::int64_t piece_columns = rows < 256 && N > 256 ? 128 : std::min<std::int64_t>(N, 2048);
    for (std::int64_t r = row; r < row + rows;) {
      const std::int64_t n = std::min({std::int64_t{128}, M - r % M, row + rows - r});
      for (std::int64_t c = 0; c < N; c += piece_columns) pieces.push_back({r, n, c, std::min(piece_columns, N - c)});
      r += n;
    }
    std::atomic<bool> out_of_memory{false};
    parallel_for(
        pieces.size(), 1, options_.threads,
        [&](std::size_t from, std::size_t to, int) {
          try {
            Matrix value, squares, spread, a;
            for (std::size_t p = from; p < to; ++p) {
              const Piece& piece = pieces[p];
              const std::size_t at = static_cast<std::size_t>((piece.begin - row) * K);
              const std::size_t bt = static_cast<std::size_t>((piece.begin / M * N + piece.columns_begin) * K);
              const ConstMap left_map(left.data() + at, piece.rows, K);
              const auto right_map = [&](const std::vector<double>& v) {
                return ConstMap(v.data() + bt, piece.columns, K).transpose();
              };
              value.noalias() = left_map * right_map(right.value);
              if (bounds && !exact) {
                a = left_map.cwiseAbs2();
                squares.noalias() = a * right_map(right_squares);
                // |a| eb + ea (|b| + eb)
                if (left_errors)
                  spread.noalias() = ConstMap(left_error.data() + at, piece.rows, K) * right_map(right_abs);
                else
                  spread.setZero(piece.rows, piece.columns);
                if (right_errors) {
                  a = left_map.cwiseAbs();
                  spread.noalias() += a * right_map(right.error);
                }
              }
              for (std::int64_t r = 0; r < piece.rows; ++r) {
                for (std::int64_t c = 0; c < piece.columns; ++c) {
                  const std::size_t o = static_cast<std::size_t>((piece.begin + r) * N + piece.columns_begin + c);
                  out->value[o] = value(r, c);
                  if (!bounds) continue;
                  out->error[o] = 0;
                  if (exact) continue;
                  const double s2 = squares(r, c);
                  const double err = spread(r, c) + rules_.order_error(terms, value(r, c), s2) +
                                     rules_.u * linear * std::sqrt(terms * s2);
                  out->error[o] = rules_.settle(value(r, c), err);
                }
              }
            }
          } catch (const std::bad_alloc&) { out_of_memory = true; }
        },
        options_.stop);
    if (out_of_memory) {
      status_ = fail(Code::unsupported, "there is not enough memory");
      return nullptr;
    }
    if (options_.stop.stop_requested()) {
      status_ = fail(Code::cancelled, "the evaluation was cancelled");
      return nullptr;
    }
  }
  kept_.resize(outer_kept);

  ExprPtr value = keep(std::move(out), result);
  for (const Part& p : outside) value = binary_of(p.below ? BinaryOp::div : BinaryOp::mul, value, p.expr);
  if (factors.negative) value = unary_of(UnaryOp::negate, value);
  return value;
}

}  // namespace ww::op
