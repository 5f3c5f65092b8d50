// SPDX-License-Identifier: Apache-2.0
#include "model_loop/shares.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include "generator/names.h"

namespace ww::model_loop {
namespace {

// What remains of the share in candidates.
std::size_t candidates_left(const Racer& r, std::size_t place, std::size_t n, int budget,
                            const std::vector<generator::Feedback>& history, std::size_t& share) {
  const auto persons = std::count_if(history.begin(), history.end(), [](const generator::Feedback& f) {
    return generator::is_manual(f.generator) && f.duplicate_of.empty();
  });
  const std::size_t all = static_cast<std::size_t>(std::max(0, budget - static_cast<int>(persons)));
  const std::size_t used = static_cast<std::size_t>(r.used(history));
  share = all / n + (place < all % n ? 1 : 0);
  return share > used ? share - used : 0;
}

}  // namespace

std::size_t allowance(std::vector<Racer>& racers, std::size_t place, const generator::Budget& budget,
                      const std::vector<generator::Feedback>& history, std::size_t wanted) {
  Racer& r = racers[place];
  const std::size_t n = racers.size();
  std::size_t most = wanted;
  if (budget.candidates > 0) {
    std::size_t share = 0;
    most = std::min(most, candidates_left(r, place, n, budget.candidates, history, share));
    if (most == 0) {
      r.ended = n > 1 ? fmt::format("its share of {} candidates is used up", share)
                      : std::string("the budget of candidates is used up");
      return 0;
    }
  }
  const auto limit = [&](double share, double used, const std::string& what) {
    if (n < 2 || share <= 0 || most == 0) return;
    if (used >= share) {
      r.ended = "its share of the budget, " + what + ", is used up";
      most = 0;
    } else if (r.tasks > 0 && used > 0) {
      most = std::min(most, static_cast<std::size_t>(
                                std::max(1.0, std::floor((share - used) * static_cast<double>(r.tasks) / used))));
    }
  };
  limit(static_cast<double>(budget.tokens) / static_cast<double>(n), static_cast<double>(r.tokens),
        fmt::format("{} tokens", budget.tokens / static_cast<std::int64_t>(n)));
  limit(budget.money / static_cast<double>(n), r.money, fmt::format("${:.2f}", budget.money / static_cast<double>(n)));
  return most;
}

}  // namespace ww::model_loop
