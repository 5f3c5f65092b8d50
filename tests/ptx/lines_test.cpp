// SPDX-License-Identifier: Apache-2.0
// Line information: which line of the source a line of PTX stands for, and how it is taken out.
#include <QtTest>
#include <cstring>
#include "ptx/lines.h"

using namespace ww::ptx;

namespace {
std::vector<int> lines_of(std::string_view text) { return source_lines(parse(text)); }
}  // namespace

class PtxLinesTest : public QObject {
  Q_OBJECT
 private slots:
  void linesOfTheSource() {
    QCOMPARE(
        lines_of(".version 9.0\n.visible .entry k(\n)\n{\n\t.loc\t1 10 1\n\tmov.u32 %r1, 1;\n"
                 "\t.loc\t2 97 5, function_name $L__info_string0, inlined_at 1 13 3\n\tadd.s32 %r1, %r1, 1;\n"
                 "\t.loc\t1 0 0\n\tret;\n}\n.visible .entry j(\n)\n{\n\tret;\n}\n.file\t1 \"candidate.cu\"\n.file\t2 "
                 "\"cooperative_groups.h\"\n"),
        (std::vector<int>{0, 0, 0, 0, 10, 10, 13, 13, 13, 13, 13, 0, 0, 0, 0, 0, 0, 0}));
    QCOMPARE(lines_of(".loc 7 3 1\nret;\n.file 7 \"/x/candidate.cu\"\n.file 1 \"my_candidate.cu\""),
             (std::vector<int>{3, 3, 3, 3}));
    QVERIFY(lines_of("").empty());
    QCOMPARE(lines_of(".loc\n.loc x y z\n.file 1"), (std::vector<int>{0, 0, 0}));
  }

  // NVRTC writes the braces of a call sequence in the first column: the function goes on behind them.
  void bracesWithinAFunctionDoNotEndIt() {
    QCOMPARE(lines_of(".entry k()\n{\n.loc 1 5 1\n{\ncall f, ();\n}\nret;\n}\n"),
             (std::vector<int>{0, 0, 5, 5, 5, 5, 5, 5}));
  }

  void windowsLineEnds() {
    QCOMPARE(lines_of(".entry k()\r\n{\r\n.loc 1 5 1\r\nret;\r\n}\r\n"), (std::vector<int>{0, 0, 5, 5, 5}));
  }

  void lineInformationIsBlanked() {
    const std::string text =
        ".file 1 \"/etc/x\", 12, 13\n.loc 1 9 1 trap; // .loc 1 2 3\n.loc 2 9 1, function_name L0+8, inlined_at 1 7 "
        "5\nret; .location x.loc 1; \".loc 1 2 3\"";
    QCOMPARE(without_line_information(text),
             std::string(24, ' ') + "\n           trap; // .loc 1 2 3\n" +
                 std::string(std::strlen(".loc 2 9 1, function_name L0+8, inlined_at 1 7 5"), ' ') +
                 "\nret; .location x.loc 1; \".loc 1 2 3\"");
    for (std::size_t n = 0; n <= text.size(); ++n) QCOMPARE(without_line_information(text.substr(0, n)).size(), n);
    QCOMPARE(without_line_information(".file 1 \"a\n.loc 1\r\n2 /* x */ 3 ret;"),
             std::string(10, ' ') + "\n" + std::string(6, ' ') + "\r\n" + std::string(12, ' ') + "ret;");
  }
};

QTEST_APPLESS_MAIN(PtxLinesTest)
#include "lines_test.moc"
