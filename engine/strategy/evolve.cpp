// SPDX-License-Identifier: Apache-2.0
// Evolution on `width` islands, each with its own population. In a generation each island makes one attempt: a rejected
// child of its last one is fixed; else parents are improved (mutation) or combined (crossover); now and then one begins
// from nothing. A parent is the elite of a structure, from an archive that all islands share (quality-diversity: Pugh,
// Soros, Stanley, Frontiers in Robotics and AI 3, 2016), or wins a tournament on its island, sometimes by score and
// sometimes by novelty. Among structures those are chosen that an attempt has gained most of late, whatever their
// score (learning progress: Oudeyer, Kaplan, Hafner, IEEE Trans. Evolutionary Computation 11, 2007): a slow structure
// that becomes faster gets more attempts than a fast one that is exhausted, and where all are, more attempts begin from
// nothing. Diversity within an island is kept by distance in structure (structure.h): what is too near a better one of
// its island is not let in; novel is what few better ones of the same way of doing it stand above; a full island drops
// the least novel. Every few generations the best of each island is copied to the next one. The time between two
// migrations is an epoch: one without a gain is followed by the best one's tuning; `patience` of them in a row in which
// no structure gained are the end.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>
#include "strategy/strategy_base.h"
#include "identity/structure.h"

namespace ww::strategy {
namespace {

constexpr std::size_t island_size = 12;
constexpr std::size_t founders = 2;  // an island with fewer begins from nothing every other time
constexpr std::size_t tournament = 3;
constexpr int migration_every = 4;  // generations
constexpr double share_combined = 0.25;
constexpr double least_fresh = 0.1;      // of the attempts: while structures gain
constexpr double most_fresh = 0.5;       // when they do not
constexpr double share_archive = 0.7;    // of the other attempts: from an elite
constexpr double share_novelty = 0.4;    // of the tournaments
constexpr double first_progress = 0.3;   // what an attempt at a new structure is expected to gain
constexpr double least_progress = 0.01;  // so that no structure is given up
constexpr double best_progress = 0.05;   // nor the best one
// Before the end, times `patience`: attempts at the best one without a gain, and from nothing without a new structure.
constexpr int last_tries = 4;
constexpr int last_seeks = 16;
constexpr double memory = 0.8;        // of the progress before, with each attempt
constexpr double no_progress = 0.05;  // of the most promising: below, attempts begin from nothing

class Evolve final : public StrategyBase {
 public:
  explicit Evolve(const StrategyOptions& options) : StrategyBase(options), dice_(options.seed), islands_(width()) {}
  std::string name() const override { return "evolve"; }

 private:
  struct Member {
    Known known;
    identity::Shape shape;
  };
  struct Island {
    std::string label;
    std::vector<Member> members;  // best first
    std::string rejected;         // of its last attempt, to be fixed; empty: none
    std::string structure;        // that the attempt began from; empty: from nothing
    double gained = 0;            // by the attempt, with its fixes
    int fixes = 0;
    bool out = false;
  };
  struct Elite {  // the best of a structure
    Known known;
    double progress = first_progress;  // relative gain of an attempt, of late
    int tries = 0;                     // since it gained
  };

  std::vector<Task> plan(const Population& population, std::size_t wanted) override {
    if (islands_[0].label.empty()) begin();
    settle(population);
    if (turn_ == islands_.size()) end_generation();
    if (tuning_) {
      std::vector<Task> tasks = tune_best(population, wanted);
      if (!tasks.empty()) return tasks;
      tuning_ = false;
      if (stale_ >= options().patience && exhausted()) {
        end(fmt::format("{} epochs in a row found nothing better; {}", stale_, best_in_words()));
        return {};
      }
    }
    std::vector<Task> tasks;
    while (turn_ < islands_.size() && tasks.size() < wanted) tasks.push_back(attempt(islands_[turn_++]));
    return tasks;
  }

  void begin() {
    for (std::size_t i = 0; i < islands_.size(); ++i) islands_[i].label = fmt::format("island {}", i + 1);
    const Known* rejected = ledger().last_rejected();
    if (!ledger().best() && rejected) islands_[0].rejected = rejected->hash;
  }

