// SPDX-License-Identifier: Apache-2.0
// What each strategy must do, in a planted world.
#include <QtTest>
#include <cmath>
#include <set>
#include "strategy_world.h"

using namespace ww;
using namespace ww::generator;
using namespace ww::strategy;
using namespace ww::world;
using Kind = Task::Kind;

namespace {

// The steps that gave the parents of a run's tasks, from the task `first` on.
std::vector<std::ptrdiff_t> parents(const Run& run, std::size_t first) {
  std::vector<std::ptrdiff_t> list;
  for (std::size_t i = first; i < run.steps.size(); ++i) {
    const auto* parent = run.made(run.steps[i].task.parents[0]);
    list.push_back(parent ? parent - run.steps.data() : -1);
  }
  return list;
}

}  // namespace

class StrategyTest : public QObject {
  Q_OBJECT
 private slots:
  // ---- refine

  void refineFixesThenImproves() {
    Run run(scripted([](const Task& t) -> std::optional<Genome> {
      switch (t.number) {
        case 1: return genome(0, {}, true);
        case 2: return genome(0, {}, true, 1);
        case 3: return genome(0);
        case 4: return genome(0, {3});  // faster
        case 5: return genome(0, {3, 2}, true);
        case 6: return {};                 // a fix that is no candidate
        case 7: return genome(0, {3, 2});  // slower
        default: return genome(0, {3, 0});
      }
    }));
    auto refine = make("refine");
    run.drive(*refine, 100, 4, 8);
    QCOMPARE(run.kinds(), std::string("FXXIIXXI"));
    // The seventh tries the same once more; the slower one is no parent.
    QCOMPARE(parents(run, 1), (std::vector<std::ptrdiff_t>{0, 1, 2, 3, 4, 4, 3}));
    for (const Step& s : run.steps) QCOMPARE(s.task.lineage, std::string("1"));
  }

  void refineGivesUpFixing() {
    StrategyOptions options;
    options.fixes = 2;
    std::uint64_t nonce = 0;
    Run run(scripted([&](const Task&) { return std::optional<Genome>(genome(0, {}, true, ++nonce)); }));
    auto refine = make("refine", options);
    run.drive(*refine, 100);
    QVERIFY(run.ended);
    QCOMPARE(run.kinds(), std::string("FXXFXXFXX"));  // three lineages that never were right
    QCOMPARE(run.steps.back().task.lineage, std::string("3"));
    QVERIFY(refine->why_ended().find("3 lineages in a row") != std::string::npos);
    QCOMPARE(run.news.size(), std::size_t{2});
    QVERIFY(refine->next(run.population, 4).empty());  // the end stays the end
  }

  void refineLeavesALineageThatStandsStill() {
    StrategyOptions options;
    options.patience = 3;
    std::map<std::string, int> in_lineage;
    Run run(scripted([&](const Task& t) -> std::optional<Genome> {
      const int n = in_lineage[t.lineage]++;
      if (t.lineage == "1")
        return genome(0,
                      n == 0   ? std::initializer_list<int>{}
                      : n == 1 ? std::initializer_list<int>{3}
                               : std::initializer_list<int>{3, 2},
                      false, static_cast<std::uint64_t>(n));
      if (t.lineage == "2") return genome(3, {}, false, static_cast<std::uint64_t>(n));  // better than all of the first
      return genome(0, {2, 5}, false, static_cast<std::uint64_t>(100 * t.number));       // never better
    }));
    auto refine = make("refine", options);
    run.drive(*refine, 100);
    QVERIFY(run.ended);
    // 1: first, a gain, three without; 2: first, three without; then three barren ones: first (a duplicate from the
    // second on), three without
    QCOMPARE(in_lineage["1"], 5);
    QCOMPARE(in_lineage["2"], 4);
    QCOMPARE(in_lineage.size(), std::size_t{5});
    QCOMPARE(QString::fromStdString(run.news.front()).contains("has stalled"), true);
  }

