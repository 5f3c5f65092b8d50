// SPDX-License-Identifier: Apache-2.0
// The input distributions with which a spec is tried.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>
#include "op/inputs.h"
#include "op/spec.h"

namespace ww::gate {

// Whether infinities and NaN propagate through the spec as through any honest kernel. They do through plain arithmetic,
// but not through choices (max, comparisons, if, padding, masks): fmaxf and a comparison differ there. A spec
// that says how it treats NaN (op/nan_rule.h) is believed.
bool lets_nonfinite(const op::Spec& spec);
// Whether the spec asks for them itself (isnan, isinf): then they are tried whatever it does with them. Where choices
// may treat NaN in two ways, either will do (gate/reference.cpp).
bool asks_for_nonfinite(const op::Spec& spec);
// Whether infinities alone do: if elements are moved, selected, compared or scaled by non-elements, or moved, selected
// and added. (A product of elements turns infinity times zero into NaN, as does a sum of infinities of both signs,
// where an honest kernel may choose.)
bool lets_infinite(const op::Spec& spec);
// Whether the spec adds a constant for each element for which something holds: 'sum(c) if(x[r, c] > limit, 1, 0)'.
bool counts_elements(const op::Spec& spec);
// Whether the spec adds elements and takes exponentials.
bool sums_exponentials(const op::Spec& spec);
// Whether an input holds integers of a range.
bool takes_indices(const op::Spec& spec);
// Whether the spec takes an extreme of elements and adds elements: a kernel that begins its maximum with a number, not
// with -infinity, is wrong where all elements are below it (Judge::level_rows).
bool sums_after_extremes(const op::Spec& spec);
// The inputs whose elements reach a maximum by sums and factors alone, in a spec that then takes exponentials:
// -infinity masks an element there. Empty: none.
std::set<std::string> masked_inputs(const op::Spec& spec);
// The distributions for a spec: normal, large (on the host, where a position is chosen: ties) and ramp first. host:
// includes those generated only on the host, with `planted` if there are values to plant.
std::vector<op::Distribution> distributions_for(const op::Spec& spec, bool host, bool planted = false);
// The distribution of input set `set` (from 0) of `sets` of the `ordinal`-th case: with three or more sets, the first
// three for every case, with fewer the first ones; the later sets rotate over the others from case to case.
op::Distribution distribution_for(const std::vector<op::Distribution>& all, int ordinal, int set, int sets);
// The distribution that a large case needs even with few input sets: `ties` if a position is chosen, `crowded` if
// integers select terms (all in one bin) or bytes are added (the largest sums), `saturated` if elements are counted,
// `tail` if exponentials are summed; empty for other specs.
std::optional<op::Distribution> large_distribution(const op::Spec& spec);

}  // namespace ww::gate
