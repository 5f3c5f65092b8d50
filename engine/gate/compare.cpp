// SPDX-License-Identifier: Apache-2.0
#include "gate/compare.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include "base/parallel.h"
#include "evidence/explain.h"
#include "evidence/wrong_count.h"

namespace ww::gate {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Part {  // of a stretch of elements
  std::int64_t wrong = 0, unchecked = 0, worst_at = -1;
  double worst_ratio = -1, largest_ratio = 0;
  std::int64_t beyond_strict = 0;
  double lost_ulps = 0;
};

Judgement judge_real(DType dtype, double expected, double bound, double actual, double floor, double largest) {
  const double tolerance = std::max(bound, floor);  // NaN bounds stay NaN: std::max(NaN, x) is NaN
  if (!std::isfinite(tolerance)) return {true, false, 0, tolerance};
  if (std::isnan(expected)) return {std::isnan(actual), true, std::isnan(actual) ? 0 : infinity, 0};
  if (std::isinf(expected)) return {actual == expected, true, actual == expected ? 0 : infinity, 0};
  if (std::isnan(actual)) return {false, true, infinity, tolerance};
  if (std::isinf(actual)) {
    // Right when a value within the bound, without the part of the last rounding, rounds to this infinity.
    const double before = std::max(0.0, tolerance - unit_roundoff(dtype) * std::abs(expected));
    const double reach = std::signbit(actual) ? expected - before : expected + before;
    const bool right =
        std::abs(reach) > largest && std::signbit(reach) == std::signbit(actual) && std::isinf(round_to(dtype, reach));
    return {right, true, right ? 0 : infinity, tolerance};
  }
  const double error = std::abs(actual - expected);
  const double ratio = tolerance > 0 ? error / tolerance : (error > 0 ? infinity : 0);
  return {error <= tolerance, true, ratio, tolerance};
}

Judgement judge_integer(DType dtype, std::int64_t actual, std::int64_t expected, double bound) {
  if (actual == expected) return {true, true, 0, bound};
  if (!std::isfinite(bound)) return {true, false, 0, bound};
  const auto real = [&](std::int64_t v) {
    return dtype == DType::u64 ? static_cast<double>(static_cast<std::uint64_t>(v)) : static_cast<double>(v);
  };
  const double error = std::max(1.0, std::abs(real(actual) - real(expected)));
  return {error <= bound, true, bound > 0 ? error / bound : error, bound};
}

void note(Part& part, const Judgement& j, std::int64_t i) {
  if (!j.checked) ++part.unchecked;
  if (j.right) {
    part.largest_ratio = std::max(part.largest_ratio, j.ratio);
    return;
  }
  ++part.wrong;
  if (j.ratio > part.worst_ratio) {
    part.worst_ratio = j.ratio;
    part.worst_at = i;
  }
}

std::int64_t load_exact(DType dtype, const std::byte* at) {  // a bool keeps a byte that is neither 0 nor 1
  return dtype == DType::boolean ? static_cast<std::int64_t>(static_cast<std::uint8_t>(*at)) : load_i64(dtype, at);
}

Judgement judge_at(const op::ReferenceTensor& expected, const std::byte* actual, std::size_t i, double floor,
                   double largest) {
  if (is_real(expected.dtype)) {
    const double found = load_f64(expected.dtype, actual), value = expected.value[i];
    if (expected.signed_zeros && std::isfinite(expected.bound[i]) && found == 0 && value == 0 && std::signbit(value) &&
        !std::signbit(found))
      return {false, true, infinity, 0};
    return judge_real(expected.dtype, value, expected.bound[i], found, floor, largest);
  }
  const std::int64_t found = load_exact(expected.dtype, actual);
  const bool no_bool = expected.dtype == DType::boolean && found > 1;
  return judge_integer(expected.dtype, found, expected.integer[i],
                       expected.bound.empty() || no_bool ? 0 : expected.bound[i]);
}

void note_loss(Part& part, const op::ReferenceTensor& expected, const std::byte* actual, std::size_t i, double floor) {
  const double found = load_f64(expected.dtype, actual), value = expected.value[i];
  if (!(std::abs(found - value) > std::max(expected.strict[i], floor))) return;  // NaN and infinities have no ulps
  ++part.beyond_strict;
  part.lost_ulps = std::max(part.lost_ulps,
                            static_cast<double>(ulp_distance(expected.dtype, round_to(expected.dtype, value), found)));
}

std::string number(double v) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", v);
  return text;
}

}  // namespace

