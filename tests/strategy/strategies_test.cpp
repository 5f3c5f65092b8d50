// SPDX-License-Identifier: Apache-2.0
// What strategies share, and what all of them must do.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <set>
#include "base/files.h"
#include "identity/structure.h"
#include "strategy/tune_finish.h"
#include "strategy_world.h"

using namespace ww;
using namespace ww::strategy;
using namespace ww::identity;
using namespace ww::world;
using Kind = Task::Kind;

class StrategiesTest : public QObject {
  Q_OBJECT
 private slots:
  void names() {
    std::vector<std::string> listed;
    for (const auto& [name, about] : list_strategies()) {
      listed.push_back(name);
      QVERIFY(!about.empty());
      const auto s = make_strategy(name, {});
      QVERIFY(s);
      QCOMPARE(QString::fromStdString((*s)->name()), QString::fromStdString(name));
    }
    QCOMPARE(listed, all_names);
    const auto none = make_strategy("genius", {});
    QVERIFY(!none);
    QCOMPARE(none.error().code, Code::not_found);
    QVERIFY(none.error().message.find("genius") != std::string::npos &&
            none.error().message.find("evolve") != std::string::npos);
  }

  // ---- what they share

  void distanceSurvivesRenamingAndTuning() {
    const std::string a =
        "//@ candidate t\n//@ tune BLOCK = 128\n//@ launch k grid(1) block(BLOCK) args(x)\n"
        "__global__ void k(float* x) { __shared__ float s[64]; for (int i = 0; i < 4; ++i) s[i] = x[i]; "
        "__syncthreads(); }\n";
    const std::string renamed =
        "//@ candidate t\n//@ tune BLOCK = 512 | 64\n//@ launch other grid(9) block(BLOCK) args(x)\n// __shfl_sync "
        "float4 in a comment /* mma */\n"
        "__global__ void other(float* in) { /* float4 */ __shared__ float buffer[99]; for (int j = 1; j < 8; ++j) "
        "buffer[j] = in[j]; __syncthreads(); }\n";
    QCOMPARE(distance(shape_of(a, "w"), shape_of(renamed, "w")), 0.0);
    QVERIFY(distance(shape_of(a, "w"), shape_of(a, "v")) > 0);
    QCOMPARE(distance(shape_of("", ""), shape_of("", "")), 0.0);
    Genome one = genome(2), tuned = genome(2);
    tuned.block = 512;
    QCOMPARE(distance(shape_of(one.text(), "w"), shape_of(tuned.text(), "w")), 0.0);
    QVERIFY(distance(shape_of(one.text(), "w"), shape_of(genome(2, {5}).text(), "w")) < same_structure_limit);
    for (int s = 0; s < 5; ++s)
      for (int t = 0; t < s; ++t) {
        const Shape p = shape_of(genome(s).text(), structure_names[static_cast<std::size_t>(s)]),
                    q = shape_of(genome(t).text(), structure_names[static_cast<std::size_t>(t)]);
        QCOMPARE(distance(p, q), distance(q, p));
        QVERIFY2(distance(p, q) >= new_structure_limit && distance(p, q) <= 1,
                 qPrintable(QString("%1 and %2: %3").arg(s).arg(t).arg(distance(p, q))));
      }
  }

  void distanceOfRealKernels() {
    const auto shape = [](const std::string& file) {
      return shape_of(*read_file(std::string(WW_SOURCE_DIR "/tests/corpus/right/") + file), "");
    };
    const Shape tiles = shape("matmul_tiles.cu"), tensor = shape("matmul_wmma.cu"), scan = shape("cumsum_warp.cu"),
                add = shape("add_float4.cu"), ptx = shape("relu.ptx");
    QVERIFY(distance(tiles, tensor) >= new_structure_limit);
    QVERIFY(distance(scan, add) >= new_structure_limit);
    QVERIFY(distance(tiles, scan) >= new_structure_limit);
    QVERIFY(ptx.counts != Shape().counts);
    for (const Shape& s : {tiles, tensor, scan, add, ptx}) QCOMPARE(distance(s, s), 0.0);
    // Instructions count in PTX, and inside of asm strings, as the functions do that become them.
    const Shape a = shape_of(
        "asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16; mma.sync.aligned.m16n8k16.row.col.f32 …\");", "");
    const Shape b =
        shape_of("cp.async.cg.shared.global [%r1], [%rd2], 16;\nmma.sync.aligned.m16n8k8.row.col.f32 {%f1}\n", "");
    QVERIFY(distance(a, b) < 0.25);
    QVERIFY(distance(a, shape_of("ld.global.f32 %f1, [%rd1];\nst.global.f32 [%rd1], %f1;\n", "")) > 0.8);
  }

