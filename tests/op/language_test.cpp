// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <filesystem>
#include <random>
#include <string>
#include "base/files.h"
#include "op/names.h"
#include "op/random_spec.h"
#include "op/transform.h"
#include "op/walk.h"
#include "support/library_ops.h"

using namespace ww;
using namespace ww::op;
using testing::read_spec;

namespace {

// The right side of y[i, j] after parsing and printing.
std::string printed(const std::string& right) {
  const Spec s = read_spec(
      "op f(x: f32[N, M], v: f32[N], k: i32[N], b: bool[N], s: f32; c = 2, e = 0.5) -> y: f32[N, M] { y[i, j] = " +
      right + " }");
  return print(*s.equations[0].value);
}

const std::string layernorm =
    "//@ phrases: layer norm\n"
    "op layernorm(x: f32[R, C], gamma: f32[C], beta: f32[C]; eps = 1e-5) -> y: f32[R, C]\n"
    "  default R = 4096, C = 1024\n"
    "{\n"
    "  mean[r] = sum(c) x[r, c] / C\n"
    "  var[r]  = sum(c) (x[r, c] - mean[r])^2 / C\n"
    "  y[r, c] = (x[r, c] - mean[r]) * rsqrt(var[r] + eps) * gamma[c] + beta[c]\n"
    "}\n";

const std::string conv =
    "op conv(x: f32[N, C, H, W], w: f32[K, C, R, S]; stride = 2, padding = 1)\n"
    "  -> y: f32[N, K, (H + 2 * padding - R) / stride + 1, (W + 2 * padding - S) / stride + 1]\n"
    "  default N = 1, C = 3, H = 8, W = 9, K = 4, R = 3, S = 3\n"
    "{ y[n, k, p, q] = sum(c, r, s) pad(x[n, c, p * stride + r - padding, q * stride + s - padding], 0) * w[k, c, r, "
    "s] }\n";

}  // namespace

class LanguageTest : public QObject {
  Q_OBJECT
 private slots:
  void theExampleOfTheManual() {
    const Spec s = read_spec(layernorm);
    QCOMPARE(s.name, std::string("layernorm"));
    QCOMPARE(s.symbols, (std::vector<std::string>{"R", "C"}));
    QCOMPARE(s.defaults.at("C"), std::int64_t{1024});
    QCOMPARE(s.constants.size(), std::size_t{1});
    QCOMPARE(s.constants[0].type, Type::real);
    QCOMPARE(s.temporaries.size(), std::size_t{2});
    QCOMPARE(s.temporaries[0].name, std::string("mean"));
    QCOMPARE(s.temporaries[0].dtype, DType::f64);
    QCOMPARE(print(*s.temporaries[0].shape[0]), std::string("R"));
    QCOMPARE(s.directives.find("phrases")->second, std::string("layer norm"));
    const Expr& sum = *s.equations[0].value;
    QCOMPARE(sum.kind, ExprKind::reduce);
    QCOMPARE(print(*sum.indices[0].hi), std::string("C"));
    QVERIFY(!sum.indices[0].given);
    QCOMPARE(print(s), layernorm);
  }

  void equationsInOrderOfComputation() {
    const Spec s =
        read_spec("op f(x: f32[N]) -> y: f32[N]\n{\n  y[i] = b[i]\n  b[i] = a[i] + 1\n  a[i] = x[i] * 2\n}\n");
    std::vector<std::string> order;
    for (const Equation& e : s.equations) order.push_back(e.target);
    QCOMPARE(order, (std::vector<std::string>{"a", "b", "y"}));
    QCOMPARE(s.temporaries[0].name, std::string("a"));
  }