  void refineBeginsWithWhatIsThere() {
    {
      Run run(chancy_model(5));
      run.give(genome(1));
      run.give(genome(0));
      auto refine = make("refine");
      run.drive(*refine, 100, 4, 1);
      QCOMPARE(run.steps[0].task.kind, Kind::improve);
      QCOMPARE(run.steps[0].task.parents[0], run.feedback[0].hash);
    }
    {
      Run run(chancy_model(5));
      run.give(genome(1, {}, true));
      auto refine = make("refine");
      run.drive(*refine, 100, 4, 1);
      QCOMPARE(run.steps[0].task.kind, Kind::fix);
    }
    // Given while it runs: the next lineage begins with it.
    Run run(scripted([](const Task& t) {
      return std::optional<Genome>(
          genome(0, t.number == 1 ? std::initializer_list<int>{} : std::initializer_list<int>{2}, false, t.number));
    }));
    auto refine = make("refine");
    run.drive(*refine, 100, 4, 2);
    run.give(genome(3));
    run.drive(*refine, 100, 4, 4);
    QCOMPARE(run.kinds(), std::string("FIIIII"));
    QCOMPARE(run.steps[4].task.lineage, std::string("1"));
    QCOMPARE(run.steps[5].task.lineage, std::string("2"));
    QCOMPARE(run.steps[5].task.parents[0], run.feedback[2].hash);
  }

  // ---- sample

  void sampleAsksForIndependentOnes() {
    StrategyOptions options;
    options.width = 3;
    Run run(chancy_model(3));
    auto sample = make("sample", options);
    run.drive(*sample, 60, 8);
    QVERIFY(!run.ended);
    std::set<std::string> lineages;
    std::size_t fresh = 0;
    for (const Step& s : run.steps) {
      if (s.task.kind == Kind::ready) continue;
      QCOMPARE(s.task.kind, Kind::fresh);
      ++fresh;
      lineages.insert(s.task.lineage);
    }
    QCOMPARE(lineages.size(), fresh);
    QCOMPARE(run.sizes[0], std::size_t{3});
    QVERIFY(run.news.size() == 1 &&
            run.news[0].find("until the budget is used up, or replies give no new candidate") != std::string::npos);
    QVERIFY(fresh < run.steps.size());  // the best one was tuned
  }

  // ---- beam

  void beamKeepsTheBestOfParentsAndChildren() {
    StrategyOptions options;
    options.width = 2;
    options.children = 3;
    std::uint64_t nonce = 0;
    Run run(scripted([&](const Task& t) -> std::optional<Genome> {
      ++nonce;
      if (t.number == 1) return genome(0);                    // 100
      if (t.number == 2) return genome(1);                    // 70
      if (t.kind == Kind::fix) return genome(1, {0}, false);  // right now, and faster: 59
      if (t.number == 3) return genome(1, {0}, true, 9);
      return genome(0, {2, 5}, false, nonce);  // slower than both
    }));
    auto beam = make("beam", options);
    run.drive(*beam, 100, 16);
    QCOMPARE(run.sizes[0], std::size_t{2});
    QCOMPARE(run.sizes[1], std::size_t{6});
    QCOMPARE(run.sizes[2], std::size_t{1});  // the rejected child is fixed before the next generation
    const auto step = [&](std::size_t i) { return run.steps[i].task; };
    for (std::size_t i = 2; i < 5; ++i) QCOMPARE(step(i).parents[0], run.steps[1].hash);
    for (std::size_t i = 5; i < 8; ++i) QCOMPARE(step(i).parents[0], run.steps[0].hash);
    QCOMPARE(step(8).kind, Kind::fix);
    QCOMPARE(step(8).parents[0], run.steps[2].hash);
    // Next generation: the fixed child and its parent, both of the second lineage; the first lineage is out.
    QCOMPARE(run.sizes[3], std::size_t{6});
    for (std::size_t i = 9; i < 12; ++i) QCOMPARE(step(i).parents[0], run.steps[8].hash);
    for (std::size_t i = 12; i < 15; ++i) QCOMPARE(step(i).parents[0], run.steps[1].hash);
    for (std::size_t i = 9; i < 15; ++i) QCOMPARE(step(i).lineage, std::string("2"));
    QVERIFY(run.ended);
    QVERIFY(beam->why_ended().find("generations in a row") != std::string::npos);
  }

