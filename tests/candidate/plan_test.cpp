// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include "candidate/candidate.h"
#include "op/walk.h"
#include "support/text_rows.h"

using namespace ww;
using namespace ww::candidate;

namespace {

const char* spec_text =
    "op scale(x: f32[R, C]; eps = 1e-5, n = 3) -> y: f32[R, C]\n  default R = 6, C = 8\n{\n  y[r, c] = x[r, c] * eps + "
    "n\n}\n";

}  // namespace

class PlanTest : public QObject {
  Q_OBJECT
  op::Spec spec_;

  Result<Candidate> with(const std::string& directives) {
    return parse("//@ candidate scale\n" + directives +
                     "\nextern \"C\" __global__ void k(float* x) {}\nextern \"C\" __global__ void m(float* x) {}\n",
                 Language::cuda);
  }
  Result<Plan> planned(const std::string& directives, const op::Binding& binding = {}) {
    const auto c = with(directives);
    if (!c) return fail(c.error());
    return plan(*c, spec_, binding, first_tuning(*c));
  }
  Status checked(const std::string& directives) {
    const auto c = with(directives);
    if (!c) return fail(Code::internal, c.error().text());
    return check_contract(*c, spec_);
  }

 private slots:
  void initTestCase() {
    auto s = op::parse_spec(spec_text);
    QVERIFY2(s.has_value(), s ? "" : s.error().text().c_str());
    spec_ = std::move(*s);
  }

  void numbersComeFromSymbolsConstantsAndTuning() {
    const auto p = planned(
        "//@ tune BB = 32 | 64\n//@ temp t: f16[R, C + n]\n//@ temp one: i64\n//@ zero t\n//@ zero y\n"
        "//@ launch k grid(ceildiv(R * C, BB), n) block(BB, 2) shared(BB * 4) cooperative carveout(BB * 2) args(x, t, "
        "y, R, eps, n, R * 2 - 1)\n"
        "//@ launch m grid(1) block(1) args(y)",
        {{{"R", 100}}, {}});
    QVERIFY2(p.has_value(), p ? "" : p.error().text().c_str());
    QCOMPARE(p->temps.size(), std::size_t{2});
    QVERIFY(p->temps[0].name == "t" && p->temps[0].dtype == DType::f16 && p->temps[0].count == 100 * 11 &&
            p->temps[0].zeroed);
    QVERIFY(p->temps[1].count == 1 && !p->temps[1].zeroed);
    QCOMPARE(p->zeroed_outputs, std::vector<std::string>{"y"});
    QCOMPARE(p->launches.size(), std::size_t{2});
    const PlannedLaunch& l = p->launches[0];
    QCOMPARE(l.grid, (std::array<std::uint32_t, 3>{25, 3, 1}));
    QCOMPARE(l.block, (std::array<std::uint32_t, 3>{32, 2, 1}));
    QCOMPARE(l.shared_bytes, std::uint64_t{128});
    QVERIFY(l.cooperative);
    QCOMPARE(l.carveout, 64);
    QCOMPARE(p->launches[1].carveout, -1);
    QCOMPARE(l.args.size(), std::size_t{7});
    QVERIFY(l.args[0].kind == PlannedArg::Kind::tensor && l.args[0].tensor == "x");
    QVERIFY(l.args[1].kind == PlannedArg::Kind::tensor && l.args[1].tensor == "t");
    QVERIFY(l.args[3].kind == PlannedArg::Kind::integer && l.args[3].integer == 100);
    QVERIFY(l.args[4].kind == PlannedArg::Kind::real && l.args[4].real == 1e-5);
    QVERIFY(l.args[5].kind == PlannedArg::Kind::integer && l.args[5].integer == 3 && l.args[5].real == 3.0);
    QVERIFY(l.args[6].integer == 199);
  }
  void bindingOverridesConstants() {
    const auto p = planned("//@ launch k grid(n) block(1) args(x, y, eps)", {{}, {{"n", 7}, {"eps", 0.5}}});
    QVERIFY2(p.has_value(), p ? "" : p.error().text().c_str());
    QCOMPARE(p->launches[0].grid[0], 7u);
    QCOMPARE(p->launches[0].args[2].real, 0.5);
  }

