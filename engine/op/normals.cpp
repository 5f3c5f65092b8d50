// SPDX-License-Identifier: Apache-2.0
#include "op/normals.h"
#include "op/philox.h"

#if defined(__x86_64__) && defined(__linux__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define WW_WIDE __attribute__((target_clones("avx2", "default"), optimize("O3")))
#else
#define WW_WIDE
#endif

namespace ww::op {
namespace {

constexpr std::uint32_t halves(std::uint32_t w) { return (w & 0xffffu) + (w >> 16); }
constexpr double normal_of(std::uint32_t sum) { return (sum + 6) * 0x1p-16 - 6.0; }  // of the twelve halves

}  // namespace

double normal(std::uint64_t seed, int ordinal, std::uint64_t i) {
  const auto a = drawn_words(seed, ordinal, i, 0);
  const auto b = drawn_words(seed, ordinal, i, 1);
  std::uint32_t sum = 0;
  for (const std::uint32_t w : {a[0], a[1], a[2], a[3], b[0], b[1]}) sum += halves(w);
  return normal_of(sum);
}

WW_WIDE void normals(std::uint64_t seed, int ordinal, std::uint64_t first, double factor, float* out) {
  using Words = std::uint32_t[normal_batch];
  Words sums = {};
  for (std::uint32_t block = 0; block < 2; ++block) {
    Words a, b, c, d;
    for (std::size_t l = 0; l < normal_batch; ++l) {
      a[l] = static_cast<std::uint32_t>(first + l), b[l] = static_cast<std::uint32_t>((first + l) >> 32);
      c[l] = block, d[l] = static_cast<std::uint32_t>(ordinal);
    }
    auto k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
    for (int round = 0; round < philox_rounds; ++round, k0 += philox_keys[0], k1 += philox_keys[1]) {
#pragma GCC unroll 1  // unrolled, it is not vectorised
      for (std::size_t l = 0; l < normal_batch; ++l) {
        const std::uint64_t p0 = std::uint64_t{philox_factors[0]} * a[l], p1 = std::uint64_t{philox_factors[1]} * c[l];
        a[l] = static_cast<std::uint32_t>(p1 >> 32) ^ b[l] ^ k0, b[l] = static_cast<std::uint32_t>(p1);
        c[l] = static_cast<std::uint32_t>(p0 >> 32) ^ d[l] ^ k1, d[l] = static_cast<std::uint32_t>(p0);
      }
    }
    for (std::size_t l = 0; l < normal_batch; ++l) sums[l] += halves(a[l]) + halves(b[l]);
    if (block == 0)
      for (std::size_t l = 0; l < normal_batch; ++l) sums[l] += halves(c[l]) + halves(d[l]);
  }
  for (std::size_t l = 0; l < normal_batch; ++l) out[l] = static_cast<float>(factor * normal_of(sums[l]));
}

}  // namespace ww::op
