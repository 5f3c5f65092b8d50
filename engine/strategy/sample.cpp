// SPDX-License-Identifier: Apache-2.0
// Parallel sampling: rounds of `width` attempts that know nothing of each other, each a lineage of its own. After
// `patience` attempts without a gain the best one's open tune values are finished between the rounds. It never ends by
// itself: the budget ends it.
#include "strategy/strategy_base.h"

namespace ww::strategy {
namespace {

class Sample final : public StrategyBase {
 public:
  using StrategyBase::StrategyBase;
  std::string name() const override { return "sample"; }

 private:
  std::vector<Task> plan(const Population& population, std::size_t wanted) override {
    const Known* best = ledger().best();
    if (lineage_ == 0) {
      lineage_ = ledger().last_number();
      report("sampling goes on until the budget is used up, or replies give no new candidate");
    }
    if (best && (!best_ || gains(*best, *best_, options().least_gain))) stale_ = 0;
    if (best) best_ = *best;
    if (stale_ >= options().patience) {
      std::vector<Task> tuning = tune_best(population, wanted);
      if (!tuning.empty()) return tuning;
    }
    std::vector<Task> tasks(std::min(wanted, width()));
    for (Task& task : tasks) task.lineage = std::to_string(++lineage_);
    stale_ += static_cast<int>(tasks.size());
    return tasks;
  }

  std::optional<Known> best_;
  int lineage_ = 0, stale_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_sample(const StrategyOptions& options) { return std::make_unique<Sample>(options); }

}  // namespace ww::strategy
