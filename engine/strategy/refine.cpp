// SPDX-License-Identifier: Apache-2.0
// Serial refinement. A lineage that stands still is left for a fresh one; three in a row that found nothing better than
// what was there are the end. It begins with what is there: the best right candidate (the person's, or of an earlier
// process), else the last rejected one. A better one that the person gives while it runs is what the next lineage
// begins with.
#include <fmt/format.h>
#include <set>
#include "strategy/strategy_base.h"

namespace ww::strategy {
namespace {

constexpr int gainless_limit = 3;

class Refine final : public StrategyBase {
 public:
  using StrategyBase::StrategyBase;
  std::string name() const override { return "refine"; }

 private:
  std::vector<Task> plan(const Population& population, std::size_t wanted) override {
    if (!climb_) begin();
    for (const std::size_t i : ledger().fresh())
      if (ledger().all()[i].lineage == climb_->lineage()) climb_->see(ledger().all()[i]);
    climb_->settle();
    if (climb_->over()) {
      std::vector<Task> tuning = tune_end(population, *climb_, wanted);
      if (tuning.empty()) tuning = tune_best(population, wanted);
      if (!tuning.empty()) return tuning;
      const Known* best = ledger().best();
      gainless_ = best && (!before_ || gains(*best, *before_, options().least_gain)) ? 0 : gainless_ + 1;
      if (gainless_ >= gainless_limit) {
        end(fmt::format("{} lineages in a row found nothing better; {}", gainless_limit, best_in_words()));
        return {};
      }
      if (best) before_ = *best;
      const bool given = best && best->persons && taken_.insert(best->hash).second;
      report(fmt::format("lineage {} {}; {}; {}", climb_->lineage(),
                         climb_->best() ? "has stalled" : "never became correct",
                         given ? "continued from the user's candidate" : "a fresh one begins", best_in_words()));
      const std::string lineage = std::to_string(++lineage_);
      if (given)
        climb_.emplace(lineage, climb_rules(), *best);
      else
        climb_.emplace(lineage, climb_rules());
    }
    return {climb_->next()};
  }

  void begin() {
    lineage_ = ledger().last_number() + 1;
    const Known* start = ledger().best() ? ledger().best() : ledger().last_rejected();
    if (start)
      climb_.emplace(std::to_string(lineage_), climb_rules(), *start);
    else
      climb_.emplace(std::to_string(lineage_), climb_rules());
    if (start && start->accepted) before_ = *start;
    if (start) taken_.insert(start->hash);
  }

  std::optional<Climb> climb_;
  std::optional<Known> before_;  // the best when the lineage began
  std::set<std::string> taken_;  // hashes that a lineage began with
  int lineage_ = 0, gainless_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_refine(const StrategyOptions& options) { return std::make_unique<Refine>(options); }

}  // namespace ww::strategy