  void beamFixesAtMostSoOften() {
    StrategyOptions options;
    options.width = 2;
    options.fixes = 3;
    options.patience = 1;
    std::uint64_t nonce = 0;
    Run run(scripted([&](const Task&) { return std::optional<Genome>(genome(0, {}, true, ++nonce)); }));
    auto beam = make("beam", options);
    run.drive(*beam, 100);
    QVERIFY(run.ended);
    QCOMPARE(run.kinds(), std::string("FFXXXXXX"));
  }

  // ---- evolve

  // Beside the archive of elites, which all share.
  void islandsExchangeOnlyAtMigrations() {
    StrategyOptions options;
    options.patience = 100;
    Run run(chancy_model(11));
    auto evolve = make("evolve", options);
    run.drive(*evolve, 200);
    QCOMPARE(run.broken_rule(4), std::string());
    // The same book kept by hand: what an island has is its own and, after every fourth generation, the best of the
    // island before it. A single parent may be the best of its structure instead.
    std::map<std::string, std::string> elites;
    std::size_t shared = 0;
    std::map<std::string, std::set<std::string>> has;
    std::size_t crossings = 0, combined = 0;
    int generation = 0;
    for (std::size_t at = 0; at < run.steps.size();) {
      std::size_t end = at;
      while (end < run.steps.size() && run.steps[end].round == run.steps[at].round) ++end;
      for (std::size_t i = at; i < end; ++i) {
        const Step& s = run.steps[i];
        combined += s.task.kind == Kind::combine;
        if (s.task.kind != Kind::improve && s.task.kind != Kind::combine) continue;
        for (const std::string& p : s.task.parents) {
          if (s.task.parents.size() == 1 && elites[run.find(p)->structure] == p) {
            shared += !has[s.task.lineage].count(p);
            continue;
          }
          QVERIFY2(has[s.task.lineage].count(p), "a parent that never came to this island");
          crossings += run.made(p)->task.lineage != s.task.lineage;
        }
      }
      for (std::size_t i = at; i < end; ++i)
        if (run.steps[i].accepted && !run.steps[i].duplicate) {
          const Feedback& f = *run.find(run.steps[i].hash);
          has[run.steps[i].task.lineage].insert(f.hash);
          std::string& elite = elites[f.structure];
          if (elite.empty() || f.score < run.find(elite)->score) elite = f.hash;
        }
      const bool tuned = run.steps[at].task.kind == Kind::ready;
      at = end;
      if (tuned || ++generation % 4 != 0) continue;
      std::map<std::string, std::string> best;
      for (const auto& [island, hashes] : has)
        for (const std::string& hash : hashes)
          if (best[island].empty() || run.find(hash)->score < run.find(best[island])->score) best[island] = hash;
      for (const auto& [island, hash] : best)
        has["island " + std::to_string((island.back() - '0') % 4 + 1)].insert(hash);
    }
    QVERIFY(crossings > 0 && shared > 0);
    QVERIFY(combined > 3);
    QVERIFY(std::any_of(run.news.begin(), run.news.end(),
                        [](const std::string& n) { return n.find("generation 4:") != std::string::npos; }));
  }

  void withoutMigrationIslandsAreAlone() {
    StrategyOptions options;
    Run run(chancy_model(11));
    auto evolve = make("evolve", options);
    run.drive(*evolve, 100, 4, 16);  // four generations: what the migration after them brings is not used yet
    for (const Step& s : run.steps)
      if (s.task.kind == Kind::combine)
        for (const std::string& p : s.task.parents) QCOMPARE(run.made(p)->task.lineage, s.task.lineage);
  }

