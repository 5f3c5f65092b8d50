// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include "ptx/notable.h"

using namespace ww::ptx;

namespace {

QStringList notes_of(const std::string& body, const std::string& module = {}) {
  QStringList out;
  for (const Note& n : notable_in(module + ".entry k(.param .u32 p)\n{\n" + body + "}\n"))
    out << QString("%1 %2 %3").arg(ww::enum_name(n.kind).data(), n.what.c_str()).arg(n.count);
  return out;
}

}  // namespace

class NotableTest : public QObject {
  Q_OBJECT
 private slots:
  void registers_of_the_environment() {
    QCOMPARE(notes_of("mov.u32 %r1, %smid;\nmov.u64 %rd1, %clock64;\nmov.u64 %rd2, %clock64;\n"),
             QStringList({"identity %smid 1", "clock %clock64 2"}));
    QCOMPARE(notes_of("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"), QStringList());
  }

  void tables() {
    std::string values = "0";
    for (int i = 1; i < 256; ++i) values += ", " + std::to_string(i);
    QCOMPARE(notes_of("ret;\n", ".const .align 4 .b32 t[256] = {" + values + "};\n"),
             QStringList({"large table t 1024"}));
    QCOMPARE(notes_of("ret;\n", ".const .align 4 .b32 t[4] = {1, 2, 3, 4};\n.shared .align 4 .b32 s[4096];\n"),
             QStringList());
  }

  // A table that is only read keeps nothing.
  void variables_that_last() {
    const std::string module = ".visible .global .align 4 .u32 calls;\n.global .align 4 .u32 t[2] = {1, 2};\n";
    QCOMPARE(notes_of("mov.u64 %rd1, calls;\natom.global.add.u32 %r1, [%rd1], 1;\n", module),
             QStringList({"kept variable calls 1"}));
    QCOMPARE(notes_of("st.global.u32 [calls+4], %r1;\n", module), QStringList({"kept variable calls 1"}));
    QCOMPARE(notes_of("mov.u64 %rd1, t;\nadd.s64 %rd2, %rd1, %rd9;\nst.global.u32 [%rd2], %r1;\n", module),
             QStringList({"kept variable t 1"}));
    QCOMPARE(notes_of("mov.u64 %rd1, t;\nshl.b64 %rd2, %rd1, 1;\n", module), QStringList({"kept variable t 1"}));
    QCOMPARE(notes_of("mov.u64 %rd1, t;\nadd.s64 %rd2, %rd1, %rd9;\nld.global.u32 %r1, [%rd2];\n"
                      "mov.u64 %rd3, %rd9;\nst.global.u32 [%rd3], %r1;\n",
                      module),
             QStringList());
    // Carried by a loop, passed to a function or given by one, or held in memory.
    QCOMPARE(notes_of("L: st.global.u32 [%rd1], %r1;\nmov.u64 %rd1, calls;\nbra L;\n", module),
             QStringList({"kept variable calls 1"}));
    const std::string passed = "mov.u64 %rd1, calls;\n{\n.param .b64 p0;\nst.param.b64 [p0], %rd1;\n";
    QCOMPARE(notes_of(passed + "call.uni count, (p0);\n}\n", module), QStringList({"kept variable calls 1"}));
    QCOMPARE(notes_of(passed + "call.uni (q), vprintf, (p0, p0);\n}\n", module), QStringList());
    QCOMPARE(notes_of("mov.u64 %rd1, calls;\nst.param.b64 [q], %rd1;\nret;\n", module),
             QStringList({"kept variable calls 1"}));
    QCOMPARE(notes_of("ret;\n", module + ".global .align 8 .u64 way[1] = {generic(calls)};\n"),
             QStringList({"kept variable calls 1"}));
  }

  // A register that is written anew holds no product.
  void indices_in_32_bits() {
    const std::string product = "mad.lo.s32 %r3, %r1, %r2, %r4;\n", wide = "mul.wide.s32 %rd1, %r3, 4;\n";
    QCOMPARE(notes_of(product + wide + wide), QStringList({"narrow index  2"}));
    QCOMPARE(notes_of(product + "add.s32 %r5, %r4, %r3;\nmul.wide.s32 %rd1, %r5, 4;\n"),
             QStringList({"narrow index  1"}));
    QCOMPARE(notes_of("mad.lo.s32 %r3, %r1, 256, %r4;\n" + wide), QStringList());
    QCOMPARE(notes_of(product + "ld.global.u32 %r3, [%rd9];\n" + wide), QStringList());
    QCOMPARE(notes_of("mul.wide.u32 %rd3, %r1, %r2;\nmad.lo.s64 %rd4, %rd1, %rd2, %rd3;\n"), QStringList());
  }

  void any_text() {
    QCOMPARE(notable_in("").size(), 0u);
    QCOMPARE(notable_in(".entry k( { mul.wide.s32 ; mad.lo.s32 %r1; ").size(), 0u);
    QCOMPARE(notable_in(".entry k()\n{\nmul.lo.s32 %r1, %r2;\nmad.lo.s32 %r1;\n}\n").size(), 0u);
  }
};

QTEST_APPLESS_MAIN(NotableTest)
#include "notable_test.moc"