  void ledgerReadsWhatIsNew() {
    Run run(chancy_model(1));
    run.judge(genome(0).text(), "", "model");
    run.judge(genome(1).text(), "", "model");
    run.judge(genome(1, {}, false, 7).text(), "", "model");  // a duplicate
    run.judge(genome(2, {}, true).text(), "", "model");
    Ledger ledger;
    ledger.read(run.population);
    QCOMPARE(ledger.all().size(), std::size_t{4});
    QCOMPARE(ledger.ranking().size(), std::size_t{2});
    QCOMPARE(ledger.best()->order, std::size_t{1});
    QVERIFY(ledger.all()[2].duplicate);
    QCOMPARE(ledger.last_rejected()->order, std::size_t{3});
    run.judge(genome(3).text(), "", "model");
    ledger.read(run.population);
    QCOMPARE(ledger.fresh(), std::vector<std::size_t>{4});
    QCOMPARE(ledger.best()->order, std::size_t{4});
    // Something came in between: only that is fresh.
    run.judge(genome(4).text(), "", "manual");
    std::rotate(run.population.candidates.begin() + 1, run.population.candidates.end() - 1,
                run.population.candidates.end());
    ledger.read(run.population);
    QCOMPARE(ledger.fresh(), std::vector<std::size_t>{1});
    QCOMPARE(ledger.all().size(), std::size_t{6});
    QCOMPARE(ledger.best()->order, std::size_t{5});
    // Another population altogether is read from its start.
    Run other(chancy_model(1));
    other.judge(genome(4, {1}).text(), "", "model");
    ledger.read(other.population);
    QCOMPARE(ledger.all().size(), std::size_t{1});
    QCOMPARE(ledger.fresh(), std::vector<std::size_t>{0});
    QVERIFY(!ledger.find(run.feedback[0].hash));
    // Scores that are no numbers do not rank.
    other.feedback[0].score = std::nan("");
    Ledger odd;
    odd.read(other.population);
    QVERIFY(odd.best() && !odd.best()->ranked);
  }

  // ---- tuning

  void tuningFindsThePlantedValues() {
    for (int s = 0; s < 5; ++s) {
      Run run(chancy_model(1));
      Genome g = genome(s);
      g.block = 128;
      g.stages = 2;
      g.open = true;
      const auto open = candidate::parse(g.text(), candidate::Language::cuda);
      const std::string first = run.judge(candidate::pin(*open, candidate::first_tuning(*open))->text, "", "model");
      run.population.open.emplace_back(first, g.text());
      TuneFinish tuner;
      Ledger ledger;
      std::set<std::string> tried;
      std::size_t tasks = 0;
      for (int round = 0; round < 30; ++round) {
        ledger.read(run.population);
        const std::vector<Task> next = tuner.next(run.population, ledger, ledger.best()->hash, "1", 3);
        if (next.empty()) break;
        QVERIFY(next.size() <= 3);
        for (const Task& t : next) {
          ++tasks;
          QCOMPARE(t.kind, Kind::ready);
          QVERIFY(tried.insert(t.proposal.text).second);
          QCOMPARE(t.proposal.parent, t.parents.front());
          QVERIFY(QString::fromStdString(t.proposal.note).startsWith("tuning: "));
          QVERIFY(!run.judge(t.proposal.text, t.proposal.parent, "model").empty());
        }
      }
      const Genome best = *Genome::read(run.find(ledger.best()->hash)->text);
      QCOMPARE(best.block, run.landscape.block[static_cast<std::size_t>(s)]);
      QCOMPARE(best.stages, run.landscape.stages[static_cast<std::size_t>(s)]);
      QVERIFY2(tasks < 15, "of 19 others");
    }
  }

  void tuningGoesOnAfterAResume() {
    Run run(chancy_model(1));
    Genome g = genome(3);
    g.block = 32;
    g.open = true;
    const auto open = candidate::parse(g.text(), candidate::Language::cuda);
    const std::string first = run.judge(candidate::pin(*open, candidate::first_tuning(*open))->text, "", "model");
    run.population.open.emplace_back(first, g.text());
    std::set<std::string> tried;
    std::string end;
    for (int round = 0; round < 30; ++round) {  // each round in a new process
      TuneFinish tuner;
      Ledger ledger;
      ledger.read(run.population);
      end = ledger.best()->hash;
      const std::vector<Task> next = tuner.next(run.population, ledger, end, "1", 2);
      if (next.empty()) break;
      for (const Task& t : next) {
        QVERIFY(tried.insert(t.proposal.text).second);
        run.judge(t.proposal.text, t.proposal.parent, "model");
      }
    }
    QCOMPARE(Genome::read(run.find(end)->text)->block, std::int64_t{512});
    QCOMPARE(Genome::read(run.find(end)->text)->stages, std::int64_t{2});
  }

