// SPDX-License-Identifier: Apache-2.0
// Timings drawn from a model with everything that real ones have: noise, outliers, drift of the clock, steps of the
// timer.
#include <QtTest>
#include <cmath>
#include <random>
#include "profile/statistics.h"

using namespace ww::profile;

namespace {

struct Model {
  double us = 100, noise = 0.003;  // relative standard deviation of a sample
  double outliers = 0.02;          // part of the samples that take up to twice as long
  double drift = 0;                // relative change over all rounds, the same for both subjects
  double round_noise = 0.002;      // of a whole round, the same for both subjects
  double step_us = 0;              // the timer's step
  int rounds = 10, samples = 5, replays = 5;
};

struct Pair {
  SubjectTiming a, b;
};

// b takes `slower` times as long as a.
Pair draw(const Model& m, double slower, unsigned seed) {
  std::mt19937_64 random(seed);
  // Distributions of the standard library differ between machines; sums of bits do not.
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const auto normal = [&] {
    double s = 0;
    for (int i = 0; i < 12; ++i) s += uniform();
    return s - 6;
  };
  Pair p;
  p.a.subject = "a", p.b.subject = "b";
  for (int round = 0; round < m.rounds; ++round) {
    const double common = (1 + m.drift * round / m.rounds) * (1 + m.round_noise * normal());
    for (SubjectTiming* t : {&p.a, &p.b})
      for (int s = 0; s < m.samples; ++s) {
        TimedSample x;
        x.us = m.us * (t == &p.b ? slower : 1) * common * (1 + m.noise * normal());
        if (uniform() < m.outliers) x.us *= 1 + uniform();
        if (m.step_us > 0) x.us = std::round(x.us * m.replays / m.step_us) * m.step_us / m.replays;
        x.round = round, x.replays = m.replays;
        t->samples.push_back(x);
      }
  }
  return p;
}

struct Calls {
  int faster = 0, slower = 0, noise = 0, none = 0, holds = 0;  // holds: the interval holds the true ratio
};

Calls repeat(const Model& m, double slower, int times) {
  Calls c;
  for (int i = 0; i < times; ++i) {
    const Pair p = draw(m, slower, static_cast<unsigned>(i) * 7919u + 1);
    const Ratio r = compare(p.b, p.a);
    ++(r.call == Call::faster         ? c.faster
       : r.call == Call::slower       ? c.slower
       : r.call == Call::within_noise ? c.noise
                                      : c.none);
    c.holds += r.low <= slower && slower <= r.high;
  }
  return c;
}

}  // namespace

class StatisticsTest : public QObject {
  Q_OBJECT
 private slots:
  void quantiles();
  void itself_is_never_faster_data();
  void itself_is_never_faster();
  void three_percent_is_found_data();
  void three_percent_is_found();
  void half_a_percent_is_not_called();
  void the_interval_holds_the_ratio();
  void direction_and_repeatability();
  void what_cannot_be_compared();
  void clocks();
  void words();
};

void StatisticsTest::quantiles() {
  const Summary none = summarise({});
  QCOMPARE(none.count, 0);
  QVERIFY(std::isnan(none.median) && std::isnan(none.q1) && std::isnan(none.least));
  const Summary one = summarise({3});
  QCOMPARE(one.median, 3.0);
  QCOMPARE(one.iqr(), 0.0);
  // numpy.quantile([1, 2, 4, 8, 16, 32], [.25, .5, .75]) = [2.5, 6, 14]
  const Summary six = summarise({32, 1, 8, 2, 16, 4});
  QCOMPARE(six.count, 6);
  QCOMPARE(six.median, 6.0);
  QCOMPARE(six.q1, 2.5);
  QCOMPARE(six.q3, 14.0);
  QCOMPARE(six.least, 1.0);
  QCOMPARE(six.most, 32.0);
  QCOMPARE(summarise({1, std::nan(""), 3, INFINITY}).count, 2);
  QCOMPARE(quantile({1, 2, 3, 4, 5}, 0.1), 1.4);
  QCOMPARE(quantile({1, 2, 3}, 1), 3.0);
}

void StatisticsTest::itself_is_never_faster_data() {
  QTest::addColumn<double>("noise");
  QTest::addColumn<double>("drift");
  QTest::addColumn<double>("outliers");
  QTest::addColumn<double>("us");
  QTest::addColumn<double>("step");
  QTest::addColumn<int>("replays");
  QTest::newRow("quiet") << 0.001 << 0.0 << 0.0 << 100.0 << 0.0 << 5;
  QTest::newRow("usual") << 0.003 << 0.0 << 0.02 << 100.0 << 0.0 << 5;
  QTest::newRow("drift") << 0.003 << 0.2 << 0.02 << 100.0 << 0.0 << 5;
  QTest::newRow("loud") << 0.02 << 0.1 << 0.1 << 100.0 << 0.0 << 5;
  QTest::newRow("steps of the timer") << 0.01 << 0.0 << 0.02 << 5.0 << 0.5 << 1;
  QTest::newRow("fine steps") << 0.002 << 0.0 << 0.02 << 5.0 << 0.032 << 1;
}

void StatisticsTest::itself_is_never_faster() {
  QFETCH(double, noise);
  QFETCH(double, drift);
  QFETCH(double, outliers);
  QFETCH(double, us);
  QFETCH(double, step);
  QFETCH(int, replays);
  Model m;
  m.noise = noise, m.drift = drift, m.outliers = outliers, m.us = us, m.step_us = step, m.replays = replays;
  const Calls c = repeat(m, 1, 200);
  QCOMPARE(c.noise, 200);
}

