// SPDX-License-Identifier: Apache-2.0
// The structural distance of two candidates, which lets a search keep several approaches alive.
//
// Each candidate is a vector of counts of a kernel's building blocks, which are independent of names, values of tune
// lines and comments:
//   plan       kernels, launches, temporaries, tune axes, dynamic shared memory, clusters, cooperative launches
//   memory     shared arrays, vector loads (float4 …, .v4), asynchronous copies (cp.async …), cache hints (__ldg,
//              createpolicy …), atomics
//   together   barriers, warp synchronisation, shuffles and votes, tensor-core instructions
//   arithmetic half-width types, fused and fast functions, inline assembly
//   flow       loops, branches, unrolling, device functions, size (words)
// and the candidate's `structure` word. The distance is the weighted mean, over the features that at least one of the
// two has, of
//   1 when only one has it, else half the difference of the logarithms of the counts (log2(1 + n)) over the greater of
//   them; of words: 0 when equal, else 1
// (Gower's coefficient, Biometrics 27, 1971, in its asymmetric form: features that both lack do not make them similar).
// It is in [0, 1], symmetric, and 0 for two tunings of one draft. Weights: `features` in structure.cpp; features of
// data movement and of cooperation between threads weigh more than style.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ww::identity {

struct Shape {
  static constexpr std::size_t count = 24;
  std::array<std::uint32_t, count> counts{};
  std::string word;  // the candidate's own
};

Shape shape_of(std::string_view text, std::string_view word);
double distance(const Shape& a, const Shape& b);

inline constexpr double same_structure_limit =
    0.08;  // below: a variation of the same structure (tunings, one more unrolled loop)
inline constexpr double new_structure_limit = 0.25;  // at or above: a different structure

}  // namespace ww::identity
