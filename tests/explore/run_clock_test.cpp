// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include "base/time_left.h"
#include "explore/run_clock.h"

using namespace ww;
using namespace ww::explore;
using namespace std::chrono_literals;

namespace {

CandidateJudged judged(store::CandidateState state) {
  CandidateJudged event;
  event.row.state = state;
  return event;
}

}  // namespace

class RunClockTest : public QObject {
  Q_OBJECT

  const RunClock::Clock::time_point start_{};
  const generator::Budget ten_{.candidates = 10};

  RunClock after(int candidates, std::chrono::seconds each) const {
    RunClock clock;
    clock.take(RunStarted{1, "sm_80"}, start_);
    for (int i = 1; i <= candidates; ++i) clock.take(judged(store::CandidateState::rejected), start_ + i * each);
    return clock;
  }

 private slots:
  void goesOnAtThePaceSoFar() {
    QVERIFY(!RunClock().minutes_left(ten_, 0, start_));
    QVERIFY(!after(2, 60s).minutes_left(ten_, 2, start_ + 2min));  // too early to tell
    QCOMPARE(*after(4, 60s).minutes_left(ten_, 4, start_ + 4min), 6.0);
    QCOMPARE(*after(4, 60s).minutes_left(ten_, 7, start_ + 4min), 3.0);  // resumed after three
    QVERIFY(!after(4, 60s).minutes_left({.candidates = 0}, 4, start_ + 4min));
    QVERIFY(!after(10, 60s).minutes_left(ten_, 10, start_ + 10min));
    QVERIFY(!after(11, 60s).minutes_left(ten_, 11, start_ + 11min));
  }

  void aLimitInMinutesEndsARun() {
    const RunClock clock = after(4, 60s);
    QCOMPARE(*clock.minutes_left({.candidates = 10, .minutes = 6}, 4, start_ + 4min), 2.0);
    QCOMPARE(*clock.minutes_left({.candidates = 10, .minutes = 60}, 4, start_ + 4min), 6.0);
    QCOMPARE(*clock.minutes_left({.candidates = 10, .minutes = 3}, 4, start_ + 4min), 0.0);
  }

  void duplicatesTakeNoneOfTheBudget() {
    RunClock clock = after(3, 60s);
    clock.take(judged(store::CandidateState::duplicate), start_ + 3min);
    QCOMPARE(*clock.minutes_left(ten_, 3, start_ + 3min), 7.0);
  }

  void pausesDoNotCount() {
    RunClock clock = after(4, 60s);
    clock.take(RunPaused{1, true}, start_ + 4min);
    QVERIFY(clock.paused());
    QVERIFY(!clock.minutes_left(ten_, 4, start_ + 50min));
    QCOMPARE(clock.minutes(start_ + 50min), 4.0);
    clock.take(RunPaused{1, false}, start_ + 50min);
    QCOMPARE(clock.minutes(start_ + 51min), 5.0);
    QCOMPARE(*clock.minutes_left(ten_, 4, start_ + 50min), 6.0);
    clock.take(RunEnded{}, start_ + 51min);
    QCOMPARE(clock.minutes(start_ + 90min), 5.0);
    QVERIFY(!clock.minutes_left(ten_, 4, start_ + 90min));
  }

  void timeLeftInWords() {
    QCOMPARE(left_text(0), "less than a minute left");
    QCOMPARE(left_text(1.2), "about 2 min left");
    QCOMPARE(left_text(119), "about 119 min left");
    QCOMPARE(left_text(200), "about 4 h left");
    QCOMPARE(*minutes_left(3, 2, 6), 4.0);
    QVERIFY(!minutes_left(2, 3, 6) && !minutes_left(3, 0, 6) && !minutes_left(3, -1, 6));
    QCOMPARE(*minutes_left(0.25, 1), 3.0);
    for (const double nothing : {0.0, 0.05, 1.0, 2.0, -1.0, std::nan("")}) QVERIFY(!minutes_left(nothing, 1));
  }
};

QTEST_GUILESS_MAIN(RunClockTest)
#include "run_clock_test.moc"
