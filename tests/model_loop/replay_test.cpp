// SPDX-License-Identifier: Apache-2.0
// What a replay of a run goes by: neither the time, nor the catalogue of today, nor another replay.
#include <QProcess>
#include <QScopeGuard>
#include <QtTest>
#include <atomic>
#include <thread>
#include "model_loop/scripted_model_runs.h"

using namespace ww;
using namespace ww::explore;
using namespace ww::generator;
using namespace ww::testing;

class ReplayedRunsTest : public QObject, ScriptedModelRuns {
  Q_OBJECT

 private slots:
  void initTestCase() { offer_model(); }
  void init() { renew(); }

  void aReplayOfAReplayRepeatsTheRunItself() {
    const RunEnded earlier = go(options_with({"refine"}, 3));  // which later prompts remember
    QCOMPARE(earlier.state, store::RunState::done);
    RunOptions o = options_with({"refine"}, 4);
    o.model.seed = 8;
    const RunEnded ended = go(o);
    RunEnded again = replay(ended.run);
    QCOMPARE(again.state, store::RunState::done);
    again = replay(again.run);
    QVERIFY2(again.state == store::RunState::done, again.why.c_str());
    QCOMPARE(texts(again.run), texts(ended.run));
    QCOMPARE(options_from_json(workspace_->run(again.run)->options)->model.replay_of, ended.run);
    QVERIFY(workspace_->delete_run(ended.run));
    QVERIFY2(replay(again.run).why.find("no longer there") != std::string::npos, replay(again.run).why.c_str());
  }

  // Time ran while candidates were judged, while a model answered, and before the next was asked.
  void aReplayOfARunWhoseTimeWasUpGivesTheSameCandidates_data() {
    QTest::addColumn<int>("last");
    QTest::addColumn<bool>("answers");
    QTest::newRow("while a model answers") << 3 << false;
    QTest::newRow("after its answer") << 3 << true;
    QTest::newRow("at the first answer") << 1 << false;
  }
  void aReplayOfARunWhoseTimeWasUpGivesTheSameCandidates() {
    QFETCH(int, last);
    QFETCH(bool, answers);
    std::atomic<int> count{0};
    use([&](const llm::Request& r, std::stop_token token) -> Result<std::string> {
      if (++count < last) return sensible(r, token);
      while (!token.stop_requested()) std::this_thread::yield();
      if (answers) return sensible(r, {});
      return fail(Code::cancelled, "cancelled");
    });
    RunOptions o = options_with({"sample"}, 0);
    o.budget.minutes = 0.05;
    const RunEnded ended = go(o);
    QCOMPARE(ended.state, store::RunState::done);
    const RunEnded again = replay(ended.run);
    QVERIFY2(again.state == store::RunState::done, (again.why + log(again.run)).c_str());
    QVERIFY2(again.why.find("its time was used up") != std::string::npos, again.why.c_str());
    QCOMPARE(texts(again.run), texts(ended.run));
  }

  // The process that resumed it asked for as many candidates at once as its own budget left.
  void aReplayOfAResumedRunKeepsToTheBudgetsOfItsProcesses_data() {
    QTest::addColumn<std::string>("strategy");
    QTest::addColumn<int>("first");
    QTest::addColumn<int>("second");
    for (const char* name : {"sample", "beam", "evolve", "refine", "keep", "mixed"}) {
      QTest::addRow("%s, more", name) << std::string(name) << 3 << 6;
      QTest::addRow("%s, without limit", name) << std::string(name) << 5 << 0;
    }
  }
  void aReplayOfAResumedRunKeepsToTheBudgetsOfItsProcesses() {
    QFETCH(std::string, strategy);
    QFETCH(int, first);
    QFETCH(int, second);
    const RunEnded ended = go(options_with({strategy}, first));
    QCOMPARE(ended.state, store::RunState::done);
    Budget more;
    more.candidates = second;
    more.tokens = second == 0 ? 300'000 : 0;  // each request takes 20,100
    QVERIFY(resume(*workspace_, ended.run, handler(), {}, more));
    QVERIFY(resume(*workspace_, ended.run, handler(), {}, Budget{9, 0, 0, 0}));
    const RunEnded again = replay(ended.run);
    QVERIFY2(again.state == store::RunState::done, (again.why + log(again.run)).c_str());
    QCOMPARE(texts(again.run), texts(ended.run));
  }

