// SPDX-License-Identifier: Apache-2.0
// The kernels of tests/simt/kernels, as compiled, and their outputs element by element against what is wanted.
#pragma once
#include <cmath>
#include <cstring>
#include <string>
#include <vector>
#include "simt/bed.h"

namespace ww::simt::test {

inline std::string fixture_of(const char* name) { return fixture(std::string(name) + ".sm80.ptx"); }

// |a - b| within `relative` of the expected value, or `absolute`.
inline bool close(float got, double want, double relative, double absolute = 0) {
  if (std::isnan(want)) return std::isnan(got);
  return std::abs(static_cast<double>(got) - want) <= relative * std::abs(want) + absolute;
}
inline std::string differs(std::size_t i, double got, double want) {
  return "element " + std::to_string(i) + ": got " + std::to_string(got) + ", want " + std::to_string(want);
}
inline std::string compare(const std::vector<float>& got, const std::vector<double>& want, double relative,
                           double absolute = 0) {
  for (std::size_t i = 0; i < want.size(); ++i)
    if (!close(got[i], want[i], relative, absolute)) return differs(i, got[i], want[i]);
  return "";
}
template <class T>
std::string same(const std::vector<T>& got, const std::vector<T>& want) {
  for (std::size_t i = 0; i < want.size(); ++i)
    if (std::memcmp(&got[i], &want[i], sizeof(T)) != 0)
      return differs(i, static_cast<double>(got[i]), static_cast<double>(want[i]));
  return "";
}

}  // namespace ww::simt::test
