// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <set>
#include "op/evaluate.h"
#include "op/mutate.h"
#include "op/parse.h"
#include "support/library_ops.h"

using namespace ww;
using namespace ww::op;
using testing::read_spec;

namespace {

bool has(const std::vector<Mutant>& all, Mutation kind, const std::string& before, const std::string& after) {
  return std::ranges::any_of(all,
                             [&](const Mutant& m) { return m.kind == kind && m.before == before && m.after == after; });
}

}  // namespace

class MutateTest : public QObject {
  Q_OBJECT

 private slots:
  void eachKindIsMade() {
    const Spec spec = read_spec(
        "op f(x: f32[R, C], g: f32[C]; eps = 0.5) -> y: f32[R, C], n: f32[R]\n  default R = 3, C = 5\n{\n"
        "  n[r] = sum(c : x[r, c] > 0) x[r, c] / C\n  y[r, c] = exp(x[r, c] - n[r]) + eps * g[c]\n}\n");
    const std::vector<Mutant> all = mutants_of(spec);
    QVERIFY(has(all, Mutation::dropped, "x[r, c] - n[r]", "x[r, c]"));
    QVERIFY(has(all, Mutation::dropped, "exp(x[r, c] - n[r])", "x[r, c] - n[r]"));
    QVERIFY(has(all, Mutation::replaced, "x[r, c] > 0", "x[r, c] >= 0"));
    QVERIFY(has(all, Mutation::swapped, "x[r, c] - n[r]", "n[r] - x[r, c]"));
    QVERIFY(has(all, Mutation::swapped, "x[r, c]", "x[c, r]"));
    QVERIFY(has(all, Mutation::moved, "C", "C - 1") || has(all, Mutation::moved, "C", "C + -1"));
    QVERIFY(has(all, Mutation::first_only, "g[c]", "g[0]"));
    QVERIFY(std::ranges::any_of(all, [](const Mutant& m) { return m.kind == Mutation::cut; }));
    QVERIFY(
        std::ranges::any_of(all, [](const Mutant& m) { return m.kind == Mutation::expected && m.after == "0.0"; }) ||
        std::ranges::any_of(all, [](const Mutant& m) { return m.kind == Mutation::expected; }));
    QVERIFY(has(all, Mutation::replaced, "eps", "0.5"));  // a kernel that ignores the argument
    std::set<std::string> targets;
    for (const Mutant& m : all) targets.insert(m.target);
    QCOMPARE(targets.size(), std::size_t{2});
  }
  void theyKeepTheirSignature() {
    for (const char* name : {"softmax", "conv2d", "matmul", "cumsum", "histogram"}) {
      const Spec spec = testing::library_op(name);
      for (const Mutant& m : mutants_of(spec)) {
        QVERIFY(m.before != m.after);
        QCOMPARE(m.spec.inputs.size(), spec.inputs.size());
        QCOMPARE(m.spec.outputs.size(), spec.outputs.size());
        QVERIFY(find_equation(m.spec, m.target) != nullptr);
      }
    }
  }
  void manyAreSpread() {
    const Spec spec = testing::library_op("softmax");
    const std::size_t all = mutants_of(spec).size();
    QVERIFY(all > 20);
    const std::vector<Mutant> some = mutants_of(spec, 7);
    QCOMPARE(some.size(), std::size_t{7});
    QCOMPARE(some.back().target, std::string("y"));
  }
};

QTEST_APPLESS_MAIN(MutateTest)
#include "mutate_test.moc"
