// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <set>
#include "base/files.h"
#include "gate/cases.h"
#include "gate/reference.h"
#include "op/evaluate.h"
#include "op/parse.h"
#include "op/phrasebook.h"

using namespace ww;
using namespace ww::gate;

class CasesTest : public QObject {
  Q_OBJECT
  static op::Spec spec_of(const std::string& text) {
    auto s = op::parse_spec(text);
    if (!s) qFatal("%s", s.error().text().c_str());
    return *s;
  }
  static const Case* find(const std::vector<Case>& all, const std::string& name) {
    for (const Case& c : all)
      if (c.name == name) return &c;
    return nullptr;
  }
  // What must hold for every op.
  static void check(const op::Spec& spec, const std::vector<Case>& cases, double limit) {
    QCOMPARE(cases.at(0).name, std::string("default"));
    std::set<std::string> names;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      QVERIFY2(names.insert(cases[i].name).second, cases[i].name.c_str());
      for (std::size_t j = 0; j < i; ++j) QVERIFY2(!(cases[i].binding == cases[j].binding), cases[i].name.c_str());
      QCOMPARE(cases[i].binding.symbols.size(), spec.symbols.size());
      if (i == 0) continue;
      const auto work = case_work(spec, cases[i].binding);
      QVERIFY(work.has_value());
      QVERIFY2(*work <= limit, (cases[i].name + " " + std::to_string(*work)).c_str());
      const auto inputs = make_inputs(spec, {cases[i].binding, op::Distribution::normal, 3});
      QVERIFY(inputs.has_value());
      const auto out = op::evaluate(spec, cases[i].binding, *inputs);
      QVERIFY2(out.has_value(), out ? "" : out.error().text().c_str());
    }
  }

 private slots:
  void oneSymbol() {
    const op::Spec spec = spec_of("op scale(x: f32[N]) -> y: f32[N]\n  default N = 1048576\n{\n  y[i] = 2 * x[i]\n}\n");
    const auto cases = derive_cases(spec, {}, {0, 2e5, {}});
    QVERIFY2(cases.has_value(), cases ? "" : cases.error().text().c_str());
    check(spec, *cases, 2e5);
    QVERIFY(cases->size() >= 10);
    QCOMPARE(find(*cases, "default")->binding.symbols.at("N"), std::int64_t{1048576});
    QCOMPARE(find(*cases, "ones")->binding.symbols.at("N"), std::int64_t{1});
    QVERIFY(find(*cases, "odd")->binding.symbols.at("N") % 2 == 1);
    QVERIFY(find(*cases, "ragged")->binding.symbols.at("N") % 4 != 0);
    QVERIFY(find(*cases, "warps")->binding.symbols.at("N") % 32 == 0);
    QVERIFY(find(*cases, "blocks")->binding.symbols.at("N") % 128 == 0);
    const auto claimed = [&](std::int64_t m) {
      return std::count_if(cases->begin(), cases->end(),
                           [&](const Case& c) { return c.binding.symbols.at("N") % m == 0; });
    };
    for (const std::int64_t m : {2, 4, 32, 128, 256, 1024, 4096}) QVERIFY2(claimed(m) >= 3, std::to_string(m).c_str());
  }
  void overridesAreTheDefault() {
    const op::Spec spec =
        spec_of("op scale(x: f32[N]; a = 1) -> y: f32[N]\n  default N = 1048576\n{\n  y[i] = a * x[i]\n}\n");
    op::Binding b;
    b.symbols["N"] = 96;
    b.constants["a"] = 3;
    const auto cases = derive_cases(spec, b);
    QCOMPARE(cases->at(0).binding, b);
    for (const Case& c : *cases) QCOMPARE(c.binding.constants.at("a"), 3.0);
  }
  void twoSymbols() {
    const op::Spec spec =
        spec_of("op rowsum(x: f32[R, C]) -> y: f32[R]\n  default R = 4096, C = 1024\n{\n  y[r] = sum(c) x[r, c]\n}\n");
    const auto cases = derive_cases(spec, {}, {0, 1e5, {}});
    check(spec, *cases, 1e5);
    QVERIFY(cases->size() >= 12);
    const auto& tall = find(*cases, "tall")->binding.symbols;
    const auto& wide = find(*cases, "wide")->binding.symbols;
    QVERIFY(tall.at("R") > 1000 && tall.at("C") < 8);
    QVERIFY(wide.at("C") > 1000 && wide.at("R") < 8);
    int full_rows = 0;  // a candidate that insists on the default's row length still has others to prove itself on
    for (const Case& c : *cases) full_rows += c.binding.symbols.at("C") == 1024;
    QVERIFY(full_rows >= 2);
  }
  void symbolsThatMustDivideEachOther() {
    // Each of H query heads reads key head h / (H / G): only sound when G divides H.
    const op::Spec spec = spec_of(
        "op grouped(q: f32[H, D], k: f32[G, D]) -> y: f32[H]\n  default H = 32, G = 8, D = 64\n{\n  y[h] = sum(d) q[h, "
        "d] * k[h / (H / G), d]\n}\n");
    const auto cases = derive_cases(spec, {}, {0, 1e5, {}});
    QVERIFY2(cases.has_value(), cases ? "" : cases.error().text().c_str());
    check(spec, *cases, 1e5);
    QVERIFY2(cases->size() >= 6, std::to_string(cases->size()).c_str());
  }
  void windowsKeepTheirSize() {
    const op::Spec spec = spec_of(
        "op conv(x: f32[N + K - 1], w: f32[K]) -> y: f32[N]\n  default N = 65536, K = 5\n{\n  y[i] = sum(k) x[i + k] * "
        "w[k]\n}\n");
    const auto cases = derive_cases(spec, {}, {0, 1e5, {}});
    QVERIFY2(cases.has_value(), cases ? "" : cases.error().text().c_str());
    check(spec, *cases, 1e5);
    QVERIFY(cases->size() >= 8);
  }
  void shapesThatCanBeEmptyAreLeftOut() {
    const op::Spec spec = spec_of(
        "op valid(x: f32[N], w: f32[K]) -> y: f32[N - K + 1]\n  default N = 1024, K = 7\n{\n  y[i] = sum(k) x[i + k] * "
        "w[k]\n}\n");
    const auto cases = derive_cases(spec, {}, {0, 1e5, {}});
    QVERIFY2(cases.has_value(), cases ? "" : cases.error().text().c_str());
    check(spec, *cases, 1e5);
    for (const Case& c : *cases) QVERIFY(c.binding.symbols.at("N") >= c.binding.symbols.at("K"));
    QVERIFY(cases->size() >= 6);
  }
  void noSymbolsIsOneCase() {
    const op::Spec spec = spec_of("op fixed(x: f32[64]) -> y: f32[64]\n{\n  y[i] = x[i] + 1\n}\n");
    const auto cases = derive_cases(spec, {});
    QVERIFY2(cases.has_value(), cases ? "" : cases.error().text().c_str());
    QCOMPARE(cases->size(), std::size_t{1});
  }
  void manySymbols() {
    const op::Spec spec = spec_of(
        "op bmm(a: f32[B, M, K], b: f32[B, K, N]) -> y: f32[B, M, N]\n  default B = 16, M = 512, K = 512, N = 512\n{\n"
        "  y[b0, m, n] = sum(k) a[b0, m, k] * b[b0, k, n]\n}\n");
    const auto cases = derive_cases(spec, {}, {6e7, 2e5, {}});
    QVERIFY2(cases.has_value(), cases ? "" : cases.error().text().c_str());
    QCOMPARE(cases->at(1).name, std::string("reduced"));
    QVERIFY(*case_work(spec, cases->at(1).binding) <= 6e7);
    QVERIFY(*case_work(spec, cases->at(1).binding) > 1e7);
    QVERIFY(cases->size() >= 10);
  }
  void anUnfitDefaultIsAnError() {
    const op::Spec spec = spec_of("op scale(x: f32[N]) -> y: f32[N]\n{\n  y[i] = 2 * x[i]\n}\n");
    QVERIFY(!derive_cases(spec, {}));  // N has no value
    op::Binding b;
    b.symbols["M"] = 3;
    b.symbols["N"] = 3;
    QVERIFY(!derive_cases(spec, b));
    b.symbols.erase("M");
    b.symbols["N"] = -3;
    QVERIFY(!derive_cases(spec, b));
  }
  void distributionsRotate() {
    std::set<op::Distribution> seen;
    for (int c = 0; c < 6; ++c)
      for (int s = 0; s < 5; ++s) seen.insert(distribution_for(c, s));
    QCOMPARE(seen.size(), std::size_t{6});
    for (int c = 0; c < 9; ++c) QCOMPARE(distribution_for(c, 1), op::Distribution::large);
  }
  void everyOpOfTheLibraryHasSixCases() {
    const auto library = op::Library::load(resources_dir() / "ops");
    QVERIFY2(library, library ? "" : library.error().text().c_str());
    QVERIFY(!library->ops().empty());
    for (const op::LibraryOp& o : library->ops()) {
      const auto cases = derive_cases(o.spec, {}, {6e7, 2e5, {}});
      QVERIFY2(cases.has_value(), (o.spec.name + (cases ? "" : ": " + cases.error().text())).c_str());
      QVERIFY2(cases->size() >= 6 || o.spec.symbols.empty(),
               (o.spec.name + ": " + std::to_string(cases->size())).c_str());
    }
  }
};

QTEST_GUILESS_MAIN(CasesTest)
#include "cases_test.moc"