  void reductionsBindLooserThanProducts() {
    QCOMPARE(printed("sum(q) x[i, q] * 2 + 1"), std::string("sum(q) x[i, q] * 2 + 1"));
    QCOMPARE(printed("(sum(q) x[i, q]) * 2 + 1"), std::string("(sum(q) x[i, q]) * 2 + 1"));
    QCOMPARE(printed("3 * sum(q) x[i, q] / 2"), std::string("3 * sum(q) x[i, q] / 2"));
    QCOMPARE(printed("(3 * sum(q) x[i, q]) / 2"), std::string("3 * (sum(q) x[i, q]) / 2"));
    QCOMPARE(printed("-sum(q) (x[i, q])"), std::string("-sum(q) x[i, q]"));
    QCOMPARE(printed("sum(q) (x[i, q] + 1)"), std::string("sum(q) (x[i, q] + 1)"));
    QCOMPARE(printed("(sum(q) x[i, q])^2"), std::string("(sum(q) x[i, q])^2"));
    QCOMPARE(printed("2^sum(q) x[i, q]"), std::string("2^sum(q) x[i, q]"));
    const Spec s =
        read_spec("op f(a: f32[N, K], b: f32[K, M]) -> y: f32[N, M] { y[i, j] = sum(k) a[i, k] * b[k, j] / 2 }");
    QCOMPARE(s.equations[0].value->kind, ExprKind::reduce);
    QCOMPARE(s.equations[0].value->args[0]->binary, BinaryOp::div);
  }

  void fewestBrackets() {
    QCOMPARE(printed("((s + 1.0) + (2.0))"), std::string("s + 1.0 + 2.0"));
    QCOMPARE(printed("s - (1 - 2.0)"), std::string("s - (1 - 2.0)"));
    QCOMPARE(printed("(-s)^2 - -s"), std::string("(-s)^2 - -s"));
    QCOMPARE(printed("-s^2"), std::string("-s^2"));
    QCOMPARE(printed("s^2^3"), std::string("s^2^3"));
    QCOMPARE(printed("(s^2)^3"), std::string("(s^2)^3"));
    QCOMPARE(printed("if(((s < 1) || (s > 2) && b[i]), (1), 2.5e-7)"),
             std::string("if(s < 1 || s > 2 && b[i], 1, 2.5e-7)"));
    QCOMPARE(printed("if((s < 1 || s > 2) && !(b[i]), 1, inf)"), std::string("if((s < 1 || s > 2) && !b[i], 1, inf)"));
    QCOMPARE(printed("s / (s * s) * pi"), std::string("s / (s * s) * pi"));
    QCOMPARE(printed("f32(-3 % 2) + 1e20 + 123456789.0"), std::string("f32(-3 % 2) + 1e20 + 123456789.0"));
  }

  void maxIsFunctionOrReduction() {
    QCOMPARE(printed("max(q) x[i, q]"), std::string("max(q) x[i, q]"));
    QCOMPARE(printed("max(s, e)"), std::string("max(s, e)"));
    QCOMPARE(printed("f32(max(i, j)) - s"), std::string("f32(max(i, j)) - s"));
    QCOMPARE(printed("max(q, r) (x[q, r])"), std::string("max(q, r) x[q, r]"));
    QCOMPARE(printed("max(q in 0..3, r in 0..2) pad(x[i + q, j + r], -inf)"),
             std::string("max(q in 0..3, r in 0..2) pad(x[i + q, j + r], -inf)"));
    const Spec s = read_spec(
        "op f(x: f32[N]) -> y: f32[N]\n{\n  top = max(i) x[i]\n  low = min(top, top)\n  y[i] = x[i] - low\n}\n");
    QCOMPARE(print(*find_equation(s, "low")->value), std::string("min(top, top)"));
  }

  void hexadecimalNumbers() {
    QCOMPARE(printed("f32(bitand(k[i], 0x1F)) + f32(0X00ff)"), std::string("f32(bitand(k[i], 31)) + f32(255)"));
    QCOMPARE(printed("f32(0x7fffffffffffffff - k[i])"), std::string("f32(9223372036854775807 - k[i])"));
    QCOMPARE(printed("f32(i64(k[i] * 0xBF58476D1CE4E5B9))"), std::string("f32(i64(k[i] * 0xbf58476d1ce4e5b9))"));
    QCOMPARE(printed("f32(i64(18446744073709551615))"), std::string("f32(i64(0xffffffffffffffff))"));
  }

