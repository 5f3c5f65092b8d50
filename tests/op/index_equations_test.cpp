// SPDX-License-Identifier: Apache-2.0
// Equations in index notation without a head, as a person types them into the box for sentences.
#include <QtTest>
#include "op/formula/index_equations.h"
#include "op/parse.h"
#include "op/recurrence.h"

using namespace ww;
using namespace ww::op;

class IndexEquationsTest : public QObject {
  Q_OBJECT
  Library library_;

  Spec spec_of(const std::string& text) {
    const auto u = read_index_equations(library_, text);
    if (!u || !u->spec) qFatal("%s", text.c_str());
    return *u->spec;
  }

 private slots:
  void initTestCase() {
    auto loaded = Library::load(std::filesystem::path(WW_SOURCE_DIR) / "resources/ops");
    QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
    library_ = std::move(*loaded);
  }

  void inputsAndSizesFollow() {
    QCOMPARE(print(spec_of("y[r, c] = x[r, c] - pad(x[r, c - 1], 0)")),
             std::string("op equations(x: f32[R, C]) -> y: f32[R, C]\n  default R = 256, C = 256\n{\n"
                         "  y[r, c] = x[r, c] - pad(x[r, c - 1], 0)\n}\n"));
    // One size along each dimension of a tensor, whatever its index is called.
    const Spec s = spec_of("h[t, i] = tanh(x[t, i] + sum(j) w[i, j] * pad(h[t-1, j], 0))");
    QCOMPARE(s.symbols.size(), std::size_t{2});
    QCOMPARE(print(*s.inputs[1].shape[0]), print(*s.inputs[1].shape[1]));
    QCOMPARE(recurrences_of(s).size(), std::size_t{1});
  }

  void severalEquations() {
    const Spec s = spec_of("m[r] = max(c) x[r, c]; e[r, c] = exp(x[r, c] - m[r]); y[r, c] = e[r, c] / sum(j) e[r, j]");
    QCOMPARE(s.temporaries.size(), std::size_t{2});
    QCOMPARE(s.outputs.size(), std::size_t{1});
    QCOMPARE(s.outputs[0].name, std::string("y"));
  }

  void dimensionsTakenWholeHaveAnIndexEach() {
    QCOMPARE(print(spec_of("y[b, :] = x[b, :] * s[b]")), print(spec_of("y[b, k] = x[b, k] * s[b]")));
    QVERIFY(!understand(library_, "y[b, :] = x[b, :, :] * s[b]").spec);
  }

  // An expression of shifted elements is the right side of an equation.
  void theLeftSideMayBeLeftOut() {
    for (const auto& [alone, whole] :
         {std::pair("x[i-1] - 2x[i] + x[i+1], periodic", "y[i] = x[i-1] - 2*x[i] + x[i+1], periodic boundary"),
          std::pair("u_i - 0.5*(u_i - u_{i-1}), zero outside the grid",
                    "y_i = u_i - 0.5*(u_i - u_{i-1}), zero outside the grid"),
          std::pair("0.25*(y[i, j-1] + y[i, j+1]), zero outside the grid",
                    "z[i, j] = 0.25*(y[i, j-1] + y[i, j+1]), zero outside the grid")}) {
      const Understanding a = understand(library_, alone), b = understand(library_, whole);
      QVERIFY2(a.spec && b.spec && print(*a.spec) == print(*b.spec), alone);
    }
    QVERIFY(!understand(library_, "x[i-1] - x[i+1]").spec);  // and what is beyond the ends?
  }

  void wordsMayLead() {
    QCOMPARE(print(spec_of("compute y[r] = x[r] + pad(x[r + 1], 0)")),
             print(spec_of("y[r] = x[r] + pad(x[r + 1], 0)")));
    QVERIFY(!read_index_equations(library_, "do not compute y[r] = x[r] + pad(x[r + 1], 0)"));
    QVERIFY(!read_index_equations(library_, "y[r] = x[r] + pad(x[r + 1], 0) for even rows"));
  }

  // What lies outside a tensor is never assumed.
  void beyondTheEndsIsAsked() {
    for (const char* text : {"y[i] = x[i+1] - x[i-1]", "y[b,t] = 0.9*y[b,t-1] + 0.1*x[b,t+1]"}) {
      const Understanding u = understand(library_, text);
      QVERIFY2(!u.spec && u.outcome == Outcome::question && u.questions.size() == 1, text);
      QCOMPARE(u.choices.size(), std::size_t{1});
      const Understanding chosen = understand(library_, u.choices[0].sentence);
      QVERIFY2(chosen.spec && print(*chosen.spec) == print(u.choices[0].spec), text);
    }
  }

  // A recurrence begins at 0, and says so.
  void aRecurrenceBeginsAtZero() {
    const Understanding u = understand(library_, "h[t] = a[t]*h[t-1] + x[t]");
    QVERIFY(u.spec && u.words[0].reading.find("0 before its first element") != std::string::npos);
    QCOMPARE(print(*u.spec), print(spec_of("h[t] = a[t] * pad(h[t - 1], 0) + x[t]")));
    for (const char* text : {"h_t = a_t h_{t-1} + x_t", "h_t = a_t * h_{t−1} + x_t"}) {
      const Understanding below = understand(library_, text);
      QVERIFY2(below.spec && print(*below.spec) == print(*u.spec), text);
    }
    const Understanding average = understand(library_, "y_t = alpha x_t + (1 - alpha) y_{t-1}");
    QVERIFY(average.spec && average.spec->constants.size() == 1);
  }

  // The positions are whole numbers within the dimension that they select from.
  void elementsMayBeGathered() {
    const Spec spec = spec_of("out[i, d] = table[idx[i], d]");
    QCOMPARE(spec.inputs.size(), std::size_t{2});
    QVERIFY(spec.inputs[0].name == "idx" && spec.inputs[0].dtype == DType::i32 && spec.inputs[0].hi);
    QVERIFY(!read_index_equations(library_, "y[i] = y[idx[i]]"));
  }

  void otherTextsAreLeftToOtherReaders() {
    for (const char* text :
         {"y[i] = c * x[i]", "y[i] = x[2 * i]", "y[i] = x[i", "relu", "[1,2] = 3", "y[i] = x[i] y[i] = x[i]",
          "y[i in 0..N] = x[i]", "y = x", "x[i]", "y[i] = x[0]", "y[] = 1"})
      QVERIFY2(!read_index_equations(library_, text), text);
    QVERIFY(!read_index_equations(library_, "y[i] = x[i]" + std::string(5000, ' ')));
  }
};

QTEST_GUILESS_MAIN(IndexEquationsTest)
#include "index_equations_test.moc"
