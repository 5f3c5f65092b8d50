// SPDX-License-Identifier: Apache-2.0
// Which model has which part of a run, and who takes over where one does not answer.
#include <atomic>
#include <future>
#include <QtTest>
#include <set>
#include "llm/message_json.h"
#include "model_loop/scripted_model_runs.h"

using namespace ww;
using namespace ww::explore;
using namespace ww::generator;
using namespace ww::testing;

class CastTest : public QObject, ScriptedModelRuns {
  Q_OBJECT

  // Whose requests, in order of the exchanges.
  std::vector<std::string> asked_models(std::int64_t run) {
    std::vector<std::string> names;
    for (const store::ExchangeRecord& e : exchanges(run)) names.push_back(e.model.substr(e.model.find(':') + 1));
    return names;
  }
  // Of `name`, only the first `good` requests are answered.
  static Answer out_after(const std::string& name, int good) {
    auto left = std::make_shared<std::atomic<int>>(good);
    return [name, left](const llm::Request& r, std::stop_token stop) -> Result<std::string> {
      if (r.model == name && (*left)-- <= 0) return fail(Code::unavailable, "the service asks to wait a day");
      return sensible(r, stop);
    };
  }

 private slots:
  void initTestCase() { offer_model(); }
  void init() { renew(); }

  void aFallbackTakesTheWritersPart_data() {
    QTest::addColumn<int>("good");
    QTest::addColumn<int>("parallel");
    QTest::newRow("from the beginning") << 0 << 1;
    QTest::newRow("in the middle") << 3 << 1;
    QTest::newRow("several at a time") << 2 << 3;
  }
  void aFallbackTakesTheWritersPart() {
    QFETCH(int, good);
    QFETCH(int, parallel);
    RunOptions o = options_with({"beam"}, 12);
    o.model.analyst = "none";
    o.model.fallbacks = {"test:two"};
    o.model.parallel = parallel;
    use(out_after("one", good));
    const RunEnded ended = go(o);
    QCOMPARE(ended.state, store::RunState::done);
    QVERIFY2(log(ended.run).find("test:one does not answer (the service asks to wait a day); test:two writes") !=
                 std::string::npos,
             log(ended.run).c_str());
    QCOMPARE(candidates(ended.run).size(), std::size_t{12});
    const std::vector<std::string> names = asked_models(ended.run);
    const auto first = std::find(names.begin(), names.end(), "two");
    QVERIFY(first != names.end());
    QVERIFY(std::find(first, names.end(), "one") == names.end());  // it is not asked again

    replays_the_same(ended.run);
  }

  void aFallbackIsAskedWhereTheServiceDoesNotAnswer_data() {
    QTest::addColumn<int>("code");
    QTest::newRow("it was silent") << int(Code::timeout);
    QTest::newRow("its streams broke") << int(Code::io);
  }
  void aFallbackIsAskedWhereTheServiceDoesNotAnswer() {
    QFETCH(int, code);
    RunOptions o = options_with({"refine"}, 4);
    o.model.analyst = "none";
    o.model.fallbacks = {"test:two"};
    use([&](const llm::Request& r, std::stop_token stop) -> Result<std::string> {
      if (r.model == "one") return fail(static_cast<Code>(code), "no answer in three attempts");
      return sensible(r, stop);
    });
    const RunEnded ended = go(o);
    QCOMPARE(ended.state, store::RunState::done);
    QVERIFY2(log(ended.run).find("test:one does not answer (no answer in three attempts); test:two writes") !=
                 std::string::npos,
             log(ended.run).c_str());
    const std::vector<std::string> names = asked_models(ended.run);
    QCOMPARE(std::count(names.begin(), names.end(), "one"), 1);
    const RunEnded again = replay(ended.run);
    QVERIFY2(again.state == store::RunState::done, (again.why + log(again.run)).c_str());
    QCOMPARE(texts(again.run), texts(ended.run));
  }

