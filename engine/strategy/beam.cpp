// SPDX-License-Identifier: Apache-2.0
// A beam: `width` lineages with `children` each. A generation is: children of every member (fresh ones as long as there
// are too few members), rejected children fixed up to `fixes` times, then the best of parents and children go on. As
// every right candidate competes, the members are simply the best there are, of earlier processes too. A generation
// without a gain of the best is followed by the best one's tuning; `patience` of them in a row are the end.
#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <map>
#include "strategy/strategy_base.h"

namespace ww::strategy {
namespace {

class Beam final : public StrategyBase {
 public:
  using StrategyBase::StrategyBase;
  std::string name() const override { return "beam"; }

 private:
  struct Child {                  // a task given out, until its candidate is correct or dropped
    std::string lineage, parent;  // parent: of the task
    int fixes = 0;
  };

  std::vector<Task> plan(const Population& population, std::size_t wanted) override {
    if (lineage_ == 0) {
      lineage_ = ledger().last_number();
      if (ledger().best())
        before_ = *ledger().best();
      else if (const Known* rejected = ledger().last_rejected())
        queue_fix(*rejected, 0);
    }
    collect();
    if (queue_.empty()) {
      if (under_way_) judge_generation();
      if (pause_) {
        std::vector<Task> tuning = tune_best(population, wanted);
        if (!tuning.empty()) return tuning;
        pause_ = false;
      }
      if (stale_ >= options().patience) {
        end(fmt::format("{} generations in a row found nothing better; {}", stale_, best_in_words()));
        return {};
      }
      open_generation();
    }
    std::vector<Task> tasks;
    while (!queue_.empty() && tasks.size() < wanted) {
      tasks.push_back(std::move(queue_.front().first));
      const Child& child = queue_.front().second;
      out_.push_back(child);
      queue_.pop_front();
    }
    return tasks;
  }

  void queue_fix(const Known& rejected, int fixes) {
    Task task;
    task.kind = Task::Kind::fix;
    task.parents = {rejected.hash};
    task.lineage = rejected.lineage.empty() ? std::to_string(++lineage_) : rejected.lineage;
    queue_.emplace_back(task, Child{task.lineage, rejected.hash, fixes + 1});
    under_way_ = true;
  }

  // What came of the tasks that were out: each rejected one belongs to the task of its lineage and parent.
  void collect() {
    for (const std::size_t i : ledger().fresh()) {
      const Known& k = ledger().all()[i];
      const auto child = std::find_if(out_.begin(), out_.end(), [&](const Child& c) {
        return c.lineage == k.lineage && (k.parent.empty() || c.parent == k.parent);
      });
      if (child == out_.end()) continue;
      if (!k.accepted && child->fixes < options().fixes) queue_fix(k, child->fixes);
      out_.erase(child);
    }
    out_.clear();  // tasks without a candidate are not repeated
  }

  void judge_generation() {
    under_way_ = false;
    const Known* best = ledger().best();
    const bool gain = best && (!before_ || gains(*best, *before_, options().least_gain));
    stale_ = gain ? 0 : stale_ + 1;
    pause_ = !gain;
    if (gain) before_ = *best;
  }

  void open_generation() {
    under_way_ = true;
    std::size_t members = 0;
    for (const std::size_t at : ledger().ranking()) {
      if (members == width()) break;
      ++members;
      const Known& parent = ledger().all()[at];
      std::string& lineage = labels_[parent.hash];
      if (lineage.empty()) lineage = parent.lineage.empty() ? std::to_string(++lineage_) : parent.lineage;
      for (int i = 0; i < options().children; ++i) {
        Task task;
        task.kind = Task::Kind::improve;
        task.parents = {parent.hash};
        task.lineage = lineage;
        queue_.emplace_back(task, Child{lineage, parent.hash, 0});
      }
    }
    for (; members < width(); ++members) {
      Task task;
      task.lineage = std::to_string(++lineage_);
      queue_.emplace_back(task, Child{task.lineage, "", 0});
    }
  }

  std::deque<std::pair<Task, Child>> queue_;
  std::vector<Child> out_;
  std::map<std::string, std::string> labels_;  // of members without a lineage of their own
  std::optional<Known> before_;                // the best at the last gain
  int lineage_ = 0, stale_ = 0;
  bool under_way_ = false, pause_ = false;
};

}  // namespace

std::unique_ptr<Strategy> make_beam(const StrategyOptions& options) { return std::make_unique<Beam>(options); }

}  // namespace ww::strategy
