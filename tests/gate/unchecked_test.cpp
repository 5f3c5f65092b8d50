// SPDX-License-Identifier: Apache-2.0
// Elements without a finite error bound: how many of them are let pass, and what is said of them.
#include <QtTest>
#include "evidence/describe.h"
#include "evidence/explain.h"
#include "gate/distributions.h"
#include "gate/gate.h"
#include "gate/limits.h"
#include "support/library_ops.h"
#include "support/simt_judge.h"

using namespace ww;
using namespace ww::gate;

namespace {

// y is x / 2, w is 1 wherever the two factors of `value` are finite in f32.
std::string spec_of(const std::string& value, const std::string& domain = "") {
  return "op part(x: f32[N]" + domain +
         ") -> y: f32[N], w: f32[N]\n  default N = 500\n{\n  y[i] = 0.5 * x[i]\n  w[i] = " + value + "\n}\n";
}

std::string kernel(const std::string& w) {
  return "//@ candidate part\n//@ launch k grid(ceildiv(N, 64)) block(64) args(x, y, w, N)\n"
         "extern \"C\" __global__ void k(const float* x, float* y, float* w, int n) {\n"
         "  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i >= n) return;\n  y[i] = 0.5f * x[i];\n  w[i] = " +
         w + ";\n}\n";
}

}  // namespace

class UncheckedTest : public QObject, testing::WithSimtGate {
  Q_OBJECT

  Verdict judged(const std::string& spec, const std::string& candidate) {
    return verdict_of({.spec = spec, .candidate = candidate, .secret = "5eed5eed5eed5eed"});
  }

