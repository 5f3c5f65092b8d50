// SPDX-License-Identifier: Apache-2.0
#include "op/evaluator.h"
#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <new>
#include "base/parallel.h"
#include "op/interpret.h"

namespace ww::op {

std::int64_t points_of(const std::vector<GridIndex>& grid) {
  std::int64_t n = 1;
  for (const GridIndex& g : grid)
    if (__builtin_mul_overflow(n, g.extent(), &n)) return std::numeric_limits<std::int64_t>::max();
  return n;
}

Tensor Evaluator::view(const Dense& dense) {
  Tensor t;
  t.type = dense.type;
  t.set_shape(dense.shape);
  if (dense.type == Type::real) {
    t.storage = DType::f64;
    t.data = dense.value.data();
  } else {
    t.storage = DType::i64;
    t.data = dense.integer.data();
  }
  if (!dense.error.empty()) t.error = dense.error.data();
  return t;
}

Status Evaluator::run(const Program& program, const std::vector<GridIndex>& grid, std::int64_t begin, std::int64_t end,
                      double* value, double* error, std::int64_t* integer, double* integer_error, Workers* kept) {
  const int threads = options_.threads > 0 ? options_.threads : hardware_threads();
  const std::int64_t count = end - begin;
  // Whole blocks, several chunks per thread; few points are divided evenly.
  std::int64_t grain = std::min<std::int64_t>(count / (threads * 8) / lanes, 256) * lanes;
  if (grain < lanes) grain = std::min<std::int64_t>(lanes, (count + threads - 1) / threads);
  if (kept && count <= 4 * lanes) grain = count;  // another thread would take longer to wake than to work
  Workers own;
  Workers& workers = kept ? *kept : own;
  workers.resize(static_cast<std::size_t>(threads));
  std::mutex mutex;
  std::atomic<bool> stop{false};
  std::int64_t failed_at = std::numeric_limits<std::int64_t>::max();
  std::string failure;
  parallel_for(
      static_cast<std::size_t>(count), static_cast<std::size_t>(grain), threads,
      [&](std::size_t from, std::size_t to, int id) {
        if (stop.load(std::memory_order_relaxed)) return;
        try {
          std::unique_ptr<Worker>& worker = workers[static_cast<std::size_t>(id)];
          if (!worker) worker = std::make_unique<Worker>(program, rules_, options_.stop, options_.max_operations);
          for (std::int64_t at = static_cast<std::int64_t>(from); at < static_cast<std::int64_t>(to); at += lanes) {
            const int n = static_cast<int>(std::min<std::int64_t>(lanes, static_cast<std::int64_t>(to) - at));
            const View v = worker->run(grid, begin + at, n);
            if (worker->failed() || options_.stop.stop_requested()) {
              stop = true;
              const std::lock_guard lock(mutex);
              if (at < failed_at) {  // chunks are handed out in order, so the first failure is always among those seen
                failed_at = at;
                failure = worker->failure();
              }
              return;
            }
            if (value) std::copy(v.v, v.v + n, value + at);
            if (error) std::copy(v.e, v.e + n, error + at);
            if (integer) std::copy(v.i, v.i + n, integer + at);
            if (integer_error) std::copy(v.e, v.e + n, integer_error + at);
          }
        } catch (const std::bad_alloc&) {
          stop = true;
          const std::lock_guard lock(mutex);
          failed_at = -1;
          failure = "there is not enough memory";
        }
      },
      options_.stop);
  if (options_.stop.stop_requested()) return fail(Code::cancelled, "the evaluation was cancelled");
  if (stop) return fail(Code::invalid_argument, failure);
  return {};
}

Status Evaluator::compute(const ExprPtr& expr, Type type, const std::vector<GridIndex>& grid, Dense& out) {
  Scope scope;
  for (const GridIndex& g : grid) scope[g.name] = g;
  const std::int64_t points = points_of(grid);
  out.type = type;
  out.shape.clear();
  for (const GridIndex& g : grid) out.shape.push_back(g.extent());
  if (points == 0) return {};
  const std::size_t outer_kept = kept_.size();
  const ExprPtr flat = shortcuts_ ? hoist(expr, scope, false, static_cast<double>(points)) : expr;
  if (!status_) return status_;
  const Program program = compile(flat, type, grid, scope, known_, tensors_, rules_);
  const Status done = run_into(program, grid, out);
  kept_.resize(outer_kept);  // what was hoisted for this expression alone
  return done;
}

Status Evaluator::run_into(const Program& program, const std::vector<GridIndex>& grid, Dense& out, Workers* kept) {
  const std::int64_t points = points_of(grid);
  const std::size_t n = static_cast<std::size_t>(points);
  const bool real = out.type == Type::real, errors = rules_.bounds && (real || program.root->fuzzy);
  if (real)
    out.value.resize(n);
  else
    out.integer.resize(n);
  out.error.resize(errors ? n : 0);
  const Status done = run(program, grid, 0, points, real ? out.value.data() : nullptr,
                          errors ? out.error.data() : nullptr, real ? nullptr : out.integer.data(), nullptr, kept);
  if (done && !real && errors && std::all_of(out.error.begin(), out.error.end(), [](double e) { return e == 0; }))
    out.error.clear();
  return done;
}

}  // namespace ww::op
