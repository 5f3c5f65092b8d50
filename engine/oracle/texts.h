// SPDX-License-Identifier: Apache-2.0
// The fixed part of the reference's code, in CUDA C++: numbers with their running error bounds, and reductions over
// them.
#pragma once
#include <string>

namespace ww::oracle {

// Reals R{v, e}, uncertain integers Z{i, e}, exact integers I, and op/bounds.cpp's rule of every operation. `f64`: the
// compute precision.
std::string rules_text(bool f64);
// One structure per reduction, which takes terms in text order; those of consecutive parts can be merged. Follows
// op/reduce.cpp.
std::string reductions_text();
// Bytes of device memory for a part of any reduction.
inline constexpr int part_bytes = 128;
// The product kernel's tile: kernels work on tile x tile outputs, `tile_terms` terms at a time, with tile_threads
// threads.
inline constexpr int tile = 64, tile_terms = 8, tile_threads = 256;

}  // namespace ww::oracle