  void aLongWaitPausesTheRun() {
    using namespace std::chrono_literals;
    RunOptions o = options_with({"refine"}, 4);
    o.model.analyst = "none";
    std::atomic<int> requests{0};
    std::promise<void> paused, goes_on;
    before = [&](const llm::Request&, llm::Observer& observer) -> std::optional<Result<llm::Reply>> {
      if (++requests != 2) return std::nullopt;
      if (!observer.awaits(67min)) return fail(Code::unavailable, "it does not wait");
      paused.get_future().wait();
      if (!observer.awaits(0ms)) return fail(Code::unavailable, "it does not wait");
      goes_on.get_future().wait();
      return std::nullopt;
    };
    also_ = [&](const Event& e) {
      if (const auto* p = std::get_if<RunPaused>(&e)) (p->paused ? paused : goes_on).set_value();
    };
    const RunEnded ended = go(o);
    QCOMPARE(ended.state, store::RunState::done);
    QVERIFY2(log(ended.run).find("asks to wait 1:07:00: the run is paused until then") != std::string::npos,
             log(ended.run).c_str());
    QCOMPARE(candidates(ended.run).size(), std::size_t{4});
    before = {};
    also_ = {};
    replays_the_same(ended.run);
  }

  void aFallbackIsNotKeptWaiting() {
    using namespace std::chrono_literals;
    RunOptions o = options_with({"refine"}, 4);
    o.model.analyst = "none";
    o.model.fallbacks = {"test:two"};
    before = [](const llm::Request& r, llm::Observer& observer) -> std::optional<Result<llm::Reply>> {
      if (r.model == "one" && !observer.awaits(67min)) return fail(Code::unavailable, "the service asks to wait");
      return std::nullopt;
    };
    const RunEnded ended = go(o);
    QCOMPARE(ended.state, store::RunState::done);
    QVERIFY2(log(ended.run).find("test:two writes from now on") != std::string::npos, log(ended.run).c_str());
    QVERIFY(log(ended.run).find("asks to wait 1:07") == std::string::npos);
  }

  // Whoever meets the outage first: then the writer is not asked at that service.
  void replaysFollowAnOutageThatTheAnalystMet() {
    int met = 0;
    for (int answers = 1; answers <= 5; ++answers) {
      RunOptions o = options_with({"keep"}, 6);
      o.model.fallbacks = {"test:two"};
      o.model.width = 2;
      use(out_after("one", answers));
      const RunEnded ended = go(o);
      QCOMPARE(ended.state, store::RunState::done);
      for (const store::ExchangeRecord& e : exchanges(ended.run))
        if (e.state == store::ExchangeState::failed && e.model == "test:one") {
          met += e.origin.step == store::Step::analyse;
          break;
        }
      replays_the_same(ended.run);
    }
    QVERIFY(met > 0);
  }

  void whereNoOneIsLeftTheRunSaysWhy() {
    RunOptions o = options_with({"refine"}, 6);
    o.model.fallbacks = {"test:two", "test:three"};
    use([](const llm::Request& r, std::stop_token) -> Result<std::string> {
      return fail(Code::unavailable, r.model + " is out");
    });
    const RunEnded ended = go(o);
    QVERIFY(ended.state != store::RunState::done);
    QVERIFY2(ended.why.find("three is out") != std::string::npos, ended.why.c_str());
    const std::vector<std::string> names = asked_models(ended.run);
    QCOMPARE(names, (std::vector<std::string>{"one", "two", "three"}));
  }

  void aResumedRunBeginsWithTheFirstWriter() {
    RunOptions o = options_with({"refine"}, 4);
    o.model.analyst = "none";
    o.model.fallbacks = {"test:two"};
    use(out_after("one", 0));
    const RunEnded ended = go(o);
    QCOMPARE(ended.state, store::RunState::done);
    use(sensible);
    Budget more = o.budget;
    more.candidates = 6;
    const auto resumed = explore::resume(*workspace_, ended.run, handler(), {}, more);
    QVERIFY2(resumed && resumed->state == store::RunState::done, resumed ? "" : resumed.error().text().c_str());
    QCOMPARE(asked_models(ended.run).back(), std::string("one"));
  }

  void theFixerRepairs() {
    RunOptions o = options_with({"refine"}, 6);
    o.model.analyst = "none";
    o.model.fixer = "test:fixer";
    const RunEnded ended = go(o);
    QCOMPARE(ended.state, store::RunState::done);
    int fixes = 0;
    for (const store::ExchangeRecord& e : exchanges(ended.run)) {
      const bool fix = e.label.starts_with("fix");
      QVERIFY2((e.model == "test:fixer") == fix, (e.model + ": " + e.label).c_str());
      fixes += fix;
    }
    QVERIFY(fixes > 0);
    replays_the_same(ended.run);
  }

