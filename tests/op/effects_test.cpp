// SPDX-License-Identifier: Apache-2.0
#include "op/effects.h"
#include <QtTest>
#include <map>
#include "op/agreement.h"
#include "op/parse.h"
#include "op/sentence/phrasebook.h"

using namespace ww;
using namespace ww::op;

class EffectsTest : public QObject {
  Q_OBJECT
  static std::string text_of(const std::vector<Replaceable>& parts) {
    std::string out;
    for (const Replaceable& p : parts) out += "'" + p.before + "' as well as '" + p.after + "'\n";
    return out;
  }
  static Spec spec_with(const QByteArray& equations) {
    auto out =
        parse_spec("op f(x: f32[N], w: f32[N, 4], n: i32[1] in 0..9; cut = 700) -> y: f32[N]\n  default N = 64\n{ " +
                   equations.toStdString() + " }");
    if (!out) qFatal("%s", out.error().text().c_str());
    return std::move(*out);
  }

 private slots:
  void whatHasNoEffectIsFound_data() {
    QTest::addColumn<QByteArray>("part");  // the first, before; empty: there is none
    const auto row = [](const char* equations, const char* part) { QTest::newRow(equations) << QByteArray(part); };
    row("y[i] = max(x[i], exp(N / 900 - 190))", "exp(N / 900 - 190)");
    row("y[i] = max(x[i], exp(i - 700))", "exp(i - 700)");
    row("y[i] = max(x[i], exp(i - cut))", "exp(i - cut)");
    row("y[i] = max(x[i], 2 ^ (N - 800))", "2^(N - 800)");
    row("y[i] = x[i] * (1 - 1 / (1 + exp(5000 - N)))", "1 - 1 / (1 + exp(5000 - N))");
    row("y[i] = max(x[i], N - 1e38)", "N - 1e38");
    row("y[i] = x[i] + clamp(i - 700, 0, 1)", "clamp(i - 700, 0, 1)");
    row("y[i] = x[i] + max(0, N - 900)", "max(0, N - 900)");
    row("y[i] = x[i] * (1 + tanh(max(0, i - 300)))", "1 + tanh(max(0, i - 300))");
    row("y[i] = x[i] / (N + max(0, N - 900))", "max(0, N - 900)");
    row("y[i] = exp(x[i] + max(0, N - 900))", "max(0, N - 900)");
    row("y[i] = x[i] * (1 + N * 1e-10)", "1 + N * 1e-10");
    row("y[i] = x[i] + f32(i > 700)", "f32(i > 700)");
    row("y[i] = if(N > 900, 0, x[i])", "N");
    row("y[i] = x[i] + max(0, x[i] * 0 + N - 900)", "N");
    row("t[i in 0..N] = i y[i] = max(x[i], exp(t[i] - 700))", "i");
    row("y[i] = max(x[i], exp((sum(j in 0..N) 1) / 900 - 190))", "exp((sum(j in 0..N) 1) / 900 - 190)");
    row("y[i] = max(x[i], exp((sum(j) (x[j] * 0 + 1)) / 900 - 190))", "exp");
    row("c[k in 0..1] = sum(j) (x[j] * 0 + 1) y[i] = max(x[i], exp(c[0] / 900 - 190))", "exp(c[0] / 900 - 190)");
    row("y[i] = sum(j in 0..900) if(j == i, x[i], 0)", "sum(j in 0..900)");
    row("y[i] = max(x[i], sum(j in 0..N / 900) abs(x[j]))", "N / 900");
    row("y[i] = x[i] + (sum(j in 0..1 + i / 300) abs(x[j]))", "1 + i / 300");
    row("y[i] = sum(j in 0..i + 1) x[j]", "");
    row("y[i] = sum(j in 0..N / 2) x[j]", "");
    row("y[i] = if(i < 2 && 0 < 7 + max(0, N - 900), x[i], 1)", "7 + max(0, N - 900)");
    row("y[i] = x[i]", "");
    row("y[i] = x[i] / N", "");
    row("y[i] = (sum(j) x[j]) / N", "");
    row("y[i] = sqrt((sum(j) x[j] * x[j]) / N + 1e-5)", "");
    row("y[i] = x[i] + sin(i / 10000 ^ (2.0 * (i / 2) / N))", "");
    row("y[i] = sum(j : j <= i) x[j]", "");
    row("y[i] = max(j in 0..N) if(j > i, -1e9, x[j])", "");
    row("y[i] = if(i < n[0], x[i], 0)", "");
    row("y[i] = pad(x[i - 1], 0) + pad(x[i + 1], 0)", "");
    row("y[i] = if(i + 1 < N, x[i + 1], 0)", "");
    row("y[i] = sum(k in 0..4) w[i, k] * k", "");
    row("y[i] = pad(y[i - 1], 0) * 0.5 + x[i]", "");
    row("m[k in 0..1] = max(j) x[j] s[k in 0..1] = sum(j) exp(x[j] - m[0]) y[i] = exp(x[i] - m[0]) / s[0]", "");
    row("y[i] = exp(x[i] - (max(j) x[j])) / (sum(k) exp(x[k] - (max(j) x[j])))", "");
  }
  void whatHasNoEffectIsFound() {
    QFETCH(QByteArray, part);
    const Spec spec = spec_with(QTest::currentDataTag());
    const std::vector<Replaceable> found = without_effect(spec, {small_sizes(spec)}).value();
    QVERIFY2(found.empty() == part.isEmpty(), text_of(found).c_str());
    if (!found.empty()) QVERIFY2(found[0].before.starts_with(part.toStdString()), text_of(found).c_str());
  }