void StatisticsTest::three_percent_is_found_data() {
  QTest::addColumn<double>("noise");
  QTest::addColumn<double>("drift");
  QTest::addColumn<double>("outliers");
  QTest::newRow("quiet") << 0.001 << 0.0 << 0.0;
  QTest::newRow("usual") << 0.003 << 0.0 << 0.02;
  QTest::newRow("drift") << 0.003 << 0.2 << 0.02;
  QTest::newRow("outliers") << 0.005 << 0.02 << 0.1;
}

void StatisticsTest::three_percent_is_found() {
  QFETCH(double, noise);
  QFETCH(double, drift);
  QFETCH(double, outliers);
  Model m;
  m.noise = noise, m.drift = drift, m.outliers = outliers;
  const Calls c = repeat(m, 1.03, 100);
  QVERIFY2(c.slower >= 98, qPrintable(QString::number(c.slower)));
  QCOMPARE(c.faster, 0);
}

void StatisticsTest::half_a_percent_is_not_called() {
  const Calls c = repeat(Model{}, 1.005, 100);
  QCOMPARE(c.noise, 100);
}

// A bootstrap over ten rounds is a little narrow; it must not be far from the 95 % that it is called.
void StatisticsTest::the_interval_holds_the_ratio() {
  Model m;
  m.noise = 0.02, m.replays = 100000;  // so that the timer's step plays no part
  const Calls c = repeat(m, 1.1, 300);
  QVERIFY2(c.holds >= 264, qPrintable(QString::number(c.holds)));
}

void StatisticsTest::direction_and_repeatability() {
  const Pair p = draw(Model{}, 1.2, 5);
  const Ratio slow = compare(p.b, p.a), fast = compare(p.a, p.b);
  QCOMPARE(slow.call, Call::slower);
  QCOMPARE(fast.call, Call::faster);
  QVERIFY(slow.low <= slow.ratio && slow.ratio <= slow.high && std::abs(slow.ratio - 1.2) < 0.01);
  QVERIFY(std::abs(slow.ratio * fast.ratio - 1) < 1e-12);
  QCOMPARE(slow.rounds, 10);
  QVERIFY(slow.why.empty());
  const Ratio again = compare(p.b, p.a);
  QCOMPARE(again.low, slow.low);
  QCOMPARE(again.high, slow.high);
  QCOMPARE(compare(p.b, p.a, 0.5).call, Call::within_noise);  // a margin of one half
}

void StatisticsTest::what_cannot_be_compared() {
  Pair p = draw(Model{}, 1, 1);
  p.b.cache = Cache::warm;
  QCOMPARE(compare(p.a, p.b).call, Call::not_comparable);
  QVERIFY(compare(p.a, p.b).why.find("warm") != std::string::npos);
  Model few;
  few.rounds = 3;
  const Pair q = draw(few, 2, 1);
  QCOMPARE(compare(q.a, q.b).call, Call::not_comparable);
  QVERIFY(compare(q.a, q.b).why.find("3 rounds") != std::string::npos);
  QVERIFY(std::isnan(compare(q.a, q.b).ratio));
  QCOMPARE(compare(SubjectTiming{}, SubjectTiming{}).call, Call::not_comparable);
  Pair apart = draw(Model{}, 1, 1);
  for (TimedSample& s : apart.b.samples) s.round += 100;
  QCOMPARE(compare(apart.a, apart.b).call, Call::not_comparable);
}

void StatisticsTest::clocks() {
  const auto with_clocks = [](const std::function<double(bool b, int round)>& mhz) {
    Pair p = draw(Model{}, 1, 3);
    for (SubjectTiming* t : {&p.a, &p.b})
      for (TimedSample& s : t->samples) s.clocks.sm_mhz = mhz(t == &p.b, s.round);
    return p;
  };
  // Each at its own clock throughout: nothing is left out.
  const Pair steady = with_clocks([](bool b, int) { return b ? 1400.0 : 1900.0; });
  QCOMPARE(compare(steady.a, steady.b).left_out, 0);
  // Both drift together: nothing either.
  const Pair together = with_clocks([](bool, int round) { return 1900.0 - 50 * round; });
  QCOMPARE(compare(together.a, together.b).left_out, 0);
  // One of them met another clock in two rounds.
  const Pair passing = with_clocks([](bool b, int round) { return b && (round == 2 || round == 7) ? 1200.0 : 1900.0; });
  const Ratio two = compare(passing.a, passing.b);
  QCOMPARE(two.left_out, 2);
  QCOMPARE(two.rounds, 8);
  QCOMPARE(two.call, Call::within_noise);
  QVERIFY(two.why.find("2 of 10 rounds") != std::string::npos);
  // The clock jumped about in most rounds.
  const Pair wild = with_clocks([](bool b, int round) { return b ? 1000.0 + 200 * round : 2800.0 - 200 * round; });
  const Ratio none = compare(wild.a, wild.b);
  QCOMPARE(none.call, Call::not_comparable);
  QVERIFY(none.left_out > none.rounds);
  // Heat slowed one of them down in one round; a power cap is the kernel's own.
  Pair hot = draw(Model{}, 1, 3);
  for (TimedSample& s : hot.a.samples) s.clocks.throttle = 0x4 | (s.round == 4 ? 0x20 : 0);
  QCOMPARE(compare(hot.a, hot.b).left_out, 1);
}

void StatisticsTest::words() {
  QCOMPARE(throttle_words(0), std::string());
  QCOMPARE(throttle_words(1), std::string());
  QCOMPARE(throttle_words(0x4 | 0x20), std::string("power cap, thermal slowdown"));
  QCOMPARE(throttle_words(0x1000), std::string("other reasons"));
}

QTEST_GUILESS_MAIN(StatisticsTest)
#include "statistics_test.moc"
