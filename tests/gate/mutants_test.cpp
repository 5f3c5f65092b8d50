// SPDX-License-Identifier: Apache-2.0
// Which mutants of a spec the gate's inputs tell apart. WW_MUTANTS_ALL=1: of every op of the library, with a line each.
#include <QtTest>
#include <algorithm>
#include "gate/cases.h"
#include "gate/distributions.h"
#include "gate/mutants.h"
#include "op/parse.h"
#include "support/library_ops.h"

using namespace ww;
using namespace ww::gate;
using testing::read_spec;

namespace {

// As a judgement on the SIMT machine runs them.
std::vector<TriedCase> tried_cases(const op::Spec& spec) {
  std::vector<TriedCase> out;
  const auto all = distributions_for(spec, true);
  const auto cases = derive_cases(spec, {}, {0, 2e6, {}});
  if (!cases) return out;
  int ordinal = 0;
  for (const Case& c : *cases) {
    const int sets = is_secondary(c) ? 2 : 5;
    TriedCase tried{c, {}};
    for (int i = 0; i < sets; ++i) tried.sets.push_back(distribution_for(all, ordinal, i, sets));
    ++ordinal;
    out.push_back(std::move(tried));
  }
  return out;
}

Result<ToldApart> told(const op::Spec& spec) {
  return tell_apart(spec, tried_cases(spec), [](const Case&) { return true; });
}

bool survives(const ToldApart& t, const std::string& before, const std::string& after) {
  return std::ranges::any_of(t.counts.survivors,
                             [&](const evidence::Survivor& s) { return s.before == before && s.after == after; });
}

}  // namespace

class MutantsTest : public QObject {
  Q_OBJECT

 private slots:
  void whatMeansTheSameSurvives() {
    const op::Spec spec =
        read_spec("op f(x: f32[N]) -> y: f32[N]\n  default N = 64\n{\n  y[i] = if(x[i] > 0, x[i], 0)\n}\n");
    const auto t = told(spec);
    QVERIFY2(t.has_value(), t ? "" : t.error().text().c_str());
    QVERIFY(survives(*t, "x[i] > 0", "x[i] >= 0"));
    QVERIFY(!survives(*t, "if(x[i] > 0, x[i], 0)", "x[i]"));
    QCOMPARE(t->counts.all, t->counts.told_apart + t->counts.equal + t->counts.within_bound + t->counts.undefined);
    QCOMPARE(t->counts.not_tried, 0);
    QVERIFY(t->counts.within_bound <= 1);
  }
  // A mutant is equal only if all inputs were tried on it.
  void whatIsTooMuchWorkIsNotTried() {
    const op::Spec spec = testing::library_op("softmax");
    const auto within = [&](double work) {
      const auto t = tell_apart(
          spec, tried_cases(spec), [](const Case&) { return true; }, {}, work);
      if (!t) qFatal("%s", t.error().text().c_str());
      return t->counts;
    };
    const evidence::MutantCounts none = within(0), few = within(3e5), usual = within(most_mutant_work);
    QVERIFY(none.all > 40 && none.all == usual.all);
    QCOMPARE(none.not_tried, none.all);
    QVERIFY(few.not_tried > 0 && few.equal == 0 && few.told_apart > 0);
    QCOMPARE(few.all, few.told_apart + few.within_bound + few.undefined + few.not_tried);
    QVERIFY(evidence::mutants_text(few).find(std::to_string(few.not_tried) + " not tried on all inputs") !=
            std::string::npos);
    QVERIFY(evidence::survivor_text(few.survivors.back()).find("too much work") != std::string::npos);
    // Those beyond the list are counted.
    QCOMPARE(none.survivors.size(), evidence::most_survivors);
    QCOMPARE(none.unlisted(), none.all - static_cast<int>(evidence::most_survivors));
    const std::vector<std::string> texts = evidence::mutant_texts(none);
    QCOMPARE(texts.size(), evidence::most_survivors + 2);
    QCOMPARE(texts.back(), std::to_string(none.unlisted()) + " more survive that are not listed");
    QCOMPARE(usual.unlisted(), usual.undefined);
  }
  // The smallest differences that have been let pass: constants, rows of zeros, tiny values.
  void whatOnlyRareInputsShowIsToldApart() {
    for (const char* value :
         {"x[i] / (abs(x[i]) + eps)", "if(abs(x[i]) < 1e-6, 0, x[i])", "x[i] * eps", "sqrt(x[i] * x[i] + eps)"}) {
      const op::Spec spec = read_spec(
          "op f(x: f32[N]; eps = 1e-5) -> y: f32[N]\n  default N = 64\n{\n  y[i] = " + std::string(value) + "\n}\n");
      const auto t = told(spec);
      QVERIFY(t.has_value());
      for (const evidence::Survivor& s : t->counts.survivors)
        QVERIFY2(s.why == evidence::Survival::equal, evidence::survivor_text(s).c_str());
    }
  }
  void theCacheKnowsTheLastOps() {
    MutantCache cache;
    const op::Spec spec = testing::library_op("softmax");
    const std::vector<TriedCase> cases = tried_cases(spec);
    const auto claimed = [](const Case&) { return true; };
    const auto first = cache.get(spec, cases, claimed);
    QVERIFY(first.has_value());
    std::stop_source stopped;
    stopped.request_stop();
    const auto again = cache.get(spec, cases, claimed, stopped.get_token());
    QVERIFY(again && again->counts == first->counts);
    QCOMPARE(cache.get(testing::library_op("relu"), cases, claimed, stopped.get_token()).error().code, Code::cancelled);
  }
  // Of the mutants that differ somewhere, at least 98 of 100 are told apart.
  void library() {
    const bool all = qEnvironmentVariableIntValue("WW_MUTANTS_ALL") != 0;
    evidence::MutantCounts sum;
    std::size_t number = 0, ops = 0;
    for (const auto& file : testing::library()) {
      if (!all && number++ % 12 != 0) continue;
      const op::Spec spec = read_spec(read_file(file).value());
      const std::vector<TriedCase> cases = tried_cases(spec);
      QElapsedTimer timer;
      timer.start();
      const auto t = tell_apart(spec, cases, [](const Case&) { return true; });
      if (!t) qFatal("%s: %s", spec.name.c_str(), t.error().text().c_str());
      const evidence::MutantCounts& c = t->counts;
      sum.all += c.all, sum.told_apart += c.told_apart, sum.equal += c.equal, sum.undefined += c.undefined;
      sum.within_bound += c.within_bound, sum.not_tried += c.not_tried;
      ++ops;
      if (!all) continue;
      qInfo("%s: %s, %zu further sets, %lld ms", spec.name.c_str(), evidence::mutants_text(c).c_str(),
            t->further.size(), static_cast<long long>(timer.elapsed()));
      for (const evidence::Survivor& s : c.survivors) qInfo("  %s", evidence::survivor_text(s).c_str());
    }
    qInfo("%zu ops: %s", ops, evidence::mutants_text(sum).c_str());
    QVERIFY(sum.told_apart >= 0.98 * (sum.told_apart + sum.within_bound));
  }
};

QTEST_APPLESS_MAIN(MutantsTest)
#include "mutants_test.moc"
