// SPDX-License-Identifier: Apache-2.0
// Offsets beyond 32 bits, of kernels that are compiled and run.
#include <QtTest>
#include "gate/gate.h"
#include "support/simt_judge.h"

using namespace ww;
using evidence::LongOutcome;
using evidence::LongUntried;

namespace {

constexpr const char* twice =
    "op twice(x: f32[R, C]) -> y: f32[R, C]\n  default R = 64, C = 96\n{\n  y[r, c] = 2 * x[r, c]\n}\n";
constexpr const char* line = "op line(x: f32[N]) -> y: f32[N]\n  default N = 1000\n{\n  y[i] = 2 * x[i]\n}\n";
constexpr const char* total =
    "op total(x: f32[R, C]) -> y: f32[C]\n  default R = 64, C = 96\n{\n  y[c] = sum(r) x[r, c]\n}\n";
constexpr const char* mean = R"(op middle(x: f32[R, C]) -> y: f32[R, C]
  default R = 64, C = 96
{
  m[r] = sum(c) x[r, c] / C
  y[r, c] = x[r, c] - m[r]
}
)";

std::string by_rows(const std::string& offset, const std::string& claim = "") {
  return "//@ candidate twice\n" + claim +
         "//@ launch k grid(R) block(64) args(x, y, R, C)\n"
         "extern \"C\" __global__ void k(const float* x, float* y, int R, int C) {\n"
         "  for (int c = threadIdx.x; c < C; c += 64) {\n"
         "    const " +
         offset +
         " * C + c;\n"
         "    y[i] = 2 * x[i];\n"
         "  }\n"
         "}\n";
}

std::string by_elements(const std::string& type, const std::string& grid = "ceildiv(N, 128)") {
  return "//@ candidate line\n//@ launch k grid(" + grid +
         ") block(128) args(x, y, N)\n"
         "extern \"C\" __global__ void k(const float* x, float* y, " +
         type +
         " n) {\n"
         "  for (" +
         type + " i = blockIdx.x * (" + type + ")128 + threadIdx.x; i < n; i += gridDim.x * (" + type +
         ")128)\n"
         "    y[i] = 2 * x[i];\n"
         "}\n";
}

constexpr const char* two_launches = R"(//@ candidate middle
//@ temp m: f32[R]
//@ launch means grid(ceildiv(R, 64)) block(64) args(x, m, R, C)
//@ launch k grid(R) block(32) args(x, m, y, C)
extern "C" __global__ void means(const float* x, float* m, long long R, int C) {
  const long long r = blockIdx.x * 64ll + threadIdx.x;
  if (r >= R) return;
  float s = 0;
  for (int c = 0; c < C; ++c) s += x[r * C + c];
  m[r] = s / C;
}
extern "C" __global__ void k(const float* x, const float* m, float* y, int C) {
  const long long row = blockIdx.x * (long long)C;
  for (int c = threadIdx.x; c < C; c += 32) y[row + c] = x[row + c] - m[blockIdx.x];
}
)";

constexpr const char* number_in_32_bits = R"(//@ candidate line
//@ launch k grid(ceildiv(N, 128)) block(128) args(x, y, N)
extern "C" __global__ void k(const float* x, float* y, unsigned n) {
  const unsigned i = blockIdx.x * 128u + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
)";

constexpr const char* columns = R"(//@ candidate total
//@ launch k grid(ceildiv(C, 64)) block(64) args(x, y, R, C)
extern "C" __global__ void k(const float* x, float* y, int R, int C) {
  const int c = blockIdx.x * 64 + threadIdx.x;
  if (c >= C) return;
  float s = 0;
  for (int r = 0; r < R; ++r) s += x[(long long)r * C + c];
  y[c] = s;
}
)";

}  // namespace

class LongTensorsTest : public QObject, testing::WithSimtGate {
  Q_OBJECT

  evidence::Verdict judged(const std::string& spec, const std::string& candidate, const op::Binding& binding = {}) {
    return verdict_of(
        {.spec = spec, .candidate = candidate, .binding = binding, .seeds = 1, .secret = "5eed5eed5eed5eed"});
  }
  evidence::LongTensors tried(const std::string& spec, const std::string& candidate) {
    const evidence::Verdict v = judged(spec, candidate);
    if (!v.accepted) qFatal("%s", v.summary().c_str());
    if (!v.proof.long_tensors) qFatal("nothing is said");
    return *v.proof.long_tensors;
  }