  void limits_data() {
    // No message: accepted.
    support::text_rows({"launch", "message"},
                       {{"zero grid", "grid(R - 6) block(1)", "grid.x of 'k' is 'R - 6' (R = 6) = 0"},
                        {"negative grid", "grid(R - 7) block(1)", "= -1"},
                        {"grid x", "grid(2147483647) block(1)", ""},
                        {"grid x over", "grid(2147483648) block(1)", "from 1 to 2147483647"},
                        {"grid y", "grid(1, 65535, 65535) block(1)", ""},
                        {"grid y over", "grid(1, 65536) block(1)", "grid.y"},
                        {"grid z over", "grid(1, 1, 65536) block(1)", "grid.z"},
                        {"grid product", "grid(2147483647, 65535, 65535) block(1)", "more than 2^40 blocks"},
                        {"block", "grid(1) block(1024)", ""},
                        {"block over", "grid(1) block(1025)", "from 1 to 1024"},
                        {"block z", "grid(1) block(1, 1, 65)", "from 1 to 64"},
                        {"block product", "grid(1) block(32, 33)", "= 1056 threads"},
                        {"zero block", "grid(1) block(0)", "block.x"},
                        {"shared", "grid(1) block(1) shared(227 * 1024)", ""},
                        {"shared over", "grid(1) block(1) shared(227 * 1024 + 1)", "232449 bytes"},
                        {"shared negative", "grid(1) block(1) shared(0 - 4)", "= -4 bytes"},
                        {"carveout", "grid(1) block(1) carveout(100)", ""},
                        {"carveout over", "grid(1) block(1) carveout(101)", "0 to 100 per cent"},
                        {"carveout negative", "grid(1) block(1) carveout(0 - 1)", "= -1"},
                        {"cluster", "grid(4) block(1) cluster(2)", ""},
                        {"cluster does not divide", "grid(5) block(1) cluster(2)", "multiple of cluster"},
                        {"cluster product", "grid(16, 16) block(1) cluster(8, 4)", "more than 16 blocks"},
                        {"division by zero", "grid(1 / (R - 6)) block(1)", "R = 6"},
                        {"overflow", "grid(R * 9223372036854775807) block(1)", "grid.x"}});
  }
  void limits() {
    QFETCH(QString, launch);
    QFETCH(QString, message);
    const auto p = planned("//@ launch k " + launch.toStdString() + " args(x, y)");
    QCOMPARE(p.has_value(), message.isEmpty());
    if (!p) QVERIFY2(p.error().message.find(message.toStdString()) != std::string::npos, p.error().message.c_str());
  }
  void tempsAreBounded() {
    const std::string l = "\n//@ launch k grid(1) block(1) args(x, y, t)";
    QVERIFY(planned("//@ temp t: f32[R, 1000000000, 1000000000]" + l).error().message.find("more than 2^40 bytes") !=
            std::string::npos);
    QVERIFY(planned("//@ temp t: f32[R - 10]" + l).error().message.find("cannot be negative") != std::string::npos);
    QCOMPARE(planned("//@ temp t: f32[R - 6, 5]" + l)->temps[0].count, std::int64_t{0});
    QCOMPARE(planned("//@ temp t: f32[0, 9223372036854775807]" + l)->temps[0].count, std::int64_t{0});
  }
  void choicesOfThePlan() {
    const auto c =
        with("//@ temp t: f32[max(R, 4)]\n//@ launch k grid(min(R, 8)) block(if(C > 32, 64, 32)) args(x, y)");
    QVERIFY2(c.has_value(), c ? "" : c.error().text().c_str());
    const auto choices = [&](std::int64_t r, std::int64_t n) {
      return plan_choices(*c, spec_, {{{"R", r}, {"C", n}}, {}}, first_tuning(*c)).value();
    };
    QCOMPARE(choices(3, 8), (std::vector<std::int64_t>{1, 1, 0}));
    QCOMPARE(choices(30, 80), (std::vector<std::int64_t>{0, 0, 1}));
    QVERIFY(plan_choices(*with("//@ launch k grid(R) block(32) args(x, y)"), spec_, {}, {})->empty());
  }
  void requirementsLimitTheClaim() {
    const auto c =
        with("//@ tune VV = 4\n//@ require C % VV == 0\n//@ require R > 1\n//@ launch k grid(1) block(1) args(x, y)");
    QVERIFY2(c.has_value(), c ? "" : c.error().text().c_str());
    const auto claim = [&](std::int64_t r, std::int64_t n) {
      return claims(*c, spec_, {{{"R", r}, {"C", n}}, {}}, first_tuning(*c));
    };
    QVERIFY(claim(2, 8).value());
    QVERIFY(!claim(1, 8).value());
    QVERIFY(!claim(2, 9).value());
    const auto broken = with("//@ require C / (R - 6)\n//@ launch k grid(1) block(1) args(x, y)");
    QVERIFY(!claims(*broken, spec_, {}, {}).has_value());
    QVERIFY(!plan(*c, spec_, {}, {}).has_value());                              // no value for VV
    QVERIFY(!plan(*c, spec_, {{{"Q", 1}}, {}}, first_tuning(*c)).has_value());  // no such symbol
  }

