// SPDX-License-Identifier: Apache-2.0
// The cases a candidate is tried on, derived from the spec alone: the default, and shapes that expose what kernels get
// wrong (one element, odd, prime, not a multiple of 4 / 32 / 128, powers of two, tall, wide, the default's own
// divisors).
#pragma once
#include <functional>
#include <stop_token>
#include <string>
#include <vector>
#include "base/result.h"
#include "evidence/verdict.h"
#include "op/spec.h"

namespace ww::gate {

// Work of a case for its limits: the spec's flops, 8 per special function, and one per element of each input and
// output.
Result<double> case_work(const op::Spec& spec, const op::Binding& binding);

struct CaseOptions {
  double default_limit =
      0;  // 0: none. A default case of more work is not run; the case "reduced" takes its place (see reduced_case)
  double case_limit = 0;  // of every other case; 0: 2e6
  std::stop_token stop;
};

// Shapes that the spec itself cannot take (a dimension below 0, a subscript out of range, an H that G does not divide)
// are left out and others tried in their place. Constants and domains stay as they are. The first is "default"; no two
// bindings are equal. Fails when the default itself does not fit the spec.
Result<std::vector<Case>> derive_cases(const op::Spec& spec, const op::Binding& binding,
                                       const CaseOptions& options = {});

// The default with its largest symbols halved until the work is within the limit; keeps divisibility by powers of two
// as far as that goes.
Result<Case> reduced_case(const op::Spec& spec, const op::Binding& binding, double limit);

// Up to `count` further cases of random shapes that are wanted, two with other constants (strides, slopes, eps), and up
// to four small ones whose whole constants (windows, shifts, factors) change the result and may exceed the sizes, and
// last one of the sizes of a known case; of a kind of which none is wanted, one that is not. `known`: those of
// derive_cases, the default first.
Result<std::vector<Case>> random_cases(const op::Spec& spec, const std::vector<Case>& known, const CaseOptions& options,
                                       const std::function<std::uint64_t()>& draw,
                                       const std::function<bool(const Case&)>& wanted, int count);
// `count` cases in which one symbol is one of `sizes`, drawn, the others small; those that are `wanted`. Errors:
// cancelled.
Result<std::vector<Case>> compared_cases(const op::Spec& spec, const std::vector<Case>& known,
                                         const CaseOptions& options, const std::vector<std::int64_t>& sizes,
                                         const std::function<std::uint64_t()>& draw,
                                         const std::function<bool(const Case&)>& wanted, int count);
// Up to `count` cases that are `wanted`, each with another `way` than `known` and the ones before: one symbol longer,
// the others small. Errors: cancelled.
using Way = std::vector<std::int64_t>;  // empty: there is only one
Result<std::vector<Case>> cases_of_other_ways(const op::Spec& spec, const std::vector<Case>& known,
                                              const CaseOptions& options,
                                              const std::function<Way(const op::Binding&)>& way,
                                              const std::function<bool(const Case&)>& wanted, int count);
bool is_long(const Case& c);       // one symbol as long as the work allows
bool is_secondary(const Case& c);  // long, told apart, random or of other constants: two input sets do

}  // namespace ww::gate