  void theWriterRepairsWhereTheFixerIsOut() {
    RunOptions o = options_with({"refine"}, 6);
    o.model.analyst = "none";
    o.model.fixer = "test:fixer";
    use(out_after("fixer", 0));
    const RunEnded ended = go(o);
    QCOMPARE(ended.state, store::RunState::done);
    QVERIFY2(log(ended.run).find("test:fixer does not answer") != std::string::npos, log(ended.run).c_str());
    const std::vector<std::string> names = asked_models(ended.run);
    QCOMPARE(std::count(names.begin(), names.end(), "fixer"), 1);
    QCOMPARE(candidates(ended.run).size(), std::size_t{6});
  }

  void rolesHaveTheirOwnSettings() {
    RunOptions o = options_with({"refine"}, 6);
    o.model.effort = "medium";
    for (const char* s : {"fixer:model=test:fixer", "fixer:effort=low", "fixer:temperature=0.5",
                          "fixer:output-tokens=512", "analyst:effort=high", "writer:effort=max"})
      QVERIFY(llm::set_role(o.model.roles, s).has_value());
    generator::take_roles(o.model, {});
    QCOMPARE(o.model.fixer, std::string("test:fixer"));
    o.model = options_from_json(options_to_json(o)).value().model;  // as a resumed run reads them
    const RunEnded ended = go(o);
    QCOMPARE(ended.state, store::RunState::done);
    int fixes = 0, analyses = 0;
    for (const store::ExchangeRecord& listed : exchanges(ended.run)) {
      const store::ExchangeRecord e = workspace_->exchange(listed.id).value();
      const llm::Request r = llm::request_from_json(e.request).value();
      const bool fix = e.label.starts_with("fix"), analysis = e.role == store::AgentRole::analyst;
      fixes += fix, analyses += analysis;
      QCOMPARE(r.effort, std::string(fix ? "low" : analysis ? "high" : "max"));
      QCOMPARE(r.temperature.has_value(), fix);
      if (fix) QVERIFY(r.model == "fixer" && r.max_output_tokens == 512);
    }
    QVERIFY(fixes > 0 && analyses > 0);
    const RunEnded again = replay(ended.run);
    QVERIFY2(again.state == store::RunState::done, again.why.c_str());
    QCOMPARE(texts(again.run), texts(ended.run));
  }

  void fixerAndAnalystHaveFallbacks() {
    for (const char* role : {"fixer", "analyst"}) {
      RunOptions o = options_with({"refine"}, 6);
      o.model.seed = role[0];
      o.model.fixer = "test:fixer";
      o.model.analyst = "test:analyst";
      QVERIFY(llm::set_role(o.model.roles, std::string(role) + ":fallback=test:second").has_value());
      QVERIFY(llm::set_role(o.model.roles, std::string(role) + ":fallback=test:third").has_value());
      use([role](const llm::Request& r, std::stop_token stop) -> Result<std::string> {
        if (r.model == role || r.model == "second") return fail(Code::unavailable, "out");
        return sensible(r, stop);
      });
      const RunEnded ended = go(o);
      QVERIFY2(ended.state == store::RunState::done, (ended.why + log(ended.run)).c_str());
      const std::vector<std::string> names = asked_models(ended.run);
      QCOMPARE(std::count(names.begin(), names.end(), role), 1);
      QCOMPARE(std::count(names.begin(), names.end(), "second"), 1);
      QVERIFY(std::count(names.begin(), names.end(), "third") > 0);
      QVERIFY2(log(ended.run).find("test:third") != std::string::npos, log(ended.run).c_str());
      replays_the_same(ended.run);
    }
  }

  void eachModelIsNamedOnce() {
    generator::ModelOptions m;
    m.writer = "a:1", m.fallbacks = {"b:2", "a:1"}, m.fixer = "b:2", m.analyst = "c:3";
    QCOMPARE(m.models(), (std::vector<std::string>{"a:1", "b:2", "c:3"}));
    m.analyst = "none";
    QCOMPARE(m.models(), (std::vector<std::string>{"a:1", "b:2"}));
  }
};

QTEST_GUILESS_MAIN(CastTest)
#include "cast_test.moc"
