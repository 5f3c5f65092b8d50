// SPDX-License-Identifier: Apache-2.0
// The built-in search seeds with one candidate of each structure it has, the first round for itself, then half of each
// until all are seeded, so that a small budget is not spent before the model is asked. The model makes the best of each
// structure faster, the most promising one every round, the next one every other round, the one after that every fourth
// …; a lineage that stands still is left, and its tuning is finished. Three lineages in a row that did not move the
// best, or none left: if the best is the search's own, the search continues tuning while that gains. It ends when
// nothing gains. Without the search's plugin the model begins alone.
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include "strategy/strategy_base.h"

namespace ww::strategy {
namespace {

constexpr const char* seeder = "search";
constexpr int gainless_limit = 3;
constexpr std::size_t seeds_for_each = 3;  // seeds at most this multiple of `width` structures

class Mixed final : public StrategyBase {
 public:
  explicit Mixed(const StrategyOptions& options) : StrategyBase(options) {
    Result<std::unique_ptr<generator::Generator>> search =
        options.make_generator ? options.make_generator(seeder) : fail(Code::not_found, "no generators are given");
    if (search)
      search_ = std::move(*search);
    else
      report("the built-in search cannot seed, the model begins alone: " + search.error().text());
  }
  std::string name() const override { return "mixed"; }

 private:
  enum class Phase : std::uint8_t { seed, climb, finish };

  std::vector<Task> plan(const Population& population, std::size_t wanted) override {
    for (const std::size_t i : ledger().fresh())
      for (Climb& climb : climbs_)
        if (ledger().all()[i].lineage == climb.lineage()) climb.see(ledger().all()[i]);
    for (Climb& climb : climbs_) climb.settle();

    if (phase_ == Phase::seed) {
      const bool first = seed_rounds_ == 0;
      const std::size_t share = first ? wanted : wanted > 1 ? wanted / 2 : seed_rounds_ % 2;
      ++seed_rounds_;
      std::vector<Task> tasks = share > 0 ? seeds(population, share) : std::vector<Task>();
      if (share > 0 && tasks.empty()) phase_ = Phase::climb;  // all are through
      if (first && !tasks.empty()) return tasks;
      open_climbs();
      if (phase_ == Phase::seed) {
        count_left();
        for (Task& task : climb(wanted - tasks.size())) tasks.push_back(std::move(task));
        if (!tasks.empty()) return tasks;
        phase_ = Phase::climb;
      }
    }
    if (phase_ == Phase::climb) {
      for (const Climb& climb : climbs_) {
        if (!climb.over()) continue;
        std::vector<Task> tasks = tune_end(population, climb, wanted);
        if (!tasks.empty()) return tasks;
      }
      count_left();
      std::vector<Task> tasks = climb(wanted);
      if (!tasks.empty()) return tasks;
      phase_ = Phase::finish;
      finish_from_ = ledger().best() ? std::optional<Known>(*ledger().best()) : std::nullopt;
      quiet_ = 0;
      quiet_from_ = finish_from_;
    }
    std::vector<Task> tasks = finish(population, wanted);
    if (!tasks.empty()) return tasks;
    const Known* best = ledger().best();
    if (!best || !finish_from_ || !gains(*best, *finish_from_, options().least_gain)) {
      end(fmt::format("no further gains; {}", best_in_words()));
      return {};
    }
    report(fmt::format("tuning found a gain, the model continues from it; {}", best_in_words()));
    climbs_.clear();
    gainless_ = gainless_limit - 1;
    add_climb(*best);
    phase_ = Phase::climb;
    return {climbs_.back().next()};
  }

  // What the search offers; it is shown its own candidates only.
  std::vector<generator::Proposal> offers(const Population& population, std::size_t wanted) {
    if (!search_ || !population.request) return {};
    generator::GeneratorRequest request;
    request.spec = population.request->spec;
    request.binding = population.request->binding;
    request.device = population.request->device;
    request.architecture = population.request->architecture;
    request.wanted = wanted;
    for (const generator::Feedback* f : population.candidates)
      if (f->generator == seeder) request.history.push_back(*f);
    Result<std::vector<generator::Proposal>> offered = search_->propose(request, {});
    if (!offered) {
      report("the built-in search stopped: " + offered.error().text());
      search_.reset();
      return {};
    }
    return std::move(*offered);
  }

  Task ready(generator::Proposal proposal) {
    Task task;
    task.kind = Task::Kind::ready;
    task.lineage = proposal.structure.empty() ? std::to_string(++lineage_) : proposal.structure;
    if (!proposal.parent.empty()) task.parents = {proposal.parent};
    proposal.generator = seeder;
    task.proposal = std::move(proposal);
    return task;
  }

