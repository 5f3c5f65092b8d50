// SPDX-License-Identifier: Apache-2.0
// How a spec treats NaN, by its word.
#include <QtTest>
#include <cmath>
#include <cstring>
#include <limits>
#include "op/evaluate.h"
#include "op/naive.h"
#include "op/nan_rule.h"
#include "op/parse.h"
#include "op/sentence/phrasebook.h"
#include "support/library_ops.h"
#include "support/text_rows.h"

using namespace ww;
using namespace ww::op;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

Spec spec_of(const std::string& word, const std::string& output, const std::string& value) {
  const std::string line = word.empty() ? "" : "//@ nan: " + word + "\n";
  return parse_spec(line + "op f(x: f32[R, C]) -> " + output + "\n  default R = 2, C = 3\n{\n  " + value + "\n}\n")
      .value();
}

ReferenceTensor evaluated(const Spec& spec, const std::vector<float>& x) {
  HostTensor t{DType::f32, {2, 3}, std::vector<std::byte>(x.size() * sizeof(float))};
  std::memcpy(t.bytes.data(), x.data(), t.bytes.size());
  const auto r = evaluate(spec, {}, {{"x", t}});
  if (!r) qFatal("%s", r.error().text().c_str());
  return r->begin()->second;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

class NanTest : public QObject {
  Q_OBJECT
  const std::vector<float> x_ = {1, std::nanf(""), 3, std::nanf(""), std::nanf(""), std::nanf("")};

 private slots:
  void theWordIsReadAndPrinted() {
    QCOMPARE(nan_rule_of(spec_of("", "y: f32[R]", "y[r] = max(c) x[r, c]")), NanRule::unsaid);
    const Spec spec = spec_of("ignore", "y: f32[R]", "y[r] = max(c) x[r, c]");
    QCOMPARE(nan_rule_of(spec), NanRule::ignore);
    QCOMPARE(nan_rule_of(parse_spec(print(spec)).value()), NanRule::ignore);
    QCOMPARE(nan_rule_of(plain(spec)), NanRule::ignore);
  }
  void otherWordsAreRefused_data() {
    support::text_rows({"lines", "said"},
                       {{"unknown", "//@ nan: never\n", "'never' does not say how NaN is treated"},
                        {"what nobody writes", "//@ nan: unsaid\n", "'unsaid' does not say how NaN is treated"},
                        {"twice", "//@ nan: any\n//@ nan: ignore\n", "how NaN is treated is said twice"}});
  }
  void otherWordsAreRefused() {
    QFETCH(QString, lines);
    QFETCH(QString, said);
    const ParseOutcome outcome = parse(lines.toStdString() + "op f(x: f32[N]) -> y: f32[N]\n{\n  y[i] = x[i]\n}\n");
    QVERIFY(!outcome);
    QCOMPARE(outcome.diagnostics.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(outcome.diagnostics[0].message), said);
  }
  void largestOfARow() {
    const std::string y = "y: f32[R]", max = "y[r] = max(c) x[r, c]";
    for (const char* word : {"", "propagate"}) {
      const ReferenceTensor r = evaluated(spec_of(word, y, max), x_);
      QVERIFY(std::isnan(r.value[0]) && std::isfinite(r.bound[0]));
    }
    const ReferenceTensor ignoring = evaluated(spec_of("ignore", y, max), x_);
    QCOMPARE(ignoring.value[0], 3.0);
    QVERIFY(std::isfinite(ignoring.bound[0]));
    QCOMPARE(ignoring.bound[1], infinity);  // of NaN alone: minus infinity or NaN, as kernels begin
    const ReferenceTensor any = evaluated(spec_of("any", y, max), x_);
    QCOMPARE(any.bound[0], infinity);
  }
  void largestUpToHere() {
    const ReferenceTensor r = evaluated(spec_of("ignore", "y: f32[R, C]", "y[r, c] = max(j in 0..c+1) x[r, j]"), x_);
    QVERIFY(same(r.value[0], 1) && same(r.value[1], 1) && same(r.value[2], 3));
  }
  void operandsOfMaxMinAndClamp() {
    const auto first_row = [&](const std::string& word, const std::string& value) {
      return evaluated(spec_of(word, "y: f32[R, C]", "y[r, c] = " + value), x_).value;
    };
    QVERIFY(same(first_row("propagate", "max(x[r, c], 2)")[1], not_a_number));
    QVERIFY(same(first_row("ignore", "max(x[r, c], 2)")[1], 2));
    QVERIFY(same(first_row("ignore", "min(x[r, c], 2)")[1], 2));
    QVERIFY(same(first_row("ignore", "clamp(x[r, c], -1, 2)")[1], -1));
    QVERIFY(same(first_row("", "clamp(x[r, c], -1, 2)")[1], not_a_number));
    QVERIFY(same(first_row("ignore", "x[r, c] + 1")[1], not_a_number));  // of arithmetic it says nothing
  }
  void placeOfTheLargest() {
    const std::string y = "y: i64[R]", argmax = "y[r] = argmax(c) x[r, c]";
    QCOMPARE(evaluated(spec_of("propagate", y, argmax), x_).integer[0], std::int64_t{1});
    const ReferenceTensor r = evaluated(spec_of("ignore", y, argmax), x_);
    QVERIFY(!r.bound.empty());
    QCOMPARE(r.bound[0], infinity);
  }

  // 1 + erf(-6) is 2e-17: it rounds to zero in f32, and zero times an infinity is NaN.
  void anInfinityTimesWhatMayRoundToZeroIsUnsure() {
    const Spec s = testing::read_spec(
        "op f(x: f32[N], w: f32[N]) -> a: f32[N], b: f32[N], c: f32[1], d: f32[N] { t[i] = 1 + erf(x[i]) "
        "a[i] = t[i] * w[i] b[i] = w[i] / t[i] c[j] = prod(i) (if(i < 2, t[i] * w[i]^2, 1.0)) d[i] = w[i] * t[i] }");
    const auto r = evaluate(s, {{{"N", 3}}, {}},
                            {{"x", test::tensor(DType::f32, {3}, {-6, 1, -6})},
                             {"w", test::tensor(DType::f32, {3}, {-infinity, -infinity, 3})}});
    QVERIFY(r.has_value());
    for (const char* name : {"a", "b", "d"}) {
      QVERIFY2(std::isinf(r->at(name).bound[0]), name);
      QCOMPARE(r->at(name).value[1], -infinity);
      QCOMPARE(r->at(name).bound[1], 0.0);
    }
    QVERIFY(std::isinf(r->at("c").bound[0]));
    QVERIFY(r->at("a").bound[2] < 1e-5);
  }
};

QTEST_APPLESS_MAIN(NanTest)
#include "nan_test.moc"
