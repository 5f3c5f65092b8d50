// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <set>
#include "op/doubts.h"
#include "op/parse.h"
#include "op/sentence/phrasebook.h"

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

  void theMarkIsPartOfTheSpec() {
    const std::string text = "op f(x: f32[N]) -> y: f32[N] { y[i] = x[i] }";
    const std::string marked = marked_unconfirmed(text, "why");
    QVERIFY(is_unconfirmed(*parse_spec(marked)) && is_unconfirmed(*parse_spec(print(*parse_spec(marked)))));
    QVERIFY(!is_unconfirmed(*parse_spec(text)));
    QCOMPARE(marked_unconfirmed(marked, "why"), marked);
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
