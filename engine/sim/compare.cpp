// SPDX-License-Identifier: Apache-2.0
#include "sim/compare.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace ww::sim {
namespace {

bool is_close(double actual, double expected, const Tolerance& t) {
  if (std::isnan(actual) || std::isnan(expected)) return std::isnan(actual) && std::isnan(expected);
  if (std::isinf(actual) || std::isinf(expected)) return actual == expected;
  return std::abs(actual - expected) <= t.atol + t.rtol * std::abs(expected);
}

std::size_t size_of(std::optional<DType> type) { return type ? dtype_size(*type) : 1; }
std::string text_of(std::optional<DType> type, std::string_view bytes, std::size_t index) {
  const std::size_t size = size_of(type);
  return type ? element_text(*type, bytes.data() + index * size) : to_hex(bytes.substr(index, 1));
}

}  // namespace

std::optional<Difference> compare(std::string_view actual, std::string_view expected, std::optional<DType> type,
                                  const std::optional<Tolerance>& tolerance) {
  if (actual == expected) return std::nullopt;
  const std::size_t size = size_of(type);
  Difference d;
  d.type = type ? std::string(dtype_name(*type)) : "byte";
  d.elements = static_cast<std::int64_t>(expected.size() / size);
  const bool by_value = tolerance && type && is_real(*type);
  for (std::size_t i = 0; i * size < expected.size(); ++i) {
    const char *const a = actual.data() + i * size, *const e = expected.data() + i * size;
    const bool good =
        by_value ? is_close(load_f64(*type, a), load_f64(*type, e), *tolerance) : std::memcmp(a, e, size) == 0;
    if (good) continue;
    if (d.wrong++ != 0) continue;
    d.index = static_cast<std::int64_t>(i);
    d.expected = text_of(type, expected, i);
    d.actual = text_of(type, actual, i);
    // Values that read alike, as two NaNs, are told apart by their bits.
    if (d.expected != d.actual) continue;
    d.expected += " (bytes " + to_hex({e, size}) + ")";
    d.actual += " (bytes " + to_hex({a, size}) + ")";
  }
  return d.wrong == 0 ? std::nullopt : std::optional(d);
}

std::vector<std::string> first_elements(std::string_view bytes, std::optional<DType> type, std::size_t most) {
  std::vector<std::string> all;
  const std::size_t count = std::min(most, bytes.size() / size_of(type));
  for (std::size_t i = 0; i < count; ++i) all.push_back(text_of(type, bytes, i));
  return all;
}

}  // namespace ww::sim