  // pad() of what is no element is a choice; conditions that always hold are left out.
  void padOfAnExpression() {
    QCOMPARE(printed("pad(x[i + 1, j] - x[i - 1, j], 0)"),
             std::string("if(i + 1 < N && i - 1 >= 0, x[i + 1, j] - x[i - 1, j], 0)"));
    QCOMPARE(printed("pad(2 * x[i, 2 * j], s) + pad(x[i, j + 1], 0)"),
             std::string("if(2 * j >= 0 && 2 * j < M, 2 * x[i, 2 * j], s) + pad(x[i, j + 1], 0)"));
    QCOMPARE(printed("sum(q in 0..3) pad(exp(x[i + q, j]), 1) * v[i]"),
             std::string("sum(q in 0..3) if(i + q >= 0 && i + q < N, exp(x[i + q, j]), 1) * v[i]"));
    QCOMPARE(printed("pad(sum(q) x[i - 1, q] + pad(x[i + 5, j], 2), 0)"),
             std::string("if(i - 1 >= 0, sum(q) x[i - 1, q] + pad(x[i + 5, j], 2), 0)"));
    QCOMPARE(printed("pad(x[i, j] * 2, 0)"), std::string("x[i, j] * 2"));
    const Spec s = read_spec("op f(x: f32[N]) -> y: f32[N + 2] { y[i] = pad(2 * x[i], 0) }");
    QCOMPARE(print(*s.equations[0].value), std::string("if(i < N, 2 * x[i], 0)"));
    const Spec two = read_spec("op f(x: f32[N], w: f32[M]) -> y: f32[N] { y[i] = pad(x[i] * w[i], -1) }");
    QCOMPARE(print(*two.equations[0].value), std::string("if(i < M, x[i] * w[i], -1)"));
  }

  void rangesComeFromShapes() {
    const Spec s = read_spec(conv);
    const Expr& sum = *s.equations[0].value;
    QCOMPARE(print(*sum.indices[0].hi), std::string("C"));  // from w, not only from the guarded x
    QCOMPARE(print(*sum.indices[1].hi), std::string("R"));
    const Spec guarded = read_spec("op f(x: f32[N]) -> y: f32[N + 2] { y[i] = pad(x[i], 0) }");
    QCOMPARE(print(*guarded.equations[0].indices[0].hi), std::string("N + 2"));
    const Spec temporary = read_spec("op f(x: f32[N]) -> y: f32 { t[i] = pad(x[i], 0) y = sum(i) t[i] }");
    QCOMPARE(print(*temporary.temporaries[0].shape[0]), std::string("N"));
    read_spec("op f(x: f32[2 * N], z: f32[N + N]) -> y: f32[N * 2] { y[i] = x[i] * z[i] }");  // equal as polynomials
    read_spec("op f(x: f32[N], len: i32[R]) -> y: f32[R] { y[r] = sum(j in 0..len[r]) x[j] }");
  }

  void types() {
    QVERIFY(
        parse("op f(x: i32[N]) -> y: i32[N] { y[i] = max(x[i], 0) + abs(x[i]) + clamp(x[i], 0, 3) + floor(x[i]) }"));
    QVERIFY(!parse("op f(x: i32[N]) -> y: i32[N] { y[i] = max(x[i], 0.0) }"));
    QVERIFY(parse("op f(x: i32[N]) -> y: i32[N] { y[i] = x[i]^2 }"));
    QVERIFY(!parse("op f(x: i32[N]) -> y: i32[N] { y[i] = 2^x[i] }"));
    QVERIFY(parse("op f(x: f32[N]) -> y: i64 { y = argmax(i) x[i] }"));
    QVERIFY(parse("op f(x: f32[N]) -> y: bool { y = all(i) (x[i] > 0) }"));
    QVERIFY(parse("op f(x: bool[N]) -> y: i32 { y = sum(i : x[i]) 1 * i32(x[i]) }"));
    const Spec s = read_spec(
        "op f(x: f32[N]; a = 2, b = a * N, c = sqrt(b), causal = true) -> y: f32[N] { y[i] = if(causal, x[i] * c, 0) "
        "}");
    QCOMPARE(s.constants[1].type, Type::integer);
    QCOMPARE(s.constants[2].type, Type::real);
    QCOMPARE(s.constants[3].type, Type::boolean);
    const auto r = resolve(s, {{{"N", 8}}, {{"a", 1}}});
    QVERIFY(r.has_value());
    QCOMPARE(r->constants[1].integer, std::int64_t{8});
    QCOMPARE(r->constants[2].real, std::sqrt(8.0));
  }

