// SPDX-License-Identifier: Apache-2.0
// Where a spec leaves a function's domain, and where what it says of its inputs settles that.
#include <QtTest>
#include <set>
#include "op/domain_check.h"
#include "op/parse.h"
#include "op/sentence/phrasebook.h"

using namespace ww;
using namespace ww::op;

namespace {

std::string found(const std::string& text) {
  const auto spec = parse_spec(text);
  if (!spec) return spec.error().text();
  std::string out;
  for (const DomainFinding& f : domain_findings(*spec)) out += (out.empty() ? "" : "\n") + finding_text(f);
  return out;
}
// Of y[i] = `value`, from x and n of whole numbers.
std::string of(const std::string& value, const std::string& said_of_x = "", const std::string& dtype = "f32") {
  return found("op f(x: f32[N]" + said_of_x + ", b: f32[N], n: i32[N]; c = 0.5) -> y: " + dtype +
               "[N] default N = 4 { y[i] = " + value + " + 0 * b[i] * n[i] }");
}

}  // namespace

class DomainCheckTest : public QObject {
  Q_OBJECT
 private slots:
  void findings() {
    const std::string positive = "; declare 'x' positive, or give it a range, such as 'in 0.01..1.0'.";
    QCOMPARE(of("log(x[i])"), "log(x[i]) is NaN where x[i] is below 0" + positive);
    QCOMPARE(of("log(x[i])", " in 0..1"), std::string("log(x[i]) is minus infinity where x[i] is 0."));
    QCOMPARE(of("log1p(x[i])"), "log1p(x[i]) is NaN where x[i] is below -1" + positive);
    QCOMPARE(of("sqrt(x[i] + 1)"), "sqrt(x[i] + 1) is NaN where x[i] + 1 is below 0" + positive);
    QCOMPARE(of("rsqrt(x[i] * x[i])"), "rsqrt(x[i] * x[i]) is infinite where x[i] * x[i] is 0" + positive);
    QCOMPARE(of("1 / x[i]"), "1 / x[i] divides by zero where x[i] is 0" + positive);
    QCOMPARE(of("x[i] ^ 0.5"), "x[i]^0.5 is NaN where x[i] is below 0" + positive);
    QCOMPARE(of("1 / (sum(j) x[j])"), "1 / sum(j) x[j] divides by zero where sum(j) x[j] is 0" + positive);
    QCOMPARE(of("log(x[i] - b[i])"), std::string("log(x[i] - b[i]) is NaN where x[i] - b[i] is below 0."));
    QCOMPARE(found("op f(x: f16[N]) -> y: f16[N] { y[i] = exp(x[i]) }"),
             std::string("exp(x[i]) is infinite in f16 where it exceeds 65504."));
  }

  void whatTheSpecSaysSettlesIt() {
    for (const char* value :
         {"log(x[i])", "sqrt(x[i])", "rsqrt(x[i])", "1 / x[i]", "x[i] ^ 0.5", "log(x[i] / (1 + x[i]))",
          "1 / (sum(j) x[j])", "log(max(j) x[j])", "log1p(-1 / (1 + x[i]) + 1)"})
      for (const char* said : {" positive", " in 0.01..4.0"}) QCOMPARE(of(value, said), std::string());
  }

  void harmlessOnes() {
    for (const char* value :
         {"log(1 + exp(x[i]))", "log1p(exp(-abs(x[i])))", "x[i] / (1 + abs(x[i]))", "sqrt(x[i] * x[i] + b[i] ^ 2)",
          "x[i] * rsqrt((sum(j) x[j] ^ 2) / N + 1e-5)", "log(sum(j) exp(x[j] - b[i]))", "x[i] / N", "x[i] ^ 3",
          "x[i] ^ n[i]", "1 / max(x[i], 1e-6)", "if(x[i] > 0, log(x[i]), 0)", "if(x[i] == 0, 0, 1 / x[i])", "x[i] / c",
          "if(0 < x[i] && b[i] >= 1, log(x[i]) / b[i], 0)", "if(!(x[i] <= 0), sqrt(x[i]), 0)",
          "sqrt(1 - tanh(x[i]) ^ 2)"})
      QCOMPARE(of(value), std::string());
    QVERIFY(!of("if(x[i] > 0, 0, log(x[i]))").empty());
    QVERIFY(!of("if(x[i] > 0 || b[i] > 0, log(x[i]), 0)").empty());
  }

  // Temporaries, recurrences and other inputs are looked through.
  void throughEquations() {
    QCOMPARE(found("op f(x: f32[R, C]) -> y: f32[R, C] { e[r, c] = exp(x[r, c]) s[r] = sum(c) e[r, c] "
                   "y[r, c] = log(e[r, c] / s[r]) }"),
             std::string());
    QVERIFY(!found("op f(x: f32[B, T]) -> y: f32[B, T], h: f32[B, T] { h[b, t] = 0.5 * pad(h[b, t - 1], 0) + x[b, t] "
                   "y[b, t] = log(h[b, t]) }")
                 .empty());
  }

  void theLibrarySaysWhatItNeeds() {
    auto library = Library::load(std::filesystem::path(WW_SOURCE_DIR) / "resources/ops");
    QVERIFY(library.has_value());
    // A sum of which a condition keeps some terms, and a largest value less a smallest, may be 0 for all it can tell.
    const std::set<std::string> beyond_it = {"causal_attention", "causal_softmax", "minmax_normalize"};
    std::string all;
    int ops = 0;
    for (const LibraryOp& op : library->ops())
      for (const DomainFinding& f : domain_findings(op.spec))
        if (beyond_it.contains(op.spec.name))
          ++ops;
        else
          all += "\n" + op.spec.name + ": " + finding_text(f);
    QVERIFY2(all.empty(), all.c_str());
    QCOMPARE(ops, 3);
  }
};

QTEST_APPLESS_MAIN(DomainCheckTest)
#include "domain_check_test.moc"
