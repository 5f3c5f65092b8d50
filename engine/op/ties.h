// SPDX-License-Identifier: Apache-2.0
// Equal elements at drawn distances, for specs that choose a position: which of them wins depends on every merge of
// threads, warps, blocks and chunks between the two.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include "op/inputs.h"
#include "op/spec.h"

namespace ww::op {

// Whether the spec has an argmax or argmin, or compares elements of a reduction with one another.
bool chooses_position(const Spec& spec);

// The elements of a tensor among which a position is chosen: `length` of them, `stride` apart.
struct Line {
  std::int64_t length = 1, stride = 1;
};
// Of the inputs whose subscripts are indices of such a reduction. Others are missing.
std::map<std::string, Line> lines_of(const Spec& spec, const Binding& binding);

// Lays ties into `values`, as fill_input() made them: in half of the sets each line repeats itself after a distance
// that is the same for all lines of all tensors, so that what is computed of them ties, too; in the others every second
// line does, after a distance of its own, and the lines between have two equal largest and two equal smallest elements.
// Distances are 1, powers of two and their neighbours, and large parts of the length.
void lay_ties(std::uint64_t seed, int ordinal, DType dtype, const Domain& domain, std::int64_t count, Line line,
              void* values);

}  // namespace ww::op