  // By its lineage; candidates without one (the user's, an earlier process's) are distributed in turn.
  std::size_t island_of(const Known& k) const {
    for (std::size_t i = 0; i < islands_.size(); ++i)
      if (islands_[i].label == k.lineage) return i;
    return k.order % islands_.size();
  }

  void settle(const Population& population) {
    std::vector<const Known*> wrong(islands_.size(), nullptr);
    std::vector<bool> right(islands_.size(), false);
    for (const std::size_t i : ledger().fresh()) {
      const Known& k = ledger().all()[i];
      const std::size_t at = island_of(k);
      if (k.accepted) let_in(islands_[at], k, *population.candidates[i]);
      islands_[at].gained = std::max(islands_[at].gained, note_structure(k));
      if (k.accepted)
        right[at] = true;
      else if (!k.persons)
        wrong[at] = &k;
    }
    for (std::size_t i = 0; i < islands_.size(); ++i) {
      Island& island = islands_[i];
      if (!island.out) continue;
      island.out = false;
      island.fixes = island.rejected.empty() ? 0 : island.fixes + 1;
      if (wrong[i]) island.rejected = wrong[i]->hash;
      if (right[i] || island.fixes >= options().fixes) island.rejected.clear();
      note_progress(island);
    }
  }

  // The relative gain over the elite of its structure; 0: none.
  double note_structure(const Known& k) {
    if (!k.ranked || k.duplicate) return 0;
    const auto [at, fresh] = elites_.try_emplace(k.structure, Elite{k});
    if (fresh) seeks_ = 0;
    if (fresh || !better(k, at->second.known)) return 0;
    const double before = at->second.known.score, gain = before > 0 ? (before - k.score) / before : 0;
    at->second.known = k;
    if (gain >= options().least_gain) at->second.tries = 0;
    structure_gained_ |= gain >= options().least_gain;
    return gain;
  }

  void note_progress(Island& island) {
    const double gain = std::exchange(island.gained, 0);
    seeks_ += island.structure.empty();
    if (const auto at = elites_.find(island.structure); at != elites_.end())
      at->second.progress = memory * at->second.progress + (1 - memory) * gain, ++at->second.tries;
  }

  const Elite* best_elite() const {
    const auto best = std::min_element(elites_.begin(), elites_.end(), [](const auto& a, const auto& b) {
      return better(a.second.known, b.second.known);
    });
    return best == elites_.end() ? nullptr : &best->second;
  }
  bool exhausted() const {
    const Elite* best = best_elite();
    return !best || (best->tries >= last_tries * options().patience && seeks_ >= last_seeks * options().patience);
  }

  void let_in(Island& island, const Known& k, const generator::Feedback& feedback) {
    if (!k.duplicate) settle_in(island, {k, identity::shape_of(feedback.text, feedback.structure)});
  }

  void settle_in(Island& island, Member member) {
    for (const Member& m : island.members) {
      if (m.known.hash == member.known.hash) return;
      if (better(m.known, member.known) && identity::distance(m.shape, member.shape) < identity::same_structure_limit)
        return;
    }
    std::erase_if(island.members, [&](const Member& m) {
      return identity::distance(m.shape, member.shape) < identity::same_structure_limit;
    });
    const auto at = std::find_if(island.members.begin(), island.members.end(),
                                 [&](const Member& m) { return better(member.known, m.known); });
    island.members.insert(at, std::move(member));
    if (island.members.size() <= island_size) return;
    std::size_t least = 0, most_above = 0;
    for (std::size_t i = 0; i < island.members.size(); ++i)
      if (const std::size_t n = above(island, i); n >= most_above) least = i, most_above = n;
    island.members.erase(island.members.begin() + static_cast<std::ptrdiff_t>(least));
  }

  // How many better ones there are of the same way of doing it: 0 is the most novel.
  static std::size_t above(const Island& island, std::size_t place) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < place; ++i)
      n += identity::distance(island.members[i].shape, island.members[place].shape) < identity::new_structure_limit;
    return n;
  }

