// SPDX-License-Identifier: Apache-2.0
// Replies as edits: what is applied, and what is told back.
#include <QtTest>
#include "llm/edits.h"

using namespace ww;
using namespace ww::llm;

namespace {

const std::string file = "a\n  b\nc\nb\nc\nd\n";

std::string block(const std::string& search, const std::string& replacement) {
  return "<<<<<<< SEARCH\n" + search + "=======\n" + replacement + ">>>>>>> REPLACE\n";
}
std::string applied(const std::string& reply, const std::string& shown = file) {
  const auto edits = edits_in(reply);
  if (!edits) return "not read: " + edits.error().text();
  const auto out = edited(file, shown, *edits);
  return out ? *out : "not applied: " + out.error().text();
}

}  // namespace

class EditsTest : public QObject {
  Q_OBJECT
 private slots:
  void editsAreApplied_data() {
    QTest::addColumn<QString>("reply");
    QTest::addColumn<QString>("text");
    const auto row = [](const char* name, const std::string& reply, const std::string& text) {
      QTest::newRow(name) << QString::fromStdString(reply) << QString::fromStdString(text);
    };
    row("a line", block("a\n", "A\n"), "A\n  b\nc\nb\nc\nd\n");
    row("in a fence, with prose", "I change this:\n```diff\n" + block("d\n", "D\nE\n") + "```\nNote: done\n",
        "a\n  b\nc\nb\nc\nD\nE\n");
    row("two, in any order", block("d\n", "D\n") + "and\n" + block("a\n", "A\n"), "A\n  b\nc\nb\nc\nD\n");
    row("a removal", block("c\nd\n", ""), "a\n  b\nc\nb\n");
    row("an insertion", block("a\n", "a\nn\n"), "a\nn\n  b\nc\nb\nc\nd\n");
    row("white space tells lines apart", block("b\n", "B\n"), "a\n  b\nc\nB\nc\nd\n");
    row("carriage returns", "<<<<<<< SEARCH\r\na\r\n=======\r\nA\r\n>>>>>>> REPLACE\r\n", "A\n  b\nc\nb\nc\nd\n");
    row("neighbours", block("a\n", "A\n") + block("  b\nc\n", "X\n"), "A\nX\nb\nc\nd\n");
    row("after thinking", "<think>\n" + block("a\n", "Z\n") + "</think>\n" + block("a\n", "A\n"),
        "A\n  b\nc\nb\nc\nd\n");
  }
  void editsAreApplied() {
    QFETCH(QString, reply);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(applied(reply.toStdString())), text);
  }

  void whatDoesNotFitIsToldBack_data() {
    QTest::addColumn<QString>("reply");
    QTest::addColumn<QStringList>("told");
    const auto row = [](const char* name, const std::string& reply, const QStringList& told) {
      QTest::newRow(name) << QString::fromStdString(reply) << told;
    };
    row("twice", block("c\n", "C\n"), {"edit 1 matches 2 times, from the lines 3, 5", "unique"});
    row("nowhere", block("zebra\n", "C\n"), {"edit 1 matches nowhere", "No line of the file is like"});
    row("nearly", block("a\nb\nc\n", "C\n"),
        {"edit 1 matches nowhere", "from line 1", "    2 |   b", "in line 2 of the search, white space only"});
    row("a second one", block("a\n", "A\n") + block("cc\nd\n", ""),
        {"edit 2 matches nowhere", "from line 5", "in line 1 of the search:", "| cc"});
    row("a part of a line", block("  b", "x\n"), {"malformed"});
    row("overlapping", block("a\n  b\n", "A\n") + block("  b\nc\n", "X\n"), {"edits 1 and 2 overlap, at line 2"});
    row("for nothing", block("", "A\n"), {"edit 1 searches for nothing"});
    row("no change", block("a\n", "a\n"), {"change nothing"});
    row("no end", "<<<<<<< SEARCH\na\n=======\nA\n", {"ends within edit 1", ">>>>>>> REPLACE"});
    row("no divider", "<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", {"edit 1 is malformed"});
    row("no beginning", block("a\n", "A\n") + ">>>>>>> REPLACE\n", {"edit 2 is malformed"});
    row("a beginning within", "<<<<<<< SEARCH\na\n<<<<<<< SEARCH\nb\n", {"edit 1 is malformed"});
    row("with a file", "```cuda\n//@ candidate relu\n```\n" + block("a\n", "A\n"), {"both edits and lines"});
  }
  void whatDoesNotFitIsToldBack() {
    QFETCH(QString, reply);
    QFETCH(QStringList, told);
    const QString text = QString::fromStdString(applied(reply.toStdString()));
    QVERIFY2(text.startsWith("not "), qPrintable(text));
    for (const QString& part : told) QVERIFY2(text.contains(part), qPrintable(text));
  }

  void repliesWithoutMarkersHoldNone() {
    for (const char* reply : {"", "```cuda\n//@ candidate relu\n=======\n```\n", "a << b; c >>>>>>> REPLACE"})
      QVERIFY(edits_in(reply) && edits_in(reply)->empty());
  }

  void whatWasWithheldIsKept() {  // lines that the model did not touch are the file's own
    const auto edits = edits_in(block("// [path]\n", "// [path]\nx\n") + block("d\n", "D\n"));
    QVERIFY(edits.has_value());
    const auto out = edited("#include \"/home/me/a.h\"\n// /tmp/b\nd\n", "#include \"[path]\"\n// [path]\nd\n", *edits);
    QVERIFY2(out.has_value(), out ? "" : out.error().text().c_str());
    QCOMPARE(*out, std::string("#include \"/home/me/a.h\"\n// [path]\nx\nD\n"));
    QVERIFY(!edited("a\nb\n", "a\n", *edits).has_value());
  }

  void aFileWithoutALastNewlineKeepsNone() {
    QCOMPARE(edited("a\nb", "a\nb", *edits_in(block("a\n", "A\n"))).value(), std::string("A\nb"));
  }
};

QTEST_GUILESS_MAIN(EditsTest)
#include "edits_test.moc"
