// SPDX-License-Identifier: Apache-2.0
// A spec lowered to naive CUDA, one simple kernel per equation, by a path that shares nothing with the search's
// lowering:
// - lower_reference: f64 values with the running error bounds of op/bounds.cpp, to check candidates on large cases.
// Trusted because it is itself
//   checked against op::evaluate on small ones.
// - naive_candidate: the plain kernel that a person would write first, in the spec's own types: the "naive" baseline.
#pragma once
#include <string>
#include <vector>
#include "base/result.h"
#include "candidate/candidate.h"
#include "op/spec.h"

namespace ww::oracle {

struct Output {
  std::string tensor;  // of the spec
  std::string value;   // buffer: f64 for real dtypes, i64 for the others
  std::string bound;   // buffer of f64, as op::ReferenceTensor::bound; empty: every element is exact
};

struct Program {
  std::string code;                                // CUDA C++ without includes
  std::vector<candidate::PlannedTensor> buffers;   // beyond the spec's inputs: temporaries, values, bounds
  std::vector<candidate::PlannedLaunch> launches;  // arguments: the spec's inputs (in their own dtypes) and the buffers
  std::vector<Output> outputs;                     // every output of the spec
};

// Code::unsupported names what it cannot lower; a binding that does not match the spec fails as in op::resolve. The
// code is the same for all bindings of a spec, so that it is compiled once. Values agree with op::evaluate's to about
// 1e-12. Bounds follow its rules and agree within a few percent; where the evaluator decides by the data (products of
// few distinct values, branches that may fail) they may be smaller, but never below what an honest kernel needs
// (product.cpp, reductions_text.cpp). Errors that make op::evaluate fail at run time (a subscript out of range, an
// integer division by zero) do not fault: the dependent elements have value 0 and an infinite bound. Test the shapes on
// a small case with the evaluator first.
Result<Program> lower_reference(const op::Spec& spec, const op::Binding& binding);

// A complete candidate text ("//@ candidate …"), structure "naive", valid for every binding.
Result<std::string> naive_candidate(const op::Spec& spec);

}  // namespace ww::oracle
