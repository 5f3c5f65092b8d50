// SPDX-License-Identifier: Apache-2.0
// Bytes that were never written: named where they are used, wherever they were copied before.
#include "simt/bed.h"
#include "simt/ptx.h"

using namespace ww;
using namespace ww::simt;
using namespace ww::simt::test;

namespace {

const char* const declarations =
    ".shared .align 16 .b8 s[1024];\n.shared .align 16 .b8 copy[1024];\n.local .align 16 .b8 depot[32];\n"
    ".reg .b32 %s<9>;\n.reg .b64 %c<9>;\n";
// Each thread writes 5 of 8 bytes of its struct. %s0: its address, %s1: that of its copy.
const std::string write =
    "mov.u32 %s0, s;\nshl.b32 %s2, %r0, 3;\nmov.u32 %s1, copy;\nadd.u32 %s0, %s0, %s2;\nadd.u32 %s1, %s1, %s2;\n"
    "mov.u16 %h1, 7;\nst.shared.u32 [%s0], %r0;\nst.shared.u8 [%s0+4], %h1;\nbar.sync 0;\n";
const std::string load = "ld.shared.v2.u32 {%r1, %r2}, [%s0];\n";

struct Found {
  std::string fault;          // "": none; or the kind and the opcode
  std::size_t unwritten = 0;  // bytes of the output, of 64 threads with 16 bytes each
};

Found launch(const std::string& body, Checks checks = Checks::full) {
  Bed bed(kernel_text(declarations, write + body));
  bed.options.checks = checks;
  const auto out = bed.room<int>(4 * 64), in = bed.room<int>(4 * 64, "in");
  const auto r = bed.launch("k", {1}, {64}, out, in);
  if (!r) return {r.error().text(), 0};
  Found found;
  if (r->fault) found.fault = std::string(enum_string(r->fault->kind)) + " " + r->fault->instruction;
  found.unwritten = bed.memory.uninitialised(out, 16 * 64)->count;
  return found;
}

}  // namespace

class UninitialisedTest : public QObject {
  Q_OBJECT
 private slots:
  // Of each thread's 16 bytes, 8 are not copied, and 3 are padding.
  void paddingIsCopied_data() {
    QTest::addColumn<QString>("body");
    const auto row = [](const char* name, const std::string& body) {
      QTest::newRow(name) << QString::fromStdString(body);
    };
    row("vector", load + "st.global.v2.u32 [%o], {%r1, %r2};");
    row("one by one", load + "st.global.u32 [%o], %r1;\nst.global.u32 [%o+4], %r2;");
    row("word", "ld.shared.u64 %c1, [%s0];\nst.global.u64 [%o], %c1;");
    row("moved", load + "mov.u32 %r3, %r1;\nmov.b32 %r4, %r2;\nst.global.v2.u32 [%o], {%r3, %r4};");
    row("taken apart", "ld.shared.u64 %c1, [%s0];\nmov.b64 {%r1, %r2}, %c1;\nst.global.v2.u32 [%o], {%r1, %r2};");
    row("put together", load + "mov.b64 %c1, {%r1, %r2};\nst.global.u64 [%o], %c1;");
    row("through shared memory", load +
                                     "st.shared.v2.u32 [%s1], {%r1, %r2};\nbar.sync 0;\n"
                                     "ld.shared.u64 %c2, [%s1];\nst.global.u64 [%o], %c2;");
    row("through local memory", "mov.u64 %c3, depot;\n" + load +
                                    "st.local.v2.u32 [%c3], {%r1, %r2};\nld.local.u64 %c2, [%c3];\n"
                                    "st.global.u64 [%o], %c2;");
    row("generic",
        "cvt.u64.u32 %c1, %s0;\ncvta.shared.u64 %c1, %c1;\ncvt.u64.u32 %c2, %s1;\ncvta.shared.u64 %c2, "
        "%c2;\nld.v2.u32 {%r1, %r2}, [%c1];\nst.v2.u32 [%c2], {%r1, %r2};\nld.u64 %c3, [%c2];\n"
        "st.u64 [%o], %c3;");
    row("under a condition",
        "setp.lt.u32 %p1, %r0, 99;\nmov.u64 %c1, 0;\n@%p1 ld.shared.u64 %c1, [%s0];\n"
        "@%p1 st.global.u64 [%o], %c1;");
    row("by every other lane",
        "and.b32 %r5, %r0, 1;\nsetp.eq.u32 %p1, %r5, 0;\nmov.u64 %c1, 0;\n"
        "ld.shared.u64 %c1, [%s0];\n@%p1 st.global.u64 [%o], %c1;\n@!%p1 st.global.u64 [%o], %c1;");
  }
  void paddingIsCopied() {
    QFETCH(QString, body);
    const Found found = launch(body.toStdString());
    QCOMPARE(QString::fromStdString(found.fault), QString());
    QCOMPARE(found.unwritten, std::size_t{(8 + 3) * 64});
    QCOMPARE(QString::fromStdString(launch(body.toStdString(), Checks::bounds).fault), QString());
  }

