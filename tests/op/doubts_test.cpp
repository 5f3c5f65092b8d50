// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <set>
#include "op/doubts.h"
#include "op/parse.h"
#include "op/sentence/phrasebook.h"
#include "support/text_rows.h"

using namespace ww::op;

class DoubtsTest : public QObject {
  Q_OBJECT
 private slots:
  void whatDoesNotReachAnOutputIsNamed_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QStringList>("names");
    QTest::newRow("sound") << QByteArray("op f(x: f32[N], w: f32[N]) -> y: f32[N] { t[i] = x[i] * w[i] y[i] = t[i] }")
                           << QStringList();
    QTest::newRow("recurrence") << QByteArray("op f(x: f32[N]) -> h: f32[N] { h[i] = pad(h[i - 1], 0) + x[i] }")
                                << QStringList();
    QTest::newRow("input") << QByteArray("op f(x: f32[N], w: f32[N]) -> y: f32[N] { y[i] = x[i] }")
                           << QStringList{"'w'"};
    QTest::newRow("behind a temporary") << QByteArray(
                                               "op f(x: f32[N], w: f32[N]) -> y: f32[N] { t[i] = w[i] y[i] = x[i] }")
                                        << QStringList{"'w'"};
    QTest::newRow("output") << QByteArray("op f(x: f32[N]) -> y: f32[N] { y[i] = 3 }") << QStringList{"'y'", "'x'"};
  }
  void whatDoesNotReachAnOutputIsNamed() {
    QFETCH(QByteArray, text);
    QFETCH(QStringList, names);
    const auto spec = parse_spec(text.toStdString());
    QVERIFY2(spec, spec ? "" : spec.error().text().c_str());
    const std::vector<std::string> found = doubts(*spec);
    QCOMPARE(found.size(), static_cast<std::size_t>(names.size()));
    for (qsizetype i = 0; i < names.size(); ++i)
      QVERIFY(QString::fromStdString(found[static_cast<std::size_t>(i)]).contains(names[i]));
  }

  void valuesAreLookedAt_data() {
    ww::support::text_rows<QByteArray>(
        {"equation", "says"},  // says nothing: no doubt
        {{"sound", "y[r, c] = x[r, c] * 2", ""},
         {"a difference with itself", "y[r, c] = x[r, c] - x[r, c]", "'y' is the same for all"},
         {"times zero", "y[r, c] = 0 * x[r, c] + 3", "'y' is the same for all"},
         {"another constant at each place", "y[r, c] = r + 0 * x[r, c]", "'y' is the same for all"},
         {"clamped to nothing", "y[r, c] = min(max(x[r, c], 1), 1)", "'y' is the same for all"},
         {"for numbers out of the ordinary alone", "y[r, c] = if(isnan(x[r, c]), 1, 0)", ""},
         {"beyond a limit alone", "y[r, c] = max(x[r, c], 1000000)", ""},
         {"softmax", "m[r] = max(c) x[r, c] z[r] = sum(c) exp(x[r, c] - m[r]) y[r, c] = exp(x[r, c] - m[r]) / z[r]",
          ""},
         {"digits that rounding takes", "y[r, c] = (x[r, c] + 1e9) - 1e9", "hardly any error"},
         {"a phase that rounding takes", "y[r, c] = sin(x[r, c] * 1e9)", "hardly any error"},
         {"some digits that rounding takes", "y[r, c] = (x[r, c] + 1000) - 1000", ""}});
  }
  void valuesAreLookedAt() {
    QFETCH(QByteArray, equation);
    QFETCH(QByteArray, says);
    const auto spec =
        parse_spec("op f(x: f32[R, C]) -> y: f32[R, C]\n  default R = 4, C = 8\n{ " + equation.toStdString() + " }");
    QVERIFY2(spec, spec ? "" : spec.error().text().c_str());
    QVERIFY(doubts(*spec).empty());
    const std::vector<std::string> found = doubts_of_values(*spec);
    QCOMPARE(found.size(), static_cast<std::size_t>(says.isEmpty() ? 0 : 1));
    if (!found.empty()) QVERIFY2(found[0].find(says.toStdString()) != std::string::npos, found[0].c_str());
  }

  void noOpOfTheLibraryIsInDoubt() {
    const auto library = Library::load(std::filesystem::path(WW_SOURCE_DIR) / "resources/ops");
    QVERIFY2(library, library ? "" : library.error().text().c_str());
    std::string all;
    for (const LibraryOp& op : library->ops())
      for (const std::string& doubt : doubts_of_values(op.spec)) all += op.spec.name + ": " + doubt + "\n";
    QVERIFY2(all.empty(), all.c_str());
  }

  void theMarkIsPartOfTheSpec() {
    const std::string text = "op f(x: f32[N]) -> y: f32[N] { y[i] = x[i] }";
    const std::string marked = marked_unconfirmed(text, "why");
    QVERIFY(is_unconfirmed(*parse_spec(marked)) && is_unconfirmed(*parse_spec(print(*parse_spec(marked)))));
    QVERIFY(!is_unconfirmed(*parse_spec(text)));
    QCOMPARE(marked_unconfirmed(marked, "why"), marked);
    const std::string confirmed = marked_confirmed(marked);
    QVERIFY2(confirmed.find("confirmed by a person") != std::string::npos, confirmed.c_str());
    QVERIFY(parse_spec(confirmed) && !is_unconfirmed(*parse_spec(confirmed)));
  }

  void numbersBeyondWhatIsComparedAreDoubts_data() {
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<bool>("doubtful");
    const auto row = [](const char* value, bool doubtful) { QTest::newRow(value) << QByteArray(value) << doubtful; };
    row("max(x[i], 0)", false);
    row("if(i < 16, x[i], 0)", false);
    row("x[i] * 10000", false);  // an element
    row("if(x[i] > 5000, 5000, x[i])", false);
    row("x[i] / 10000^(i / 64)", false);  // as positions are encoded
    row("x[i] * pow(10000, 0 - i / 64)", false);
    row("sum(j in 0..4096) w[j] * x[i]", false);  // a tensor's dimension
    row("sum(j in 0..5000) if(j == i, x[i], 0)", true);
    row("if(N > 100000, 0, x[i])", true);
    row("max(x[i], exp(i - 100000))", true);
    row("max(x[i], 2^(N - 200000))", true);
    row("if(i < limit, x[i], 0)", true);
    row("x[i] + min(i, 70000)", true);
  }
  void numbersBeyondWhatIsComparedAreDoubts() {
    QFETCH(QByteArray, value);
    QFETCH(bool, doubtful);
    const auto spec =
        parse_spec("op f(x: f32[N], w: f32[4096]; limit = 65000) -> y: f32[N] { y[i] = " + value.toStdString() + " }");
    QVERIFY2(spec.has_value(), spec ? "" : spec.error().text().c_str());
    QCOMPARE(!doubts_of_positions(*spec).empty(), doubtful);
  }

  void theMarkIsSaidToEachAudience() {
    const std::string text = "op f(x: f32[N]) -> y: f32[N] { y[i] = x[i] }";
    std::set<std::string> said;
    for (const Audience a : {Audience::glance, Audience::reader, Audience::signer}) {
      const std::string words = unconfirmed_text(marked_unconfirmed(text, "why"), a);
      QVERIFY2(words.find("unconfirmed") != std::string::npos && !words.ends_with('.'), words.c_str());
      said.insert(words);
      QVERIFY(unconfirmed_text(text, a).empty());
      QVERIFY(unconfirmed_text("no spec at all", a).empty());
    }
    QCOMPARE(said.size(), std::size_t{3});
  }
};

QTEST_GUILESS_MAIN(DoubtsTest)
#include "doubts_test.moc"