  void tuningTriesOnlyWhatIsAllowed() {
    Run run(chancy_model(1));
    Genome g = genome(3);  // 512 would be the best
    g.open = true;
    std::string text = g.text();
    text.insert(text.find("//@ launch"), "//@ require BLOCK <= 256\n");
    const auto open = candidate::parse(text, candidate::Language::cuda);
    const std::string first = run.judge(candidate::pin(*open, candidate::first_tuning(*open))->text, "", "model");
    run.population.open.emplace_back(first, text);
    TuneFinish tuner;
    Ledger ledger;
    std::size_t given_out = 0;
    for (;;) {
      ledger.read(run.population);
      const std::vector<Task> next = tuner.next(run.population, ledger, ledger.best()->hash, "1", 4);
      if (next.empty()) break;
      for (const Task& t : next) {
        ++given_out;
        QVERIFY(Genome::read(t.proposal.text)->block <= 256);
        if (given_out % 3 != 0)
          run.judge(t.proposal.text, t.proposal.parent, "model");  // some never come back: they are not asked for again
      }
      QVERIFY(given_out < 40);
    }
    QCOMPARE(Genome::read(run.find(ledger.best()->hash)->text)->block, std::int64_t{256});
    // Nothing is open, or the text is another one's: nothing to tune.
    ledger.read(run.population);
    run.judge(genome(0).text(), "", "model");
    run.judge(genome(1).text(), first, "model");  // made from a draft with choices, has none itself
    ledger.read(run.population);
    for (const std::size_t i : {ledger.all().size() - 2, ledger.all().size() - 1})
      QVERIFY(tuner.next(run.population, ledger, ledger.all()[i].hash, "1", 4).empty());
    QVERIFY(tuner.next(run.population, ledger, "unknown", "1", 4).empty());
  }

  // ---- all of them

  void theSameTwice() {
    for (const std::string& name : all_names)
      for (const std::uint64_t seed : {1, 2, 3}) {
        std::string first;
        for (int i = 0; i < 2; ++i) {
          Run run(chancy_model(seed));
          StrategyOptions options;
          options.seed = seed;
          auto strategy = make(name, options);
          run.drive(*strategy, 80);
          if (i == 0) first = run.script();
          QVERIFY(!first.empty());
          QCOMPARE(run.script(), first);
          QCOMPARE(run.broken_rule(4), std::string());
        }
      }
    // Another seed, other choices.
    std::set<std::string> scripts;
    for (const std::uint64_t seed : {1, 2}) {
      Run run(chancy_model(1));
      StrategyOptions options;
      options.seed = seed;
      auto strategy = make("evolve", options);
      run.drive(*strategy, 80);
      scripts.insert(run.script());
    }
    QCOMPARE(scripts.size(), std::size_t{2});
  }

  void openDraftsAreTunedWhenTheLineageIsOver() {
    for (const std::string& name : all_names) {
      Run run(scripted([](const Task& t) -> std::optional<Genome> {
        Genome g = genome(3, t.kind == Kind::fresh ? std::initializer_list<int>{} : std::initializer_list<int>{2},
                          false, t.number);  // nothing gains
        g.block = 64;
        g.open = true;
        return g;
      }));
      auto strategy = make(name);
      run.drive(*strategy, 160);
      const Genome best = run.best_genome();
      QVERIFY2(best.block == 512 && best.stages == 2, name.c_str());
      QCOMPARE(run.broken_rule(4), std::string());
    }
  }

  void wantedIsRespected() {
    for (const std::string& name : all_names)
      for (const std::size_t wanted : {1, 2, 3, 16}) {
        Run run(chancy_model(9));
        auto strategy = make(name);
        QVERIFY(strategy->next(run.population, 0).empty());
        run.drive(*strategy, 60, wanted);
        QCOMPARE(run.broken_rule(wanted), std::string());
        QVERIFY2(std::isfinite(run.best()), name.c_str());
      }
  }