  void rangesOfConstants() {
    const Spec s = read_spec(
        "op f(x: f32[N]; lo = -1.0, hi = 1.0 in lo.., share = 0.25 in 0..1, k = 3 in 1..) -> y: f32[N] { y[i] = "
        "clamp(x[i] * share, lo, hi) + k }");
    QCOMPARE(print(read_spec(print(s))), print(s));
    QCOMPARE(range_text(s.constants[1]), std::string("lo.."));
    QCOMPARE(range_text(s.constants[0]), std::string());
    const auto allowed = [&](const std::map<std::string, double>& constants) {
      return resolve(s, {{{"N", 8}}, constants}).has_value();
    };
    QVERIFY(allowed({}) && allowed({{"lo", 1.0}}) && allowed({{"share", 0.0}}) && allowed({{"k", 1}}));
    QVERIFY(allowed({{"lo", 2.0}, {"hi", 2.5}}) && allowed({{"hi", std::numeric_limits<double>::infinity()}}));
    QVERIFY(!allowed({{"lo", 2.0}}) && !allowed({{"share", 1.0}}) && !allowed({{"share", -0.1}}) &&
            !allowed({{"k", 0}}));
    const auto other = with_constants(s, {{"share", 2.0}});
    QVERIFY(!other);
    QCOMPARE(other.error().message, std::string("the constant 'share' of op 'f' is 2, which is not in 0..1"));
    QVERIFY(rename(s, {{"lo", "least"}}));
    QCOMPARE(range_text(rename(s, {{"lo", "least"}})->constants[1]), std::string("least.."));
    QVERIFY(parse("op f(x: f32[N]; a = N, b = 2 in 1..a) -> y: f32[N] { y[i] = x[i] * b }"));
    for (const char* wrong : {"a = 1.0 in 2..", "a = 1.0 in a..", "a = 1 in 0.5..", "a = true in 0..1",
                              "a = 1.0 in x..", "a = 1.0 in 0", "a = 1.0 in ..2"})
      QVERIFY2(!parse("op f(x: f32[N]; " + std::string(wrong) + ") -> y: f32[N] { y[i] = x[i] }"), wrong);
  }

  void commentsAndLayout() {
    const Spec s = read_spec(
        "# first\n//@ a: b: c\nop f(x: f32[N] in 0.5..2.0) -> y: f32[N], z: i32[N] // two outputs\n{ y[i] = x[i]; z[i] "
        "= i // done\n # and\n}");
    QCOMPARE(s.directives.find("a")->second, std::string("b: c"));
    QCOMPARE(s.outputs.size(), std::size_t{2});
    QCOMPARE(
        print(s),
        std::string(
            "//@ a: b: c\nop f(x: f32[N] in 0.5..2.0) -> y: f32[N], z: i32[N]\n{\n  y[i] = x[i]\n  z[i] = i\n}\n"));
  }

  void shapes() {
    const Spec s = read_spec(conv);
    const auto shape = shape_of(s, s.outputs[0], {});
    QVERIFY(shape.has_value());
    QCOMPARE(*shape, (std::vector<std::int64_t>{1, 4, 4, 5}));
    QCOMPARE(element_count(*shape), std::int64_t{80});
    QCOMPARE(element_count({}), std::int64_t{1});
    const auto negative = shape_of(s, s.outputs[0], {{{"H", 0}}, {{"stride", 1}}});
    QVERIFY(negative.has_value());
    const auto below = shape_of(s, s.outputs[0], {{{"R", 20}}, {}});
    QVERIFY(!below && below.error().message.find("dimension 2 of 'y'") != std::string::npos &&
            below.error().message.find("below 0") != std::string::npos);
    const auto zero = resolve(s, {{}, {{"stride", 0}}});
    QVERIFY(!zero && zero.error().text().find("division by zero") != std::string::npos);
    QVERIFY(!resolve(s, {{{"N", std::int64_t{1} << 50}}, {}}));
    QVERIFY(!resolve(s, {{{"N", std::int64_t{1} << 30}, {"H", std::int64_t{1} << 30}}, {}}));
    const auto unknown = resolve(s, {{{"HH", 3}}, {}});
    QVERIFY(!unknown && unknown.error().cause == "did you mean 'H'?");
    QVERIFY(!resolve(s, {{}, {{"stride", 1.5}}}));
    QVERIFY(!resolve(s, {{}, {{"strid", 1}}}));
    const Spec bare = read_spec("op f(x: f32[N]) -> y: f32[N] { y[i] = x[i] }");
    const auto missing = resolve(bare, {});
    QVERIFY(!missing && missing.error().message.find("'N'") != std::string::npos);
  }