  // Tensor cores are slow at first and best at last: the beam drops them, the islands do not.
  void diversityKeepsTwoStructuresAlive() {
    Landscape land;
    land.base = {100, 1000, 1000, 30, 80};
    const auto model = [](const Task& t, const Population& population) -> Answer {
      Dice dice(t.number * 77);
      if (t.parents.empty())
        return {Answer::Kind::draft, genome(t.number % 3 == 0 ? 4 : 3, {}, false, t.number).text()};
      Genome g;
      for (const Feedback* f : population.candidates)
        if (f->hash == t.parents[0]) g = *Genome::read(f->text);
      g.on[dice.below(moves)] ^= 1;
      g.nonce = t.number;
      return {Answer::Kind::draft, g.text()};
    };
    const auto late_parents = [&](const std::string& name) {
      Run run(model, land);
      StrategyOptions options;
      options.width = 3;
      options.patience = 50;
      auto s = make(name, options);
      run.drive(*s, 300, 6);
      std::set<std::string> words;
      for (std::size_t i = 250; i < run.steps.size(); ++i)
        for (const std::string& p : run.steps[i].task.parents) words.insert(run.find(p)->structure);
      return std::make_pair(words, run.best());
    };
    const auto [beam, beam_best] = late_parents("beam");
    const auto [evolve, evolve_best] = late_parents("evolve");
    QCOMPARE(beam, (std::set<std::string>{"vectorised"}));
    QVERIFY(evolve.count("tensor") && evolve.count("vectorised"));
    QVERIFY2(evolve_best < beam_best, qPrintable(QString("%1 %2").arg(evolve_best).arg(beam_best)));
  }

  void evolveFixesWhatItsIslandGotWrong() {
    StrategyOptions options;
    options.width = 1;
    options.fixes = 2;
    std::uint64_t nonce = 0;
    Run run(scripted([&](const Task& t) -> std::optional<Genome> { return genome(0, {}, t.number != 5, ++nonce); }));
    auto evolve = make("evolve", options);
    run.drive(*evolve, 100, 4, 6);
    QCOMPARE(run.kinds().substr(0, 5), std::string("FXXFX"));
    QCOMPARE(run.steps[4].task.parents[0], run.steps[3].hash);
    QVERIFY(run.steps[5].task.kind != Kind::fix);
  }

  // ---- keep

  void keepRevertsWhatIsNotFaster() {
    Run run(scripted([](const Task& t) -> std::optional<Genome> {
      switch (t.number) {
        case 1: return genome(0, {}, true);
        case 2: return genome(0);                // 100
        case 3: return genome(0, {5});           // slower: reverted
        case 4: return genome(0, {0});           // 90: kept
        case 5: return genome(0, {0, 1}, true);  // rejected: reverted, not fixed
        case 6: {
          Genome g = genome(0, {0});  // 0.4 % faster by another road: too little
          g.nonce = 1;
          g.on[4] = 1;  // 2 %, below the least gain that is asked for here
          return g;
        }
        default: return genome(0, {0, 3});  // 63: kept
      }
    }));
    StrategyOptions options;
    options.least_gain = 0.05;
    auto keep = make("keep", options);
    run.drive(*keep, 100, 4, 8);
    QCOMPARE(run.kinds(), std::string("FXIIIIII"));
    QCOMPARE(parents(run, 2), (std::vector<std::ptrdiff_t>{1, 1, 3, 3, 3, 6}));
    // A whole run: in a lineage, only what was kept is changed.
    Run whole(chancy_model(4));
    auto other = make("keep");
    whole.drive(*other, 300);
    std::map<std::string, double> base;
    for (const Step& s : whole.steps) {
      if (s.task.kind != Kind::improve) continue;
      const double score = whole.find(s.task.parents[0])->score;
      if (base.count(s.task.lineage)) QVERIFY2(score <= base[s.task.lineage], "a reverted change became a parent");
      base[s.task.lineage] = score;
    }
    QVERIFY(base.size() > 3);
  }

