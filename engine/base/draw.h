// SPDX-License-Identifier: Apache-2.0
// Numbers drawn from a seed. The sequences never change, since stored seeds repeat earlier draws. Not for keys.
#pragma once
#include <cstdint>

namespace ww {

// splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014): the output for state z; the
// next state is z + splitmix_step.
inline constexpr std::uint64_t splitmix_step = 0x9e3779b97f4a7c15u;
constexpr std::uint64_t splitmix(std::uint64_t z) {
  z += splitmix_step;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Knuth's MMIX generator: the next state; its high bits are of better quality.
constexpr std::uint64_t mmix(std::uint64_t state) { return state * 6364136223846793005u + 1442695040888963407u; }

}  // namespace ww