  void whatIsUsedIsWritten_data() {
    QTest::addColumn<QString>("body");
    const auto row = [](const char* name, const std::string& body) {
      QTest::newRow(name) << QString::fromStdString(load + body + "\nst.global.u32 [%o], %r3;");
    };
    row("the other word", "add.u32 %r3, %r1, 1;");
    row("a byte converted", "cvt.u32.u8 %r3, %r2;");
    row("a byte masked", "and.b32 %r3, %r2, 255;");
    row("a byte shifted", "ld.shared.u32 %r4, [%s0];\nshr.u32 %r3, %r4, 24;");
    row("a field", "bfe.u32 %r3, %r2, 2, 5;");
    row("a byte selected", "prmt.b32 %r3, %r2, %r1, 0x4540;");
    row("nothing", "mov.u32 %r3, 1;");
  }
  void whatIsUsedIsWritten() {
    QFETCH(QString, body);
    QCOMPARE(QString::fromStdString(launch(body.toStdString()).fault), QString());
  }

  void whatIsUsedIsNamed_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("fault");
    const auto row = [](const char* name, const std::string& body, const char* at) {
      QTest::newRow(name) << QString::fromStdString(body) << "uninitialised read " + QString(at);
    };
    const std::string keep = "\nst.global.u32 [%o], %r3;";
    row("the word", load + "add.u32 %r3, %r2, 1;" + keep, "ld.shared.v2.u32");
    row("two bytes", load + "and.b32 %r3, %r2, 65535;" + keep, "ld.shared.v2.u32");
    row("a byte of the padding", load + "shr.u32 %r3, %r2, 8;" + keep, "ld.shared.v2.u32");
    row("a field", load + "bfe.u32 %r3, %r2, 4, 5;" + keep, "ld.shared.v2.u32");
    row("a byte selected", load + "prmt.b32 %r3, %r1, %r2, 0x3215;" + keep, "ld.shared.v2.u32");
    row("an address", load + "mul.wide.u32 %c1, %r2, 0;\nadd.s64 %c1, %o, %c1;\nst.global.u32 [%c1], %r1;",
        "ld.shared.v2.u32");
    row("a comparison", load + "setp.eq.u32 %p1, %r2, 7;\nselp.u32 %r3, 1, 0, %p1;" + keep, "ld.shared.v2.u32");
    row("copied as well", load + "st.shared.v2.u32 [%s1], {%r1, %r2};\nadd.u32 %r3, %r2, 1;" + keep,
        "ld.shared.v2.u32");
    row("after a copy",
        load + "st.shared.v2.u32 [%s1], {%r1, %r2};\nbar.sync 0;\nld.shared.u32 %r4, [%s1+4];\nadd.u32 %r3, %r4, 1;" +
            keep,
        "ld.shared.u32");
    row("after a copy in global memory",
        load + "st.global.v2.u32 [%o], {%r1, %r2};\nld.global.u32 %r4, [%o+4];\nadd.u32 %r3, %r4, 1;" + keep,
        "ld.global.u32");
    row("after moves",
        load +
            "mov.b64 %c1, {%r1, %r2};\nmov.b64 %c2, %c1;\nst.local.u64 [depot], %c2;\nld.local.u32 %r4, [depot+4];\n"
            "add.u32 %r3, %r4, 1;" +
            keep,
        "ld.local.u32");
    // Of all that is loaded nothing was written: no padding.
    row("nothing written", "ld.shared.u32 %r3, [%s0+512];" + keep, "ld.shared.u32");
    row("no part of it", "ld.global.u64 %c1, [%i];\nst.shared.u64 [%s1], %c1;", "ld.global.u64");
  }
  void whatIsUsedIsNamed() {
    QFETCH(QString, body);
    QFETCH(QString, fault);
    QCOMPARE(QString::fromStdString(launch(body.toStdString()).fault), fault);
  }

  void copiesWithinABlockMayBeUnused() {
    QCOMPARE(QString::fromStdString(launch("ld.shared.u64 %c1, [%s0+512];\nst.shared.u64 [%s1], %c1;").fault),
             QString());
    const Found used = launch(
        "ld.shared.u64 %c1, [%s0+512];\nst.shared.u64 [%s1], %c1;\nld.shared.u64 %c2, [%s1];\nadd.s64 %c2, %c2, 1;\n"
        "st.global.u64 [%o], %c2;");
    QCOMPARE(used.fault, std::string("uninitialised read ld.shared.u64"));
  }

  void theNextLaunchFindsThem() {
    Bed bed(kernel_text(declarations, write + load + "st.global.v2.u32 [%o], {%r1, %r2};"));
    const auto out = bed.room<int>(4 * 64);
    GOOD(bed.run("k", {1}, {64}, out, out));
    Bed reader(kernel_text("", "ld.global.v2.u32 {%r1, %r2}, [%i];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%o+8], %r2;"));
    const KernelInfo& k = *reader.program->kernel("k");
    Arguments list(k);
    list.add_pointer(out);
    list.add_pointer(out);
    const auto r = simt::launch(*reader.program, "k", {{1}, {64}, 0, *list.bytes()}, bed.memory, bed.options);
    QVERIFY(r && r->fault);
    QCOMPARE(r->fault->kind, FaultKind::uninitialised_read);
  }
};

QTEST_GUILESS_MAIN(UninitialisedTest)
#include "uninitialised_test.moc"
