// SPDX-License-Identifier: Apache-2.0
// What the search writes, through the compiler and the gate on the SIMT machine: the first structure of the library's
// ops, all structures of some ops and of the unusual specs; of each a part, another one from day to day, or with
// WW_SWEEP_ALL=1 (and QTEST_FUNCTION_TIMEOUT=3600000) all. A table of the verdicts goes to <build>/op_sweep.txt.
#include <QtTest>
#include <chrono>
#include <fstream>
#include "device/device.h"
#include "gate/cases.h"
#include "gate/gate.h"
#include "search/space.h"
#include "support/library_ops.h"
#include "support/simt_judge.h"

using namespace ww;

class GateSweepTest : public QObject, testing::WithSimtGate {
  Q_OBJECT
 private slots:
  void initTestCase() { table_.open(std::filesystem::path(WW_BINARY_DIR) / "op_sweep.txt"); }

  void library_data() {
    QTest::addColumn<QString>("path");
    const auto all = testing::library();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (today(i, 12)) QTest::newRow(all[i].stem().c_str()) << QString::fromStdString(all[i].string());
  }
  void library() {
    QFETCH(QString, path);
    judge(testing::read_spec(*read_file(path.toStdString())), 0, 1, 5e3, 1);
  }

  void every_structure_data() {
    QTest::addColumn<QString>("op");
    for (const char* op : {"softmax", "layernorm", "gelu", "column_sum", "sum_all", "transpose", "cumsum_exclusive",
                           "linear_gelu", "max_pool2d", "causal_attention", "linear_recurrence", "gru"})
      QTest::newRow(op) << op;
  }
  void every_structure() {
    QFETCH(QString, op);
    judge(testing::library_op(op.toStdString()), 1, 100, 5e3, 4);
  }

  void unusual_data() { testing::add_unusual_rows("search"); }
  void unusual() {
    QFETCH(QString, text);
    judge(testing::read_spec(text.toStdString()), 0, 100, 2e4, 4);
  }

 private:
  // One in `of` of the numbers.
  static bool today(std::size_t number, std::size_t of) {
    static const auto day = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()).time_since_epoch();
    return qEnvironmentVariableIntValue("WW_SWEEP_ALL") != 0 ||
           (number + static_cast<std::size_t>(day.count())) % of == 0;
  }

  void judge(const op::Spec& spec, std::size_t from, std::size_t count, double work, std::size_t one_of) {
    const auto reduced = gate::reduced_case(spec, {}, work);
    QVERIFY2(reduced.has_value(), reduced ? "" : reduced.error().text().c_str());
    const auto structures = search::structures_of(spec, reduced->binding);
    QVERIFY(structures.has_value() && !structures->empty());
    for (std::size_t i = from; i < std::min(structures->size(), from + count); ++i) {
      if (!today(judged_++, one_of)) continue;
      const search::Structure& s = (*structures)[i];
      const auto pinned = candidate::pin(s.open, candidate::first_tuning(s.open));
      QVERIFY(pinned.has_value());
      const evidence::Verdict verdict = verdict_of({.spec = op::print(spec),
                                                    .candidate = pinned->text,
                                                    .binding = reduced->binding,
                                                    .seeds = 1,
                                                    .measure = false});
      table_ << spec.name << '\t' << s.name << '\t' << verdict.summary() << std::endl;
      QVERIFY2(verdict.accepted, (spec.name + "/" + s.name + ": " + told(verdict, pinned->text)).c_str());
    }
  }

  std::ofstream table_;
  std::size_t judged_ = 0;  // or passed over
};

QTEST_GUILESS_MAIN(GateSweepTest)
#include "gate_sweep_test.moc"