  std::vector<Task> seeds(const Population& population, std::size_t wanted) {
    if (lineage_ == 0) {
      lineage_ = ledger().last_number();
      for (const Known& k : ledger().all()) seeded_.insert(k.structure);
    }
    std::vector<Task> tasks;
    if (!later_.empty() || seeded_.size() >= seeds_for_each * width()) return tasks;
    for (generator::Proposal& p : offers(population, wanted)) {
      if (seeded_.size() < seeds_for_each * width() && seeded_.insert(p.structure).second)
        tasks.push_back(ready(std::move(p)));
      else
        later_.push_back(std::move(p));  // a second one of a structure: the first ones are through
    }
    return tasks;
  }

  void add_climb(const Known& start) {
    climbs_.emplace_back(start.lineage.empty() ? std::to_string(++lineage_) : start.lineage, climb_rules(), start);
    counted_.resize(climbs_.size(), false);
    counted_.back() = false;
  }

  // One for the best of each structure that has none yet, most promising first.
  void open_climbs() {
    for (const std::size_t at : ledger().ranking()) {
      const Known& k = ledger().all()[at];
      if (structures_.count(k.structure) || (!k.lineage.empty() && lineages_.count(k.lineage))) continue;
      structures_.insert(k.structure);
      if (!k.lineage.empty()) lineages_.insert(k.lineage);
      add_climb(k);
    }
    if (!before_ && ledger().best()) before_ = *ledger().best();
    if (climbs_.empty() && phase_ == Phase::climb)
      if (const Known* rejected = ledger().last_rejected()) add_climb(*rejected);
  }

  void count_left() {
    for (std::size_t i = 0; i < climbs_.size(); ++i) {
      if (!climbs_[i].over() || counted_[i]) continue;
      counted_[i] = true;
      const Known* best = ledger().best();
      const bool moved = best && (!before_ || gains(*best, *before_, options().least_gain));
      gainless_ = moved ? 0 : gainless_ + 1;
      if (moved) before_ = *best;
      report(fmt::format("lineage '{}' {}; {}", climbs_[i].lineage(),
                         climbs_[i].best() ? "has stalled" : "never became correct", best_in_words()));
    }
  }

  std::vector<Task> climb(std::size_t wanted) {
    std::vector<Task> tasks;
    if (gainless_ >= gainless_limit || wanted == 0) return tasks;
    std::vector<Climb*> order;
    for (Climb& climb : climbs_)
      if (!climb.over()) order.push_back(&climb);
    if (order.empty() && !ledger().best() && phase_ == Phase::climb) {
      climbs_.emplace_back(std::to_string(++lineage_), climb_rules());
      counted_.push_back(false);
      order.push_back(&climbs_.back());
    }
    std::stable_sort(order.begin(), order.end(), [](const Climb* a, const Climb* b) {
      if (a->best().has_value() != b->best().has_value()) return a->best().has_value();
      return a->best() && better(*a->best(), *b->best());
    });
    for (std::size_t place = 0; place < std::min(order.size(), std::min(wanted, width())); ++place)
      if (place < 16 && round_ % (1U << place) == 0) tasks.push_back(order[place]->next());
    ++round_;
    return tasks;
  }

  // The best drafts with open values; then the search's own tuning, as long as the best is the search's and that gains.
  std::vector<Task> finish(const Population& population, std::size_t wanted) {
    std::size_t drafts = 0;
    for (const std::size_t at : ledger().ranking()) {
      const Known& k = ledger().all()[at];
      if (!within_reach(k) || drafts == width()) break;
      if (!ledger().open_of(k.hash)) continue;
      ++drafts;
      std::vector<Task> tuning = tune(population, k.hash, k.lineage.empty() ? "tuning" : k.lineage, wanted);
      if (!tuning.empty()) return tuning;
    }
    std::vector<Task> tasks;
    const Known* best = ledger().best();
    if (!best || !best->ranked) return tasks;
    if (population.candidates[best->order]->generator != seeder) return tasks;
    if (!quiet_from_ || gains(*best, *quiet_from_, options().least_gain)) quiet_ = 0;
    quiet_from_ = *best;
    if (quiet_++ >= options().patience) return tasks;
    // Postponed candidates come first: they are not offered again.
    while (!later_.empty() && tasks.size() < wanted) {
      tasks.push_back(ready(std::move(later_.front())));
      later_.erase(later_.begin());
    }
    if (tasks.empty())
      for (generator::Proposal& p : offers(population, wanted)) tasks.push_back(ready(std::move(p)));
    return tasks;
  }

  std::unique_ptr<generator::Generator> search_;
  Phase phase_ = Phase::seed;
  std::set<std::string> seeded_, structures_,
      lineages_;  // structures that were seeded; that have a climb; lineages that have one
  std::vector<generator::Proposal> later_;
  std::vector<Climb> climbs_;
  std::vector<bool> counted_;  // climbs that are over and were judged
  std::optional<Known> before_, finish_from_, quiet_from_;
  int lineage_ = 0, gainless_ = 0, quiet_ = 0;
  unsigned round_ = 0, seed_rounds_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_mixed(const StrategyOptions& options) { return std::make_unique<Mixed>(options); }

}  // namespace ww::strategy
