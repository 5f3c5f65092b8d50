// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as a candidate, planned against a small op where they parse.
#include <cstdint>
#include "candidate/candidate.h"

using namespace ww;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto spec = op::parse_spec(
      "op scale(x: f32[R, C]; a = 2.5, n = 3) -> y: f32[R, C]\n default R = 4, C = 8\n{ y[r, c] = x[r, c] * a * n }\n");
  const auto c = candidate::parse({reinterpret_cast<const char*>(data), size},
                                  size % 2 ? candidate::Language::cuda : candidate::Language::ptx);
  if (!c || !spec) return 0;
  const candidate::Tuning tuning = candidate::first_tuning(*c);
  const auto pinned = candidate::pin(*c, tuning);
  if (!pinned || candidate::tunings(*pinned, 10).size() != 1) __builtin_trap();
  (void)candidate::check_contract(*c, *spec);
  (void)candidate::claims(*c, *spec, {}, tuning);
  (void)candidate::plan(*c, *spec, {}, tuning);
  return 0;
}
