// SPDX-License-Identifier: Apache-2.0
// Expressions compiled for evaluation in blocks: each node computes `lanes` values at a time, with their error bounds
// beside them.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include "base/dtype.h"
#include "op/functions.h"
#include "op/parse.h"
#include "op/spec.h"

namespace ww::op {

inline constexpr int lanes = 256;
inline constexpr std::size_t max_indices = 32;  // of one tensor or one reduction

// Values in row-major order. `storage` is what `data` points to: f64, f32, i64, i32, i8, u8 or boolean (16-bit reals
// are widened).
struct Tensor {
  Type type = Type::real;
  DType dtype = DType::f64;    // of an input, as the spec has it
  DType storage = DType::f64;  // of its elements at `data`
  std::vector<std::int64_t> shape, strides;
  const void* data = nullptr;
  const double* error = nullptr;  // null: exact
  void set_shape(std::vector<std::int64_t> s);
};

// An index and its half-open range.
struct GridIndex {
  std::string name;
  std::int64_t lo = 0, hi = 0;
  std::int64_t extent() const { return hi > lo ? hi - lo : 0; }
};
using Scope = std::map<std::string, GridIndex>;  // every index in scope with a range that holds all its values

// The values an integer expression can take with its indices in scope, [first, last]; false when unknown.
bool interval(const Expr& e, const Scope& scope, const Resolved& known, std::int64_t* first, std::int64_t* last);

struct Node {
  enum class Op : std::uint8_t {
    constant,
    index,
    access,
    to_real,
    negate,
    logical_not,
    binary,
    select,
    call,
    cast,
    reduce
  };
  Op op = Op::constant;
  Type type = Type::real;
  bool fuzzy = false;     // integer or boolean, yet computed from inexact reals: carries an error too
  bool can_fail = false;  // may read out of range or divide integers by zero
  bool checked = true;    // of an access: some subscript is not known to be in range
  bool padded = false;    // of an access: args.back() is the value out of range
  BinaryOp binary = BinaryOp::add;
  Fn fn = Fn::exp;
  DType cast = DType::f64;
  ReduceOp reduce = ReduceOp::sum;
  bool small_power = false;  // binary pow with the literal exponent `integer`
  bool truncated = false;    // reduce: a sum that matrix units may compute
  bool uniform = false;      // reduce: ranges do not depend on indices
  bool across = false;       // reduce: neighbours in memory are neighbours in the enclosing block, not in the reduction
  int slot = 0;              // the node's buffer; access: slot + 1 holds offsets
  int remap = 0;  // first of vars.size() buffers for a changed set of lanes; a reduction has as many again after them
  int accumulator = -1;        // reduce
  int var = 0;                 // index
  double real = 0, error = 0;  // constant
  std::int64_t integer = 0;
  const Tensor* tensor = nullptr;
  std::vector<int> vars;  // index variables that the node depends on
  std::vector<std::unique_ptr<Node>> args;
  std::vector<int> bound_vars;                // reduce
  std::vector<std::unique_ptr<Node>> lo, hi;  // reduce
  std::unique_ptr<Node> condition;            // reduce
  const Expr* source = nullptr;
};
using NodePtr = std::unique_ptr<Node>;

struct Program {
  NodePtr root;
  int slots = 0;
  int accumulators = 0;
  std::vector<std::string> variables;  // the grid's first
  std::vector<const Node*> constants;
};

struct Rules;

// `tensors` must outlive the program. Indices of `grid` are the first variables.
Program compile(const ExprPtr& expr, Type type, const std::vector<GridIndex>& grid, const Scope& scope,
                const Resolved& known, const std::map<std::string, Tensor>& tensors, const Rules& rules);

}  // namespace ww::op
