// SPDX-License-Identifier: Apache-2.0
// Normal numbers of input sets, as op/inputs.cpp defines them.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ww::op {

double normal(std::uint64_t seed, int ordinal, std::uint64_t i);
// The same of a batch of elements from `first` on, times a factor.
inline constexpr std::size_t normal_batch = 16;
void normals(std::uint64_t seed, int ordinal, std::uint64_t first, double factor, float* out);

}  // namespace ww::op
