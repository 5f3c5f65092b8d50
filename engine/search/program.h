// SPDX-License-Identifier: Apache-2.0
// A spec in the form used for lowering: tensors by name and equations whose target subscripts are expressions, with map
// temporaries inlined if that is free, loop-invariant factors moved out of sums, and nested reductions hoisted.
#pragma once
#include <map>
#include <stop_token>
#include <string>
#include <vector>
#include "base/result.h"
#include "op/spec.h"

namespace ww::search {

using op::Expr;
using op::ExprPtr;
using op::Index;

enum class Storage : std::uint8_t { input, output, temp };

struct Tensor {
  std::string name;
  DType dtype = DType::f32;
  std::vector<ExprPtr> shape;
  Storage storage = Storage::input;
};

struct Equation {
  std::string target;
  std::vector<Index> indices;  // the loops that enumerate the target's elements
  std::vector<ExprPtr> at;     // the written element, in terms of the indices
  ExprPtr value;
};

struct Program {
  op::Spec spec;
  op::Binding binding;  // the default case, for which sizes are chosen
  std::map<std::string, Tensor> tensors;
  std::vector<Equation> equations;  // each reads only earlier ones; members of a recurrence are consecutive
  bool f64 = false;                 // computes in double: an input or output is f64
  bool wide = false;                // a tensor has 2^31 elements or more: indices are 64-bit

  const Tensor& tensor(const std::string& name) const { return tensors.at(name); }
  // Value of an integer expression over symbols and constants for the default case; `fallback` if it depends on more.
  std::int64_t estimate(const ExprPtr& expr, std::int64_t fallback = 64) const;
  std::int64_t estimate(const std::vector<Index>& domain) const;  // product of the extents
};

inline constexpr std::size_t max_terms = std::size_t{1} << 18;  // nodes of all equations together, about 60 MB

// Fails if the default case cannot be resolved, and with Code::unsupported if the equations have, or grow to, more than
// max_terms.
Result<Program> make_program(const op::Spec& spec, const op::Binding& binding, const std::stop_token& stop = {});

}  // namespace ww::search