  void end_generation() {
    turn_ = 0;
    if (++generation_ % migration_every != 0) return;
    std::vector<std::optional<Member>> best(islands_.size());
    for (std::size_t i = 0; i < islands_.size(); ++i)
      if (!islands_[i].members.empty()) best[i] = islands_[i].members.front();
    for (std::size_t i = 0; i < islands_.size() && islands_.size() > 1; ++i)
      if (best[i]) settle_in(islands_[(i + 1) % islands_.size()], *best[i]);
    const Known* now = ledger().best();
    const bool gain = now && (!before_ || gains(*now, *before_, options().least_gain));
    if (gain) before_ = *now;
    const bool behind = std::exchange(structure_gained_, false);  // some structure that is not the best became faster
    stale_ = gain || behind ? 0 : stale_ + 1;
    tuning_ = !gain;
    report(
        fmt::format("generation {}: the best of each island goes to the next one; {}", generation_, best_in_words()));
  }

  // The place in the island (0: best) of the one that wins a tournament among all but `without`.
  std::size_t choose(const Island& island, std::size_t without) {
    const std::size_t n = island.members.size(), others = without < n ? n - 1 : n;
    const bool by_novelty = dice_.unit() < share_novelty;
    std::size_t winner = n;
    for (std::size_t i = 0; i < tournament; ++i) {
      std::size_t drawn = dice_.below(others);
      if (drawn >= without) ++drawn;
      if (winner == n || (by_novelty ? above(island, drawn) < above(island, winner) : drawn < winner)) winner = drawn;
    }
    return winner;
  }

  // The elite of a structure, the likelier the more its attempts have gained of late.
  const Known& choose_elite() {
    const Elite* best = best_elite();
    const auto weight = [&](const Elite& e) {
      return std::max(e.progress, &e == best ? best_progress : least_progress);
    };
    double sum = 0;
    for (const auto& [structure, elite] : elites_) sum += weight(elite);
    double drawn = dice_.unit() * sum;
    for (const auto& [structure, elite] : elites_)
      if ((drawn -= weight(elite)) < 0) return elite.known;
    return elites_.rbegin()->second.known;
  }

  double share_fresh() const {
    double most = 0;
    for (const auto& [structure, elite] : elites_) most = std::max(most, elite.progress);
    return most_fresh - (most_fresh - least_fresh) * std::min(1.0, most / no_progress);
  }

  Task attempt(Island& island) {
    Task task;
    task.lineage = island.label;
    island.out = true;
    if (!island.rejected.empty()) {
      task.kind = Task::Kind::fix;
      task.parents = {island.rejected};
      return task;
    }
    const std::size_t n = island.members.size();
    island.structure.clear();
    if (n == 0 || dice_.unit() < (n < founders ? 0.5 : share_fresh())) return task;
    task.kind = Task::Kind::improve;
    if (!elites_.empty() && dice_.unit() < share_archive) {
      const Known& elite = choose_elite();
      island.structure = elite.structure;
      task.parents = {elite.hash};
      return task;
    }
    const std::size_t first = choose(island, n);
    island.structure = island.members[first].known.structure;
    task.parents = {island.members[first].known.hash};
    if (n >= 2 && dice_.unit() < share_combined) {
      task.kind = Task::Kind::combine;
      task.parents.push_back(island.members[choose(island, first)].known.hash);
    }
    return task;
  }

  Dice dice_;
  std::vector<Island> islands_;
  std::optional<Known> before_;  // the best at the last gain
  std::size_t turn_ = 0;         // the island that makes the next attempt of this generation
  int generation_ = 0, stale_ = 0;
  bool tuning_ = false;
  std::map<std::string, Elite> elites_;  // by structure
  bool structure_gained_ = false;        // since the last migration
  int seeks_ = 0;                        // attempts from nothing since the last new structure
};

}  // namespace

std::unique_ptr<Strategy> make_evolve(const StrategyOptions& options) { return std::make_unique<Evolve>(options); }

}  // namespace ww::strategy