 private slots:
  void outcomes_data() {
    QTest::addColumn<QByteArray>("spec");
    QTest::addColumn<QByteArray>("candidate");
    QTest::addColumn<LongOutcome>("outcome");
    QTest::addColumn<LongUntried>("why");
    const auto row = [](const char* name, const char* spec, const std::string& text, LongOutcome outcome,
                        LongUntried why = LongUntried::unknown) {
      QTest::newRow(name) << QByteArray(spec) << QByteArray::fromStdString(text) << outcome << why;
    };
    row("64 bits", twice, by_rows("long long i = (long long)blockIdx.x"), LongOutcome::right);
    row("signed", twice, by_rows("int i = (int)blockIdx.x"), LongOutcome::wrong);
    row("unsigned", twice, by_rows("unsigned i = blockIdx.x"), LongOutcome::wrong);
    row("claimed up to there", twice, by_rows("int i = (int)blockIdx.x", "//@ require R * C <= 2147483647\n"),
        LongOutcome::not_claimed);
    row("rows from the last", twice, by_rows("long long i = (long long)(R - 1 - blockIdx.x)"), LongOutcome::not_tried,
        LongUntried::order);
    row("one dimension", line, by_elements("long long"), LongOutcome::right);
    row("its number does not fit", line, number_in_32_bits, LongOutcome::refused);
    row("as many blocks as ever", line, by_elements("long long", "min(ceildiv(N, 128), 264)"), LongOutcome::not_tried,
        LongUntried::grid);
    row("a sum over the rows", total, columns, LongOutcome::not_tried, LongUntried::op);
    row("a temporary of the rows", mean, two_launches, LongOutcome::right);
  }
  void outcomes() {
    QFETCH(QByteArray, spec);
    QFETCH(QByteArray, candidate);
    QFETCH(LongOutcome, outcome);
    QFETCH(LongUntried, why);
    const evidence::LongTensors t = tried(spec.toStdString(), candidate.toStdString());
    const std::string text = evidence::long_tensors_text(t);
    QVERIFY2(t.outcome == outcome && t.why == why, text.c_str());
    QVERIFY(why != LongUntried::unknown || t.elements > std::int64_t{1} << 31);
    QCOMPARE(evidence::most_elements(t).has_value(), outcome != LongOutcome::right);
  }
  // Offsets of 24 bits, and a loop whose next step leaves 32 bits: the largest size that is right is found.
  void theSizesThatAreRight() {
    std::string text = by_rows("long long i = (long long)blockIdx.x");
    text.replace(text.find("2 * x[i]"), 8, "(i >> 25 ? 3 : 2) * x[i]");
    const evidence::LongTensors t = tried(twice, text);
    QVERIFY2(t.outcome == LongOutcome::wrong && t.proved > 0 && t.proved <= 1 << 25,
             evidence::long_tensors_text(t).c_str());
    QCOMPARE(evidence::most_elements(t), std::optional<std::int64_t>(t.proved));
    const evidence::LongTensors loop = tried(line, by_elements("int"));
    QVERIFY2(loop.outcome == LongOutcome::wrong && loop.proved > 1 << 27 && loop.proved <= 1 << 30,
             evidence::long_tensors_text(loop).c_str());
    QCOMPARE(tried(twice, by_rows("int i = (int)blockIdx.x")).proved, std::int64_t{2147483647});
  }
  void theAskedShapeNeedsThem() {
    op::Binding asked;
    asked.symbols = {{"R", 65536}, {"C", 65536}};
    const evidence::Verdict narrow = judged(twice, by_rows("int i = (int)blockIdx.x"), asked);
    QVERIFY2(!narrow.accepted && narrow.failed_stage() == evidence::Stage::cases, narrow.summary().c_str());
    QVERIFY2(narrow.summary().find("the requested sizes exceed those that are right") != std::string::npos,
             narrow.summary().c_str());
    const evidence::Verdict wide = judged(twice, by_rows("long long i = (long long)blockIdx.x"), asked);
    QVERIFY2(wide.accepted, wide.summary().c_str());
    QCOMPARE(wide.proof.long_tensors->outcome, LongOutcome::right);
  }
  void whatIsUnknownIsNoProof() { QCOMPARE(evidence::most_elements({}), std::optional<std::int64_t>(2147483647)); }
};

QTEST_GUILESS_MAIN(LongTensorsTest)
#include "long_tensors_test.moc"