  void contract_data() {
    support::text_rows(
        {"directives", "message"},
        {{"good", "//@ launch k grid(R) block(1) args(x, y, eps, n, R + n)", ""},
         {"output by the second launch",
          "//@ temp t: f32[R]\n//@ launch k grid(1) block(1) args(x, t)\n//@ launch m grid(1) block(1) args(t, y)", ""},
         {"output missing", "//@ launch k grid(1) block(1) args(x)", "no launch has the output 'y'"},
         {"input missing", "//@ launch k grid(1) block(1) args(y)", "no launch has the input 'x' as an argument"},
         {"input by the second launch",
          "//@ temp t: f32[R]\n//@ launch k grid(1) block(1) args(t)\n//@ launch m grid(1) block(1) args(x, t, y)", ""},
         {"unknown argument", "//@ launch k grid(1) block(1) args(x, y, z)", "argument 3 of 'k': 'z' is unknown"},
         {"unknown in grid", "//@ launch k grid(Q) block(1) args(x, y)", "'Q' is unknown"},
         {"unknown in shared", "//@ launch k grid(1) block(1) shared(Q) args(x, y)", "'Q' is unknown"},
         {"unknown in carveout", "//@ launch k grid(1) block(1) carveout(Q) args(x, y)", "'Q' is unknown"},
         {"tensor in arithmetic", "//@ launch k grid(1) block(1) args(x + 1, y)", "'x' is an input, not an integer"},
         {"tensor as grid", "//@ launch k grid(y) block(1) args(x, y)", "'y' is an output, not an integer"},
         {"real in arithmetic", "//@ launch k grid(1) block(1) args(x, y, eps * 2)",
          "'eps' is a real constant, not an integer"},
         {"zeroed input", "//@ zero x\n//@ launch k grid(1) block(1) args(x, y)", "'x' is an input"},
         {"zeroed symbol", "//@ zero R\n//@ launch k grid(1) block(1) args(x, y)", "'R' is a shape symbol"},
         {"zeroed unknown", "//@ zero q\n//@ launch k grid(1) block(1) args(x, y)", "'q' is unknown"},
         {"temp takes a tensor's name", "//@ temp x: f32\n//@ launch k grid(1) block(1) args(x, y)",
          "already an input"},
         {"temp takes a symbol's name", "//@ temp C: f32\n//@ launch k grid(1) block(1) args(x, y)",
          "already a shape symbol"},
         {"tune takes a constant's name", "//@ tune eps = 4\n//@ launch k grid(1) block(1) args(x, y)",
          "already a real constant"},
         {"unknown in a shape", "//@ temp t: f32[Q]\n//@ launch k grid(1) block(1) args(x, y)",
          "the shape of 't': 'Q' is unknown"},
         {"unknown in a requirement", "//@ require Q == 1\n//@ launch k grid(1) block(1) args(x, y)",
          "'Q' is unknown"}});
  }
  void contract() {
    QFETCH(QString, directives);
    QFETCH(QString, message);
    const auto s = checked(directives.toStdString());
    QCOMPARE(s.has_value(), message.isEmpty());
    if (s) return;
    QCOMPARE(s.error().code, Code::invalid_argument);
    QVERIFY2(s.error().message.find(message.toStdString()) != std::string::npos, s.error().message.c_str());
    QVERIFY2(s.error().cause.find("^") != std::string::npos, s.error().cause.c_str());
  }
  void onlyInputsThatOutputsDependOnMustBePassed() {
    const auto op = op::parse_spec(
        "op pick(x: f32[R], seen: f32[R], unseen: f32[R], through: i32[R]) -> y: f32[R]\n"
        "{\n  kept[r] = through[r] + 1\n  y[r] = sum(k in 0..kept[r]) x[r]\n  dropped[r] = seen[r]\n}\n");
    QVERIFY2(op.has_value(), op ? "" : op.error().text().c_str());
    QCOMPARE(op::inputs_read(*op), (std::vector<std::string>{"x", "through"}));
    const auto without = [&](const std::string& args) {
      const auto c = parse("//@ candidate pick\n//@ launch k grid(1) block(1) args(" + args +
                               ")\nextern \"C\" __global__ void k(float* x) {}\n",
                           Language::cuda);
      const Status s = check_contract(*c, *op);
      return s ? std::string() : s.error().message;
    };
    QCOMPARE(without("x, through, y"), std::string());
    QVERIFY(without("x, y").find("the input 'through'") != std::string::npos);
    QVERIFY(without("seen, unseen, through, y").find("the input 'x'") != std::string::npos);
  }
  void contractNamesTheOp() {
    const auto c = parse("//@ candidate other\n//@ launch k grid(1) block(1) args(x, y)\n__global__ void k() {}\n",
                         Language::cuda);
    QVERIFY(check_contract(*c, spec_).error().message.find("the candidate is for 'other', the op is 'scale'") !=
            std::string::npos);
  }
};

QTEST_APPLESS_MAIN(PlanTest)
#include "plan_test.moc"
