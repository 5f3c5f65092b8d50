// SPDX-License-Identifier: Apache-2.0
// Philox 4x32-10: a counter-based generator (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3",
// SC 2011).
#pragma once
#include <array>
#include <cstdint>

namespace ww::op {

inline constexpr int philox_rounds = 10;
inline constexpr std::uint32_t philox_factors[] = {0xD2511F53u, 0xCD9E8D57u},
                               philox_keys[] = {0x9E3779B9u, 0xBB67AE85u};

inline std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> c, std::array<std::uint32_t, 2> k) {
  for (int round = 0; round < philox_rounds; ++round) {
    const std::uint64_t p0 = std::uint64_t{philox_factors[0]} * c[0];
    const std::uint64_t p1 = std::uint64_t{philox_factors[1]} * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(p0)};
    k[0] += philox_keys[0];
    k[1] += philox_keys[1];
  }
  return c;
}

// The words of element `i` of input number `ordinal` of a set; `block`: what they are for.
inline std::array<std::uint32_t, 4> drawn_words(std::uint64_t seed, int ordinal, std::uint64_t i, std::uint32_t block) {
  return philox4x32_10(
      {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32), block, static_cast<std::uint32_t>(ordinal)},
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
}

}  // namespace ww::op
