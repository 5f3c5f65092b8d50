// SPDX-License-Identifier: Apache-2.0
// The evaluation of one spec on one set of inputs. evaluator.cpp runs programs over grids; hoist.cpp takes reductions
// out of larger expressions, so that each is computed once per value of the indices it depends on; contraction.cpp and
// scan.cpp compute two frequent forms of reduction in fewer steps; carried.cpp runs the steps of recurrences.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include "base/result.h"
#include "op/bounds.h"
#include "op/evaluate.h"
#include "op/program.h"

namespace ww::op {

class Worker;

struct Dense {  // computed values over a grid, row-major
  Type type = Type::real;
  std::vector<std::int64_t> shape;
  std::vector<double> value, error;   // error: empty without bounds; of integers only when some are uncertain
  std::vector<std::int64_t> integer;  // integers and booleans
};

class Evaluator {
 public:
  Evaluator(const Resolved& known, const Rules& rules, const EvaluateOptions& options, bool shortcuts = true)
      : known_(known), rules_(rules), options_(options), shortcuts_(shortcuts) {}

  void add_tensor(const std::string& name, Tensor tensor) { tensors_[name] = std::move(tensor); }
  void drop_tensor(const std::string& name) { tensors_.erase(name); }
  // The tensor refers to `dense`, which must not move.
  static Tensor view(const Dense& dense);
  Status compute(const ExprPtr& expr, Type type, const std::vector<GridIndex>& grid, Dense& out);

  // One equation of a recurrence.
  struct Carried {
    const Equation* equation = nullptr;
    Type type = Type::real;
    std::vector<GridIndex> grid;
    std::size_t along = 0;  // the index of the steps
    // relative rounding error of the value as other equations read it, for an output with a narrower dtype
    double rounding = 0;
    DType dtype = DType::f64;
    Dense* out = nullptr;   // all steps
    Dense* read = nullptr;  // as `out`, with that error; null if none
  };
  // Runs all steps of a recurrence, with the equations in order within each.
  Status compute_steps(const std::vector<Carried>& equations, bool backward);

 private:
  struct Prepared;
  std::optional<Prepared> prepare(const Carried& c) const;
  void begin_steps(const Carried& c);
  Status each_step(const std::vector<Carried>& equations, bool backward);
  void keep_step(const Carried& c, const Dense& step, std::int64_t at);

  // evaluator.cpp
  // `kept`, one per thread, is reused by further runs of the same program, each of which is short.
  using Workers = std::vector<std::unique_ptr<Worker>>;
  Status run(const Program& program, const std::vector<GridIndex>& grid, std::int64_t begin, std::int64_t end,
             double* value, double* error, std::int64_t* integer, double* integer_error, Workers* kept = nullptr);
  Status run_into(const Program& program, const std::vector<GridIndex>& grid, Dense& out, Workers* kept = nullptr);

  // hoist.cpp
  ExprPtr hoist(const ExprPtr& e, const Scope& scope, bool guarded, double points);
  ExprPtr hoisted_reduction(const ExprPtr& e, const Scope& scope, bool guarded, double points);
  bool may_fail(const Expr& e, const Scope& scope, bool padded = false) const;
  void enter(const Expr& reduction, Scope& scope, bool* uniform, double* points) const;
  // Stores `dense` and returns an access to it with the indices `grid`.
  ExprPtr keep(std::unique_ptr<Dense> dense, const std::vector<GridIndex>& grid);
  static std::vector<GridIndex> grid_of(const std::vector<std::string>& names, const Scope& scope);

  // contraction.cpp, scan.cpp: the value of the reduction as an access to a stored tensor, or null if it does not have
  // the form.
  ExprPtr contraction(const Expr& e, const std::vector<std::string>& free, const Scope& scope);
  struct Contraction;
  bool may_be_reordered(const Contraction& c, const Scope& scope);
  bool multiply(const Contraction& c, const std::vector<GridIndex>& result, Dense& out);
  ExprPtr scan(const Expr& e, const std::vector<std::string>& free, const Scope& scope);
  struct Scan;
  std::optional<Scan> scan_ranges(const Expr& e, const std::vector<std::string>& free, const Scope& scope) const;

  const Resolved& known_;
  Rules rules_;
  const EvaluateOptions& options_;
  const bool shortcuts_;
  std::map<std::string, Tensor> tensors_;
  std::vector<std::unique_ptr<Dense>> kept_;
  Status status_;  // the first failure inside hoisted computations
};

std::int64_t points_of(const std::vector<GridIndex>& grid);

}  // namespace ww::op
