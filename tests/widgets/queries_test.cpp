// SPDX-License-Identifier: GPL-3.0-or-later
// The language of the table's filter.
#include <QtTest>
#include <random>
#include "session/models/candidate_match.h"
#include "session/models/candidate_model.h"
#include "widgets/candidate_rows.h"

using namespace ww;
using namespace ww::widgets;
using ww::test::row;

class QueriesTest : public QObject {
  Q_OBJECT
 private slots:
  void queriesFind_data() {
    QTest::addColumn<QString>("query");
    QTest::addColumn<QList<int>>("found");
    const auto add = [](const char* query, QList<int> found) {
      QTest::newRow(query) << QString::fromUtf8(query) << found;
    };
    add("", {1, 2, 3, 4, 5});
    add("   ", {1, 2, 3, 4, 5});
    add("state:proved", {2, 3, 5});
    add("state:accepted", {2, 3, 5});  // the word of the command line
    add("STATE:Accepted", {2, 3, 5});
    add("state:rejected,queued", {1, 4});
    add("state:open", {4});
    add("state:judged -state:rejected", {2, 3, 5});
    add("regs<64", {3});
    add("regs <= 64", {2, 3});
    add("regs>64", {5});
    add("regs:32..64", {2, 3});
    add("regs!=64", {1, 3, 4, 5});
    add("regs:none", {1, 4});
    add("-regs<64", {1, 2, 4, 5});
    add("time<1.2e5 time>=64", {2, 5});
    add("time<0.1k", {2, 3});
    add("time<65us", {2, 3});
    add("time<0.065ms", {2, 3});
    add("time>1s", {});
    add("cost>0", {});
    add("spread>0", {});
    add("rank=1", {3});
    add("rank:none", {1, 4});
    add("id:2 OR #4", {2, 4});
    add("name:tiled", {2, 4, 5});
    add("name=tiled", {2, 4});
    add("TILED", {2, 4, 5});  // not the children of such
    add("\"one warp\"", {1, 3});
    add("one warp", {1, 3});
    add("-\"one warp\" -tiled", {});
    add("NOT (tiled OR regs<64)", {1});
    add("parent:2", {3});
    add("parent:none", {1, 2, 4});
    add("parent:tiled", {3});
    add("verdict:\"out of\"", {1});
    add("generator=search", {1, 2, 3, 4, 5});
    add("generator=searc", {});
    add("name:row-warp", {1, 2, 3, 4, 5});  // as the table shows it
    add("name:\"row-warp WARPS 4\"", {3});
    add("\"WARPS 4\"", {3});
    add("kind:warp", {1, 2, 3, 4, 5});
    add("hash:hash3", {3});
    add("tag:good", {2, 5});
    add("tag:GOOD -tag:other", {2});
    add("tag:none", {1, 3, 4});
    add("note:later", {2});
    add("is:pinned", {2});
    add("is:trashed", {});  // none is
    add("is:tagged is:noted", {2});
    add("is:ranked", {2, 3, 5});
    add("is:measured", {2, 3, 5});
    add("is:simulated", {});
    add("is:baseline", {3});
    add("is:compared", {5});
    add("\"a:b\"", {});
    add("sch\303\266n", {5});
    add("SCH\303\226N", {5});
    add("row-warp", {1, 2, 3, 4, 5});
    add("#3 AND tiled", {});
  }

  void queriesFind() {
    QFETCH(QString, query);
    QFETCH(QList<int>, found);
    CandidateModel model;
    auto child = row(3, "accepted", 32, "one warp per row");
    child.parent = "hash2";
    child.rank = 1;
    child.tuning = {{"WARPS", 4}};
    auto second = row(2, "accepted", 64), last = row(5, "accepted", 119999, "tiled, sch\303\266n");
    second.rank = 2;
    last.rank = 3;
    last.parent = "unknown";
    auto rejected = row(1, "rejected", {}, "One Warp per row");
    rejected.verdict = "rejected at smoke: out of bounds";
    model.reset({rejected, second, child, row(4, "queued"), last});
    model.set_marks({{2, {true, false, "look later", {"good"}}}, {5, {false, false, "", {"Good", "other"}}}}, true);
    model.set_selection(3, {5});
    const ParsedQuery parsed = parse_query(query);
    QVERIFY2(parsed.error.isEmpty(), qPrintable(parsed.error));
    QList<int> ids;
    for (int i = 0; i < model.rowCount(); ++i)
      if (matches(parsed.query, model, i)) ids.append(i + 1);
    QCOMPARE(ids, found);
  }