  void littleOfTheLibraryIsFound() {
    const auto library = Library::load(std::filesystem::path(WW_SOURCE_DIR) / "resources/ops");
    QVERIFY2(library, library ? "" : library.error().text().c_str());
    const std::map<std::string, const char*> known = {
        {"alibi_attention", "the query's position moves all scores of a row alike"},
        {"avg_pool2d_unpadded", "without padding no window reaches the end"},
        {"conv_transpose1d", "every number is a multiple of a stride of 1"},
        {"pair_contrastive_loss", "vectors are further apart than the margin"},
        {"sliding_window_attention", "the window is wider than the sequence"}};
    std::size_t tried = 0;
    for (const LibraryOp& op : library->ops()) {
      const auto found = without_effect(op.spec, {small_sizes(op.spec), {op.spec.defaults, {}}});
      if (!found) continue;
      ++tried;
      if (known.contains(op.spec.name))
        QVERIFY2(!found->empty(), op.spec.name.c_str());
      else
        QVERIFY2(found->empty(), (op.spec.name + ": " + text_of(*found)).c_str());
    }
    QVERIFY(10 * tried > 9 * library->ops().size());
  }

  void aLongSpecHidesNoCondition() {
    QByteArray value = "x[i]";
    for (int i = 0; i < 30; ++i) value += " + sin(x[i] * 1.5) * cos(x[i])";
    const Spec spec = spec_with("y[i] = if(N > 900, 0, " + value + ")");
    const auto found = without_effect(spec, {small_sizes(spec)});
    QVERIFY(found && found->size() == 1 && found->front().before == "N");
  }

  void whatLiesBeyondTheTriedSizesIsNoEffect() {
    const Spec spec = spec_with("y[i] = max(x[i], exp(i - 700))");
    const auto found = without_effect(spec, {Binding{{{"N", 5}}, {}}, Binding{{{"N", 500}}, {}}});
    QVERIFY(found && found->size() == 1 && found->front().before == "exp(i - 700)");
    QVERIFY(without_effect(spec, {Binding{{{"N", 800}}, {}}}).value().empty());
  }

  void whatCannotBeTriedIsUnknown() {
    const Spec spec = spec_with("y[i] = max(x[i], exp(i - 700))");
    QVERIFY(!without_effect(spec, {}));
    QVERIFY(!without_effect(spec, {Binding{{{"N", 0}}, {}}, Binding{{{"N", 2'000'000'000}}, {}}}));
  }
};

QTEST_GUILESS_MAIN(EffectsTest)
#include "effects_test.moc"
