// SPDX-License-Identifier: Apache-2.0
// How element i of a tensor is made (so that a device can make the same bits):
//   The counter is (i mod 2^32, i / 2^32, block, ordinal), the key (seed mod 2^32, seed / 2^32). Block 0 gives words
//   w0..w3.
//   uniform in [0, 1):  u = w0 * 2^-32.
//   normal:             Irwin-Hall with 12 terms. The 12 uniform 16-bit halves h of the words of blocks 0 and 1 (low
//                       half first; the
//                       last two words of block 1 are not used) give (sum of (h + 1/2)) * 2^-16 - 6: mean 0, variance
//                       1 - 2^-32, range (-6, 6). Integer sums and one exact product: no rounding, no library function.
//   domain, real:       lo + (hi - lo) * u in f64, one product and one sum, kept below hi.
//   domain, integer:    lo + floor(w * (hi - lo) / 2^64), w = w0 * 2^32 + w1, by a 128-bit product.
// Last, the value is rounded to the element type, to nearest even. "positive" draws 1 - u in (0, 1]; after rounding to
// a narrow
// type the ends of a half-open interval may be reached.
#include "op/inputs.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include "base/parallel.h"
#include "op/names.h"
#include "op/parse.h"
#include "op/philox.h"

namespace ww::op {
namespace {

std::array<std::uint32_t, 4> words(std::uint64_t seed, int ordinal, std::uint64_t i, std::uint32_t block) {
  return philox4x32_10(
      {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32), block, static_cast<std::uint32_t>(ordinal)},
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
}

double unit(const std::array<std::uint32_t, 4>& w) { return w[0] * 0x1p-32; }

double normal(std::uint64_t seed, int ordinal, std::uint64_t i) {
  const auto a = words(seed, ordinal, i, 0);
  const auto b = words(seed, ordinal, i, 1);
  std::int64_t sum = 0;  // of twice (h + 1/2)
  for (const std::uint32_t w : {a[0], a[1], a[2], a[3], b[0], b[1]})
    sum += 2 * std::int64_t{w & 0xffffu} + 2 * std::int64_t{w >> 16} + 2;
  return static_cast<double>(sum) * 0x1p-17 - 6.0;
}

std::int64_t drawn_integer(const std::array<std::uint32_t, 4>& w, std::int64_t lo, std::int64_t hi) {
  if (hi <= lo) return lo;
  const std::uint64_t range = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo);
  const std::uint64_t word = std::uint64_t{w[0]} << 32 | w[1];
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) +
                                   static_cast<std::uint64_t>((static_cast<unsigned __int128>(word) * range) >> 64));
}

double real_element(Distribution d, std::uint64_t seed, int ordinal, const Domain& domain, std::uint64_t i) {
  if (domain.given) {
    const double v = domain.lo + (domain.hi - domain.lo) * unit(words(seed, ordinal, i, 0));
    return v < domain.hi ? v : std::max(domain.lo, std::nextafter(domain.hi, domain.lo));
  }
  switch (d) {
    case Distribution::normal: return normal(seed, ordinal, i);
    case Distribution::uniform: return 2.0 * unit(words(seed, ordinal, i, 0)) - 1.0;
    case Distribution::positive: return 1.0 - unit(words(seed, ordinal, i, 0));
    case Distribution::large: return 100.0 * normal(seed, ordinal, i);
    case Distribution::constant: return 1.0;
    case Distribution::ramp: return static_cast<double>(static_cast<std::int64_t>(i % 17) - 8);
    case Distribution::zeros: return 0.0;
  }
  return 0.0;
}

// The distribution's own meaning for integers where it has one; the draws of the header otherwise.
std::int64_t integer_element(Distribution d, std::uint64_t seed, int ordinal, DType dtype, const Domain& domain,
                             std::uint64_t i) {
  if (domain.given)
    return drawn_integer(words(seed, ordinal, i, 0), static_cast<std::int64_t>(domain.lo),
                         static_cast<std::int64_t>(domain.hi));
  if (d == Distribution::zeros) return 0;
  if (d == Distribution::constant) return 1;
  const std::int64_t lo = dtype == DType::u8 || dtype == DType::boolean ? 0 : -8;
  const std::int64_t hi = dtype == DType::boolean ? 2 : dtype == DType::u8 ? 16 : 8;
  if (d == Distribution::ramp)
    return dtype == DType::boolean ? static_cast<std::int64_t>(i % 17 % 2)
                                   : static_cast<std::int64_t>(i % 17 % 16) + lo;
  return drawn_integer(words(seed, ordinal, i, 0), lo, hi);
}

}  // namespace

std::string_view distribution_name(Distribution d) { return enum_name(d); }

Result<Distribution> distribution_from_name(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& [value, n] : names_of(Distribution{})) {
    if (n == name) return value;
    known.emplace_back(n);
  }
  return fail(Code::not_found, "there is no distribution '" + std::string(name) + "'", did_you_mean(name, known));
}

void fill_input(Distribution d, std::uint64_t seed, int ordinal, DType dtype, Domain domain, std::int64_t count,
                void* out) {
  if (count <= 0) return;
  const std::size_t size = dtype_size(dtype);
  auto* bytes = static_cast<std::byte*>(out);
  parallel_for(static_cast<std::size_t>(count), std::size_t{1} << 14, 0, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) {
      if (dtype == DType::f32) {
        const float v = static_cast<float>(real_element(d, seed, ordinal, domain, i));
        std::memcpy(bytes + i * 4, &v, 4);
      } else if (is_real(dtype)) {
        store_f64(dtype, bytes + i * size, real_element(d, seed, ordinal, domain, i));
      } else {
        store_i64(dtype, bytes + i * size, integer_element(d, seed, ordinal, dtype, domain, i));
      }
    }
  });
}

Result<Domain> domain_of(const Spec& spec, const Param& param, const Binding& binding) {
  Domain out;
  if (!param.lo) return out;
  // A bound is evaluated as a constant of the spec is: as one more constant after the others.
  Spec extended = spec;
  extended.constants.push_back({"lo of " + param.name, param.lo, param.lo->type});
  extended.constants.push_back({"hi of " + param.name, param.hi, param.hi->type});
  const auto known = WW_TRY(resolve(extended, binding));
  out.given = true;
  out.lo = known.constants[known.constants.size() - 2].real;
  out.hi = known.constants.back().real;
  if (!(out.lo < out.hi)) {
    return fail(Code::invalid_argument, "the domain of '" + param.name + "' is empty: " + print(*param.lo) + ".." +
                                            print(*param.hi) + " is " + std::to_string(out.lo) + ".." +
                                            std::to_string(out.hi));
  }
  return out;
}

}  // namespace ww::op
