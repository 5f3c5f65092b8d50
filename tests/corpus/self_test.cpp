// SPDX-License-Identifier: Apache-2.0
// The gate's self-test on a few kernels of each kind, through the real worker.
#include <QtTest>
#include <algorithm>
#include <set>
#include "corpus/self_test.h"

using namespace ww;
using namespace ww::corpus;

class SelfTestTest : public QObject {
  Q_OBJECT

 private slots:
  void oneKernelOfEachKind() {
    SelfTestOptions options;
    options.limit = 1;
    options.secret = "5eed5eed5eed5eed";
    options.worker.compile_cache = std::filesystem::path(WW_BINARY_DIR) / "corpus-cache";
    std::size_t last = 0;
    const auto tested = self_test(options, {}, [&](const TestedKernel&, std::size_t done, std::size_t all) {
      QCOMPARE(done, ++last);
      QVERIFY(done <= all);
    });
    QVERIFY2(tested.has_value(), tested ? "" : tested.error().text().c_str());
    QCOMPARE(tested->size(), kinds()->size());
    QCOMPARE(last, tested->size());
    for (const TestedKernel& k : *tested) {
      QVERIFY2(k.as_expected(), (k.name + ": " + k.seen).c_str());
      QCOMPARE(k.secret, options.secret);
    }
    const std::vector<KindCount> counts = counts_of(*tested);
    QCOMPARE(counts.size(), tested->size());
    QVERIFY(std::ranges::all_of(counts, [](const KindCount& c) { return c.tried == 1 && c.otherwise == 0; }));
  }
  void kindsAreChosenAndSpread() {
    SelfTestOptions options;
    options.kinds = {"stale", "moves"};
    options.limit = 2;
    options.worker.compile_cache = std::filesystem::path(WW_BINARY_DIR) / "corpus-cache";
    const auto tested = self_test(options);
    QVERIFY2(tested.has_value(), tested ? "" : tested.error().text().c_str());
    QCOMPARE(tested->size(), std::size_t{4});
    std::set<std::string> secrets;
    for (const TestedKernel& k : *tested) secrets.insert(k.secret);
    QCOMPARE(secrets.size(), std::size_t{4});  // each judgement draws its own
    options.kinds = {"nonsense"};
    QCOMPARE(self_test(options).error().code, Code::invalid_argument);
  }
  void whatIsNotAsExpectedIsCounted() {
    using evidence::Ruling;
    const std::vector<TestedKernel> kernels = {{"values", "a", Expected::rejected, Ruling::accepted},
                                               {"values", "b", Expected::rejected, Ruling::not_judged},
                                               {"maps", "c", Expected::accepted, Ruling::not_judged},
                                               {"maps", "d", Expected::accepted, Ruling::accepted}};
    const std::vector<KindCount> counts = counts_of(kernels);
    QCOMPARE(counts.size(), std::size_t{2});
    QCOMPARE(counts[0].otherwise, 1);
    QCOMPARE(counts[0].not_judged, 1);
    QCOMPARE(counts[1].otherwise, 1);
    QCOMPARE(counts[1].tried, 2);
  }
};

QTEST_GUILESS_MAIN(SelfTestTest)
#include "self_test.moc"
