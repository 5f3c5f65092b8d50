// SPDX-License-Identifier: Apache-2.0
// Keep or revert: one change at a time on the best of the lineage, kept when it is faster by least_gain, else it is as
// if it had not been. When gains diminish (`patience` changes without one) the tuning of the lineage's best is finished
// and another lineage is taken up: the best of a structure that no lineage has been at yet, else a fresh one, and after
// each fresh one the best of all again. It never ends by itself: it is made to run for hours.
#include <fmt/format.h>
#include <set>
#include "strategy/strategy_base.h"
#include "identity/structure.h"

namespace ww::strategy {
namespace {

class Keep final : public StrategyBase {
 public:
  using StrategyBase::StrategyBase;
  std::string name() const override { return "keep"; }

 private:
  std::vector<Task> plan(const Population& population, std::size_t wanted) override {
    if (!climb_) {
      lineage_ = ledger().last_number();
      if (const Known* start = ledger().best() ? ledger().best() : ledger().last_rejected())
        take_up(start);
      else
        take_up(nullptr);
    }
    for (const std::size_t i : ledger().fresh())
      if (ledger().all()[i].lineage == climb_->lineage()) climb_->see(ledger().all()[i]);
    climb_->settle();
    if (climb_->over()) {
      std::vector<Task> tuning = tune_end(population, *climb_, wanted);
      if (!tuning.empty()) return tuning;
      move_on(population);
    }
    return {climb_->next()};
  }

  ClimbRules rules() const {
    ClimbRules rules = climb_rules();
    rules.fix_improvements = false;
    rules.keep_small_gains = false;
    return rules;
  }

  void take_up(const Known* start) {
    const std::string lineage = std::to_string(++lineage_);
    if (start)
      climb_.emplace(lineage, rules(), *start);
    else
      climb_.emplace(lineage, rules());
    fresh_ = start == nullptr;
  }

  void move_on(const Population& population) {
    const std::string from = climb_->lineage();
    const Known* end = climb_->best() ? ledger().find(climb_->best()->hash) : nullptr;
    if (end) left_.push_back(shape_of(*population.candidates[end->order]));
    const Known* to = distinct(population);
    const bool again = !to && fresh_ && ledger().best();
    if (again) to = ledger().best();
    take_up(to);
    if (!to)
      report(fmt::format("moved on from lineage {} to a fresh one; {}", from, best_in_words()));
    else if (again)
      report(fmt::format("moved on from lineage {} back to the best of all; {}", from, best_in_words()));
    else
      report(fmt::format("moved on from lineage {} to the best of another structure, '{}'; {}", from, to->structure,
                         best_in_words()));
  }

  static identity::Shape shape_of(const generator::Feedback& f) { return identity::shape_of(f.text, f.structure); }

  // The best candidate whose structure differs from those of all abandoned lineages.
  const Known* distinct(const Population& population) {
    constexpr std::size_t most = 200;  // number of the best that are considered
    std::size_t looked = 0;
    for (const std::size_t at : ledger().ranking()) {
      if (++looked > most) break;
      const Known& k = ledger().all()[at];
      auto shape = shapes_.find(k.hash);
      if (shape == shapes_.end()) shape = shapes_.emplace(k.hash, shape_of(*population.candidates[at])).first;
      bool far = true;
      for (const identity::Shape& left : left_)
        far = far && identity::distance(shape->second, left) >= identity::new_structure_limit;
      if (far) return &k;
    }
    return nullptr;
  }

  std::optional<Climb> climb_;
  std::vector<identity::Shape> left_;
  std::map<std::string, identity::Shape> shapes_;
  int lineage_ = 0;
  bool fresh_ = false;
};

}  // namespace

std::unique_ptr<Strategy> make_keep(const StrategyOptions& options) { return std::make_unique<Keep>(options); }

}  // namespace ww::strategy
