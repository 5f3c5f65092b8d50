// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include "diff/lines.h"

using namespace ww::diff;

class LinesTest : public QObject {
  Q_OBJECT
 private slots:
  void hunksHaveThreeLinesOfContext() {
    const auto text = [](const std::vector<DiffLine>& lines) {
      std::string out;
      for (const DiffLine& l : lines) out += (l.mark == '@' ? "" : std::string(1, l.mark)) + l.text + "\n";
      return out;
    };
    QVERIFY(diff_lines("a\nb\n", "a\nb\n").empty());
    QVERIFY(diff_lines("", "").empty());
    QCOMPARE(text(diff_lines("", "a\n")), std::string("@@ -0,0 +1,1 @@\n+a\n"));
    QCOMPARE(text(diff_lines("a\n", "")), std::string("@@ -1,1 +0,0 @@\n-a\n"));
    QCOMPARE(text(diff_lines("1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\nfive\n6\n")),
             std::string("@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+five\n 6\n"));
    std::string before, after;
    for (int i = 1; i <= 40; ++i) {
      before += std::to_string(i) + "\n";
      after += (i == 5 || i == 30 ? "x" : std::to_string(i)) + "\n";
    }
    const auto lines = diff_lines(before, after);
    QCOMPARE(std::count_if(lines.begin(), lines.end(), [](const DiffLine& l) { return l.mark == '@'; }),
             std::ptrdiff_t{2});
    QVERIFY(text(lines).find("@@ -27,7 +27,7 @@") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(LinesTest)
#include "lines_test.moc"
