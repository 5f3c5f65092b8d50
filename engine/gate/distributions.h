// SPDX-License-Identifier: Apache-2.0
// With which distributions of inputs a spec is tried.
#pragma once
#include <vector>
#include "op/inputs.h"
#include "op/spec.h"

namespace ww::gate {

// Whether infinities and NaN propagate through the spec as through any honest kernel. They do through plain arithmetic;
// not where a choice is made (max, comparisons, if, padding, masks): fmaxf and a comparison differ there.
bool lets_nonfinite(const op::Spec& spec);
// Whether infinities alone do: where elements are moved, chosen, compared or scaled by what is no element, or moved,
// chosen and added. (A product of elements makes NaN of an infinity and zero, and a sum of infinities of both signs,
// where an honest kernel may choose.)
bool lets_infinite(const op::Spec& spec);
// The distributions that a spec is tried with: normal, large and ramp first. host: also those made on the host alone,
// with `planted` among them where there is something to plant.
std::vector<op::Distribution> distributions_for(const op::Spec& spec, bool host, bool planted = false);
// That of input set `set` (from 0) of `sets` of the `ordinal`-th case: of three and more, the first three for every
// case, of fewer the first; the later ones rotate over the others from case to case.
op::Distribution distribution_for(const std::vector<op::Distribution>& all, int ordinal, int set, int sets);

}  // namespace ww::gate
