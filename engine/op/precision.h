// SPDX-License-Identifier: Apache-2.0
// How many digits an honest kernel may lose.
#pragma once
#include <array>
#include <cstdint>
#include "base/describe.h"
#include "op/spec.h"

namespace ww::op {

enum class Precision : std::uint8_t {
  // What careful practice loses near zero: exp(x) - 1 for expm1, log(1 + x), tanh and sinh by exp, erf by normcdf.
  usual,
  strict,  // the digits that the library's own functions keep
};
constexpr auto names_of(Precision) {
  using enum Precision;
  return std::to_array<Enumerator<Precision>>({{usual, "usual"}, {strict, "strict"}});
}

// Whether the bounds of the spec's values differ between the two.
bool depends_on_precision(const Spec& spec);

}  // namespace ww::op
