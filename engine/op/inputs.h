// SPDX-License-Identifier: Apache-2.0
// Input tensors from (distribution, seed, shape), element by element, the same bits on every machine and device.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>
#include "base/dtype.h"
#include "base/describe.h"
#include "base/result.h"
#include "op/spec.h"

namespace ww::op {

enum class Distribution : std::uint8_t {
  normal,    // mean 0, deviation 1
  uniform,   // [-1, 1)
  positive,  // (0, 1]
  large,     // normal times 100: exposes overflow in exp and loss of accuracy in sums
  constant,  // every element 1: exposes order-dependent and count errors
  ramp,      // element number mod 17 minus 8, an exact small integer: exposes index errors
  zeros,
};
constexpr auto names_of(Distribution) {
  using enum Distribution;
  return std::to_array<Enumerator<Distribution>>({{normal, "normal"},
                                                  {uniform, "uniform"},
                                                  {positive, "positive"},
                                                  {large, "large"},
                                                  {constant, "constant"},
                                                  {ramp, "ramp"},
                                                  {zeros, "zeros"}});
}
std::string_view distribution_name(Distribution d);
Result<Distribution> distribution_from_name(std::string_view name);

// Elements of tensor `param` (row-major, `count` of them, dtype's memory layout) written to `out`
// (count * dtype_size bytes). Element i depends on (distribution, seed, the tensor's position `ordinal`, i) alone, by a
// counter-based generator (Philox 4x32-10, Salmon et al. 2011), so any part can be made on any device. A param's own
// domain
// (`lo`, `hi`, resolved by the caller) overrides the distribution: uniform over it. Integer tensors without a domain
// draw from
// [-8, 8) (u8: [0, 16), bool: 0 or 1).
struct Domain {
  bool given = false;
  double lo = 0, hi = 0;
};
void fill_input(Distribution d, std::uint64_t seed, int ordinal, DType dtype, Domain domain, std::int64_t count,
                void* out);
// The domain of `param` under `binding`.
Result<Domain> domain_of(const Spec& spec, const Param& param, const Binding& binding);

}  // namespace ww::op
