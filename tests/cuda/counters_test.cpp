// SPDX-License-Identifier: Apache-2.0
#include "cuda/counters.h"
#include <QtTest>
#include <algorithm>
#include "base/files.h"
#include "cuda/cupti_range.h"
#include "cuda/device.h"

using namespace ww;
using namespace ww::cuda;

class CountersTest : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() { qputenv("CUDA_VISIBLE_DEVICES", ""); }  // as on a machine without a GPU
  void setsAreReadAndExplained() {
    const auto sets = counter_sets();
    QVERIFY2(sets, sets ? "" : sets.error().text().c_str());
    QCOMPARE((*sets)->size(), std::size_t{2});
    const CounterSet& small = (**sets)[0];
    const CounterSet& full = (**sets)[1];
    QCOMPARE(small.name, std::string("small"));
    QCOMPARE(full.name, std::string("full"));
    QVERIFY(full.metrics.size() > small.metrics.size() + 50);
    QVERIFY(std::equal(small.metrics.begin(), small.metrics.end(), full.metrics.begin(),
                       [](const Metric& a, const Metric& b) { return a.name == b.name; }));
    for (const char* name :
         {"gpu__time_duration.sum", "dram__bytes.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
          "lts__t_sector_hit_rate.pct", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "smsp__inst_executed.sum",
          "sm__inst_executed_pipe_tensor.sum", "sm__warps_active.avg.pct_of_peak_sustained_active",
          "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"})
      QVERIFY2(std::any_of(small.metrics.begin(), small.metrics.end(), [&](const Metric& m) { return m.name == name; }),
               name);
    for (const Metric& m : full.metrics) {
      QVERIFY2(!m.about.empty() && m.about.find('\n') == std::string::npos && m.about.size() < 140, m.name.c_str());
      if (m.name.ends_with(".pct") || m.name.find("pct_of_peak") != std::string::npos)
        QCOMPARE(m.unit, std::string("%"));
    }
  }

  void badSets_data() {
    QTest::addColumn<QString>("json");
    QTest::addColumn<QString>("says");
    const auto with = [](const char* sets) { return QString(R"({"format": 1, "sets": %1})").arg(sets); };
    QTest::newRow("text") << "hello"
                          << "a JSON object";
    QTest::newRow("format") << R"({"format": 2, "sets": []})"
                            << "format is not 1";
    QTest::newRow("no sets") << R"({"format": 1})"
                             << "no list of sets";
    QTest::newRow("empty") << with("[]") << "no list of sets";
    QTest::newRow("number") << with("[7]") << "not an object";
    QTest::newRow("unnamed") << with(R"([{"metrics": []}])") << "has no name";
    QTest::newRow("no metrics") << with(R"([{"name": "s"}])") << "no list of metrics";
    QTest::newRow("nothing") << with(R"([{"name": "s", "metrics": []}])") << "is empty";
    QTest::newRow("unknown base") << with(R"([{"name": "s", "includes": "t", "metrics": []}])") << "not listed before";
    QTest::newRow("odd name") << with(R"([{"name": "s", "metrics": [{"name": "rm -rf", "about": "x"}]}])")
                              << "not a metric's name";
    QTest::newRow("unexplained") << with(R"([{"name": "s", "metrics": [{"name": "a__b.sum"}]}])") << "not explained";
    QTest::newRow("twice") << with(
                                  R"([{"name": "s", "metrics": [{"name": "a__b.sum", "about": "x"}, {"name": "a__b.sum",
                "about": "x"}]}])")
                           << "twice";
    QTest::newRow("same set")
        << with(R"([{"name": "s", "metrics": [{"name": "a__b.sum", "about": "x"}]}, {"name": "s", "metrics": []}])")
        << "two sets";
  }
  void badSets() {
    QFETCH(QString, json);
    QFETCH(QString, says);
    const auto sets = parse_counter_sets(json.toStdString());
    QVERIFY(!sets);
    QCOMPARE(sets.error().code, Code::corrupt);
    QVERIFY2(sets.error().message.find(says.toStdString()) != std::string::npos, sets.error().message.c_str());
  }

  void absenceIsASentence() {
    const Status s = preload_counters();
    QVERIFY(!s);
    QCOMPARE(s.error().code, Code::unavailable);
    QVERIFY2(s.error().message.find(' ') != std::string::npos && s.error().message.size() > 20,
             s.error().message.c_str());
  }

  void denialsSayWhatToDo() {
#ifdef WW_HAVE_CUPTI
    const auto cupti = Cupti::get();
    QVERIFY2(cupti, cupti ? "" : cupti.error().text().c_str());
    const std::string denied = refusal_text(**cupti, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "begin");
    QVERIFY2(denied.find("NVreg_RestrictProfilingToAdminUsers=0") != std::string::npos &&
                 denied.find("CAP_SYS_ADMIN") != std::string::npos,
             denied.c_str());
    QVERIFY(refusal_text(**cupti, CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, "begin").find("virtualised") !=
            std::string::npos);
    QVERIFY(refusal_text(**cupti, CUPTI_ERROR_HARDWARE_BUSY, "begin").find("another profiler") != std::string::npos);
    QVERIFY(refusal_text(**cupti, CUPTI_ERROR_UNKNOWN, "draw a circle").find("could not draw a circle") !=
            std::string::npos);
#else
    QVERIFY(Cupti::get().error().message.find("without CUPTI's headers") != std::string::npos);
#endif
  }

  // CUPTI plans the passes of a chip without the chip being there.
  void setsFitTheChip() {
#ifdef WW_HAVE_CUPTI
    const auto cupti = Cupti::get();
    QVERIFY2(cupti, cupti ? "" : cupti.error().text().c_str());
    const Context none;
    for (const CounterSet& set : **counter_sets()) {
      const Scheduled s = schedule_for("GH100", none, set);
      QVERIFY2(s.schedule, s.refusal.why.c_str());
      QCOMPARE(s.schedule->metrics.size(), set.metrics.size());
      QVERIFY2(s.schedule->passes <= (set.name == "small" ? 12u : 32u), std::to_string(s.schedule->passes).c_str());
      QCOMPARE(schedule_for("GH100", none, set).schedule, s.schedule);  // kept
    }
#endif
  }

  void unknownMetricsAreLeftOut() {
#ifdef WW_HAVE_CUPTI
    const auto cupti = Cupti::get();
    QVERIFY2(cupti, cupti ? "" : cupti.error().text().c_str());
    CounterSet set;
    set.name = "with a stranger";
    set.metrics = {{"smsp__inst_executed.sum", "inst", "x"},
                   {"smsp__wishes_fulfilled.sum", "", "x"},
                   { "dram__bytes.sum",
                     "byte",
                     "x" }};
    const Scheduled s = schedule_for("GH100", Context(), set);
    QVERIFY2(s.schedule, s.refusal.why.c_str());
    QCOMPARE(s.schedule->metrics.size(), std::size_t{2});
    QCOMPARE(s.schedule->metrics[1].name, std::string("dram__bytes.sum"));
    set.name = "strangers alone";
    set.metrics = {{ "smsp__wishes_fulfilled.sum", "", "x" }};
    const Scheduled none = schedule_for("GH100", Context(), set);
    QVERIFY(!none.schedule && none.refusal.why.find("strangers alone") != std::string::npos);
#endif
  }
};
QTEST_GUILESS_MAIN(CountersTest)
#include "counters_test.moc"
