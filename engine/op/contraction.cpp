// SPDX-License-Identifier: Apache-2.0
// sum(k) A[…] * B[…] as matrix products. The factors under the sum are divided into two groups; the indices of the
// result belong to both groups (batch), to the first (rows) or to the second (columns). Each group is evaluated once
// into a dense matrix (which unfolds convolutions, padding and masks), the product is Eigen's. Factors free of the
// summed indices are applied to the result. The bound is a second product, of the squares.
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <new>
#include <optional>
#include <set>
#include "base/parallel.h"
#include "op/evaluator.h"
#include "op/factors.h"
#include "op/walk.h"

namespace ww::op {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const Matrix>;

constexpr std::int64_t max_group = std::int64_t{1} << 26;  // elements of the second group's matrix
constexpr std::int64_t tile_elements = std::int64_t{1} << 23;

bool all_finite(const std::vector<double>& v, std::size_t n) {
  double sum = 0;  // of v - v: 0, or NaN when an element is not finite
  for (std::size_t i = 0; i < n; ++i) sum += v[i] - v[i];
  return sum == 0;
}

// How often the values of a row occur: its runs of one value, and the share of terms that equal another one. 1: each
// differs from the others. Roundings of equal terms do not cancel, and sums of runs stray further than shuffled terms.
// Zeros round nothing.
double repeats_in(const double* row, std::int64_t n) {
  constexpr std::int64_t samples = 64;
  std::int64_t in_runs = 0, terms = 0;
  for (std::int64_t k = 1; k < n; ++k) in_runs += row[k] == row[k - 1] && row[k] != 0;
  std::array<double, samples> sample;
  for (std::int64_t k = 0; k < std::min(samples, n); ++k) {
    const double v = row[n <= samples ? k : k * (n - 1) / (samples - 1)];
    if (v != 0) sample[static_cast<std::size_t>(terms++)] = v;
  }
  std::sort(sample.begin(), sample.begin() + terms);
  std::int64_t pairs = 0, same = 1;
  for (std::int64_t k = 1; k < terms; ++k) {
    same = sample[static_cast<std::size_t>(k)] == sample[static_cast<std::size_t>(k - 1)] ? same + 1 : 1;
    pairs += same - 1;
  }
  const double all = static_cast<double>(n), drawn = static_cast<double>(terms);
  const double runs = all / (all - static_cast<double>(in_runs));
  const double share = terms > 1 ? 2 * static_cast<double>(pairs) / (drawn * (drawn - 1)) : 0;
  constexpr double often = 1.0 / 32;  // numbers of 16 bits meet one another now and then
  return std::max(runs, share > often ? share * all : 1);
}

std::vector<double> repeats_of(const std::vector<double>& rows, std::size_t count, std::int64_t n) {
  std::vector<double> out;
  for (std::size_t at = 0; at < count; at += static_cast<std::size_t>(n)) out.push_back(repeats_in(&rows[at], n));
  return out;
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

bool any_error(const std::vector<double>& error, std::size_t n) {
  return std::any_of(error.begin(), error.begin() + static_cast<std::ptrdiff_t>(n), [](double x) { return x != 0; });
}

Scope scope_of(const std::vector<GridIndex>& grid) {
  Scope s;
  for (const GridIndex& i : grid) s[i.name] = i;
  return s;
}

std::vector<GridIndex> joined(std::vector<GridIndex> a, const std::vector<GridIndex>& b,
                              const std::vector<GridIndex>& c) {
  a.insert(a.end(), b.begin(), b.end());
  a.insert(a.end(), c.begin(), c.end());
  return a;
}

// The summed indices over the hull of their ranges (what a range excludes is masked); nothing where that is unknown or
// empty.
std::optional<std::vector<GridIndex>> hull_of(const Expr& sum, Scope scope, const Resolved& known) {
  std::vector<GridIndex> out;
  for (const Index& i : sum.indices) {
    GridIndex g{i.name, 0, 0};
    std::int64_t other = 0;
    if (!interval(*i.lo, scope, known, &g.lo, &other) || !interval(*i.hi, scope, known, &other, &g.hi) ||
        g.extent() == 0)
      return std::nullopt;
    scope[i.name] = g;
    out.push_back(g);
  }
  return out;
}

// The second group's matrix, with what bounds need of it.
struct RightMatrix {
  Dense dense;
  std::vector<double> squares, magnitude;  // b^2; |b| + its error
  std::vector<double> repeats;             // of each column
  bool errors = false, discrete = false;
  double units = 0;

  void prepare_bounds(std::int64_t terms) {
    const std::size_t n = dense.value.size();
    repeats = repeats_of(dense.value, n, terms);
    errors = any_error(dense.error, dense.error.size());
    discrete = op::discrete(dense.value, n);
    units = discrete ? op::units(dense.value, n) : 0;
    squares.resize(n);
    magnitude.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      squares[i] = dense.value[i] * dense.value[i];
      magnitude[i] = std::fabs(dense.value[i]) + dense.error[i];
    }
  }
};

// Consecutive rows of the first group's matrix.
struct Tile {
  std::int64_t row = 0, rows = 0;
  std::vector<double> value, error;
  std::vector<double> repeats;  // of each row
  bool errors = false, exact = false;
  double linear = 0;       // roundings of each term that do not cancel
  bool truncated = false;  // matrix units may add the products
};

struct Piece {  // rows of a tile within one batch element, and columns
  std::int64_t begin, rows, columns_begin, columns;
};

std::vector<Piece> pieces_of(const Tile& tile, std::int64_t M, std::int64_t N) {
  std::vector<Piece> out;
  const std::int64_t columns = tile.rows < 256 && N > 256 ? 128 : std::min<std::int64_t>(N, 2048);
  for (std::int64_t r = tile.row; r < tile.row + tile.rows;) {
    const std::int64_t n = std::min({std::int64_t{128}, M - r % M, tile.row + tile.rows - r});
    for (std::int64_t c = 0; c < N; c += columns) out.push_back({r, n, c, std::min(columns, N - c)});
    r += n;
  }
  return out;
}

struct Products {  // one thread's matrices, kept from piece to piece
  Matrix value, squares, spread, a;
  Matrix partial, before, after;  // the sums of the squares of the partial sums; those at a step's ends
};

// The product in steps over the terms in text order, and with it nearly the sum of the squares of the partial sums:
// each counts as the larger one at the ends of its step.
void add_in_steps(const ConstMap& left, const Eigen::Transpose<ConstMap>& right, Products& p) {
  constexpr Eigen::Index steps = 16, least = 8;  // terms of a step
  const Eigen::Index terms = left.cols(), step = std::max(least, (terms + steps - 1) / steps);
  p.value.setZero(left.rows(), right.cols());
  p.partial.setZero(left.rows(), right.cols());
  p.before.setZero(left.rows(), right.cols());
  for (Eigen::Index k = 0; k < terms; k += step) {
    const Eigen::Index n = std::min(step, terms - k);
    p.value.noalias() += left.middleCols(k, n) * right.middleRows(k, n);
    p.after = p.value.cwiseAbs2();
    p.partial += static_cast<double>(n) * p.before.cwiseMax(p.after);
    p.before.swap(p.after);
  }
}

void multiply(const Piece& piece, const Tile& tile, const RightMatrix& right, std::int64_t M, std::int64_t N,
              std::int64_t K, const Rules& rules, Products& p, Dense& out) {
  const bool bounds = rules.bounds && !tile.exact;
  const std::size_t at = static_cast<std::size_t>((piece.begin - tile.row) * K);
  const std::size_t bt = static_cast<std::size_t>((piece.begin / M * N + piece.columns_begin) * K);
  const ConstMap left_map(tile.value.data() + at, piece.rows, K);
  const auto right_map = [&](const std::vector<double>& v) {
    return ConstMap(v.data() + bt, piece.columns, K).transpose();
  };
  if (!bounds) p.value.noalias() = left_map * right_map(right.dense.value);
  if (bounds) {
    add_in_steps(left_map, right_map(right.dense.value), p);
    p.a = left_map.cwiseAbs2();
    p.squares.noalias() = p.a * right_map(right.squares);
    // |a| eb + ea (|b| + eb)
    if (tile.errors)
      p.spread.noalias() = ConstMap(tile.error.data() + at, piece.rows, K) * right_map(right.magnitude);
    else
      p.spread.setZero(piece.rows, piece.columns);
    if (right.errors) {
      p.a = left_map.cwiseAbs();
      p.spread.noalias() += p.a * right_map(right.dense.error);
    }
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double terms = static_cast<double>(K);
  const std::size_t first_column = static_cast<std::size_t>(piece.begin / M * N + piece.columns_begin);
  for (std::int64_t r = 0; r < piece.rows; ++r) {
    for (std::int64_t c = 0; c < piece.columns; ++c) {
      const std::size_t o = static_cast<std::size_t>((piece.begin + r) * N + piece.columns_begin + c);
      const double value = p.value(r, c);
      out.value[o] = value;
      if (rules.bounds) out.error[o] = 0;
      if (!bounds) continue;
      const double s2 = p.squares(r, c), magnitude = std::sqrt(terms * s2);  // at least the sum of |products|
      const double repeats = std::min(tile.repeats[static_cast<std::size_t>(piece.begin - tile.row + r)],
                                      right.repeats[first_column + static_cast<std::size_t>(c)]);
      const double order = rules.order_error(terms, value, s2, p.partial(r, c) / 8, tile.truncated);
      const double err = p.spread(r, c) + std::max(order, std::min(repeats * order, rules.u * terms / 2 * magnitude)) +
                         rules.u * tile.linear * magnitude +
                         std::min(magnitude, terms * rules.tiny);  // products that were flushed to zero
      // What is infinite or NaN where a factor has an error may have overflowed.
      out.error[o] = rules.settle(value, std::isfinite(value) ? err : p.spread(r, c) == 0 ? 0 : infinity);
    }
  }
}

}  // namespace

struct Evaluator::Contraction {
  GroupedSum sum;
  std::vector<GridIndex> batch, rows, columns, summed;
  std::int64_t B = 0, M = 0, N = 0, K = 0;  // their points
  ExprPtr left, right;
  bool truncated = false;  // matrix units may add the products
  std::vector<GridIndex> left_grid() const { return joined(batch, rows, summed); }
  std::vector<GridIndex> right_grid() const { return joined(batch, columns, summed); }