  void keepMovesOnWhenGainsDiminish() {
    StrategyOptions options;
    options.patience = 3;
    std::uint64_t nonce = 0;
    Run run(scripted([&](const Task& t) -> std::optional<Genome> {
      return genome(t.kind == Kind::fresh ? 0 : 1, {2, 5}, t.kind != Kind::fresh, ++nonce);
    }));                  // no change is right
    run.give(genome(2));  // the best
    run.give(genome(3));  // another structure
    auto keep = make("keep", options);
    run.drive(*keep, 1000, 4, 300);
    QVERIFY(!run.ended);
    QCOMPARE(run.steps.size(), std::size_t{300});
    const auto parent = [&](std::size_t i) { return run.steps[i].task.parents[0]; };
    for (std::size_t i = 0; i < 3; ++i) QCOMPARE(parent(i), run.feedback[0].hash);
    for (std::size_t i = 3; i < 6; ++i) QCOMPARE(parent(i), run.feedback[1].hash);
    QCOMPARE(run.steps[6].task.kind, Kind::fresh);  // no third structure: from nothing
    for (std::size_t i = 10; i < 13; ++i) QCOMPARE(parent(i), run.feedback[0].hash);  // and back to the best of all
    QVERIFY(run.news[0].find("moved on from lineage 1 to the best of another structure, 'vectorised'") !=
            std::string::npos);
    QVERIFY(run.news[1].find("to a fresh one") != std::string::npos);
    QVERIFY(run.news[2].find("back to the best of all") != std::string::npos);
  }

  // ---- mixed

  void mixedSeedsRefinesAndTunes() {
    Run run(scripted([](const Task& t) -> std::optional<Genome> {
      Genome g =
          genome(2, t.number % 2 ? std::initializer_list<int>{2} : std::initializer_list<int>{2, 0}, false, t.number);
      g.block = 256;
      g.open = true;
      return g;
    }));
    auto mixed = make("mixed");
    run.drive(*mixed, 200, 4);
    QVERIFY(run.ended);
    QCOMPARE(run.broken_rule(4), std::string());
    QCOMPARE(run.kinds().substr(0, 4), std::string("RRRI"));
    for (std::size_t i = 0; i < 3; ++i) QCOMPARE(run.find(run.steps[i].hash)->generator, std::string("search"));
    QCOMPARE(run.steps[3].task.parents[0], run.steps[2].hash);  // row-warp is the most promising
    const Genome best = run.best_genome();
    QCOMPARE(best.structure, 2);
    QCOMPARE(best.block, std::int64_t{64});
    QCOMPARE(best.stages, std::int64_t{1});
    QVERIFY(mixed->why_ended().find("no further gains") != std::string::npos);
  }

  void mixedLetsTheSearchTuneItsOwnBest() {
    // The model only makes things wrong, so the search's candidates stay the best, and its own tuning ends the run.
    std::uint64_t nonce = 0;
    Landscape land;
    land.base = {10, 70, 55, 50, 80};
    Run run(scripted([&](const Task&) { return std::optional<Genome>(genome(1, {1}, true, ++nonce)); }), land);
    auto mixed = make("mixed");
    run.drive(*mixed, 400, 2);
    QVERIFY(run.ended);
    std::size_t from_search = 0;
    for (const Feedback& f : run.feedback) from_search += f.generator == "search";
    QCOMPARE(from_search, std::size_t{5});
    const Feedback* best = &run.feedback[0];
    for (const Feedback& f : run.feedback)
      if (f.ranked && f.score < best->score) best = &f;
    QCOMPARE(Genome::read(best->text)->block, std::int64_t{256});
  }

  void mixedWithoutASearchLetsTheModelBegin() {
    Run run(chancy_model(2));
    auto mixed = make_without_search("mixed");
    run.drive(*mixed, 60);
    QCOMPARE(run.steps[0].task.kind, Kind::fresh);
    QVERIFY(!run.news.empty());
    QCOMPARE(run.broken_rule(4), std::string());
    QVERIFY(std::isfinite(run.best()));
  }
};

QTEST_GUILESS_MAIN(StrategyTest)
#include "strategy_test.moc"
