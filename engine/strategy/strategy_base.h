// SPDX-License-Identifier: Apache-2.0
// Base of all strategies: reads new candidates, numbers tasks, gives up if nothing ever comes, and finishes the tuning
// of its best.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include "strategy/climb.h"
#include "strategy/population.h"
#include "strategy/strategy.h"
#include "strategy/tune_finish.h"

namespace ww::strategy {

class StrategyBase : public Strategy {
 public:
  explicit StrategyBase(const StrategyOptions& options);
  std::vector<Task> next(const Population& population, std::size_t wanted) final;
  std::string why_ended() const final { return ended_; }
  std::vector<std::string> news() final { return std::exchange(news_, {}); }

 protected:
  // At least one task, or end(). Never called with wanted 0.
  virtual std::vector<Task> plan(const Population& population, std::size_t wanted) = 0;

  void end(std::string why);
  void report(std::string sentence);  // for the run's log
  const Ledger& ledger() const { return ledger_; }
  const StrategyOptions& options() const { return options_; }
  std::size_t width() const { return static_cast<std::size_t>(options_.width); }
  ClimbRules climb_rules() const;
  // Tasks that tune a candidate; empty if the tuning is finished, or nothing is open.
  std::vector<Task> tune(const Population& population, const std::string& hash, const std::string& lineage,
                         std::size_t wanted);
  std::vector<Task> tune_best(const Population& population, std::size_t wanted);
  bool within_reach(const Known& candidate) const;  // could become the best by tuning
  // Among a lineage's results, those that tuning could make the best of all: drafts that were never tuned are not
  // compared with tuned ones.
  std::vector<Task> tune_end(const Population& population, const Climb& climb, std::size_t wanted);
  std::string best_in_words() const;  // "the best is 12.5", for sentences

 private:
  StrategyOptions options_;  // clamped to their ranges
  Ledger ledger_;
  TuneFinish tuner_;
  std::string ended_;
  std::vector<std::string> news_;
  std::uint64_t number_ = 0;
};

// The strategies, each in the file of its name.
std::unique_ptr<Strategy> make_refine(const StrategyOptions& options);
std::unique_ptr<Strategy> make_sample(const StrategyOptions& options);
std::unique_ptr<Strategy> make_beam(const StrategyOptions& options);
std::unique_ptr<Strategy> make_evolve(const StrategyOptions& options);
std::unique_ptr<Strategy> make_keep(const StrategyOptions& options);
std::unique_ptr<Strategy> make_mixed(const StrategyOptions& options);

}  // namespace ww::strategy