  // False where an index has no part in the product, or where the product is too small or too large.
  bool assign(const std::vector<std::string>& free, const Scope& scope) {
    for (const std::string& n : free) {
      const bool in_left = sum.left.names.count(n) != 0, in_right = sum.right.names.count(n) != 0;
      if (in_left || in_right)
        (in_left && in_right ? batch : in_left ? rows : columns).push_back(scope.at(n));
      else if (std::none_of(sum.outside.begin(), sum.outside.end(),
                            [&](const Factor& f) { return f.names.count(n) != 0; }))
        return false;  // only a range depends on it
    }
    if (points_of(rows) < points_of(columns)) {
      std::swap(rows, columns);
      std::swap(sum.left, sum.right);
    }
    B = points_of(batch), M = points_of(rows), N = points_of(columns), K = points_of(summed);
    left = sum.left.masked(), right = sum.right.masked();
    if (M < 4 || N < 4 || K < 2) return false;
    const double products =
        static_cast<double>(B) * static_cast<double>(M) * static_cast<double>(N) * static_cast<double>(K);
    return products >= 65536 && B <= max_group / N / K && B * M <= (std::int64_t{1} << 28) / N;
  }
};

ExprPtr Evaluator::contraction(const Expr& e, const std::vector<std::string>& free, const Scope& scope) {
  if (e.reduce != ReduceOp::sum || e.type != Type::real) return nullptr;
  auto sum = group_sum(e, FactorOrder::divisors_last);
  auto summed = hull_of(e, scope, known_);
  if (!sum || !summed) return nullptr;
  Contraction c;
  c.sum = std::move(*sum);
  c.summed = std::move(*summed);
  c.truncated = fits_matrix_units(e, [&](const std::string& name) { return tensors_.at(name).dtype; });
  if (!c.assign(free, scope) || !may_be_reordered(c, scope)) return nullptr;
  auto out = std::make_unique<Dense>();
  const std::vector<GridIndex> result = joined(c.batch, c.rows, c.columns);
  if (!multiply(c, result, *out)) return nullptr;
  ExprPtr value = keep(std::move(out), result);
  for (const Factor& f : c.sum.outside) value = binary_of(f.below ? BinaryOp::div : BinaryOp::mul, value, f.expr);
  if (c.sum.negative) value = unary_of(UnaryOp::negate, value);
  return value;
}

// False where the plain path must find and name a failure.
bool Evaluator::may_be_reordered(const Contraction& c, const Scope& scope) {
  const auto fails = [&](const FactorGroup& group, const ExprPtr& expr, const std::vector<GridIndex>& grid) {
    return may_fail(group.mask ? *group.mask : *expr, scope_of(grid));
  };
  if (fails(c.sum.left, c.left, c.left_grid()) || fails(c.sum.right, c.right, c.right_grid())) return false;
  // A factor that is infinite or NaN somewhere, or a zero divisor, must meet every term, not their sum.
  for (const Factor& f : c.sum.outside) {
    const std::vector<GridIndex> grid = grid_of({f.names.begin(), f.names.end()}, scope);
    if (may_fail(*f.expr, scope_of(grid))) return false;
    Dense factor;
    status_ =
        compute(binary_of(f.below ? BinaryOp::div : BinaryOp::mul, real_literal(1), f.expr), Type::real, grid, factor);
    if (!status_ || !all_finite(factor.value, factor.value.size())) return false;
  }
  return true;
}

bool Evaluator::multiply(const Contraction& c, const std::vector<GridIndex>& result, Dense& out) {
  const auto [B, M, N, K] = std::array{c.B, c.M, c.N, c.K};
  RightMatrix right;
  status_ = compute(c.right, Type::real, c.right_grid(), right.dense);
  if (!status_ || !all_finite(right.dense.value, right.dense.value.size())) return false;
  if (rules_.bounds) right.prepare_bounds(K);
  for (const GridIndex& g : result) out.shape.push_back(g.extent());
  out.value.resize(static_cast<std::size_t>(B * M * N));
  if (rules_.bounds) out.error.resize(out.value.size());

  // What the first group's expression hoists must live until its last tile.
  const std::size_t outer_kept = kept_.size();
  const std::vector<GridIndex> grid = c.left_grid();
  const Scope scope = scope_of(grid);
  const ExprPtr left = hoist(c.left, scope, false, static_cast<double>(B * M * K));
  if (!status_) return false;
  const Program program = compile(left, Type::real, grid, scope, known_, tensors_, rules_);
  const std::int64_t tile_rows = std::clamp<std::int64_t>(tile_elements / K, 1, B * M);
  Tile tile;
  tile.truncated = c.truncated;
  tile.value.resize(static_cast<std::size_t>(tile_rows * K));
  if (rules_.bounds) tile.error.resize(tile.value.size());
  for (tile.row = 0; tile.row < B * M; tile.row += tile_rows) {
    tile.rows = std::min(tile_rows, B * M - tile.row);
    const std::size_t count = static_cast<std::size_t>(tile.rows * K);
    status_ = run(program, grid, tile.row * K, (tile.row + tile.rows) * K, tile.value.data(),
                  rules_.bounds ? tile.error.data() : nullptr, nullptr, nullptr);
    if (!status_) return false;
    if (!all_finite(tile.value, count)) {
      kept_.resize(outer_kept);
      return false;
    }
    tile.errors = rules_.bounds && any_error(tile.error, count);
    // Sums of products of few distinct values are exact when those are small multiples of a power of two.
    tile.exact = right.discrete && !tile.errors && !right.errors && discrete(tile.value, count) &&
                 units(tile.value, count) * right.units * static_cast<double>(K) < 0x1p24;
    tile.linear = c.sum.roundings;
    if (rules_.bounds && !tile.exact) tile.repeats = repeats_of(tile.value, count, K);
    const std::vector<Piece> pieces = pieces_of(tile, M, N);
    std::atomic<bool> out_of_memory{false};
    parallel_for(
        pieces.size(), 1, options_.threads,
        [&](std::size_t from, std::size_t to, int) {
          try {
            Products scratch;
            for (std::size_t p = from; p < to; ++p)
              op::multiply(pieces[p], tile, right, c.M, c.N, c.K, rules_, scratch, out);
          } catch (const std::bad_alloc&) { out_of_memory = true; }
        },
        options_.stop);
    if (out_of_memory) status_ = fail(Code::unsupported, "there is not enough memory");
    if (status_ && options_.stop.stop_requested()) status_ = fail(Code::cancelled, "the evaluation was cancelled");
    if (!status_) return false;
  }
  kept_.resize(outer_kept);
  return true;
}

}  // namespace ww::op