  void wrongQueriesSayWhereAndWhy_data() {
    QTest::addColumn<QString>("query");
    QTest::addColumn<int>("at");
    QTest::addColumn<QString>("says");
    const auto add = [](const char* query, int at, const char* says) {
      QTest::newRow(query) << QString(query) << at << QString(says);
    };
    add("tiled regz<64", 6, "did you mean regs");
    add("frob:12", 0, "in quotes");
    add("regs<", 0, "needs a number");
    add("regs<many", 5, "is not a number");
    add("regs<6x", 5, "is not a number");
    add("regs:1..x", 5, "is not a range");
    add("state:", 0, "needs a value");
    add("state:fine", 6, "It can be proved");
    add("is:nice", 3, "It can be pinned");
    add("name<b", 4, "is not a number");
    add("tiled \"open", 6, "not closed");
    add("\"\"", 0, "nothing between these quotes");
    add("(tiled", 0, "not closed");
    add("tiled )", 6, "closes nothing");
    add("a ()", 2, "nothing between these parentheses");
    add("OR a", 0, "before it");
    add("a OR", 2, "after it");
    add("a OR OR b", 2, "after it");
    add("a -", 2, "needs a term right after it");
    add("<5", 0, "A name is missing");
    add("regs<1e999", 5, "is not a number");
  }

  void wrongQueriesSayWhereAndWhy() {
    QFETCH(QString, query);
    QFETCH(int, at);
    QFETCH(QString, says);
    const ParsedQuery parsed = parse_query(query);
    QVERIFY2(parsed.error.contains(says), qPrintable(parsed.error));
    QCOMPARE(parsed.at, at);
    QVERIFY(parsed.length >= 1 && parsed.error.endsWith('.') != parsed.error.endsWith('?'));
    QVERIFY(parse_query(QString(200, '(')).error.contains("nested"));
  }

  void anyTextIsTaken() {
    CandidateModel model;
    model.reset({row(1, "accepted", 10), row(2, "rejected"), row(3, "queued", {}, "\303\244\360\237\231\202")});
    std::mt19937 random(7);
    const QStringList parts =
        QString(
            "state regs is name parent tag rank : < <= > >= = != ! - \" ( ) OR AND NOT , .. . accepted trashed none "
            "64 1e5 k M Ki % us # 1 \u00e4 \U0001f642 -1e +")
            .split(' ') +
        QStringList{" ", QString(QChar(0xd800)), QString(QChar(0)), "\n"};
    int good = 0;
    for (int i = 0; i < 30000; ++i) {
      QString text;
      for (int n = static_cast<int>(random() % 14); n > 0; --n) {
        if (random() % 6 == 0)
          text += QChar(static_cast<char16_t>(random() % (random() % 2 ? 128 : 65536)));
        else
          text += parts[static_cast<qsizetype>(random() % static_cast<unsigned>(parts.size()))];
      }
      const ParsedQuery parsed = parse_query(text);
      if (!parsed.error.isEmpty()) {
        QVERIFY2(parsed.at >= 0 && parsed.at <= text.size() && parsed.length >= 1, qPrintable(text));
        continue;
      }
      ++good;
      for (int r = 0; r < 3; ++r) (void)matches(parsed.query, model, r);
    }
    QVERIFY2(good > 3000, qPrintable(QString::number(good)));
    QVERIFY(parse_query(QString(100000, '-') + "x").error.isEmpty());
    QVERIFY(!parse_query(QString("(").repeated(100000)).error.isEmpty());
    QVERIFY(parse_query(QString("x OR ").repeated(20000) + "x").error.isEmpty());
  }
};

QTEST_MAIN(QueriesTest)
#include "queries_test.moc"
