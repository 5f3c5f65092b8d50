// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include "appraisal/moves.h"
#include "explore/script.h"
#include "op/parse.h"
#include "support/timed_verdict.h"

using namespace ww;
using namespace ww::appraisal;
using ww::testing::timed;

class MovesTest : public QObject {
  Q_OBJECT
 private slots:
  void familiesOfOps() {
    QCOMPARE(family_of(op::parse_spec("//@ family: mine\n" + std::string(script::spec)).value()), std::string("mine"));
    const auto of = [](const std::string& head, const std::string& body) {
      return family_of(op::parse_spec("op t(" + head + "\n{\n" + body + "\n}\n").value());
    };
    QCOMPARE(of("a: f32[M, K], b: f32[K, N]) -> y: f32[M, N]", "y[i, j] = sum(k) a[i, k] * b[k, j]"),
             std::string("contraction"));
    QCOMPARE(of("x: f32[N]) -> y: f32[N]", "y[i] = sum(j in 0..i+1) x[j]"), std::string("scan"));
    QCOMPARE(of("x: f32[R, C]) -> y: f32[R]", "y[r] = max(c) x[r, c]"), std::string("row-reduction"));
    QCOMPARE(of("x: f32[R, C]) -> y: f32", "y = sum(r, c) x[r, c] * x[r, c]"), std::string("reduction"));
    QCOMPARE(of("x: f32[R, C]) -> y: f32[R, C]", "top[r] = max(c) x[r, c]\n y[r, c] = x[r, c] - top[r]"),
             std::string("normalization"));
    QCOMPARE(of("x: f32[N]) -> y: f32[N]", "y[i] = 2 * x[i]"), std::string("map"));
    QCOMPARE(of("x: f32[N]) -> y: f32[N - 2]", "y[i] = max(k in 0..3) x[i + k]"), std::string("window"));
    QCOMPARE(of("x: f32[N], t: i32[M]) -> y: f32[M]", "y[i] = x[t[i]]"), std::string("gather"));
  }

  void movesHaveIntervals() {
    QCOMPARE(move_name("vectorise loads: float4 [beam/2 #17]"), std::string("vectorise loads"));
    QCOMPARE(move_name("x[i] is read once.\nmore"), std::string("x[i] is read once"));
    QCOMPARE(move_name(std::string(200, 'a')).size(), std::size_t{80});
    const MoveSide slow = move_side("aaaa", "rows", 20, Provenance::measured,
                                    store::spread_of(*timed(20, 19.8, 20.2, 100, "NVIDIA H200").metrics)),
                   fast = move_side("bbbb", "tiles", 10, Provenance::measured,
                                    store::spread_of(*timed(10, 9.9, 10.1, 100, "NVIDIA H200").metrics));
    const auto m = move_between(3, "normalize", "cuda:0", slow, fast, "");
    QVERIFY(m);
    QCOMPARE(m->effect, 2.0);
    QVERIFY(m->low > 1.98 && m->low < 2 && m->high > 2 && m->high < 2.02);
    QCOMPARE(m->move, std::string("rows to tiles"));
    QCOMPARE(m->device, std::string("NVIDIA H200"));
    QVERIFY(!move_between(3, "f", "cuda:0", slow, move_side("c", "t", 10, Provenance::simulated, {}), ""));
    QVERIFY(!move_between(3, "f", "cuda:0", slow,
                          move_side("c", "t", 10, Provenance::measured,
                                    store::spread_of(*timed(10, 9.9, 10.1, 100, "NVIDIA L4").metrics)),
                          ""));
    QVERIFY(!move_between(3, "f", "cuda:0", slow, move_side("c", "t", 10, Provenance::measured, {}),
                          ""));  // no spread, no statement
    const auto simulated = move_between(3, "f", "simt", move_side("a", "s", 10, Provenance::simulated, {}),
                                        move_side("b", "s", 20, Provenance::simulated, {}), "");
    QCOMPARE(simulated->low, 0.5);
    QCOMPARE(simulated->high, 0.5);

    store::MoveRecord noise = *m;
    noise.move = "noise";
    noise.effect = 1.01;
    noise.low = 0.9;
    noise.high = 1.1;
    store::MoveRecord weak = *m;
    weak.move = "weak";
    weak.effect = 1.1;
    weak.low = 1.01;
    weak.high = 1.2;
    const std::string text = moves_text({noise, weak, *m, *m});
    QVERIFY(text.find("noise") == std::string::npos);
    QVERIFY(text.find("rows to tiles") < text.find("weak"));
    QVERIFY(text.find("2 steps") != std::string::npos);
    QVERIFY(text.find("aaaa -> bbbb") != std::string::npos);
    QCOMPARE(moves_text({noise}), std::string());
  }
};

QTEST_GUILESS_MAIN(MovesTest)
#include "moves_test.moc"