  void aReplayRepeatsRenewedRequestsOfReviewers() {
    const RunEnded ended = go(options_with({"keep"}, 2));
    const auto ask_for = [&](std::size_t candidate, const std::string& text) {
      const std::int64_t id = candidates(ended.run).at(candidate).id;
      return workspace_->add_review({0, id, store::ReviewKind::changes, "Ann", 0, text, "", "", ""}).has_value();
    };
    QVERIFY(ask_for(0, "use wider loads"));
    QVERIFY(resume(*workspace_, ended.run, handler(), {}, Budget{4, 0, 0, 0}));
    QVERIFY(ask_for(0, "use shuffles") && ask_for(1, "explain the loop"));
    QVERIFY(resume(*workspace_, ended.run, handler(), {}, Budget{6, 0, 0, 0}));
    QCOMPARE(texts(ended.run).size(), std::size_t(6));
    const RunEnded again = replay(ended.run);
    QVERIFY2(again.state == store::RunState::done, (again.why + log(again.run)).c_str());
    QCOMPARE(texts(again.run), texts(ended.run));
  }

  // What the next test starts as a process of its own: it ends at once while the second answer is under way.
  void endsBetweenItsAnswers() {
    const QByteArray folder = qgetenv("WW_RUN_THAT_ENDS");
    if (folder.isEmpty()) return;
    workspace_ = store::Workspace::open(folder.toStdString()).value();
    std::atomic<int> count{0};
    use([&](const llm::Request& r, std::stop_token token) -> Result<std::string> {
      if (++count == 2) std::_Exit(9);
      return sensible(r, token);
    });
    (void)go(options_with({"sample"}, 6));
    QFAIL("it should have ended");
  }
  void aReplayLeavesOutWhatAKilledProcessDidNotStore() {
    const QString folder = dir_.path() + "/killed";
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("WW_RUN_THAT_ENDS", folder);
    process.setProcessEnvironment(environment);
    process.start(QCoreApplication::arguments().at(0), {"endsBetweenItsAnswers"});
    QVERIFY(process.waitForFinished(-1));
    QCOMPARE(process.exitCode(), 9);
    workspace_ = store::Workspace::open(folder.toStdString()).value();
    QCOMPARE(exchanges(1).size(), std::size_t(2));
    QVERIFY(candidates(1).empty());
    QVERIFY(resume(*workspace_, 1, handler()));
    QCOMPARE(candidates(1).size(), std::size_t(6));
    const RunEnded again = replay(1);
    QVERIFY2(again.state == store::RunState::done, (again.why + log(again.run)).c_str());
    QCOMPARE(texts(again.run), texts(1));
  }

  // A process ended between a model's call of a tool, or a reply to repair, and what would have followed.
  void aReplayGivesUpTheAttemptsThatAProcessGaveUp_data() {
    QTest::addColumn<std::string>("strategy");
    QTest::addColumn<bool>("calls");
    for (const char* name : {"sample", "beam", "keep", "evolve"})
      for (const bool calls : {true, false})
        QTest::addRow("%s, %s", name, calls ? "a call" : "a repair") << std::string(name) << calls;
  }
  void aReplayGivesUpTheAttemptsThatAProcessGaveUp() {
    QFETCH(std::string, strategy);
    QFETCH(bool, calls);
    std::stop_source stop;
    std::atomic<int> count{0};
    before = [&](const llm::Request& r, llm::Observer&) -> std::optional<Result<llm::Reply>> {
      if (asks_analyst(r) || r.messages.size() > 2) return std::nullopt;
      if (++count == 2) stop.request_stop();
      llm::Reply reply;
      if (calls)
        reply.blocks.push_back({.kind = llm::Block::Kind::call, .text = "{}", .id = "c", .tool = "examine"});
      else
        reply.blocks.push_back({llm::Block::Kind::text, "I cannot say.", {}});
      if (calls) reply.stop = llm::Stop::calls;
      reply.usage = {100, 0, 0, 10, 0, true};
      return reply;
    };
    const RunEnded ended = go(options_with({strategy}, 4), stop.get_token());
    QVERIFY(stop.stop_requested());
    const std::size_t first = exchanges(ended.run).size();
    QVERIFY(resume(*workspace_, ended.run, handler()));
    replays_the_same(ended.run);
    const auto then = exchanges(ended.run), now = exchanges(workspace_->runs().value().front().id);
    QCOMPARE(now.size(), then.size());
    QVERIFY(first < now.size());
    for (std::size_t i = 0; i < now.size(); ++i) QCOMPARE(enum_string(now[i].outcome), enum_string(then[i].outcome));
  }

