// SPDX-License-Identifier: Apache-2.0
// Advice on stored candidates: what is modelled, and for which GPU.
#include <QtTest>
#include "appraisal/advice.h"
#include "explore/script.h"
#include "op/parse.h"

using namespace ww;
using namespace ww::appraisal;

class AppraisalAdviceTest : public QObject {
  Q_OBJECT
 private slots:
  // 64 blocks leave more than half of 132 multiprocessors idle, whatever the warps, other launches and the device.
  void aSmallLaunchIsSaidOfTheGpu_data() {
    QTest::addColumn<QString>("gpu");
    QTest::addColumn<int>("blocks");
    QTest::addColumn<QString>("said");
    QTest::newRow("64 of 132, modelled") << "H200 SXM" << 64 << "64 blocks for the 132 multiprocessors of the H200 SXM";
    QTest::newRow("132 of 132") << "H200 SXM" << 132 << "";
    QTest::newRow("64 of 58") << "L4" << 64 << "";
    QTest::newRow("64 of 132, there") << "" << 64 << "64 blocks for the 132 multiprocessors of the NVIDIA H200";
  }
  void aSmallLaunchIsSaidOfTheGpu() {
    QFETCH(QString, gpu);
    QFETCH(int, blocks);
    QFETCH(QString, said);
    RunContext g;
    g.spec = op::parse_spec(script::spec).value();
    g.binding.symbols = {{"N", 1024 * blocks}};
    g.device = "simt";
    g.architecture = "sm_80";
    g.rules = RankRules::load().value();
    g.advice = profile::AdviceRules::load().value();
    if (gpu.isEmpty()) {
      g.details = profile::DeviceDetails{};
      g.details->gpu = "NVIDIA H200";
      g.details->multiprocessors = 132;
    } else {
      g.modelled = profile::modelled_gpu(gpu.toStdString(), "sm_80");
    }
    store::CandidateRecord c;
    c.text =
        "//@ candidate scale\n//@ launch k grid(ceildiv(N, 1024)) block(1024) args(x, y)\n//@ launch k grid(1) "
        "block(32) "
        "args(x, y)\nextern \"C\" __global__ void k() {}\n";
    c.language = candidate::Language::cuda;
    c.resources.push_back({"k", 24, 0, 0, 0, 0, 0, 0});
    c.verdict.emplace();
    c.verdict->metrics.emplace();
    c.verdict->metrics->provenance = Provenance::simulated;
    c.verdict->metrics->values = {{"warps", 32.0 * blocks + 1}, {"launches", 2}};
    QString found;
    for (const profile::Advice& a : advice_of(g, c))
      if (a.id == "little-work") {
        found = QString::fromStdString(a.evidence);
        if (!said.isEmpty()) QCOMPARE(QString::number(a.gain, 'f', 3), QString::number(132.0 / blocks, 'f', 3));
      }
    if (said.isEmpty())
      QVERIFY2(!found.contains("multiprocessors of"), qPrintable(found));
    else
      QVERIFY2(found.contains(said), qPrintable(found));
  }
};

QTEST_GUILESS_MAIN(AppraisalAdviceTest)
#include "advice_test.moc"
