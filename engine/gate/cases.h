// SPDX-License-Identifier: Apache-2.0
// The cases that a candidate is tried on, derived only from the spec: the default, and shapes that expose common kernel
// bugs (one element, odd, prime, not a multiple of 4 / 32 / 128, powers of two, tall, wide, the default's divisors).
#pragma once
#include <functional>
#include <stop_token>
#include <string>
#include <vector>
#include "base/result.h"
#include "evidence/verdict.h"
#include "op/spec.h"

namespace ww::gate {

// The work of a case, for limits: the spec's flops, 8 per special function, and one per element of each input and
// output; at least a sixteenth of the reference's steps, most of which may be comparisons.
Result<double> case_work(const op::Spec& spec, const op::Binding& binding);

struct CaseOptions {
  double default_limit =
      0;                  // 0: none. A default case with more work is replaced by the case "reduced" (see reduced_case)
  double case_limit = 0;  // of every other case; 0: 2e6
  std::stop_token stop;
};

// Shapes that the spec does not allow (a dimension below 0, a subscript out of range, an H that G does not divide) are
// replaced by others. Constants and domains do not change. The first is "default"; no two bindings are equal. Fails if
// the default does not fit the spec.
Result<std::vector<Case>> derive_cases(const op::Spec& spec, const op::Binding& binding,
                                       const CaseOptions& options = {});

// The default with its largest symbols halved until the work is within the limit; keeps divisibility by powers of two
// as far as possible.
Result<Case> reduced_case(const op::Spec& spec, const op::Binding& binding, double limit);

// Up to `count` further `wanted` cases of random shapes; two with other constants (strides, slopes, eps); up to four
// small ones whose whole-number constants (windows, shifts, factors) change the result and may exceed the sizes; up to
// three with real ones far away, and three with two real ones exchanged; last, one with the sizes of a known case. If
// no case of a kind is wanted, one that is not. `known`: the result of derive_cases, the default first.
Result<std::vector<Case>> random_cases(const op::Spec& spec, const std::vector<Case>& known, const CaseOptions& options,
                                       const std::function<std::uint64_t()>& draw,
                                       const std::function<bool(const Case&)>& wanted, int count);
// `count` drawn `wanted` cases: one symbol equals one of `sizes` or `limits`, or one more or less, and the rest are
// small; or the product of some symbols is next to a limit. Errors: cancelled.
Result<std::vector<Case>> compared_cases(const op::Spec& spec, const std::vector<Case>& known,
                                         const CaseOptions& options, const std::vector<std::int64_t>& sizes,
                                         const std::vector<std::int64_t>& limits,
                                         const std::function<std::uint64_t()>& draw,
                                         const std::function<bool(const Case&)>& wanted, int count);
// Up to `count` `wanted` cases of at most `most_work`, where no known one does: each size, beside others that are not
// small if the work allows it, the product of all and the number of blocks just above each of `numbers`, which ascend
// (an index may be compared with them). `blocks`: of the largest launch.
Result<std::vector<Case>> beyond_cases(const op::Spec& spec, const std::vector<Case>& known, const CaseOptions& options,
                                       const std::vector<std::int64_t>& numbers, double most_work,
                                       const std::function<double(const op::Binding&)>& blocks,
                                       const std::function<std::uint64_t()>& draw,
                                       const std::function<bool(const Case&)>& wanted, int count);
// Up to `count` `wanted` cases, for each of `wraps` in order that the work allows one: a product of sizes just above.
Result<std::vector<Case>> wrapping_cases(const op::Spec& spec, const std::vector<Case>& known,
                                         const CaseOptions& options, const std::vector<std::int64_t>& wraps,
                                         const std::function<std::uint64_t()>& draw,
                                         const std::function<bool(const Case&)>& wanted, int count);
// Up to `count` `wanted` cases of at most `most_work`, each with a `way` that differs from `known` and from those
// before, and is not empty: one symbol is longer, the others are small. Errors: cancelled.
using Way = std::vector<std::int64_t>;  // empty: there is only one
Result<std::vector<Case>> cases_of_other_ways(const op::Spec& spec, const std::vector<Case>& known,
                                              const CaseOptions& options,
                                              const std::function<Way(const op::Binding&)>& way,
                                              const std::function<bool(const Case&)>& wanted, double most_work,
                                              int count);
bool is_long(const Case& c);       // one symbol is as long as the work allows
bool is_secondary(const Case& c);  // long, distinct, random or with other constants: two input sets suffice

}  // namespace ww::gate