  void integerExpressions() {
    const auto value = [](const std::string& text) -> Result<std::int64_t> {
      auto e = parse_integer_expr(text);
      if (!e) return tl::make_unexpected(e.error());
      return eval_integer(**e, [](const std::string& n) -> std::optional<std::int64_t> {
        if (n == "R") return 100;
        if (n == "BLOCK") return 32;
        return std::nullopt;
      });
    };
    const std::pair<const char*, std::int64_t> good[] = {{"ceildiv(R, BLOCK)", 4},
                                                         {"-7 / 2", -4},
                                                         {"-7 % 2", 1},
                                                         {"7 % -2", -1},
                                                         {"R % 4 == 0 && BLOCK >= 32", 1},
                                                         {"!(R > 5) || false", 0},
                                                         {"if(R > 50, 2, 1 / 0)", 2},
                                                         {"pow2ceil(R)", 128},
                                                         {"pow2ceil(0)", 1},
                                                         {"min(R, BLOCK) + max(1, 2) * abs(-3)", 38},
                                                         {"2^10", 1024},
                                                         {"(R + 3) / 4 * 4", 100},
                                                         {"ceildiv(-7, 2)", -3},
                                                         {"R != 100", 0},
                                                         {"clamp(R, 0, 64)", 64},
                                                         {"sign(-R)", -1},
                                                         {"R == 0 && 1 / 0 == 1", 0}};
    for (const auto& [text, want] : good) {
      const auto v = value(text);
      QVERIFY2(v.has_value(), text);
      QCOMPARE(*v, want);
    }
    for (const char* text : {"1 / 0", "1 % 0", "ceildiv(1, 0)", "9223372036854775807 + 1", "9223372036854775807 * 2",
                             "-9223372036854775807 - 2", "nothing", "2^63", "2^-1", "-(-9223372036854775807 - 1)",
                             "pow2ceil(9223372036854775807)"})
      QVERIFY2(!value(text), text);
    for (const char* text : {"", "1 +", "1.5", "x[0]", "sum(i in 0..2) i", "exp(1)", "f32(1)", "min(1)", "1 2", "a b",
                             "if(1, 2)", "pad(x[1], 0)"})
      QVERIFY2(!parse_integer_expr(text), text);
    const auto bad = parse_integer_expr("ceildiv(R, blok(2))");
    QVERIFY(!bad && bad.error().place && bad.error().place->column == 12);
  }

