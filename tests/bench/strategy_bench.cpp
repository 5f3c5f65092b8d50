// SPDX-License-Identifier: Apache-2.0
// Which strategy finds what when, in the planted world of the tests (tests/strategy/strategy_world.h): no model, no
// compiler, no device. What it says of real models is only how the strategies differ where a quarter to a half of the
// attempts are wrong and good moves have to be found one by one.
//   bench_strategy [SEEDS] [BUDGET]   medians over SEEDS worlds (50), each with a budget of judged candidates (400)
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>
#include "strategy/strategy_world.h"

using namespace ww;
using namespace ww::generator;
using namespace ww::strategy;
using namespace ww::world;

namespace {

// One pinned candidate of each structure that is not the tensor one, as the built-in search would seed.
class Seeds final : public Generator {
 public:
  std::string name() const override { return "search"; }
  Result<std::vector<Proposal>> propose(const GeneratorRequest& request, std::stop_token) override {
    std::vector<Proposal> out;
    for (; at_ < 4 && out.size() < request.wanted; ++at_) {
      Genome g;
      g.structure = at_;
      g.open = false;
      out.push_back(
          {g.text(), candidate::Language::cuda, "", structure_names[static_cast<std::size_t>(at_)], "seed", "", 0});
    }
    return out;
  }

 private:
  int at_ = 0;
};

double median(std::vector<double> v) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

double ms_since(std::chrono::steady_clock::time_point from) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - from).count();
}

// How near the best was to the optimum after each hundred attempts, whatever came of them: 1.00 is the optimum.
class Curve {
 public:
  explicit Curve(std::size_t budget) : points_(budget / step) {}
  void add(const Run& run, double optimum) {
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t point = 0, at = 0; point < points_.size(); ++point) {
      for (; at < std::min((point + 1) * step, run.steps.size()); ++at)
        if (const Feedback* f = run.find(run.steps[at].hash); f && f->ranked) best = std::min(best, f->score);
      points_[point].push_back(best / optimum);
    }
  }
  std::string text() const {
    std::string out;
    for (const std::vector<double>& point : points_) {
      std::vector<double> sorted = point;
      std::sort(sorted.begin(), sorted.end());
      char cell[40];
      std::snprintf(cell, sizeof cell, "  %5.2f (%4.2f-%5.2f)", sorted[sorted.size() / 2], sorted[sorted.size() / 10],
                    sorted[sorted.size() * 9 / 10]);
      out += cell;
    }
    return out;
  }
  static constexpr std::size_t step = 100;

 private:
  std::vector<std::vector<double>> points_;
};

void compare(const char* title, const Landscape& land, int seeds, std::size_t budget, const Chances& chances = {}) {
  std::printf("\n%s; the optimum is %.1f\n%-8s %14s %14s %9s %9s %9s %9s %7s\n", title, land.optimum(), "", "to 25 %",
              "to 5 %", "best@24", "best@100", "best", "attempts", "ended");
  std::string curves;
  for (const auto& [name, about] : list_strategies()) {
    std::vector<double> near, close, at24, at100, best, used;
    int reached25 = 0, reached5 = 0, ended = 0;
    Curve curve(budget);
    for (int seed = 1; seed <= seeds; ++seed) {
      Run run(chancy_model(static_cast<std::uint64_t>(seed), chances), land);
      StrategyOptions options;
      options.seed = static_cast<std::uint64_t>(seed);
      options.make_generator = [](const std::string&) -> Result<std::unique_ptr<Generator>> {
        return std::make_unique<Seeds>();
      };
      auto strategy = *make_strategy(name, options);
      run.drive(*strategy, budget);
      const auto note = [&](double share, std::vector<double>& list, int& reached) {
        const std::size_t n = run.within(share);
        reached += n > 0;
        list.push_back(n > 0 ? static_cast<double>(n) : 1e9);
      };
      note(0.25, near, reached25);
      note(0.05, close, reached5);
      const auto best_of = [&](std::size_t first) {
        double b = 1e9;
        for (std::size_t i = 0; i < std::min(first, run.feedback.size()); ++i)
          if (run.feedback[i].ranked) b = std::min(b, run.feedback[i].score);
        return b;
      };
      at24.push_back(best_of(24));
      at100.push_back(best_of(100));
      best.push_back(run.best());
      curve.add(run, land.optimum());
      used.push_back(static_cast<double>(run.steps.size()));
      ended += run.ended;
    }
    const auto cell = [&](const std::vector<double>& list, int reached) {
      const double m = median(list);
      return (m < 1e8 ? std::to_string(static_cast<int>(m)) : std::string("-")) + " (" + std::to_string(reached) + "/" +
             std::to_string(seeds) + ")";
    };
    std::printf("%-8s %14s %14s %9.1f %9.1f %9.1f %9.0f %4d/%d\n", name.c_str(), cell(near, reached25).c_str(),
                cell(close, reached5).c_str(), median(at24), median(at100), median(best), median(used), ended, seeds);
    curves += name + std::string(8 - std::min<std::size_t>(8, name.size()), ' ') + curve.text() + '\n';
  }
  std::printf("best found after each %zu attempts over the optimum: median (tenth to ninth decile)\n%s", Curve::step,
              curves.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 50;
  const std::size_t budget = argc > 2 ? static_cast<std::size_t>(std::atoi(argv[2])) : 400;
  std::printf("medians over %d worlds, at most %zu candidates each\n", seeds, budget);
  Landscape gentle, deceptive;
  gentle.base[4] = 1000;
  compare("gentle: what is best at first is best at last", gentle, seeds, budget);
  compare("deceptive: what is best at last is rare and slow at first", deceptive, seeds, budget);
  compare("deceptive, and 7 of 10 fresh attempts take a structure that the prompt does not list as tried", deceptive,
          seeds, budget, {.obeys = 0.7});

  std::printf(
      "\ntime of next() with a population of 5,000 candidates of 5 KB, in ms: the first call (a resume), then the "
      "slowest and the median of 20 with four new candidates each\n");
  for (const auto& [name, about] : list_strategies()) {
    Run run(chancy_model(1));
    const std::string padding = "// " + std::string(4000, '.') + "\n";
    for (std::uint64_t i = 0; i < 5000; ++i) {
      Genome g;
      g.structure = static_cast<int>(i % structures);
      for (std::size_t m = 0; m < moves; ++m) g.on[m] = (i >> m) & 1;
      g.block = std::int64_t{32} << (i / 64 % 5);
      g.wrong = i % 3 == 0;
      g.nonce = i;
      g.open = false;
      const std::string hash = run.judge(g.text() + padding, "", "model");
      run.population.lineages.emplace_back(hash, std::to_string(i % 50 + 1));
    }
    auto strategy = *make_strategy(name, {});
    auto from = std::chrono::steady_clock::now();
    std::vector<Task> tasks = strategy->next(run.population, 4);
    const double first = ms_since(from);
    std::vector<double> times;
    for (std::uint64_t i = 0; i < 20 && !tasks.empty(); ++i) {
      for (const Task& t : tasks) {
        Genome g;
        g.nonce = 10000 + t.number;
        g.open = false;
        const std::string hash = run.judge(g.text() + padding, t.parents.empty() ? "" : t.parents[0], "model");
        run.population.lineages.emplace_back(hash, t.lineage);
      }
      from = std::chrono::steady_clock::now();
      tasks = strategy->next(run.population, 4);
      times.push_back(ms_since(from));
    }
    std::printf("%-8s %8.2f %8.2f %8.2f\n", name.c_str(), first,
                times.empty() ? 0 : *std::max_element(times.begin(), times.end()), median(times));
  }
  return 0;
}