  // Those that were under way beside it are answered; a replay does not depend on which is faster now.
  void aReplayRepeatsRoundsInWhichRequestsFailed_data() {
    QTest::addColumn<int>("fails");
    QTest::addColumn<int>("parallel");
    QTest::newRow("beside others") << 1 << 4;
    QTest::newRow("beside others, later") << 6 << 4;
    QTest::newRow("before others were asked") << 6 << 1;
  }
  void aReplayRepeatsRoundsInWhichRequestsFailed() {
    QFETCH(int, fails);
    QFETCH(int, parallel);
    RunOptions o = options_with({"beam"}, 8);
    o.model.analyst = "none";
    o.model.parallel = parallel;
    std::atomic<int> count{0};
    const int round_ends = (fails + parallel - 1) / parallel * parallel;
    use([&](const llm::Request& r, std::stop_token token) -> Result<std::string> {
      if (++count != fails) return sensible(r, token);
      while (count < round_ends) std::this_thread::yield();
      return fail(Code::unavailable, "it had an internal error");
    });
    const RunEnded ended = go(o);
    if (ended.state != store::RunState::done) QVERIFY(resume(*workspace_, ended.run, handler()));
    for (const int at_once : {1, 4}) {
      RunOptions again = options_from_json(workspace_->run(ended.run)->options).value();
      again.model.parallel = at_once;
      QVERIFY(workspace_->set_run_options(ended.run, options_to_json(again)));
      replays_the_same(ended.run);
    }
  }

  // A later, smaller budget says nothing of what came before.
  void aReplayOfAResumedRunKeepsItsLastLimitsToTheLastProcess() {
    const RunEnded ended = go(options_with({"refine"}, 8));
    Budget less;
    less.candidates = 12;
    less.tokens = 60'000;  // less than was spent
    QVERIFY(resume(*workspace_, ended.run, handler(), {}, less));
    QCOMPARE(texts(ended.run).size(), std::size_t(8));
    const RunEnded again = replay(ended.run);
    QVERIFY2(again.state == store::RunState::done, (again.why + log(again.run)).c_str());
    QCOMPARE(texts(again.run), texts(ended.run));
  }

  void aReplayEndsWithItsTranscript() {  // where the run ended before its model was asked again
    RunOptions o = options_with({"refine"}, 4);
    o.model.analyst = "none";
    const RunEnded ended = go(o);
    QCOMPARE(ended.state, store::RunState::done);
    RunOptions longer = options_from_json(workspace_->run(ended.run)->options).value();
    longer.budget.candidates = 0;
    longer.budget.minutes = 1e-6;  // over before it begins, which a replay does not heed
    QVERIFY(workspace_->set_run_options(ended.run, options_to_json(longer)));
    const RunEnded again = replay(ended.run);
    QVERIFY2(again.state == store::RunState::done, (again.why + log(again.run)).c_str());
    QVERIFY2(again.why.find("the transcript of run 1 ends here") != std::string::npos, again.why.c_str());
    QCOMPARE(texts(again.run), texts(ended.run));
  }

  void aReplayDoesNotDependOnTheCatalogueOfToday() {
    const std::string file = std::string(qgetenv("WARPWRIGHT_CONFIG")) + "/models.json";
    const auto restore = qScopeGuard([&] { (void)write_file_atomic(file, catalogue); });
    const std::string before = "\"free\": true", priced =
                                                     "\"price\": {\"prompt\": 2, \"completion\": 10, \"source\": "
                                                     "\"s\", \"date\": \"2026-11-01\"}";
    std::string text = catalogue;
    text.replace(text.find(before), before.size(), priced);
    QVERIFY(write_file_atomic(file, text));
    RunOptions o = options_with({"refine"}, 20);
    o.budget.money = 0.3;  // each request costs $0.041
    const RunEnded ended = go(o);
    QVERIFY2(ended.why.find("budget of $") != std::string::npos, ended.why.c_str());
    std::string dear = text;
    dear.replace(dear.find("\"prompt\": 2"), 11, "\"prompt\": 200");
    for (const std::string& today : {dear, std::string("{\"schema\": \"warpwright-models/1\"}"), std::string("{")}) {
      QVERIFY(write_file_atomic(file, today));
      const RunEnded again = replay(ended.run);
      QVERIFY2(again.state == store::RunState::done && again.why == ended.why, again.why.c_str());
      QCOMPARE(texts(again.run), texts(ended.run));
      const auto then = exchanges(ended.run), now = exchanges(again.run);
      QCOMPARE(now.size(), then.size());
      for (std::size_t i = 0; i < now.size(); ++i) QVERIFY(now[i].money == then[i].money);
    }
  }
};

QTEST_GUILESS_MAIN(ReplayedRunsTest)
#include "replay_test.moc"