 private slots:
  void anOutputOfWhichTooLittleIsKnownIsNotJudged() {
    const Verdict v = judged(spec_of("exp(200 + abs(x[i])) / exp(200 + abs(x[i]))"),
                             kernel("x[i] - x[i] == 0 ? 7 : __int_as_float(0x7fffffff)"));
    QVERIFY2(v.ruling() == Ruling::not_judged, failure_text(v).c_str());
    QCOMPARE(v.last_fault(), FaultKind::unbounded_error);
    QCOMPARE(v.last_stage()->failure->fault->buffer, std::string("w"));
    QVERIFY2(v.summary().find("elements of w have no finite error bound") != std::string::npos, v.summary().c_str());
    QVERIFY(!remedy_of(v).sentence.empty());
    QCOMPARE(v.proof.unchecked.size(), std::size_t{1});
    QCOMPARE(v.proof.unchecked[0].tensor, std::string("w"));
    QVERIFY(static_cast<double>(v.proof.unchecked[0].count) >
            most_unchecked * static_cast<double>(v.proof.unchecked[0].total));
    QVERIFY(!v.proof.elements);
  }
  void aFewAreLetPassAndCounted() {
    const Verdict v = judged(spec_of("exp(x[i]) * exp(-x[i])"), kernel("expf(x[i]) * expf(-x[i])"));
    QVERIFY2(v.accepted, failure_text(v).c_str());
    QCOMPARE(v.proof.unchecked.size(), std::size_t{1});
    const Unchecked& w = v.proof.unchecked[0];
    QVERIFY(w.count > 0 && !w.where.empty());
    std::int64_t listed = 0;
    for (const UncheckedIn& in : w.where) {
      QVERIFY(in.count > 0 && in.count <= in.total && !in.case_name.empty());
      listed += in.count;
    }
    QVERIFY(w.unlisted > 0 ? listed < w.count : listed == w.count);
    QVERIFY(w.where.front().distribution != op::Distribution::uniform);  // none of its products overflows
    QVERIFY2(unchecked_text(w).find("by case: " + w.where.front().case_name + " with ") != std::string::npos,
             unchecked_text(w).c_str());
    QVERIFY(static_cast<double>(v.proof.unchecked[0].count) <
            most_unchecked * static_cast<double>(v.proof.unchecked[0].total));
  }
  void aCaseThatIsUncheckedWholeIsNamed() {
    const Verdict v = judged(spec_of("if(N > 20000, exp(200 + abs(x[i])) / exp(200 + abs(x[i])), x[i])"),
                             kernel("n > 20000 ? 7 : x[i]"));
    QVERIFY2(v.accepted, failure_text(v).c_str());
    QCOMPARE(v.proof.unchecked.size(), std::size_t{1});
    const Unchecked& w = v.proof.unchecked[0];
    QVERIFY(!w.whole_cases.empty());
    for (const CaseCoverage& c : v.coverage)
      QCOMPARE(std::ranges::count(w.whole_cases, c.case_name) > 0, c.seeds > 0 && c.binding.symbols.at("N") > 20000);
    QVERIFY2(unchecked_text(w).find("no element is checked in the case") != std::string::npos,
             unchecked_text(w).c_str());
  }
  // Also those of quick cases, which the coverage leaves out.
  void theSizesOfAllRunsAreTold() {
    const Verdict v = judged(spec_of("3 * x[i]"), kernel("3 * x[i]"));
    QVERIFY2(v.accepted && v.proof.tried, failure_text(v).c_str());
    const Tried& t = *v.proof.tried;
    QVERIFY2(t.unlisted >= 8 && t.shapes > t.unlisted, tried_text(t).c_str());
    QCOMPARE(t.sizes.size(), std::size_t{1});
    const TriedSizes& n = t.sizes[0];
    QCOMPARE(n.symbol, std::string("N"));
    QVERIFY2(n.different >= 16 && n.different <= t.shapes, tried_text(t).c_str());
    for (const CaseCoverage& c : v.coverage)
      if (c.seeds > 0) QVERIFY(n.least <= c.binding.symbols.at("N") && c.binding.symbols.at("N") <= n.most);
    QVERIFY2(tried_text(t).find("N from " + std::to_string(n.least) + " to " + std::to_string(n.most)) !=
                 std::string::npos,
             tried_text(t).c_str());
  }
  void aDomainLeavesNone() {
    const Verdict v = judged(spec_of("exp(x[i]) * exp(-x[i])", " in -10..10"), kernel("expf(x[i]) * expf(-x[i])"));
    QVERIFY2(v.accepted, failure_text(v).c_str());
    QVERIFY(v.proof.unchecked.empty());
  }
  // The small cases of the library, with every distribution once.
  void noOpOfTheLibraryIsLeftUnjudged() {
    const bool all = qEnvironmentVariableIntValue("WW_MUTANTS_ALL") != 0;
    std::size_t number = 0;
    double largest = 0;
    for (const auto& file : testing::library()) {
      if (!all && number++ % 12 != 0) continue;
      const op::Spec spec = testing::read_spec(read_file(file).value());
      CaseOptions options;
      options.case_limit = 2e4;
      const auto cases = derive_cases(spec, {}, options);
      if (!cases) qFatal("%s", cases.error().text().c_str());
      std::map<std::string, std::pair<double, double>> counts;  // unchecked, all
      for (std::size_t i = 1; i < std::min<std::size_t>(cases->size(), 8); ++i)
        for (const op::Distribution d : distributions_for(spec, true)) {
          const auto reference = references_.get(spec, {(*cases)[i].binding, d, i});
          if (!reference) continue;  // undefined for these inputs
          for (const auto& [name, t] : (*reference)->outputs) {
            for (const double bound : t.bound) counts[name].first += !std::isfinite(bound);
            counts[name].second += static_cast<double>(op::element_count(t.shape));
          }
        }
      for (const auto& [name, count] : counts) {
        const double share = count.first / count.second;
        largest = std::max(largest, share);
        if (share > 0.2) qInfo("%s %s: %.3f", spec.name.c_str(), name.c_str(), share);
        QVERIFY2(share <= most_unchecked, (spec.name + " " + name).c_str());
      }
    }
    qInfo("the largest share is %.3f", largest);
  }
};

QTEST_GUILESS_MAIN(UncheckedTest)
#include "unchecked_test.moc"
