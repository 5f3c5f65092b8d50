// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cmath>
#include <set>
#include "base/files.h"
#include "explore/climb.h"
#include "explore/generators.h"
#include "explore/structure.h"
#include "explore/tune_finish.h"
#include "strategy_world.h"

using namespace ww;
using namespace ww::explore;
using namespace ww::world;

namespace {

using Kind = Task::Kind;
const std::vector<std::string> all_names = {"refine", "sample", "beam", "evolve", "keep", "mixed"};

std::unique_ptr<Strategy> make(const std::string& name, const StrategyOptions& options = {}) { return std::move(*make_strategy(name, options)); }

// Seeds one candidate of each of three structures, then two tunings of the first; pinned, as the search's are.
class FakeSearch final : public Generator {
 public:
  std::string name() const override { return "search"; }
  Result<std::vector<Proposal>> propose(const GeneratorRequest& request, CancelToken) override {
    std::vector<Proposal> out;
    for (; at_ < 5 && out.size() < request.wanted; ++at_) {
      Genome g;
      g.structure = at_ < 3 ? at_ : 0;
      g.block = at_ < 3 ? 32 : at_ == 3 ? 256 : 64;
      g.open = false;
      out.push_back({g.text(), candidate::Language::cuda, "", structure_names[static_cast<std::size_t>(g.structure)], "seed", "", 0});
    }
    return out;
  }

 private:
  int at_ = 0;
};

void with_search() {
  add_generator("search", [] { return std::make_unique<FakeSearch>(); });
}

// What a script says for each number of a task: the genome of the draft, or nothing (a failed attempt).
Model scripted(std::function<std::optional<Genome>(const Task&)> script) {
  return [script = std::move(script)](const Task& task, const Population&) -> Answer {
    const std::optional<Genome> g = script(task);
    if (!g) return {Answer::Kind::failed, "no"};
    return {Answer::Kind::draft, g->text()};
  };
}

Genome genome(int structure, std::initializer_list<int> on = {}, bool wrong = false, std::uint64_t nonce = 0) {
  Genome g;
  g.structure = structure;
  for (const int m : on) g.on[static_cast<std::size_t>(m)] = 1;
  g.wrong = wrong;
  g.nonce = nonce;
  g.open = false;
  return g;
}

// The kinds of the tasks so far: "fresh" F, "fix" X, "improve" I, "combine" C, "ready" R.
std::string kinds(const Run& run) {
  std::string s;
  for (const Step& step : run.steps) s += "FXICR"[static_cast<int>(step.task.kind)];
  return s;
}

const Step* made(const Run& run, const std::string& hash) {
  for (const Step& s : run.steps)
    if (!s.hash.empty() && s.hash == hash) return &s;
  return nullptr;
}

// Of every run whatever: what each task must be.
QString broken_rule(const Run& run, std::size_t wanted) {
  std::uint64_t number = 0;
  for (const std::size_t size : run.sizes)
    if (size > wanted) return "more tasks than wanted";
  for (const Step& s : run.steps) {
    if (s.task.number <= number) return "the numbers do not ascend";
    number = s.task.number;
    const std::size_t parents = s.task.parents.size();
    for (const std::string& p : s.task.parents)
      if (!run.find(p)) return "a parent that is not in the population";
    const Feedback* parent = parents > 0 ? run.find(s.task.parents[0]) : nullptr;
    if (s.task.kind == Kind::fresh && parents != 0) return "a fresh one has a parent";
    if (s.task.kind == Kind::fix && (parents != 1 || parent->accepted)) return "a fix of what was not rejected";
    if (s.task.kind == Kind::improve && (parents != 1 || !parent->accepted)) return "an improvement of what is not right";
    if (s.task.kind == Kind::improve && !parent->duplicate_of.empty()) return "an improvement of a duplicate";
    if (s.task.kind == Kind::combine && (parents != 2 || !parent->accepted || s.task.parents[0] == s.task.parents[1])) return "a combination of less than two";
    if (s.task.kind == Kind::ready && s.task.proposal.text.empty()) return "a ready one without a text";
    if (s.task.lineage.empty()) return "a task without a lineage";
  }
  return {};
}

}  // namespace

