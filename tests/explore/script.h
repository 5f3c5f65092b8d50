// SPDX-License-Identifier: Apache-2.0
// Candidates whose comments tell the scripted worker what becomes of them:
//   // becomes: accepted COST | measured TIME FLOOR | rejected | leaves | crash | exhausted | hang | hang-unless FILE |
//               unavailable
// hang-unless hangs when FILE is not there and makes it, so the second time it is accepted with cost 100. A measured
// time below its floor is impossible. leaves: a fault that took the device's context with it, so that the worker ends
// after its reply. WARPWRIGHT_SCRIPT_REVERSED in the environment: measured times in the opposite order, as another day
// might bring them.
// "// ptx: WORDS": candidates with the same words are the same program. "// takes its worker over": to every later
// candidate that worker gives this one's program.
#pragma once
#include <string>

namespace ww::script {

inline std::string candidate(const std::string& name, const std::string& becomes,
                             const std::string& structure = "plain") {
  return "//@ candidate scale\n//@ title " + name + "\n//@ structure " + structure +
         "\n//@ launch k grid(1) block(32) args(x, y)\nextern \"C\" __global__ void k(const float* x, float* y) {}\n// "
         "becomes: " +
         becomes + "\n";
}

inline constexpr const char* spec = "op scale(x: f32[N]) -> y: f32[N]\n  default N = 64\n{\n  y[i] = 2 * x[i]\n}\n";

}  // namespace ww::script
