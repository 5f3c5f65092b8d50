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
#include "op/inputs.h"
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

// Up to `count` further cases of random shapes that are wanted, and two with other constants (strides, slopes, eps); of
// a kind of which none is wanted, one that is not. `known`: those of derive_cases, the default first.
Result<std::vector<Case>> random_cases(const op::Spec& spec, const std::vector<Case>& known, const CaseOptions& options,
                                       const std::function<std::uint64_t()>& draw,
                                       const std::function<bool(const Case&)>& wanted, int count);
// `count` cases in which one symbol is one of `sizes`, drawn, the others small; those that are `wanted`. Errors:
// cancelled.
Result<std::vector<Case>> compared_cases(const op::Spec& spec, const std::vector<Case>& known,
                                         const CaseOptions& options, const std::vector<std::int64_t>& sizes,
                                         const std::function<std::uint64_t()>& draw,
                                         const std::function<bool(const Case&)>& wanted, int count);
bool is_long(const Case& c);       // one symbol as long as the work allows
bool is_secondary(const Case& c);  // long, told apart, random or of other constants: two input sets do

// Whether infinities and NaN propagate through the spec as through any honest kernel. They do through plain arithmetic;
// not where a choice is made (max, comparisons, if, padding, masks): fmaxf and a comparison differ there.
bool lets_nonfinite(const op::Spec& spec);
// The distributions that a spec is tried with: normal, large and ramp first. host: also those made on the host alone,
// with `planted` among them where there is something to plant.
std::vector<op::Distribution> distributions_for(const op::Spec& spec, bool host, bool planted = false);
// That of input set `set` (from 0) of `sets` of the `ordinal`-th case: of three and more, the first three for every
// case, of fewer the first; the later ones rotate over the others from case to case.
op::Distribution distribution_for(const std::vector<op::Distribution>& all, int ordinal, int set, int sets);

}  // namespace ww::gate
