// SPDX-License-Identifier: Apache-2.0
#include "model_loop/parts.h"
#include <algorithm>

namespace ww::model_loop {

Result<Parts> Parts::load(store::Workspace& workspace, std::int64_t run) {
  const store::RunRecord record = WW_TRY(workspace.run(run));
  const generator::RunOptions options = WW_TRY(generator::options_from_json(record.options));
  const std::vector<store::ExchangeRecord> exchanges = WW_TRY(workspace.exchanges(run));
  const std::vector<store::CandidateRecord> candidates = WW_TRY(workspace.candidates(run));
  Parts out;
  out.parts_.push_back({record.created, options.budget, 0, {}});
  for (const generator::TakenUp& taken : options.model.taken_up) {
    Part& ends = out.parts_.back();
    const auto first = [](const auto& list, std::int64_t count) {
      return list.begin() + std::clamp<std::int64_t>(count, 0, static_cast<std::int64_t>(list.size()));
    };
    std::for_each(exchanges.begin(), first(exchanges, taken.exchanges), [&](const store::ExchangeRecord& e) {
      if (e.origin.task > 0) ends.tasks[e.origin.strategy].insert(e.origin.task);
    });
    std::for_each(candidates.begin(), first(candidates, taken.candidates), [&](const store::CandidateRecord& c) {
      if (c.origin.task > 0) ends.tasks[c.origin.strategy].insert(c.origin.task);
    });
    if (taken.budget) ends.budget = *taken.budget;
    out.parts_.push_back(
        {taken.at, options.budget, static_cast<std::size_t>(std::max<std::int64_t>(0, taken.exchanges)), {}});
  }
  return out;
}

std::uint64_t Parts::Part::greatest(const std::string& strategy) const {
  const auto of = tasks.find(strategy);
  return of == tasks.end() || of->second.empty() ? 0 : *of->second.rbegin();
}

bool Parts::over(const std::vector<Racer>& racers) const {
  return !last() && std::all_of(racers.begin(), racers.end(),
                                [&](const Racer& r) { return r.tasks >= parts_[at_].greatest(r.name); });
}

bool Parts::has(const std::string& strategy, const strategy::Task& task) const {
  if (last()) return true;
  if (task.kind == strategy::Task::Kind::ready) return task.number <= parts_[at_].greatest(strategy);
  const auto of = parts_[at_].tasks.find(strategy);
  return of != parts_[at_].tasks.end() && of->second.contains(task.number);
}

std::uint64_t Parts::tasks_before(const std::string& strategy) const {
  return at_ == 0 ? 0 : parts_[at_ - 1].greatest(strategy);
}

}  // namespace ww::model_loop
