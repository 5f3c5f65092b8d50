// SPDX-License-Identifier: Apache-2.0
#include "strategy/strategy_base.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ww::strategy {
namespace {
constexpr int hopeless =
    32;  // attempts in a row that gave no candidate at all: the model does not answer in candidates
constexpr double reach = 1.5;  // of tuning: a multiple of the best score
}  // namespace

StrategyBase::StrategyBase(const StrategyOptions& options) : options_(options) {
  options_.width = std::clamp(options.width, 1, 64);
  options_.children = std::clamp(options.children, 1, 64);
  options_.patience = std::max(options.patience, 1);
  options_.fixes = std::max(options.fixes, 0);
  options_.least_gain = options.least_gain >= 0 ? std::min(options.least_gain, 1.0) : 0.0;  // also of a NaN
}

std::vector<Task> StrategyBase::next(const Population& population, std::size_t wanted) {
  ledger_.read(population);
  if (!ended_.empty() || wanted == 0) return {};
  if (ledger_.failures_in_a_row() >= hopeless) {
    end(fmt::format("the last {} attempts gave no candidate", ledger_.failures_in_a_row()));
    return {};
  }
  std::vector<Task> tasks = plan(population, wanted);
  if (!ended_.empty()) return {};
  number_ = std::max(number_, population.tasks_before);
  for (Task& task : tasks) task.number = ++number_;
  return tasks;
}

void StrategyBase::end(std::string why) { ended_ = std::move(why); }

void StrategyBase::report(std::string sentence) { news_.push_back(std::move(sentence)); }

ClimbRules StrategyBase::climb_rules() const {
  ClimbRules rules;
  rules.fixes = options_.fixes;
  rules.patience = options_.patience;
  rules.least_gain = options_.least_gain;
  return rules;
}

std::vector<Task> StrategyBase::tune(const Population& population, const std::string& hash, const std::string& lineage,
                                     std::size_t wanted) {
  return tuner_.next(population, ledger_, hash, lineage, wanted);
}

std::vector<Task> StrategyBase::tune_best(const Population& population, std::size_t wanted) {
  const Known* best = ledger_.best();
  return best ? tune(population, best->hash, best->lineage.empty() ? "tuning" : best->lineage, wanted)
              : std::vector<Task>();
}

bool StrategyBase::within_reach(const Known& candidate) const {
  const Known* best = ledger_.best();
  return best && candidate.ranked && candidate.score <= best->score + (reach - 1) * std::abs(best->score);
}

std::vector<Task> StrategyBase::tune_end(const Population& population, const Climb& climb, std::size_t wanted) {
  if (!climb.best() || !within_reach(*climb.best())) return {};
  return tune(population, climb.best()->hash, climb.lineage(), wanted);
}

std::string StrategyBase::best_in_words() const {
  const Known* best = ledger_.best();
  if (!best) return "nothing is proved";
  if (!best->ranked) return "what is proved has neither cost nor time";
  return fmt::format("the best has {:.4g}", best->score);
}

}  // namespace ww::strategy