class StrategyTest : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() { with_search(); }

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
    QVERIFY(none.error().message.find("genius") != std::string::npos && none.error().message.find("evolve") != std::string::npos);
  }

  // ---- what they share

  void distanceSurvivesRenamingAndTuning() {
    const std::string a = "//@ candidate t\n//@ tune BLOCK = 128\n//@ launch k grid(1) block(BLOCK) args(x)\n"
                          "__global__ void k(float* x) { __shared__ float s[64]; for (int i = 0; i < 4; ++i) s[i] = x[i]; __syncthreads(); }\n";
    const std::string renamed = "//@ candidate t\n//@ tune BLOCK = 512 | 64\n//@ launch other grid(9) block(BLOCK) args(x)\n// __shfl_sync float4 in a comment /* mma */\n"
                                "__global__ void other(float* in) { /* float4 */ __shared__ float buffer[99]; for (int j = 1; j < 8; ++j) buffer[j] = in[j]; __syncthreads(); }\n";
    QCOMPARE(distance(shape_of(a, "w"), shape_of(renamed, "w")), 0.0);
    QVERIFY(distance(shape_of(a, "w"), shape_of(a, "v")) > 0);
    QCOMPARE(distance(shape_of("", ""), shape_of("", "")), 0.0);
    Genome one = genome(2), tuned = genome(2);
    tuned.block = 512;
    QCOMPARE(distance(shape_of(one.text(), "w"), shape_of(tuned.text(), "w")), 0.0);
    QVERIFY(distance(shape_of(one.text(), "w"), shape_of(genome(2, {5}).text(), "w")) < too_near);
    for (int s = 0; s < 5; ++s)
      for (int t = 0; t < s; ++t) {
        const Shape p = shape_of(genome(s).text(), structure_names[static_cast<std::size_t>(s)]), q = shape_of(genome(t).text(), structure_names[static_cast<std::size_t>(t)]);
        QCOMPARE(distance(p, q), distance(q, p));
        QVERIFY2(distance(p, q) >= another_structure && distance(p, q) <= 1, qPrintable(QString("%1 and %2: %3").arg(s).arg(t).arg(distance(p, q))));
      }
  }

  void distanceOfRealKernels() {
    const auto shape = [](const std::string& file) { return shape_of(*read_file(std::string(WW_SOURCE_DIR "/tests/corpus/right/") + file), ""); };
    const Shape tiles = shape("matmul_tiles.cu"), tensor = shape("matmul_wmma.cu"), scan = shape("cumsum_warp.cu"), add = shape("add_float4.cu"), ptx = shape("relu.ptx");
    QVERIFY(distance(tiles, tensor) >= another_structure);
    QVERIFY(distance(scan, add) >= another_structure);
    QVERIFY(distance(tiles, scan) >= another_structure);
    QVERIFY(ptx.counts != Shape().counts);
    for (const Shape& s : {tiles, tensor, scan, add, ptx}) QCOMPARE(distance(s, s), 0.0);
    // Instructions count in PTX, and inside of asm strings, as the functions do that become them.
    const Shape a = shape_of("asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16; mma.sync.aligned.m16n8k16.row.col.f32 …\");", "");
    const Shape b = shape_of("cp.async.cg.shared.global [%r1], [%rd2], 16;\nmma.sync.aligned.m16n8k8.row.col.f32 {%f1}\n", "");
    QVERIFY(distance(a, b) < 0.25);
    QVERIFY(distance(a, shape_of("ld.global.f32 %f1, [%rd1];\nst.global.f32 [%rd1], %f1;\n", "")) > 0.8);
  }

  void ledgerReadsWhatIsNew() {
    Run run(chancy_model(1));
    run.judge(genome(0).text(), "", "model");
    run.judge(genome(1).text(), "", "model");
    run.judge(genome(1, {}, false, 7).text(), "", "model");   // a duplicate
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
    std::rotate(run.population.candidates.begin() + 1, run.population.candidates.end() - 1, run.population.candidates.end());
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
    for (int round = 0; round < 30; ++round) {   // each round in a new process
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
    Genome g = genome(3);   // 512 would be the best
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
        if (given_out % 3 != 0) run.judge(t.proposal.text, t.proposal.parent, "model");   // some never come back: they are not asked for again
      }
      QVERIFY(given_out < 40);
    }
    QCOMPARE(Genome::read(run.find(ledger.best()->hash)->text)->block, std::int64_t{256});
    // Nothing is open, or the text is another one's: nothing to tune.
    ledger.read(run.population);
    run.judge(genome(0).text(), "", "model");
    run.judge(genome(1).text(), first, "model");   // made from a draft with choices, has none itself
    ledger.read(run.population);
    for (const std::size_t i : {ledger.all().size() - 2, ledger.all().size() - 1}) QVERIFY(tuner.next(run.population, ledger, ledger.all()[i].hash, "1", 4).empty());
    QVERIFY(tuner.next(run.population, ledger, "unknown", "1", 4).empty());
  }

  // ---- refine

  void refineFixesThenImproves() {
    Run run(scripted([](const Task& t) -> std::optional<Genome> {
      switch (t.number) {
        case 1: return genome(0, {}, true);
        case 2: return genome(0, {}, true, 1);
        case 3: return genome(0);
        case 4: return genome(0, {3});          // faster
        case 5: return genome(0, {3, 2}, true);
        case 6: return {};                      // a fix that is no candidate
        case 7: return genome(0, {3, 2});       // slower
        default: return genome(0, {3, 0});
      }
    }));
    auto refine = make("refine");
    run.drive(*refine, 100, 4, 8);
    QCOMPARE(kinds(run), std::string("FXXIIXXI"));
    const auto parent = [&](std::size_t i) { return run.steps[i].task.parents[0]; };
    QCOMPARE(parent(1), run.steps[0].hash);
    QCOMPARE(parent(2), run.steps[1].hash);
    QCOMPARE(parent(3), run.steps[2].hash);
    QCOMPARE(parent(4), run.steps[3].hash);
    QCOMPARE(parent(5), run.steps[4].hash);
    QCOMPARE(parent(6), run.steps[4].hash);   // the same once more
    QCOMPARE(parent(7), run.steps[3].hash);   // the slower one is no parent
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
    QCOMPARE(kinds(run), std::string("FXXFXXFXX"));   // three lineages that never were right
    QCOMPARE(run.steps.back().task.lineage, std::string("3"));
    QVERIFY(refine->why_ended().find("3 lineages in a row") != std::string::npos);
    QCOMPARE(run.news.size(), std::size_t{2});
    QVERIFY(refine->next(run.population, 4).empty());   // the end stays the end
  }

  void refineLeavesALineageThatStandsStill() {
    StrategyOptions options;
    options.patience = 3;
    std::map<std::string, int> in_lineage;
    Run run(scripted([&](const Task& t) -> std::optional<Genome> {
      const int n = in_lineage[t.lineage]++;
      if (t.lineage == "1") return genome(0, n == 0 ? std::initializer_list<int>{} : n == 1 ? std::initializer_list<int>{3} : std::initializer_list<int>{3, 2}, false, static_cast<std::uint64_t>(n));
      if (t.lineage == "2") return genome(3, {}, false, static_cast<std::uint64_t>(n));   // better than all of the first
      return genome(0, {2, 5}, false, static_cast<std::uint64_t>(100 * t.number));           // never better
    }));
    auto refine = make("refine", options);
    run.drive(*refine, 100);
    QVERIFY(run.ended);
    // 1: first, a gain, three without; 2: first, three without; then three barren ones: first (a duplicate from the second on), three without
    QCOMPARE(in_lineage["1"], 5);
    QCOMPARE(in_lineage["2"], 4);
    QCOMPARE(in_lineage.size(), std::size_t{5});
    QCOMPARE(QString::fromStdString(run.news.front()).contains("stands still"), true);
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
    Run run(chancy_model(5));
    run.give(genome(1, {}, true));
    auto refine = make("refine");
    run.drive(*refine, 100, 4, 1);
    QCOMPARE(run.steps[0].task.kind, Kind::fix);
  }

  void openDraftsAreTunedWhenTheLineageIsOver() {
    for (const std::string& name : all_names) {
      Run run(scripted([](const Task& t) -> std::optional<Genome> {
        Genome g = genome(3, t.kind == Kind::fresh ? std::initializer_list<int>{} : std::initializer_list<int>{2}, false, t.number);   // nothing gains
        g.block = 64;
        g.open = true;
        return g;
      }));
      auto strategy = make(name);
      run.drive(*strategy, 160);
      const Genome best = *Genome::read(run.find([&] {
                                            Ledger l;
                                            l.read(run.population);
                                            return l.best()->hash;
                                          }())->text);
      QVERIFY2(best.block == 512 && best.stages == 2, name.c_str());
      QCOMPARE(broken_rule(run, 4), QString());
    }
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
    QVERIFY(run.news.size() == 1 && run.news[0].find("until the budget ends") != std::string::npos);
    QVERIFY(fresh < run.steps.size());   // the best one was tuned
  }

  // ---- beam

  void beamKeepsTheBestOfParentsAndChildren() {
    StrategyOptions options;
    options.width = 2;
    options.children = 3;
    std::uint64_t nonce = 0;
    Run run(scripted([&](const Task& t) -> std::optional<Genome> {
      ++nonce;
      if (t.number == 1) return genome(0);                     // 100
      if (t.number == 2) return genome(1);                     // 70
      if (t.kind == Kind::fix) return genome(1, {0}, false);   // right now, and faster: 59
      if (t.number == 3) return genome(1, {0}, true, 9);
      return genome(0, {2, 5}, false, nonce);                  // slower than both
    }));
    auto beam = make("beam", options);
    run.drive(*beam, 100, 16);
    QCOMPARE(run.sizes[0], std::size_t{2});
    QCOMPARE(run.sizes[1], std::size_t{6});
    QCOMPARE(run.sizes[2], std::size_t{1});   // the rejected child is fixed before the next generation
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
    QCOMPARE(kinds(run), std::string("FFXXXXXX"));
  }

  // ---- evolve

  void islandsExchangeOnlyAtMigrations() {
    StrategyOptions options;
    options.patience = 100;
    Run run(chancy_model(11));
    auto evolve = make("evolve", options);
    run.drive(*evolve, 200);
    QCOMPARE(broken_rule(run, 4), QString());
    std::size_t crossings = 0, combined = 0;
    std::size_t first_migration = 0;   // the round after whose verdicts it took place
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
      const Step& s = run.steps[i];
      if (s.task.kind == Kind::ready) continue;
      combined += s.task.kind == Kind::combine;
      for (const std::string& p : s.task.parents) {
        const Step* from = made(run, p);
        QVERIFY(from);
        if (from->task.lineage == s.task.lineage) continue;
        ++crossings;
        if (first_migration == 0) first_migration = s.round;
        // What crosses was the best of its island when it went, and goes to other islands by way of the ring.
        QVERIFY(s.round > 4);
      }
    }
    QVERIFY(crossings > 0);
    QVERIFY(combined > 3);
    QVERIFY(first_migration > 4);
    QVERIFY(std::any_of(run.news.begin(), run.news.end(), [](const std::string& n) { return n.find("generation 4:") != std::string::npos; }));
  }

  void withoutMigrationIslandsAreAlone() {
    StrategyOptions options;
    Run run(chancy_model(11));
    auto evolve = make("evolve", options);
    run.drive(*evolve, 100, 4, 16);   // four generations: what the migration after them brings is not used yet
    for (const Step& s : run.steps)
      for (const std::string& p : s.task.parents) QCOMPARE(made(run, p)->task.lineage, s.task.lineage);
  }

  // Tensor cores are slow at first and best at last: the beam drops them, the islands do not.
  void diversityKeepsTwoStructuresAlive() {
    Landscape land;
    land.base = {100, 1000, 1000, 30, 80};
    const auto model = [](const Task& t, const Population& population) -> Answer {
      Dice dice(t.number * 77);
      if (t.parents.empty()) return {Answer::Kind::draft, genome(t.number % 3 == 0 ? 4 : 3, {}, false, t.number).text()};
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
    QCOMPARE(kinds(run).substr(0, 5), std::string("FXXFX"));
    QCOMPARE(run.steps[4].task.parents[0], run.steps[3].hash);
    QVERIFY(run.steps[5].task.kind != Kind::fix);
  }

  // ---- keep

  void keepRevertsWhatIsNotFaster() {
    Run run(scripted([](const Task& t) -> std::optional<Genome> {
      switch (t.number) {
        case 1: return genome(0, {}, true);
        case 2: return genome(0);                    // 100
        case 3: return genome(0, {5});               // slower: reverted
        case 4: return genome(0, {0});               // 90: kept
        case 5: return genome(0, {0, 1}, true);      // rejected: reverted, not fixed
        case 6: {
          Genome g = genome(0, {0});                 // 0.4 % faster by another road: too little
          g.nonce = 1;
          g.on[4] = 1;                               // 2 %, below the least gain that is asked for here
          return g;
        }
        default: return genome(0, {0, 3});           // 63: kept
      }
    }));
    StrategyOptions options;
    options.least_gain = 0.05;
    auto keep = make("keep", options);
    run.drive(*keep, 100, 4, 8);
    QCOMPARE(kinds(run), std::string("FXIIIIII"));
    const auto parent = [&](std::size_t i) { return run.steps[i].task.parents[0]; };
    QCOMPARE(parent(2), run.steps[1].hash);
    QCOMPARE(parent(3), run.steps[1].hash);
    QCOMPARE(parent(4), run.steps[3].hash);
    QCOMPARE(parent(5), run.steps[3].hash);
    QCOMPARE(parent(6), run.steps[3].hash);
    QCOMPARE(parent(7), run.steps[6].hash);
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
    Run run(scripted([&](const Task& t) -> std::optional<Genome> { return genome(t.kind == Kind::fresh ? 0 : 1, {2, 5}, t.kind != Kind::fresh, ++nonce); }));   // no change is right
    run.give(genome(2));   // the best
    run.give(genome(3));   // another structure
    auto keep = make("keep", options);
    run.drive(*keep, 1000, 4, 300);
    QVERIFY(!run.ended);
    QCOMPARE(run.steps.size(), std::size_t{300});
    const auto parent = [&](std::size_t i) { return run.steps[i].task.parents[0]; };
    for (std::size_t i = 0; i < 3; ++i) QCOMPARE(parent(i), run.feedback[0].hash);
    for (std::size_t i = 3; i < 6; ++i) QCOMPARE(parent(i), run.feedback[1].hash);
    QCOMPARE(run.steps[6].task.kind, Kind::fresh);             // no third structure: from nothing
    for (std::size_t i = 10; i < 13; ++i) QCOMPARE(parent(i), run.feedback[0].hash);   // and back to the best of all
    QVERIFY(run.news[0].find("moved on from lineage 1 to the best of another structure, 'vectorised'") != std::string::npos);
    QVERIFY(run.news[1].find("to a fresh one") != std::string::npos);
    QVERIFY(run.news[2].find("back to the best of all") != std::string::npos);
  }

  // ---- mixed

  void mixedSeedsRefinesAndTunes() {
    Run run(scripted([](const Task& t) -> std::optional<Genome> {
      Genome g = genome(2, t.number % 2 ? std::initializer_list<int>{2} : std::initializer_list<int>{2, 0}, false, t.number);
      g.block = 256;
      g.open = true;
      return g;
    }));
    auto mixed = make("mixed");
    run.drive(*mixed, 200, 4);
    QVERIFY(run.ended);
    QCOMPARE(broken_rule(run, 4), QString());
    QCOMPARE(kinds(run).substr(0, 4), std::string("RRRI"));
    for (std::size_t i = 0; i < 3; ++i) QCOMPARE(run.find(run.steps[i].hash)->generator, std::string("search"));
    QCOMPARE(run.steps[3].task.parents[0], run.steps[2].hash);   // row-warp is the most promising
    const Genome best = *Genome::read(run.find([&] {
                                          Ledger l;
                                          l.read(run.population);
                                          return l.best()->hash;
                                        }())->text);
    QCOMPARE(best.structure, 2);
    QCOMPARE(best.block, std::int64_t{64});
    QCOMPARE(best.stages, std::int64_t{1});
    QVERIFY(mixed->why_ended().find("nothing gains") != std::string::npos);
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
    add_generator("search", [] { return std::unique_ptr<Generator>(); });
    Run run(chancy_model(2));
    auto mixed = make("mixed");
    run.drive(*mixed, 60);
    with_search();
    QCOMPARE(run.steps[0].task.kind, Kind::fresh);
    QVERIFY(!run.news.empty());
    QCOMPARE(broken_rule(run, 4), QString());
    QVERIFY(std::isfinite(run.best()));
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
          QCOMPARE(broken_rule(run, 4), QString());
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

  void wantedIsRespected() {
    for (const std::string& name : all_names)
      for (const std::size_t wanted : {1, 2, 3, 16}) {
        Run run(chancy_model(9));
        auto strategy = make(name);
        QVERIFY(strategy->next(run.population, 0).empty());
        run.drive(*strategy, 60, wanted);
        QCOMPARE(broken_rule(run, wanted), QString());
        QVERIFY2(std::isfinite(run.best()), name.c_str());
      }
  }

  void allImproveInAWorldLikeThis() {
    for (const std::string& name : all_names) {
      Run run(chancy_model(6));
      auto strategy = make(name);
      run.drive(*strategy, 150);
      const double goal = name == "sample" ? 50 : 40;   // the least of fresh ones is 50
      QVERIFY2(run.best() <= goal, qPrintable(QString("%1: %2").arg(QString::fromStdString(name)).arg(run.best())));
    }
  }

  void onlyFailuresAreAnEnd() {
    for (const std::string& name : all_names) {
      add_generator("search", [] { return std::unique_ptr<Generator>(); });
      Run run([](const Task&, const Population&) { return Answer{Answer::Kind::failed, "no reply"}; });
      auto strategy = make(name);
      run.drive(*strategy, 100, 4, 500);
      with_search();
      QVERIFY2(run.ended, name.c_str());
      QVERIFY(!strategy->why_ended().empty());
      QVERIFY(run.steps.size() <= 40);
    }
  }

  void whatGetsLostIsNotWaitedFor() {
    for (const std::string& name : all_names) {
      const Model model = chancy_model(8);
      Run run([&](const Task& t, const Population& p) { return t.number % 3 == 0 ? Answer{Answer::Kind::lost, ""} : model(t, p); });
      auto strategy = make(name);
      run.drive(*strategy, 60, 4, 400);
      QVERIFY2(std::isfinite(run.best()), name.c_str());
      QCOMPARE(broken_rule(run, 4), QString());
    }
  }

  void allRejectedComesToAnEndOrToTheBudget() {
    for (const std::string& name : all_names) {
      add_generator("search", [] { return std::unique_ptr<Generator>(); });
      Chances never;
      never.wrong = 1;
      never.fixed = 0;
      Run run(chancy_model(1, never));
      auto strategy = make(name);
      run.drive(*strategy, 300);
      with_search();
      QCOMPARE(broken_rule(run, 4), QString());
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
      QCOMPARE(broken_rule(run, 4), QString());
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
        QCOMPARE(broken_rule(run, 4), QString());
        // It does not begin again: what is there is taken up, except where every attempt is independent.
        bool taken_up = name == "sample";
        for (std::size_t i = before; i < std::min(run.steps.size(), before + 8); ++i) taken_up = taken_up || !run.steps[i].task.parents.empty();
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
      QCOMPARE(broken_rule(run, 4), QString());
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

QTEST_GUILESS_MAIN(StrategyTest)
#include "strategy_test.moc"