  void allImproveInAWorldLikeThis() {
    for (const std::string& name : all_names) {
      Run run(chancy_model(6));
      auto strategy = make(name);
      run.drive(*strategy, 150);
      const double goal = name == "sample" ? 50 : 40;  // the least of fresh ones is 50
      QVERIFY2(run.best() <= goal, qPrintable(QString("%1: %2").arg(QString::fromStdString(name)).arg(run.best())));
    }
  }

  // A structure that is found in 1 of 25 fresh attempts, and is slow until it is done well.
  void evolveFindsWhatIsRareAndSlowAtFirst() {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Run run(chancy_model(seed));
      StrategyOptions options;
      options.seed = seed;
      auto strategy = make_strategy("evolve", options);
      run.drive(**strategy, 400);
      found += run.within(0.25) > 0;
    }
    QVERIFY2(found >= 16, qPrintable(QString::number(found)));
  }

  void onlyFailuresAreAnEnd() {
    for (const std::string& name : all_names) {
      Run run([](const Task&, const Population&) { return Answer{Answer::Kind::failed, "no reply"}; });
      auto strategy = make_without_search(name);
      run.drive(*strategy, 100, 4, 500);
      QVERIFY2(run.ended, name.c_str());
      QVERIFY(!strategy->why_ended().empty());
      QVERIFY(run.steps.size() <= 40);
    }
  }

  void whatGetsLostIsNotWaitedFor() {
    for (const std::string& name : all_names) {
      const Model model = chancy_model(8);
      Run run([&](const Task& t, const Population& p) {
        return t.number % 3 == 0 ? Answer{Answer::Kind::lost, ""} : model(t, p);
      });
      auto strategy = make(name);
      run.drive(*strategy, 60, 4, 400);
      QVERIFY2(std::isfinite(run.best()), name.c_str());
      QCOMPARE(run.broken_rule(4), std::string());
    }
  }

  void allRejectedComesToAnEndOrToTheBudget() {
    for (const std::string& name : all_names) {
      Chances never;
      never.wrong = 1;
      never.fixed = 0;
      Run run(chancy_model(1, never));
      auto strategy = make_without_search(name);
      run.drive(*strategy, 300);
      QCOMPARE(run.broken_rule(4), std::string());
      QCOMPARE(run.ended, name != "sample" && name != "keep");
      QCOMPARE(strategy->why_ended().empty(), !run.ended);
    }
  }

  void withoutScoresTheyStillEnd() {
    for (const std::string& name : all_names) {
      Run run(chancy_model(1));
      run.unranked = true;
      auto strategy = make(name);
      run.drive(*strategy, 400);
      QCOMPARE(run.broken_rule(4), std::string());
      QCOMPARE(run.ended, name != "sample" && name != "keep");
    }
  }

  void aResumedRunGoesOn() {
    for (const std::string& name : all_names)
      for (const bool forgotten : {false, true}) {
        Run run(chancy_model(12));
        auto first = make(name);
        run.drive(*first, 30);
        const std::size_t before = run.steps.size();
        if (forgotten) run.forget_lineages();
        run.population.tasks_before = before;
        run.population.failed.clear();
        run.ended = false;
        auto second = make(name);
        run.drive(*second, 70);
        QVERIFY2(run.steps.size() > before, name.c_str());
        QCOMPARE(run.broken_rule(4), std::string());
        // It does not begin again: what is there is taken up, except where every attempt is independent.
        bool taken_up = name == "sample";
        for (std::size_t i = before; i < std::min(run.steps.size(), before + 8); ++i)
          taken_up = taken_up || !run.steps[i].task.parents.empty();
        QVERIFY2(taken_up, name.c_str());
      }
  }

  void oddOptionsAreBounded() {
    StrategyOptions odd;
    odd.width = -3;
    odd.children = 0;
    odd.patience = 0;
    odd.fixes = -1;
    odd.least_gain = std::nan("");
    for (const std::string& name : all_names) {
      Run run(chancy_model(13));
      auto strategy = make(name, odd);
      run.drive(*strategy, 40);
      QCOMPARE(run.broken_rule(4), std::string());
      QVERIFY(!run.steps.empty());
    }
  }

  void thousandsAreReadOnce() {
    Run run(chancy_model(14));
    for (std::uint64_t i = 0; i < 2000; ++i) {
      Genome g = genome(static_cast<int>(i % 5), {}, i % 3 == 0, i);
      run.judge(g.text(), "", "model");
    }
    for (const std::string& name : all_names) {
      auto strategy = make(name);
      QVERIFY(!strategy->next(run.population, 4).empty());
    }
  }
};

QTEST_GUILESS_MAIN(StrategiesTest)
#include "strategies_test.moc"