double tolerance_of(DType dtype, double bound) {
  return std::max(bound, smallest_normal(dtype == DType::f64 ? DType::f64 : DType::f32));
}

Judgement judge_element(const op::ReferenceTensor& expected, std::span<const std::byte> actual, std::size_t at) {
  const bool real = is_real(expected.dtype);
  return judge_at(expected, &actual[at * dtype_size(expected.dtype)], at,
                  real && !expected.moved ? tolerance_of(expected.dtype, 0) : 0,
                  real ? largest_finite(expected.dtype) : 0);
}

std::vector<std::int64_t> subscripts(std::int64_t linear, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    index[d] = linear % shape[d];
    linear /= shape[d];
  }
  return index;
}

std::int64_t linear_index(const std::vector<std::int64_t>& subscripts, const std::vector<std::int64_t>& shape) {
  std::int64_t linear = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) linear = linear * shape[d] + subscripts[d];
  return linear;
}

std::string describe(const FailingElement& e) {
  std::string text = evidence::element_name(e) + " is " + number(e.actual) + ", expected " + number(e.expected);
  if (e.tolerance > 0) text += " ± " + number(e.tolerance);
  return text + " (" + evidence::wrong_count(e.wrong, e.total) + ")";
}

Result<Comparison> compare(const std::string& tensor, const op::ReferenceTensor& expected,
                           std::span<const std::byte> actual, int threads) {
  const std::size_t size = dtype_size(expected.dtype);
  const bool real = is_real(expected.dtype);
  const std::size_t n = real ? expected.value.size() : expected.integer.size();
  if (actual.size() != n * size)
    return fail(Code::internal, "the output " + tensor + " differs in size from its reference");
  if (expected.bound.size() != n && (real || !expected.bound.empty()))
    return fail(Code::internal, "the reference of " + tensor + " has no error bounds");

  const double floor = real && !expected.moved ? tolerance_of(expected.dtype, 0) : 0;
  const double largest = real ? largest_finite(expected.dtype) : 0;
  constexpr std::size_t grain = 1 << 15;
  std::vector<Part> parts((n + grain - 1) / grain);
  parallel_for(n, grain, threads, [&](std::size_t begin, std::size_t end, int) {
    Part& part = parts[begin / grain];
    for (std::size_t i = begin; i < end; ++i) {
      const Judgement j = judge_at(expected, &actual[i * size], i, floor, largest);
      note(part, j, static_cast<std::int64_t>(i));
      if (j.right && j.checked && !expected.strict.empty()) note_loss(part, expected, &actual[i * size], i, floor);
    }
  });

  Comparison out;
  out.total = static_cast<std::int64_t>(n);
  Part all;
  for (const Part& p : parts) {
    all.wrong += p.wrong;
    out.unchecked += p.unchecked;
    out.largest_ratio = std::max(out.largest_ratio, p.largest_ratio);
    out.beyond_strict += p.beyond_strict;
    out.lost_ulps = std::max(out.lost_ulps, p.lost_ulps);
    if (p.worst_at >= 0 && p.worst_ratio > all.worst_ratio) {
      all.worst_ratio = p.worst_ratio;
      all.worst_at = p.worst_at;
    }
  }
  if (all.wrong == 0) return out;
  const auto at = static_cast<std::size_t>(all.worst_at);
  FailingElement e;
  e.tensor = tensor;
  e.index = subscripts(all.worst_at, expected.shape);
  e.wrong = all.wrong;
  e.total = out.total;
  if (real) {
    e.expected = expected.value[at];
    e.actual = load_f64(expected.dtype, &actual[at * size]);
    e.tolerance = std::isfinite(e.expected) && !expected.moved ? tolerance_of(expected.dtype, expected.bound[at]) : 0;
    e.error_ulps = static_cast<double>(ulp_distance(expected.dtype, round_to(expected.dtype, e.expected), e.actual));
  } else {
    e.expected = expected.value_at(at);
    e.actual = expected.dtype == DType::boolean ? static_cast<double>(load_exact(expected.dtype, &actual[at * size]))
                                                : load_f64(expected.dtype, &actual[at * size]);
    e.tolerance = expected.bound.empty() ? 0 : expected.bound[at];
    e.error_ulps = std::abs(e.actual - e.expected);
  }
  out.worst = std::move(e);
  return out;
}

}  // namespace ww::gate
