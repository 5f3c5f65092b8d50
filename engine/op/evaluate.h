// SPDX-License-Identifier: Apache-2.0
// The reference: a spec evaluated in double precision (integers exactly), with a running bound on the rounding error of
// an honest kernel. Multithreaded; contractions over two tensors use Eigen's f64 product.
#pragma once
#include <cstddef>
#include <map>
#include <stop_token>
#include <string>
#include <vector>
#include "base/dtype.h"
#include "base/result.h"
#include "op/precision.h"
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
  // infinite if an intermediate value exceeds the range of the compute precision. Integer dtypes and bool: empty if
  // every element is exact, else the error that an honest kernel may make: above 0 if a decision (a comparison, argmax,
  // a cast) depends on values closer than their errors.
  std::vector<double> bound;
  std::vector<double> strict;  // the bound under Precision::strict, if that was asked for and differs; else empty
  double value_at(std::size_t i) const;
  bool moved = false;         // copies of input elements, which no arithmetic may round or flush: their bound is 0
  bool signed_zeros = false;  // also copies of elements with another sign: where -0 is expected, +0 is wrong
};

struct EvaluateOptions {
  DType compute =
      DType::f32;  // precision the bound assumes for intermediate results; f64 where inputs or outputs are f64
  bool bounds = true;
  Precision precision = Precision::usual;
  // Intermediate results beyond the compute precision's range divided by this count as beyond it, as kernels that sum
  // or multiply in another form get there first.
  double headroom = 1;
  bool running = false;  // sums of squares may be kept beside a running mean (bounds.cpp)
  bool rounds = true;    // false: bounds are about 0, or infinite where a value leaves the compute precision's range
  int threads = 0;       // 0: all
  std::stop_token stop;
  double max_operations = 2e11;  // larger work is refused with a sentence that gives the number
};

// Outputs by name. Fails on a missing input, a wrong shape or dtype, an out-of-range subscript (naming the access and
// the index values), an integer division by zero, or cancellation.
Result<std::map<std::string, ReferenceTensor>> evaluate(const Spec& spec, const Binding& binding,
                                                        const std::map<std::string, HostTensor>& inputs,
                                                        const EvaluateOptions& options = {});

// A worked example for people: evaluates the spec at a tiny shape (each symbol at most 3, subject to the spec's
// conditions) and prints inputs and outputs as small tables, 4 significant digits.
Result<std::string> worked_example(const Spec& spec);

// Arithmetic operations and bytes that the spec needs at a binding (each equation's terms once; inputs read once,
// outputs written once), for the roofline floor. *modelled*.
struct Work {
  double flops = 0;
  double special = 0;
  double bytes_read = 0;
  double bytes_written = 0;
};
Result<Work> work_of(const Spec& spec, const Binding& binding);

}  // namespace ww::op
