// SPDX-License-Identifier: Apache-2.0
// Runs that are paused, with a worker that does what the candidates' comments say. Nothing here waits for a time:
// events drive it.
#include <QtTest>
#include <future>
#include <mutex>
#include "explore/budget_clock.h"
#include "explore/generators.h"
#include "explore/run.h"
#include "scripted_options.h"
#include "store/workspace.h"
#include "support/workspaces.h"

using namespace ww;
using namespace ww::explore;
using namespace ww::generator;

namespace {

class Endless final : public Generator {
 public:
  std::string name() const override { return "endless"; }
  Result<std::vector<Proposal>> propose(const GeneratorRequest& request, std::stop_token) override {
    std::vector<Proposal> list;
    for (std::size_t i = 0; i < request.wanted; ++i, ++made_)
      list.push_back({script::candidate("c" + std::to_string(made_), "accepted " + std::to_string(9000 - made_)),
                      candidate::Language::cuda, "", "plain", "why"});
    return list;
  }

 private:
  int made_ = 0;
};

RunOptions options_with(int candidates, PauseToken pause) {
  RunOptions o = script::options("endless", candidates);
  o.pause = std::move(pause);
  return o;
}

struct Watch {  // keeps a run's events; `also` is called with each
  std::mutex mutex;
  std::vector<Event> events;
  std::function<void(const Event&)> also;
  EventHandler handler() {
    return [this](const Event& e) {
      {
        const std::lock_guard lock(mutex);
        events.push_back(e);
      }
      if (also) also(e);
    };
  }
  std::string story() {  // j: judged, P: paused, G: goes on, E: ended
    std::string text;
    const std::lock_guard lock(mutex);
    for (const Event& e : events) {
      if (std::holds_alternative<CandidateJudged>(e)) text += 'j';
      if (const auto* p = std::get_if<RunPaused>(&e)) text += p->paused ? 'P' : 'G';
      if (std::holds_alternative<RunEnded>(e)) text += 'E';
    }
    return text;
  }
};

}  // namespace

class PauseTest : public QObject, ww::support::WithWorkspace {
  Q_OBJECT
 private slots:
  void init() {
    renew();
    add_generator("endless", [] { return std::make_unique<Endless>(); });
  }

  void nothingNewBeginsWhilePaused() {
    PauseSwitch pause;
    Watch watch;
    std::promise<void> stands;
    int judged = 0;
    watch.also = [&](const Event& e) {
      if (std::holds_alternative<CandidateJudged>(e) && ++judged == 2) pause.pause();
      if (const auto* p = std::get_if<RunPaused>(&e); p && p->paused) stands.set_value();
    };
    auto run = std::async(std::launch::async,
                          [&] { return explore::run(*workspace_, options_with(6, pause.token()), watch.handler()); });
    stands.get_future().wait();
    QCOMPARE(QString::fromStdString(watch.story()), QString("jjP"));  // the one worker had nothing in work
    pause.resume();
    const auto ended = run.get();
    QVERIFY2(ended.has_value(), ended ? "" : ended.error().text().c_str());
    QCOMPARE(ended->state, store::RunState::done);
    QCOMPARE(QString::fromStdString(watch.story()), QString("jjPGjjjjE"));
    // The run's log says it, too.
    std::string log;
    const auto messages = workspace_->messages(ended->run).value();
    for (const auto& m : messages) log += m.text + "\n";
    QVERIFY(log.find("paused") != std::string::npos && log.find("run resumed") != std::string::npos);
    QVERIFY(workspace_->run(ended->run)->options.find("pause") == std::string::npos);
  }

  void aPausedRunCanBeCancelledAndResumed() {
    PauseSwitch pause;
    std::stop_source stop;
    Watch watch;
    watch.also = [&](const Event& e) {
      if (std::holds_alternative<CandidateJudged>(e)) pause.pause();
      if (std::holds_alternative<RunPaused>(e)) stop.request_stop();
    };
    const auto ended = explore::run(*workspace_, options_with(6, pause.token()), watch.handler(), stop.get_token());
    QVERIFY(ended.has_value());
    QCOMPARE(ended->state, store::RunState::cancelled);
    QCOMPARE(QString::fromStdString(watch.story()), QString("jPE"));
    // It takes another switch with it when it goes on.
    PauseSwitch other;
    Watch again;
    again.also = [&](const Event& e) {
      if (const auto* p = std::get_if<RunPaused>(&e); p && p->paused) other.resume();
    };
    other.pause();
    const auto resumed = resume(*workspace_, ended->run, again.handler(), {}, {}, other.token());
    QVERIFY(resumed.has_value());
    QCOMPARE(resumed->state, store::RunState::done);
    QCOMPARE(QString::fromStdString(again.story()), QString("PGjjjjjE"));
  }

  void minutesOfTheBudgetStandStill() {
    const BudgetClock::Time start{};
    const auto at = [&](int seconds) { return start + std::chrono::seconds(seconds); };
    BudgetClock clock(start, 1);
    QVERIFY(!clock.over(at(59)) && clock.over(at(60)));
    clock.pause(at(10));
    clock.pause(at(20));  // is paused already
    QVERIFY(clock.paused() && !clock.over(at(1000)));
    clock.resume(at(110));
    QVERIFY(!clock.paused() && !clock.over(at(159)) && clock.over(at(160)));
    clock.resume(at(500));  // goes on already
    QVERIFY(clock.over(at(160)));
    QVERIFY(!BudgetClock(start, 0).over(at(1 << 30)));
  }

  void aRunEndsInItsTimeAfterAPause() {  // paused from the start, longer than its budget of time
    PauseSwitch pause;
    pause.pause();
    Watch watch;
    std::promise<void> stands;
    watch.also = [&](const Event& e) {
      if (const auto* p = std::get_if<RunPaused>(&e); p && p->paused) stands.set_value();
    };
    RunOptions options = options_with(0, pause.token());
    options.budget.minutes = 0.001 / 60;
    auto run = std::async(std::launch::async, [&] { return explore::run(*workspace_, options, watch.handler()); });
    stands.get_future().wait();
    QCOMPARE(QString::fromStdString(watch.story()), QString("P"));
    pause.resume();
    const auto ended = run.get();
    QVERIFY(ended.has_value());
    QVERIFY2(watch.story().starts_with("PG") && watch.story().ends_with("E"), watch.story().c_str());
    QVERIFY2(ended->why.find("time of the budget") != std::string::npos, ended->why.c_str());
  }
};

QTEST_GUILESS_MAIN(PauseTest)
#include "pause_test.moc"
