// SPDX-License-Identifier: Apache-2.0
// Domains of inputs, and rules that their rows keep: positive, sorted, distinct, permutations.
#include <QtTest>
#include <cmath>
#include <set>
#include <vector>
#include "op/filled_inputs.h"
#include "op/inputs.h"
#include "op/parse.h"

using namespace ww;
using namespace ww::op;
using ww::test::filled;

class InputRulesTest : public QObject {
  Q_OBJECT
 private slots:
  void domains() {
    const auto spec = parse_spec(
        "op f(x: f32[N, V] in 0.5..2 * s, t: i32[N] in 0..V, z: f32; s = 1.5) -> y: f32[N] { y[i] = x[i, t[i]] + z }");
    QVERIFY(spec.has_value());
    const Binding binding{{{"N", 4}, {"V", 9}}, {}};
    const auto x = domain_of(*spec, spec->inputs[0], binding), t = domain_of(*spec, spec->inputs[1], binding),
               z = domain_of(*spec, spec->inputs[2], binding);
    QVERIFY(x && x->given && x->lo == 0.5 && x->hi == 3.0);
    QVERIFY(t && t->given && t->lo == 0 && t->hi == 9);
    QVERIFY(z && !z->given);
    QVERIFY(!domain_of(*spec, spec->inputs[1], {{{"N", 4}, {"V", 0}}, {}}));
    QVERIFY(!domain_of(*spec, spec->inputs[0], {}));
  }

  void rules() {
    for (const Distribution d : {Distribution::normal, Distribution::constant, Distribution::zeros, Distribution::rows,
                                 Distribution::few, Distribution::special, Distribution::ramp, Distribution::planted})
      for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::i64, DType::i32, DType::i8,
                                DType::u64, DType::e4m3, DType::e5m2})
        for (int which = 1; which < 8; ++which) {
          Domain domain;
          domain.rules = {(which & 1) != 0, (which & 2) != 0, (which & 4) != 0, false};
          domain.row = 50;
          const std::vector<double> x = filled(d, 1, dtype, domain, {-3, 0, 7});
          const std::string where =
              std::string(distribution_name(d)) + " " + std::string(dtype_name(dtype)) + " " + std::to_string(which);
          for (std::size_t row = 0; row < 64; ++row) {
            const std::vector<double> values(x.begin() + static_cast<std::ptrdiff_t>(50 * row),
                                             x.begin() + static_cast<std::ptrdiff_t>(50 * row + 50));
            if (domain.rules.positive)
              QVERIFY2(std::all_of(values.begin(), values.end(), [](double v) { return v > 0; }), where.c_str());
            if (domain.rules.sorted) QVERIFY2(std::is_sorted(values.begin(), values.end()), where.c_str());
            if (domain.rules.distinct)
              QVERIFY2(std::set<double>(values.begin(), values.end()).size() == 50, where.c_str());
          }
        }
  }

  // Without need nothing changes, and what changes stays in its domain.
  void rulesChangeLittle() {
    Domain domain;
    domain.rules.positive = true;
    domain.row = 50;
    const std::vector<double> x = filled(Distribution::normal, 1, DType::f32),
                              y = filled(Distribution::normal, 1, DType::f32, domain);
    for (std::size_t i = 0; i < x.size(); ++i) QCOMPARE(y[i], std::fabs(x[i]));
    for (const DType dtype : {DType::f32, DType::f16, DType::i32, DType::i8, DType::u8, DType::u64}) {
      Domain narrow{true, 3, 60, {}, 50};
      narrow.rules.distinct = true;
      for (const Distribution d : {Distribution::normal, Distribution::rows, Distribution::few})
        for (const double v : filled(d, 1, dtype, narrow)) QVERIFY(v >= 3 && v < 60);
    }
  }

  void permutations() {
    const auto spec = parse_spec("op f(p: i32[N, M] permutation) -> y: i32[N, M] { y[i, j] = p[i, j] }");
    QVERIFY(spec.has_value());
    const auto domain = domain_of(*spec, spec->inputs[0], {{{"N", 64}, {"M", 50}}, {}});
    QVERIFY(domain && domain->given && domain->lo == 0 && domain->hi == 50 && domain->row == 50);
    std::set<std::vector<double>> different;
    for (const Distribution d : {Distribution::normal, Distribution::rows, Distribution::few}) {
      const std::vector<double> x = filled(d, 0, DType::i32, *domain);
      for (std::size_t row = 0; row < 64; ++row) {
        std::vector<double> values(x.begin() + static_cast<std::ptrdiff_t>(50 * row),
                                   x.begin() + static_cast<std::ptrdiff_t>(50 * row + 50));
        different.insert(values);
        std::sort(values.begin(), values.end());
        for (std::size_t i = 0; i < 50; ++i) QCOMPARE(values[i], static_cast<double>(i));
      }
    }
    QVERIFY(different.size() > 100);
  }

  void rowsThatCannotBeDistinct() {
    const auto spec = parse_spec(
        "op f(i: i32[N] in 0..V distinct, s: i8[M] distinct positive, x: i8[V]) -> y: i64 { y = sum(k) i[k] * s[0] + "
        "x[0] }");
    QVERIFY2(spec.has_value(), spec ? "" : spec.error().text().c_str());
    const auto at = [](std::int64_t n, std::int64_t v, std::int64_t m) {
      return Binding{{{"N", n}, {"V", v}, {"M", m}}, {}};
    };
    QVERIFY(domain_of(*spec, spec->inputs[0], at(9, 9, 1)));
    const auto few = domain_of(*spec, spec->inputs[0], at(10, 9, 1));
    QVERIFY(!few && few.error().text().find("10 distinct values, and there are only 9") != std::string::npos);
    QVERIFY(domain_of(*spec, spec->inputs[1], at(1, 1, 127)));
    QVERIFY(!domain_of(*spec, spec->inputs[1], at(1, 1, 128)));
  }
};

QTEST_APPLESS_MAIN(InputRulesTest)
#include "input_rules_test.moc"
