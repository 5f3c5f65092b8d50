// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include "compile/compile.h"
#include "compile/sass.h"
#include "ptx/lines.h"

using namespace ww;
using namespace ww::compile;

namespace {

const char* const lines_listing =
    "\t.target\tsm_90\n\n"
    "//--------------------- .text.soft             --------------------------\n"
    "\t.section\t.text.soft,\"ax\",@progbits\n\t.align\t128\n        .global         soft\n"
    "soft:\n.text.soft:\n"
    "\t//## File \"/tmp/x/candidate.cu\", line 10\n\t//## File \".nv_debug_ptx_txt\", line 21\n"
    "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
    "\t//## File \"/tmp/x/cooperative_groups.h\", line 509 inlined at \"/tmp/x/candidate.cu\", line 13\n"
    "\t//## File \"/tmp/x/candidate.cu\", line 13\n"
    "\t//## File \".nv_debug_ptx_txt\", line 39\n"
    "        /*0010*/                   S2R R2, SR_TID.X ;\n"
    "\t//## File \".nv_debug_ptx_txt\", line 40\n"
    ".L_x_4:\n"
    "        /*0020*/               @P0 BRA `(.L_x_4) ;\n"
    "\t//## File \"/tmp/x/elsewhere.h\", line 7\n"
    "        /*0030*/                   NOP ;\n"
    ".text.tail:\n"
    "        /*0000*/                   EXIT ;\n";
const char* const registers_listing =
    "                                             // | GPR   | PRED   |\n"
    ".text.soft:                                  // |       |        |\n"
    "        /*0000*/                   LDC R1 ;  // |   5   |        |\n"
    "        /*0010*/                   S2R R2 ;  // |  12   |   1    |\n"
    ".L_x_4:                                      // |  12   |        |\n"
    "        /*0020*/               @P0 BRA 4  ;  // |   7   |   1    |\n"
    "        /*0030*/                   NOP ;     // |       |        |\n"
    ".text.tail:                                  // |       |        |\n"
    "        /*0000*/                   EXIT ;    // |   1   |        |\n";

}  // namespace

class SassTest : public QObject {
  Q_OBJECT
 private slots:
  void rowsKnowTheirPlaces() {
    const Sass sass = read_sass(lines_listing, registers_listing);
    QCOMPARE(sass.functions, (std::vector<std::string>{"soft", "tail"}));
    QCOMPARE(sass.rows.size(), std::size_t{8});
    QCOMPARE(std::count(sass.text.begin(), sass.text.end(), '\n'), 8);
    QVERIFY(sass.text.starts_with("soft:\n  /*0000*/       LDC R1, c[0x0][0x28] ;\n"));
    QVERIFY(sass.text.find("  /*0020*/   @P0 BRA `(.L_x_4) ;\n") != sass.text.npos);
    QVERIFY(sass.rows[0].kind == SassRow::Kind::function && sass.rows[3].kind == SassRow::Kind::label);
    QCOMPARE(sass.rows[1].line, 10);
    QCOMPARE(sass.rows[1].ptx_line, 21);
    QCOMPARE(sass.rows[1].live, 5);
    QCOMPARE(sass.rows[2].line, 13);  // inlined from a header: where it was inlined to
    QCOMPARE(sass.rows[2].live, 12);
    QCOMPARE(sass.rows[3].line, 0);   // a label has no place
    QCOMPARE(sass.rows[4].line, 13);  // only the place in the PTX changed
    QCOMPARE(sass.rows[4].ptx_line, 40);
    QCOMPARE(sass.rows[4].offset, 0x20u);
    QCOMPARE(sass.rows[5].line, 0);  // a header's, which nothing says where it was inlined
    QCOMPARE(sass.rows[5].live, 0);
    QCOMPARE(sass.rows[7].function, 1u);
    QCOMPARE(sass.rows[7].line, 0);  // nothing goes over from the function before
    QCOMPARE(sass.rows[7].live, 1);
  }

  void oddListings() {
    QVERIFY(read_sass("", "").rows.empty());
    QVERIFY(read_sass("/*0000*/ NOP ;\n", "").rows.empty());  // of no function
    QVERIFY(read_sass(".text.f:\n//## File \"cut\n/*zz*/\n/*00\n", "").rows.size() == 1);
    const Sass other = read_sass(lines_listing, ".text.soft:\n/*0000*/ LDC ; // |   5   |\n");  // the listings differ
    QCOMPARE(other.rows[1].live, 5);
    QCOMPARE(other.rows[2].live, 0);
    QCOMPARE(other.rows[7].live, 0);
    const Sass none = read_sass(lines_listing, "");
    QCOMPARE(none.rows[1].live, 0);
    QCOMPARE(none.rows[1].line, 10);
  }

  void aRealKernel() {
    auto compiler = Compiler::open();
    QVERIFY2(compiler, compiler ? "" : compiler.error().text().c_str());
    Request request;
    request.code =
        "extern \"C\" __global__ void twice(float* o, int n) {\n  int i = threadIdx.x;\n  if (i < n)\n    o[i] *= "
        "2.0f;\n}\n";
    const auto output = (*compiler)->compile(request);
    QVERIFY2(output.has_value(), output ? "" : output.error().text().c_str());
    const std::vector<int> lines = ptx::source_lines(ptx::parse(output->ptx));
    QVERIFY(std::find(lines.begin(), lines.end(), 4) != lines.end());
    QCOMPARE(disassemble_rows("").error().code, Code::invalid_argument);
    const auto sass = disassemble_rows(output->cubin);
    QVERIFY2(sass.has_value(), sass ? "" : sass.error().text().c_str());
    QCOMPARE(sass->functions, (std::vector<std::string>{"twice"}));
    bool load = false;
    std::size_t at = 0;
    for (const SassRow& row : sass->rows) {
      const std::size_t end = sass->text.find('\n', at);
      const std::string text = sass->text.substr(at, end - at);
      at = end + 1;
      if (text.find("LDG") == text.npos) continue;
      load = true;
      QCOMPARE(row.line, 4);
      QVERIFY(row.ptx_line > 0 && row.ptx_line <= static_cast<int>(lines.size()));
      QCOMPARE(lines[static_cast<std::size_t>(row.ptx_line - 1)], 4);
      QVERIFY(row.live > 0);
    }
    QVERIFY(load);
  }
};

QTEST_MAIN(SassTest)
#include "sass_test.moc"
