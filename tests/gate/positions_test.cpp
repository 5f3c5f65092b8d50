// SPDX-License-Identifier: Apache-2.0
// Outputs that are positions, where several values are closer than their errors.
#include <QtTest>
#include <cstring>
#include "evidence/explain.h"
#include "gate/gate.h"
#include "gate/positions.h"
#include "op/parse.h"
#include "support/library_ops.h"
#include "support/simt_judge.h"

using namespace ww;
using namespace ww::gate;
using testing::read_spec;

namespace {

op::HostTensor tensor(std::vector<std::int64_t> shape, const std::vector<float>& values) {
  op::HostTensor t{DType::f32, std::move(shape), {}};
  t.bytes.resize(values.size() * sizeof(float));
  std::memcpy(t.bytes.data(), values.data(), t.bytes.size());
  return t;
}

// One row of products of which those at 2 and 5 differ by less than the rounding of either; the others are half as
// large.
Reference near_tie(const op::Spec& spec, float sign) {
  Reference r;
  const float third = 1.0f / 3;
  r.inputs["x"] = tensor({1, 8}, {0.5f, 0.5f, sign * third, 0.5f, 0.5f, sign, 0.5f, 0.5f});
  r.inputs["w"] = tensor({8}, {1, 1, 3, 1, 1, 1, 1, 1});
  auto outputs = op::evaluate(spec, r.set.binding, r.inputs);
  if (!outputs) qFatal("%s", outputs.error().text().c_str());
  r.outputs = std::move(*outputs);
  return r;
}

Positions judged(const op::Spec& spec, const Reference& r, std::int64_t answer) {
  const DType dtype = r.outputs.at("y").dtype;
  std::vector<std::byte> bytes(dtype_size(dtype));
  store_i64(dtype, bytes.data(), answer);
  const auto p = judge_positions(spec, "y", r, bytes, 1, {});
  if (!p) qFatal("%s", p.error().text().c_str());
  return *p;
}

constexpr const char* largest_exponential =
    "op far(x: f32[R, C] in -8..8) -> y: i64[R]\n  default R = 32, C = 96\n{\n  y[r] = argmax(c) exp(x[r, c] * "
    "0.001)\n}\n";

// Of several largest numbers the last, or `tie`.
std::string kernel(const std::string& tie) {
  return "//@ candidate far\n//@ launch k grid(ceildiv(R, 32)) block(32) args(x, y, R, C)\n"
         "extern \"C\" __global__ void k(const float* x, long long* y, int R, int C) {\n"
         "  const int r = blockIdx.x * 32 + threadIdx.x;\n  if (r >= R) return;\n  const float* row = x + r * "
         "(long long)C;\n  float best = -1;\n  long long at = 0;\n  bool tied = false;\n"
         "  for (int c = 0; c < C; ++c) {\n    const float v = expf(row[c] * 0.001f);\n    tied = v > best ? false : "
         "tied || v == best;\n    if (v >= best) best = v, at = c;\n  }\n  y[r] = tied ? " +
         tie + " : at;\n}\n";
}

}  // namespace

class PositionsTest : public QObject, testing::WithSimtGate {
  Q_OBJECT

  Verdict verdict_on(const std::string& candidate) {
    return verdict_of(
        {.spec = largest_exponential, .candidate = candidate, .measure = false, .secret = "5eed5eed5eed5eed"});
  }

 private slots:
  void aPositionIsRightWhereItsValueIs_data() {
    QTest::addColumn<QString>("output");
    QTest::addColumn<QString>("value");
    QTest::addColumn<bool>("least");
    QTest::newRow("argmax") << "i64[R]"
                            << "argmax(c) x[r, c] * w[c]" << false;
    QTest::newRow("argmin") << "i64[R]"
                            << "argmin(c) x[r, c] * w[c]" << true;
    QTest::newRow("of 32 bits") << "i32[R]"
                                << "i32(argmax(c) x[r, c] * w[c])" << false;
    QTest::newRow("in a range") << "i64[R]"
                                << "argmax(c in r..C - r) x[r, c] * w[c]" << false;
    QTest::newRow("with a condition") << "i64[R]"
                                      << "argmax(c : c > 1) x[r, c] * w[c]" << false;
    QTest::newRow("over two") << "i64[R]"
                              << "argmax(c, d in 0..2) x[r, c] * w[c] * (d + 1)" << false;
  }
  void aPositionIsRightWhereItsValueIs() {
    QFETCH(QString, output);
    QFETCH(QString, value);
    QFETCH(bool, least);
    const op::Spec spec = read_spec("op f(x: f32[R, C], w: f32[C]) -> y: " + output.toStdString() +
                                    "\n  default R = 1, C = 8\n{\n  y[r] = " + value.toStdString() + "\n}\n");
    const Reference r = near_tie(spec, least ? -1.0f : 1.0f);
    QVERIFY(!r.outputs.at("y").bound.empty() && std::isinf(r.outputs.at("y").bound[0]));
    const std::int64_t other = 7 - r.outputs.at("y").integer[0];
    QVERIFY(other == 2 || other == 5);
    QVERIFY(judged(spec, r, 7 - other).wrong.empty());
    QVERIFY(judged(spec, r, other).wrong.empty());
    QCOMPARE(judged(spec, r, other).right, std::size_t{1});
    for (const std::int64_t wrong : {0, 3, 7, 8, 1000, -5})
      QCOMPARE(judged(spec, r, wrong).wrong.size(), std::size_t{1});
    QCOMPARE(judged(spec, r, -1).wrong.size(), std::size_t{value.contains(':') ? 0u : 1u});  // no term at all
  }
  void nothingIsKnownOfOtherIntegers() {
    const op::Spec spec = read_spec(
        "op f(x: f32[R, C], w: f32[C]) -> y: i64[R]\n  default R = 1, C = 8\n{\n  y[r] = 2 * argmax(c) x[r, c] * "
        "w[c]\n}\n");
    const Reference r = near_tie(spec, 1);
    QVERIFY(judged(spec, r, 77).wrong.empty());
    QCOMPARE(judged(spec, r, 77).right, std::size_t{0});
  }
  void anyOfSeveralLargestPasses() {
    const Verdict v = verdict_on(kernel("at"));
    QVERIFY2(v.accepted, failure_text(v).c_str());
  }
  void noneOfThemDoesNot() {
    for (const char* tie : {"-1", "C", "at - 1"}) {
      const Verdict v = verdict_on(kernel(tie));
      QVERIFY2(!v.accepted && v.ruling() == Ruling::rejected, tie);
      QVERIFY2(v.last_stage()->failure && v.last_stage()->failure->element, failure_text(v).c_str());
    }
  }
};

QTEST_GUILESS_MAIN(PositionsTest)
#include "positions_test.moc"
