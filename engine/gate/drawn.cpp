// SPDX-License-Identifier: Apache-2.0
#include "gate/drawn.h"
#include <algorithm>
#include "gate/limits.h"

namespace ww::gate {
namespace {

constexpr double most_budget = 1e4;       // times the usual one
constexpr std::uint64_t most_warps = 32;  // of a block

}  // namespace

// Five, and what a hundredth of a percent of a GPU's rate would need.
double seconds_for(double work) { return 5 + work / 1e10; }

// As a float NaN, or large: what is small would be lost in a sum's tolerance.
std::uint8_t poison_of(std::uint64_t draw) {
  return draw % 4 == 0 ? 0xFF : static_cast<std::uint8_t>((draw & 0x80) + 0x42 + (draw >> 8) % 62);
}

RunOptions drawn_options(const Secret& secret, std::uint64_t run, const candidate::Plan& plan, const Limits& limits,
                         RunOptions options) {
  const double times = std::clamp(limits.launch_budget, 1.0, most_budget);
  options.budget = static_cast<std::uint64_t>(static_cast<double>(budget_for(limits.work, plan)) * times);
  options.seconds = seconds_for(limits.work) * times;
  options.stop = limits.stop;
  options.surroundings = secret.draw(Secret::Use::surroundings, run);
  if (options.counters) options.surroundings &= ~std::uint64_t{1};  // how many lines a row touches must not be chance
  options.inexact = static_cast<std::uint32_t>(secret.draw(Secret::Use::errors)) | 1;  // the same in every run
  options.poison = poison_of(secret.draw(Secret::Use::poison, run));
  if (options.checks == device::Checks::full) {
    options.threads = 1;  // which block comes first must not be chance
    options.order.apart = static_cast<std::uint32_t>(secret.draw(Secret::Use::order, run, 1));
  } else {  // with every check, races are found in any order, and the same is said of each
    options.order.first_warp = static_cast<std::uint32_t>(secret.draw(Secret::Use::order, run, 4) % most_warps);
  }
  const std::uint64_t hardware = secret.draw(Secret::Use::order, run, 3);
  options.cold = hardware % 2 == 0;
  if (hardware % 4 < 2) options.beside = static_cast<std::uint32_t>(hardware >> 8) | 1;
  const std::uint64_t atomics = secret.draw(Secret::Use::order, run, 2);
  if (atomics % 4 != 0) options.order.atomic_lanes = static_cast<std::uint32_t>(atomics >> 32);
  if (options.threads == 1 || atomics % 8 < 4) options.order.turns = static_cast<std::uint32_t>(atomics >> 3) | 1;
  if (limits.one_by_one) options.threads = 1;
  return options;
}

}  // namespace ww::gate
