// SPDX-License-Identifier: Apache-2.0
// Equations that read their own earlier steps: read, refused and evaluated. Expected values come from plain loops.
#include <QtTest>
#include <cmath>
#include <string>
#include "op/evaluate.h"
#include "op/naive.h"
#include "op/recurrence.h"
#include "op/sentence/spec_sentence.h"
#include "op/transform.h"
#include "support/library_ops.h"

using namespace ww;
using namespace ww::op;
using testing::read_spec;
using test::drawn;

namespace {

using Inputs = std::map<std::string, HostTensor>;
using Values = std::vector<double>;

Values of(const Inputs& inputs, const std::string& name) {
  const HostTensor& t = inputs.at(name);
  Values out;
  for (std::size_t i = 0; i * dtype_size(t.dtype) < t.bytes.size(); ++i)
    out.push_back(load_f64(t.dtype, t.bytes.data() + i * dtype_size(t.dtype)));
  return out;
}

ReferenceTensor result(const Spec& spec, const Binding& binding, const Inputs& inputs, const std::string& output) {
  const auto r = evaluate(spec, binding, inputs);
  if (!r) qFatal("%s", r.error().text().c_str());
  return r->at(output);
}

void near(const ReferenceTensor& got, const Values& want) {
  QCOMPARE(got.value.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    if (std::fabs(got.value[i] - want[i]) > 1e-11 * (1 + std::fabs(want[i])))
      QFAIL((std::to_string(i) + ": " + std::to_string(got.value[i]) + ", not " + std::to_string(want[i])).c_str());
}

constexpr const char* linear =
    "op f(a: f32[B, T] in 0..1, x: f32[B, T]) -> h: f32[B, T] { h[b, t] = a[b, t] * pad(h[b, t - 1], 0) + x[b, t] }";

// The hint of the only diagnostic.
std::pair<std::string, std::string> refused(const std::string& text) {
  const ParseOutcome out = parse(text);
  if (out.spec || out.diagnostics.size() != 1) qFatal("%zu diagnostics: %s", out.diagnostics.size(), text.c_str());
  return {out.diagnostics[0].message, out.diagnostics[0].hint};
}

}  // namespace

class RecurrenceTest : public QObject {
  Q_OBJECT

 private slots:
  void stepsFollowOneAnother() {
    const Spec s = read_spec(linear);
    const Binding binding{{{"B", 3}, {"T", 7}}, {}};
    const Inputs in = drawn(s, binding, Distribution::normal, 5);
    const Values a = of(in, "a"), x = of(in, "x");
    Values want(21);
    for (std::size_t i = 0; i < 21; ++i) want[i] = (i % 7 == 0 ? 0 : a[i] * want[i - 1]) + x[i];
    near(result(s, binding, in, "h"), want);
  }

  void fromTheLastStep() {
    const Spec s = read_spec(
        "op f(x: f32[T, C]) -> h: f32[T, C] { h[t, c] = if(t == T - 1, x[t, c], h[t + 1, c] * 0.5 + x[t, c]) }");
    const Binding binding{{{"T", 6}, {"C", 2}}, {}};
    const Inputs in = drawn(s, binding, Distribution::normal, 5);
    const Values x = of(in, "x");
    Values want = x;
    for (std::size_t i = 10; i-- > 0;) want[i] = want[i + 2] * 0.5 + x[i];
    near(result(s, binding, in, "h"), want);
    QVERIFY(recurrences_of(s).at(0).backward);
  }

  // Every element of a step may read every element of the one before.
  void matrixTimesTheStepBefore() {
    const Spec s = read_spec(
        "op rnn(x: f32[T, H], w: f32[H, H]) -> h: f32[T, H]\n"
        "{ h[t, i] = tanh(x[t, i] + sum(j) w[i, j] * pad(h[t - 1, j], 0)) }");
    const Binding binding{{{"T", 5}, {"H", 4}}, {}};
    const Inputs in = drawn(s, binding, Distribution::uniform, 5);
    const Values x = of(in, "x"), w = of(in, "w");
    Values want(20);
    for (std::size_t t = 0; t < 5; ++t)
      for (std::size_t i = 0; i < 4; ++i) {
        double sum = x[t * 4 + i];
        for (std::size_t j = 0; j < 4 && t > 0; ++j) sum += w[i * 4 + j] * want[(t - 1) * 4 + j];
        want[t * 4 + i] = std::tanh(sum);
      }
    near(result(s, binding, in, "h"), want);
  }