  void roundTripOfTheLibrary() {
    int count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(resources_dir() / "ops")) {
      if (entry.path().extension() != ".op") continue;
      const auto text = read_file(entry.path());
      QVERIFY(text.has_value());
      const auto spec = parse_spec(*text, entry.path().string());
      QVERIFY2(spec.has_value(), entry.path().c_str());
      const std::string once = print(*spec);
      const auto again = parse_spec(once);
      QVERIFY2(again.has_value(), once.c_str());
      QCOMPARE(print(*again), once);
      ++count;
    }
    QVERIFY(count > 50);
  }

  void roundTripOfRandomSpecs() {
    for (unsigned seed = 0; seed < 1500; ++seed) {
      const std::string text = test::RandomSpec(seed).text();
      const auto spec = parse_spec(text);
      QVERIFY2(spec.has_value(), (text + (spec ? "" : spec.error().cause)).c_str());
      const std::string once = print(*spec);
      const auto again = parse_spec(once);
      QVERIFY2(again.has_value(), once.c_str());
      QVERIFY2(print(*again) == once, once.c_str());
    }
  }

  // Every text gives a spec or an error, and a spec that prints and parses again.
  void mutatedTexts() {
    std::mt19937 random(7);
    const std::string tokens[] = {"sum(", "(",    ")",    "[",  "]",  "{",    "}",       ",",   ";",  ":",   "=",
                                  "+",    "-",    "*",    "/",  "%",  "^",    "!",       "<",   "==", "..",  "->",
                                  "if(",  "pad(", "max(", "in", "x",  "y",    "i",       "f32", "0",  "1.5", "\n",
                                  "//",   "#",    "//@",  "&&", "1e", "\x80", "default", "op",  "inf"};
    for (int round = 0; round < 3000; ++round) {
      std::string text = round % 3 == 0   ? layernorm
                         : round % 3 == 1 ? conv
                                          : test::RandomSpec(static_cast<unsigned>(round)).text();
      for (int edits = 1 + static_cast<int>(random() % 4); edits > 0; --edits) {
        const std::size_t at = random() % (text.size() + 1);
        switch (random() % 4) {
          case 0: text.insert(at, tokens[random() % std::size(tokens)]); break;
          case 1: text.erase(at, random() % 8); break;
          case 2: text.insert(at, text.substr(random() % (text.size() + 1), random() % 20)); break;
          default:
            if (at < text.size()) text[at] = static_cast<char>(random() % 256);
        }
      }
      const ParseOutcome out = parse(text);
      if (!out) {
        QVERIFY2(!out.diagnostics.empty(), text.c_str());
        render_all(out.diagnostics, text);
        continue;
      }
      const std::string once = print(*out.spec);
      const ParseOutcome again = parse(once);
      QVERIFY2(again && print(*again.spec) == once, once.c_str());
    }
  }

  void nearestNames() {
    QCOMPARE(edit_distance("gamma", "gmama"), std::size_t{1});
    QCOMPARE(edit_distance("", "abc"), std::size_t{3});
    QCOMPARE(nearest_name("gamm", {"beta", "gamma"}), std::string("gamma"));
    QCOMPARE(nearest_name("zzz", {"beta", "gamma"}), std::string());
  }

  void polynomials() {
    const auto same = [](const char* a, const char* b) {
      return same_integer(**parse_integer_expr(a), **parse_integer_expr(b));
    };
    QVERIFY(same("(A + B) * 2 - B", "2 * A + B"));
    QVERIFY(same("A * B - B * A", "0"));
    QVERIFY(same("(H + 2 - R) / s + 1", "1 + (H + 2 - R) / s"));
    QVERIFY(!same("A / 2 * 2", "A"));
    QVERIFY(!same("A", "B"));
    QVERIFY(same("7 / 2", "3"));
  }

  void changedSpecs() {
    const Spec s = read_spec(layernorm);
    const auto half = with_dtype(s, DType::f16);
    QVERIFY(half.has_value());
    QCOMPARE(half->inputs[1].dtype, DType::f16);
    QCOMPARE(half->outputs[0].dtype, DType::f16);
    QCOMPARE(half->temporaries[0].dtype, DType::f64);
    QVERIFY(!with_dtype(s, DType::i32));
    const auto sized = with_defaults(s, {{"C", 7}});
    QVERIFY(sized && sized->defaults.at("C") == 7 && sized->defaults.at("R") == 4096);
    QVERIFY(!with_defaults(s, {{"Q", 7}}));
    QVERIFY(!with_defaults(s, {{"C", -1}}));
    const auto other = with_constants(s, {{"eps", -0.25}});
    QVERIFY(other.has_value());
    QCOMPARE(print(*other->constants[0].value), std::string("-0.25"));
    QVERIFY(!with_constants(s, {{"epsilon", 1}}));
    QVERIFY(!with_constants(read_spec(conv), {{"stride", 1.5}}));
  }

  void renamed() {
    const Spec s = read_spec(layernorm);
    const auto r = rename(s, {{"x", "c"}, {"C", "D"}, {"mean", "average"}, {"eps", "tiny"}});
    QVERIFY2(r.has_value(), r ? "" : r.error().text().c_str());
    QCOMPARE(r->inputs[0].name, std::string("c"));  // the index c made room
    QCOMPARE(r->symbols[1], std::string("D"));
    QCOMPARE(r->defaults.at("D"), std::int64_t{1024});
    QVERIFY(find_equation(*r, "average"));
    QVERIFY(!rename(s, {{"nothing", "a"}}));
    QVERIFY(!rename(s, {{"gamma", "beta"}}));
    QVERIFY(!rename(s, {{"gamma", "a"}, {"beta", "a"}}));
    QVERIFY(!rename(s, {{"gamma", "sum"}}));
    const auto swapped = rename(s, {{"gamma", "beta"}, {"beta", "gamma"}});
    QVERIFY(swapped && swapped->inputs[1].name == "beta");
  }

  void composed() {
    const Spec matmul = read_spec(
        "op matmul(a: f32[M, K], b: f32[K, N]) -> y: f32[M, N]\n default M = 2, K = 3, N = 4 { y[i, j] = sum(k) a[i, "
        "k] * b[k, j] }");
    const auto fused = compose(matmul, read_spec(layernorm));
    QVERIFY2(fused.has_value(), fused ? "" : fused.error().text().c_str());
    QCOMPARE(
        print(*fused),
        std::string(
            "op matmul_layernorm(a: f32[M, K], b: f32[K, N], gamma: f32[N], beta: f32[N]; eps = 1e-5) -> y: f32[M, N]\n"
            "  default M = 2, K = 3, N = 4\n"
            "{\n"
            "  matmul[i, j] = sum(k) a[i, k] * b[k, j]\n"
            "  mean[r]      = sum(c) matmul[r, c] / N\n"
            "  var[r]       = sum(c) (matmul[r, c] - mean[r])^2 / N\n"
            "  y[r, c]      = (matmul[r, c] - mean[r]) * rsqrt(var[r] + eps) * gamma[c] + beta[c]\n"
            "}\n"));
    const auto chain = compose(matmul, matmul);
    QVERIFY(chain.has_value());
    QCOMPARE(chain->symbols, (std::vector<std::string>{"M", "K", "N", "N_2"}));
    const auto right = compose(matmul, matmul, "b");
    QVERIFY(right.has_value());
    QCOMPARE(right->outputs[0].name, std::string("y"));
    const Spec square = read_spec("op square(x: f32[N, N]) -> y: f32[N, N] { y[i, j] = x[j, i] }");
    const auto unified = compose(matmul, square);
    QVERIFY(unified && unified->symbols.size() == 2);
    // Ranges that only the signature knew are written down.
    const Spec grow = read_spec("op grow(x: f32[N]) -> y: f32[N + 2] { y[i] = pad(x[i], 0) }");
    const auto twice = compose(grow, grow);
    QVERIFY2(twice.has_value(), twice ? "" : twice.error().text().c_str());
    QCOMPARE(print(*twice->outputs[0].shape[0]), std::string("N + 2 + 2"));

    const Spec vector = read_spec("op v(x: f32[N]) -> y: f32[N] { y[i] = x[i] }");
    const auto rank = compose(matmul, vector);
    QVERIFY(!rank && rank.error().message.find("2 dimensions") != std::string::npos);
    const auto name = compose(matmul, read_spec(layernorm), "gama");
    QVERIFY(!name && name.error().cause == "did you mean 'gamma'?");
    const Spec fixed = read_spec("op fixed(x: f32[3]) -> y: f32[3] { y[i] = x[i] }"),
               four = read_spec("op four(x: f32[4]) -> y: f32[4] { y[i] = x[i] }");
    const auto extent = compose(fixed, four);
    QVERIFY(!extent && extent.error().text().find("dimension 0") != std::string::npos);
    const Spec two = read_spec("op two(x: f32[N]) -> y: f32[N], z: f32[N] { y[i] = x[i] z[i] = x[i] }");
    QVERIFY(!compose(two, vector));
    const Spec integers = read_spec("op n(x: i32[N]) -> y: i32[N] { y[i] = x[i] }");
    QVERIFY(!compose(vector, integers));
  }
};

QTEST_APPLESS_MAIN(LanguageTest)
#include "language_test.moc"
