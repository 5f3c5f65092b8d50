// SPDX-License-Identifier: Apache-2.0
// The reference: a spec evaluated in double precision (integers exactly), with a running bound of the rounding error
// that an honest kernel may make. Threaded; contractions over two tensors go through Eigen's f64 product.
#pragma once
#include <cstddef>
#include <map>
#include <stop_token>
#include <string>
#include <vector>
#include "base/dtype.h"
#include "base/result.h"
#include "op/spec.h"

namespace ww::op {

struct HostTensor {  // row-major bytes in dtype's memory layout
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
};

struct ReferenceTensor {
  DType dtype = DType::f32;  // the output's declared dtype
  std::vector<std::int64_t> shape;
  std::vector<double> value;  // f64 value of the exact spec on the given inputs, not rounded to dtype (real dtypes)
  std::vector<std::int64_t> integer;  // integer dtypes and bool
  // Absolute bound per element (real dtypes): an honest kernel that computes in `compute` precision and rounds once to
  // dtype stays within it. First-order running error analysis (Higham 2002, ch. 3), sums by their partial sums (Higham
  // & Mary 2019, 2020); see the top of bounds.cpp for the rules. Never below half an ulp of dtype at a finite value;
  // infinite where an intermediate value leaves the range of the compute precision. Integer dtypes and bool: empty when
  // every element is exact, else how far an honest kernel may be off: above 0 where a decision (a comparison, argmax, a
  // cast) depends on values nearer than their errors.
  std::vector<double> bound;
  bool moved = false;  // elements of inputs, which no arithmetic may round or flush: their bound is 0
};

struct EvaluateOptions {
  DType compute =
      DType::f32;  // precision the bound assumes for intermediate results; f64 where inputs or outputs are f64
  bool bounds = true;
  int threads = 0;  // 0: all
  std::stop_token stop;
  double max_operations = 2e11;  // refuse larger work with a sentence that gives the number
};

// Outputs by name. Fails on a missing input, a wrong shape or dtype, an out-of-range subscript (names the access and
// the index values), an integer division by zero, or cancellation.
Result<std::map<std::string, ReferenceTensor>> evaluate(const Spec& spec, const Binding& binding,
                                                        const std::map<std::string, HostTensor>& inputs,
                                                        const EvaluateOptions& options = {});

// A worked example for a person: evaluates the spec at a tiny shape (each symbol at most 3, conditions of the spec
// kept) and prints inputs and outputs as small tables, 4 significant digits.
Result<std::string> worked_example(const Spec& spec);

// Arithmetic operations and bytes the spec itself needs at a binding (each equation's terms once; inputs read once,
// outputs written once): the roofline's floor. *modelled*.
struct Work {
  double flops = 0;
  double special = 0;
  double bytes_read = 0;
  double bytes_written = 0;
};
Result<Work> work_of(const Spec& spec, const Binding& binding);

}  // namespace ww::op
