// SPDX-License-Identifier: Apache-2.0
#include "cuda/service.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace ww::cuda {
namespace {

using candidate::PlannedArg;

PlannedArg tensor(const std::string& name) {
  if (name.empty()) return {};  // the integer 0
  return {.kind = PlannedArg::Kind::tensor, .tensor = name};
}
PlannedArg whole(std::int64_t v) { return {.integer = v, .real = static_cast<double>(v)}; }
PlannedArg real(double v) { return {.kind = PlannedArg::Kind::real, .real = v}; }

candidate::PlannedLaunch launch_of(std::string kernel, std::uint32_t blocks, std::vector<PlannedArg> args) {
  candidate::PlannedLaunch l;
  l.kernel = std::move(kernel);
  l.grid[0] = std::max<std::uint32_t>(1, blocks);
  l.block[0] = 256;
  l.args = std::move(args);
  return l;
}

// How service_kernels.cpp makes elements: the distributions by their own numbers, then these.
enum Kind : int { real_domain = 7, drawn, whole_constant, whole_ramp };
static_assert(static_cast<int>(op::Distribution::zeros) == real_domain - 1);
static_assert(static_cast<int>(DType::boolean) == 8 && static_cast<int>(DType::u32) == 10 &&
              static_cast<int>(DType::bf16) == 3 && static_cast<int>(DType::e5m2) == 13);

double least_bound(DType dtype) { return smallest_normal(dtype == DType::f64 ? DType::f64 : DType::f32); }

// Everything from here on rounds to infinity: half a unit in the last place above the largest finite value (ties go to
// even, which is infinity).
double overflow_limit(DType dtype) {
  if (!is_real(dtype) || saturates(dtype) || dtype == DType::f64) return std::numeric_limits<double>::infinity();
  int exponent = 0;
  std::frexp(largest_finite(dtype), &exponent);  // it is in [2^(exponent-1), 2^exponent)
  return largest_finite(dtype) + std::ldexp(unit_roundoff(dtype), exponent - 1);
}

}  // namespace

candidate::PlannedLaunch fill_launch(const std::string& name, op::Distribution distribution, std::uint64_t seed,
                                     int ordinal, DType dtype, const op::Domain& domain, std::int64_t count,
                                     std::uint32_t blocks) {
  int kind = static_cast<int>(distribution);
  double below = 0;
  std::int64_t lo = 0, hi = 0;
  if (is_real(dtype)) {
    if (domain.given) {
      kind = real_domain;
      below = std::max(domain.lo, std::nextafter(domain.hi, domain.lo));
    }
  } else {
    lo = is_unsigned(dtype) || dtype == DType::boolean ? 0 : -8;
    hi = dtype == DType::boolean ? 2 : is_unsigned(dtype) ? 16 : 8;
    kind = drawn;
    if (domain.given)
      lo = static_cast<std::int64_t>(domain.lo), hi = static_cast<std::int64_t>(domain.hi);
    else if (distribution == op::Distribution::zeros)
      kind = whole_constant, lo = 0;
    else if (distribution == op::Distribution::constant)
      kind = whole_constant, lo = 1;
    else if (distribution == op::Distribution::ramp)
      kind = whole_ramp, hi = dtype == DType::boolean ? 2 : 16;
  }
  return launch_of("ww_fill", blocks,
                   {tensor(name), whole(count), whole(static_cast<int>(dtype)), whole(kind),
                    whole(static_cast<std::int64_t>(seed)), whole(ordinal), real(domain.lo),
                    real(domain.hi - domain.lo), real(domain.hi), real(below), whole(lo), whole(hi)});
}

candidate::PlannedLaunch differ_launch(const std::string& a, const std::string& b, std::int64_t bytes,
                                       const std::string& flag, std::uint32_t blocks) {
  return launch_of("ww_differ", blocks, {tensor(a), tensor(b), whole(bytes), tensor(flag)});
}

candidate::PlannedLaunch digest_launch(const std::string& name, std::int64_t words, const std::string& sum,
                                       std::uint32_t blocks) {
  return launch_of("ww_digest", blocks, {tensor(name), whole(words), tensor(sum)});
}

std::vector<candidate::PlannedLaunch> compare_launches(const CompareTensors& t, DType dtype, std::int64_t count,
                                                       std::uint32_t blocks) {
  blocks = std::max<std::uint32_t>(1, blocks);
  const PlannedArg type = whole(static_cast<int>(dtype)), least = real(least_bound(dtype));
  return {launch_of("ww_compare", blocks,
                    {tensor(t.actual), type, tensor(t.value), tensor(t.bound), whole(count), least,
                     real(overflow_limit(dtype)), tensor(t.parts)}),
          launch_of("ww_compare_end", 1,
                    {tensor(t.parts), whole(blocks), tensor(t.actual), type, tensor(t.value), tensor(t.bound), least,
                     tensor(t.result)})};
}

}  // namespace ww::cuda
