// SPDX-License-Identifier: Apache-2.0
// Limits: the device memory that a case needs, the budget of its launches, and an architecture's resources per block.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>
#include "candidate/candidate.h"
#include "compile/compile.h"
#include "op/spec.h"

namespace ww::gate {

// Bytes of `params` under `binding`, with `each` bytes per element; 0: the size of their types. A tensor whose shape is
// invalid counts as 0.
double bytes_of(const op::Spec& spec, const std::vector<op::Param>& params, const op::Binding& binding, double each);
// Bytes under `binding`; a tensor whose shape is invalid counts as 0.
double tensor_bytes(const op::Spec& spec, const op::Binding& binding, const candidate::Plan& plan);
double output_bytes(const op::Spec& spec, const op::Binding& binding);
// Inputs, and outputs as value and bound in f64.
double set_bytes(const op::Spec& spec, const op::Binding& binding);

// The warp instructions after which a launch is stopped: 100 per unit of work, as if one thread did everything
// inefficiently, and 500 per warp of the plan's largest launch, counting at most as many blocks as units of work.
std::uint64_t budget_for(double work, const candidate::Plan& plan);

// The largest share of an output's elements that may have no finite error bound, on average over the input sets of the
// stage `cases`: a large case counts no more than a small one. Beyond it the candidate is not judged.
inline constexpr double most_unchecked = 0.75;

double product(const std::array<std::uint32_t, 3>& dims);  // blocks of a grid, threads of a block
// Warps of all launches of the plan.
double warps_of(const candidate::Plan& plan);

// Why hardware of the architecture refuses the launch, in one sentence; empty: it does not, or unknown.
std::string refused_by(const std::string& architecture, const candidate::PlannedLaunch& launch,
                       const std::vector<compile::KernelResources>& resources);

// Whether the text may compile to a different program for another architecture. False is certain.
bool may_depend_on_architecture(const std::string& text);

}  // namespace ww::gate
