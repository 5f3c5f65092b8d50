// SPDX-License-Identifier: Apache-2.0
// The whole loop against a model on loopback that answers by a script (scripted_model.h): the real provider, the real
// worker with NVRTC and the SIMT machine, a real workspace. Every strategy is driven to its end, twice.
#include <QtTest>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include "base/files.h"
#include "compile/compile.h"
#include "explore/run.h"
#include "strategy/strategy.h"
#include "model/scripted_model.h"
#include "store/workspace.h"

using namespace ww;
namespace fs = std::filesystem;

namespace {

struct Outcome {
  explore::RunEnded ended;
  std::int64_t run = 0;
  std::vector<store::CandidateRecord> candidates;
  std::vector<store::ExchangeRecord> exchanges;
  std::vector<store::MessageRecord> messages;
  std::string problem;
};

// What two runs must share: texts, parents, who proposed them, what became of them and how they score, in order. Each
// judgement draws its inputs anew: a summary's first words are shared, its numbers are not.
std::string essence(const Outcome& o) {
  std::string text;
  for (const store::CandidateRecord& c : o.candidates)
    text += enum_string(c.state) + " " + c.parent + " " + c.generator + " " + c.duplicate_of + " " +
            (c.score ? std::to_string(*c.score) : "-") + " " + c.summary.substr(0, c.summary.find(':')) + "\n" +
            c.text + "\n----\n";
  return text;
}

}  // namespace

class LoopTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::unique_ptr<support::LoopbackServer> server_;
  std::map<std::string, Outcome> first_;  // by strategies

  generator::RunOptions options(const std::vector<std::string>& strategies, int budget) const {
    generator::RunOptions o;
    o.spec = read_file(fs::path(WW_SOURCE_DIR) / "resources/ops/map/relu.op").value();
    o.binding.symbols = {{"R", 64}, {"C", 256}};
    o.generator = "model";
    o.budget.candidates = budget;
    o.seeds = 2;
    o.workers = 2;
    o.candidate_seconds = 30;
    o.model.strategies = strategies;
    o.model.writer = "scripted:writer";
    o.model.analyst = "scripted:analyst";
    o.model.seed = 8;
    o.worker.compile_cache = (folder_.path() + "/compile").toStdString();
    return o;
  }
  Outcome explored(const std::string& name, const generator::RunOptions& o) {
    Outcome out;
    auto workspace = store::Workspace::open((folder_.path() + "/").toStdString() + name);
    if (!workspace) return out.problem = workspace.error().text(), out;
    const auto ended = explore::run(**workspace, o, [&](const explore::Event& e) {
      if (const auto* started = std::get_if<explore::RunStarted>(&e)) out.run = started->run;
    });
    if (!ended) return out.problem = ended.error().text(), out;
    out.ended = *ended;
    out.candidates = (*workspace)->candidates(out.run).value();
    out.exchanges = (*workspace)->exchanges(out.run).value();
    out.messages = (*workspace)->messages(out.run).value();
    return out;
  }
  static std::string log_of(const Outcome& o) {
    std::string text = o.problem + enum_string(o.ended.state) + ": " + o.ended.why + "\n";
    for (const auto& m : o.messages)
      if (m.level != store::MessageLevel::environment) text += enum_string(m.level) + ": " + m.text + "\n";
    for (const auto& c : o.candidates) text += enum_string(c.state) + ": " + c.summary + "\n";
    return text;
  }

 private slots:
  void initTestCase() {
    const auto toolkit = compile::find_toolkit();
    QVERIFY2(toolkit, toolkit ? "" : toolkit.error().text().c_str());
    qputenv("WARPWRIGHT_WORKER", WORKER);
    qputenv("WARPWRIGHT_PLUGINS", PLUGINS);
    qputenv("WARPWRIGHT_CONFIG", (folder_.path() + "/config").toUtf8());
    server_ = std::make_unique<support::LoopbackServer>(model_tests::answer);
    QVERIFY(write_file_atomic((folder_.path() + "/config/models.json").toStdString(),
                              model_tests::catalogue(server_->url()))
                .has_value());
  }

  void everyStrategyComesToItsEnd_data() {
    QTest::addColumn<QString>("strategies");
    for (const auto& [name, about] : strategy::list_strategies())
      QTest::newRow(name.c_str()) << QString::fromStdString(name);
    QTest::newRow("race") << "beam evolve";
  }
  void everyStrategyComesToItsEnd() {
    QFETCH(QString, strategies);
    std::vector<std::string> names;
    for (const QString& s : strategies.split(' ')) names.push_back(s.toStdString());
    const Outcome one = explored("first", options(names, 12));
    QVERIFY2(one.problem.empty() && one.ended.state == store::RunState::done, log_of(one).c_str());
    QVERIFY2(one.ended.accepted > 0, log_of(one).c_str());
    std::set<std::string> labels;
    for (const store::CandidateRecord& c : one.candidates) labels.insert(c.generator);
    for (const std::string& name : names) QVERIFY2(labels.count("model/" + name) || names.size() == 1, name.c_str());
    // What a model says of its own candidate changes nothing: those with the injected text compute the minimum, and
    // none is accepted.
    for (const store::CandidateRecord& c : one.candidates)
      if (c.text.find("SYSTEM NOTICE") != std::string::npos)
        QVERIFY2(c.state != store::CandidateState::accepted, c.text.c_str());
    for (const store::CandidateRecord& c : one.candidates)
      if (c.state == store::CandidateState::accepted && c.generator.starts_with("model"))
        QVERIFY2(c.text.find("fmaxf") != std::string::npos, c.text.c_str());
    for (const store::ExchangeRecord& e : one.exchanges) {
      QVERIFY2(e.state == store::ExchangeState::replied, (enum_string(e.state) + " " + e.why).c_str());
      QVERIFY2(e.outcome != store::ExchangeOutcome::none, e.label.c_str());
      QVERIFY(e.tokens_reported && e.prompt_tokens > 0 && e.completion_tokens > 0 && e.money);
    }
    const Outcome two = explored("second", options(names, 12));
    QCOMPARE(essence(two), essence(one));
    first_[strategies.toStdString()] = one;
  }

  void everyKindOfAnswerWasMet() {
    std::set<std::string> met;
    int injected = 0;
    for (const auto& [name, outcome] : first_) {
      for (const store::CandidateRecord& c : outcome.candidates) {
        if (c.text.find("SYSTEM NOTICE") != std::string::npos) ++injected;
        for (const char* word : {"compile", "infinite loop", "out of bounds", "expected"})
          if (c.summary.find(word) != std::string::npos) met.insert(word);
      }
      for (const store::ExchangeRecord& e : outcome.exchanges) met.insert(enum_string(e.outcome));
    }
    QVERIFY(injected > 0);
    std::string all;
    for (const std::string& m : met) all += m + "; ";
    for (const char* word : {"compile", "infinite loop", "out of bounds", "candidate", "unparsable", "diagnosis"})
      QVERIFY2(met.count(word), (word + (" of " + all)).c_str());
  }

  void fixersSeeHowTheErrorsLie() {
    int shown = 0, with_samples = 0;
    for (const support::Received& r : server_->received()) {
      const std::size_t at = r.body.find("Where its output is wrong in that case");
      if (at == std::string::npos) continue;
      ++shown;
      const std::string text = r.body.substr(at, 400);
      QVERIFY2(text.find("elements are wrong") != std::string::npos ||
                   text.find("element is wrong") != std::string::npos,
               text.c_str());
      with_samples += text.find("]: expected ") != std::string::npos && text.find(", got ") != std::string::npos;
    }
    QVERIFY(shown > 0 && with_samples == shown);
  }

  void replaysWithoutANetwork() {
    const auto base = options({"refine"}, 8);
    const Outcome recorded = explored("replayed", base);
    QVERIFY2(recorded.problem.empty(), recorded.problem.c_str());
    const std::size_t requests = server_->received().size();
    generator::RunOptions again = base;
    again.model.replay_of = recorded.run;
    const Outcome replayed = explored("replayed", again);
    QVERIFY2(replayed.problem.empty() && replayed.ended.state == store::RunState::done, log_of(replayed).c_str());
    QCOMPARE(server_->received().size(), requests);
    QCOMPARE(essence(replayed), essence(recorded));
  }

  // In another's workspace its verdicts were given elsewhere; prompts to fixers are the same all the same.
  void replaysInACopiedWorkspace() {
    const auto base = options({"refine"}, 8);
    const Outcome recorded = explored("origin", base);
    QVERIFY2(recorded.problem.empty(), recorded.problem.c_str());
    const fs::path folder = folder_.path().toStdString();
    fs::copy(folder / "origin", folder / "copy", fs::copy_options::recursive);
    QVERIFY((*store::Workspace::open(folder / "copy"))->run(recorded.run)->imported);
    generator::RunOptions again = base;
    again.model.replay_of = recorded.run;
    const Outcome replayed = explored("copy", again);
    QVERIFY2(replayed.problem.empty() && replayed.ended.state == store::RunState::done, log_of(replayed).c_str());
    QCOMPARE(essence(replayed), essence(recorded));
  }

  void stopsAtTheBudgetOfTokens() {
    generator::RunOptions o = options({"sample"}, 0);
    o.budget.tokens = 60000;
    const Outcome out = explored("tokens", o);
    QVERIFY2(out.problem.empty() && out.ended.state == store::RunState::done, log_of(out).c_str());
    QVERIFY2(out.ended.why.find("tokens") != std::string::npos, out.ended.why.c_str());
    std::int64_t spent = 0;
    for (const store::ExchangeRecord& e : out.exchanges) spent += e.prompt_tokens + e.completion_tokens;
    QVERIFY2(spent > 0 && spent <= 60000, std::to_string(spent).c_str());
  }
};

QTEST_GUILESS_MAIN(LoopTest)
#include "worker_test.moc"
