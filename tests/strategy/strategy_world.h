// SPDX-License-Identifier: Apache-2.0
// A world for strategies without models, compilers or devices: a "model" answers tasks with drafts made from a planted
// landscape (structures, moves that help or hurt, tune values), with failures, wrong ones and duplicates in it; a judge
// reads the verdict out of the text. All of it from the seed.
#pragma once
#include <array>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include "candidate/candidate.h"
#include "strategy/population.h"
#include "strategy/strategy.h"
#include "op/parse.h"
#include "explore/script.h"

namespace ww::world {

using generator::Feedback;
using strategy::Task;

constexpr std::size_t structures = 5, moves = 6;
inline const std::array<std::string, structures> structure_names = {"plain", "tiled-shared", "row-warp", "vectorised",
                                                                    "tensor"};

struct Genome {
  int structure = 0;
  std::array<int, moves> on{};
  int wrong = 0;
  std::uint64_t nonce = 0;  // two with the same genes and other nonces are duplicates
  std::int64_t block = 128, stages = 1;
  bool open = true;  // the tune lines leave a choice

  std::string text() const;
  static std::optional<Genome> read(const std::string& text);
};

struct Landscape {
  std::array<double, structures> base = {100, 70, 55, 50, 80};
  // What a move does to the time of a structure. Tensor cores are slow before they are done well.
  std::array<std::array<double, moves>, structures> factor = {{{0.9, 0.95, 1.1, 0.7, 0.98, 1.05},
                                                               {0.85, 0.9, 0.8, 1.1, 0.97, 1.02},
                                                               {0.9, 1.05, 0.75, 0.85, 0.96, 0.95},
                                                               {0.95, 0.85, 1.1, 0.9, 0.99, 1.03},
                                                               {0.6, 0.7, 0.8, 0.65, 0.9, 0.85}}};
  std::array<std::int64_t, structures> block = {256, 128, 64, 512, 128}, stages = {1, 3, 1, 2, 4};  // the best values
  double of(const Genome& g) const;
  double optimum() const;  // the least there is
};

struct Answer {
  enum class Kind { draft, failed, lost } kind = Kind::draft;  // lost: neither a candidate nor a word about it
  std::string text;
};
using Model = std::function<Answer(const Task& task, const strategy::Population& population)>;

struct Chances {
  double fails = 0.06, wrong = 0.4, fixed = 0.6, repeats = 0.05, wanders = 0.06;
  double obeys = 0;  // of the fresh attempts that are told which structures were tried: takes another, if there is one
};
Model chancy_model(std::uint64_t seed, Chances chances = {});

struct Step {  // what became of a task
  Task task;
  std::size_t round = 0;
  std::string hash;  // empty: no candidate
  bool accepted = false, duplicate = false;
  double score = 0;
};

struct Run {
  explicit Run(Model model, Landscape landscape = {});
  // Until it ends or the budget of judged candidates (or of tasks) is used up.
  void drive(strategy::Strategy& strategy, std::size_t candidates, std::size_t wanted = 4, std::size_t tasks = 100000);
  void give(const Genome& genome);  // a candidate of the person's
  std::string judge(const std::string& text, const std::string& parent, const std::string& generator,
                    bool unranked = false);  // its hash
  void forget_lineages() { population.lineages.clear(); }
  const Feedback* find(const std::string& hash) const;
  double best() const;  // of the ranked
  Genome best_genome() const;
  std::string kinds() const;  // of the tasks so far: fresh F, fix X, improve I, combine C, ready R
  const Step* made(const std::string& hash) const;    // the step that gave it
  std::string broken_rule(std::size_t wanted) const;  // what each task must be, whatever the strategy; empty: all are
  std::string script() const;                         // every step in words, for comparison byte for byte
  std::size_t within(
      double share) const;  // judged candidates until the best was within the share of the optimum; 0: never

  Model model;
  Landscape landscape;
  op::Spec spec;
  generator::GeneratorRequest request;
  strategy::Population population;
  std::deque<Feedback> feedback;
  std::vector<Step> steps;
  std::vector<std::size_t> sizes;  // of the rounds
  std::vector<std::string> news;
  std::map<std::string, std::string> first_of;  // genes and tuning → hash
  std::map<std::string, const Feedback*> by_hash;
  std::size_t rounds = 0;
  bool ended = false, unranked = false;
};

// ---- for scripts

inline const std::vector<std::string> all_names = {"refine", "sample", "beam", "evolve", "keep", "mixed"};
// "mixed" gets a search that seeds a candidate of each of three structures, then two tunings of the first.
std::unique_ptr<strategy::Strategy> make(const std::string& name, strategy::StrategyOptions options = {});
std::unique_ptr<strategy::Strategy> make_without_search(const std::string& name);
Genome genome(int structure, std::initializer_list<int> on = {}, bool wrong = false,
              std::uint64_t nonce = 0);                                    // pinned
Model scripted(std::function<std::optional<Genome>(const Task&)> script);  // nothing: a failed attempt

}  // namespace ww::world