  // Equations in any order, temporaries among them, read one another at this step and the one before.
  void severalEquations() {
    const Spec s = read_spec(
        "op cell(x: f32[T, H], u: f32[H, H]) -> h: f32[T, H], c: f32[T, H]\n{\n"
        "  h[t, i] = gate[t, i] * tanh(c[t, i])\n"
        "  c[t, i] = (1 - gate[t, i]) * pad(c[t - 1, i], 0) + gate[t, i] * x[t, i]\n"
        "  gate[t, i] = 1 / (1 + exp(-x[t, i] - sum(j) u[i, j] * pad(h[t - 1, j], 0)))\n}");
    const std::vector<Recurrence> found = recurrences_of(s);
    QCOMPARE(found.size(), std::size_t{1});
    QCOMPARE(found[0].members.size(), std::size_t{3});
    const Binding binding{{{"T", 4}, {"H", 3}}, {}};
    const Inputs in = drawn(s, binding, Distribution::uniform, 2);
    const Values x = of(in, "x"), u = of(in, "u");
    Values h(12), c(12);
    for (std::size_t t = 0; t < 4; ++t)
      for (std::size_t i = 0; i < 3; ++i) {
        double sum = x[t * 3 + i];
        for (std::size_t j = 0; j < 3 && t > 0; ++j) sum += u[i * 3 + j] * h[(t - 1) * 3 + j];
        const double gate = 1 / (1 + std::exp(-sum)), before = t > 0 ? c[(t - 1) * 3 + i] : 0;
        c[t * 3 + i] = (1 - gate) * before + gate * x[t * 3 + i];
        h[t * 3 + i] = gate * std::tanh(c[t * 3 + i]);
      }
    near(result(s, binding, in, "h"), h);
    near(result(s, binding, in, "c"), c);
  }

  void severalStepsBack() {
    const Spec s = read_spec("op fib() -> f: i64[N] default N = 60 { f[n] = if(n < 2, n, f[n - 1] + f[n - 2]) }");
    const ReferenceTensor f = result(s, {{{"N", 60}}, {}}, {}, "f");
    QCOMPARE(f.integer.at(10), std::int64_t{55});
    QCOMPARE(f.integer.at(59), std::int64_t{956722026041});
  }

  void nothingToDo() {
    const Spec s = read_spec(linear);
    for (const auto& [b, t] : {std::pair{0, 5}, {3, 0}, {1, 1}}) {
      const Binding binding{{{"B", b}, {"T", t}}, {}};
      QCOMPARE(result(s, binding, drawn(s, binding, Distribution::normal, 1), "h").value.size(),
               static_cast<std::size_t>(b * t));
    }
  }

  // The error of a step is carried into the next, and a 16-bit output may be read rounded.
  void boundsGrow() {
    const auto bound = [](const char* dtype) {
      const Spec s = read_spec("op f(x: " + std::string(dtype) + "[T]) -> h: " + dtype +
                               "[T] { h[t] = pad(h[t - 1], 0) + x[t] * 1.1 }");
      const Binding binding{{{"T", 100}}, {}};
      return result(s, binding, drawn(s, binding, Distribution::constant, 1), "h").bound;
    };
    const Values f32 = bound("f32"), f16 = bound("f16");
    QVERIFY(f32.at(99) > 20 * f32.at(0));
    QVERIFY(f16.at(99) > 20 * f16.at(0) && f16.at(99) < 0.05 * 110);
  }

  void saidAndReadBack() {
    for (const char* text :
         {linear, "op g(x: f32[T]) -> y: f32[T] { h[t] = pad(h[t - 1], 1) * 0.5 + x[t]\n y[t] = h[t] * 2 }"}) {
      const Spec s = read_spec(text);
      QCOMPARE(print(read_spec(print(s))), print(s));
      const auto back = parse_sentence(spec_sentence(s));
      QVERIFY(back && *back);
      QCOMPARE(print(**back), print(s));
    }
    const Spec both =
        compose(read_spec(linear), read_spec("op relu(x: f32[R, C]) -> y: f32[R, C] { y[r, c] = max(x[r, c], 0) }"))
            .value();
    QCOMPARE(recurrences_of(both).size(), std::size_t{1});
  }

  void whatIsNoRecurrence() {
    const auto op = [](const std::string& body) {
      return "op f(x: f32[T]) -> y: f32[T] default T = 4 { " + body + " }";
    };
    QCOMPARE(refused(op("y[t] = y[t] + x[t]")).first, std::string("'y' is defined by itself"));
    QVERIFY(refused(op("y[t] = y[t] + x[t]")).second.find("pad(h[t - 1], 0)") != std::string::npos);
    QCOMPARE(refused(op("y[t] = pad(y[2 * t], 0) + x[t]")).first, std::string("'y' is defined by itself"));
    QCOMPARE(refused(op("y[t] = y[t - 1] + x[t]")).first, std::string("the first step has no y[t - 1]"));
    QCOMPARE(refused(op("y[t] = y[t - 1] + x[t]")).second,
             std::string("write pad(y[t - 1], 0), or a case of its own: if(t == 0, …, …)"));
    QCOMPARE(refused(op("y[t] = pad(y[t - 1], 0) + pad(y[t + 1], 0)")).first,
             std::string("'y' needs earlier steps and later ones"));
    QCOMPARE(refused(op("a[t] = b[t] + 1 b[t] = a[t] + x[t] y[t] = b[t]")).first,
             std::string("'a' and 'b' are needed to compute one another"));
    QVERIFY(refused("op f(x: f32[T], z: f32[S]) -> y: f32[T], w: f32[S]\n"
                    "{ y[t] = pad(w[t - 1], 0) + x[t] w[t] = pad(y[t - 1], 0) + z[t] }")
                .first.find("steps") != std::string::npos);
    QCOMPARE(refused(op("odd[t in 0..T] = !pad(odd[t - 1], 0 > 1) y[t] = if(odd[t], x[t], 0)")).first,
             std::string("'odd' needs its own earlier steps, and only real values can be carried in a temporary"));
  }
};

QTEST_GUILESS_MAIN(RecurrenceTest)
#include "recurrence_test.moc"
