// SPDX-License-Identifier: Apache-2.0
// Compares an output with its reference. Rules, element by element:
// - integers and bool (the bytes 0 and 1): equal, or within the reference's bound if an earlier rounding or comparison
//   may go either way
// - NaN exactly where the reference is NaN; an infinity where the reference is that infinity
// - where the reference, rounded to the dtype, overflows: that infinity, or a finite value within the bound
// - otherwise |actual - expected| <= bound, with `expected` the unrounded f64 value and the bound that of op::evaluate,
//   but not less than the smallest normal number of f32 (f64 for f64 tensors), since a device may flush smaller ones to
//   zero
// An element without a finite bound cannot be checked; it is counted, and called wrong only by the rules on NaN and
// infinity.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include "evidence/verdict.h"
#include "op/evaluate.h"

namespace ww::gate {

struct Comparison {
  std::optional<FailingElement>
      worst;  // NaN and infinities before numbers, then by error over tolerance; ties: the first
  std::int64_t total = 0, unchecked = 0;
  double largest_ratio = 0;        // of error to tolerance over the correct elements
  std::int64_t beyond_strict = 0;  // correct elements that the strict bound would reject, if there is one,
  double lost_ulps = 0;            // and the error of the worst of them in ulps
};

// `actual`: row-major bytes of expected.dtype; its size must match (else an internal error).
Result<Comparison> compare(const std::string& tensor, const op::ReferenceTensor& expected,
                           std::span<const std::byte> actual, int threads = 0);

struct Judgement {  // of one element
  bool right = true, checked = true;
  double ratio = 0;  // of error to tolerance; infinity for a misplaced NaN or infinity
  double tolerance = 0;
};
Judgement judge_element(const op::ReferenceTensor& expected, std::span<const std::byte> actual, std::size_t at);

// The tolerance of an element with this bound (see above).
double tolerance_of(DType dtype, double bound);
std::vector<std::int64_t> subscripts(std::int64_t linear, const std::vector<std::int64_t>& shape);
std::int64_t linear_index(const std::vector<std::int64_t>& subscripts, const std::vector<std::int64_t>& shape);
// "y[3, 0] is 1.5, expected 1 ± 1e-6 (33 of 4096 elements are wrong)"
std::string describe(const FailingElement& element);

}  // namespace ww::gate
