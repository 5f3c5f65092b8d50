// SPDX-License-Identifier: Apache-2.0
// What the decoder makes of instructions: modifiers in any order, unknown forms, special registers, formals in
// registers, vector atomics; and what keeps a launch from ending.
#include "simt/bed.h"
#include "simt/opcode.h"
#include "simt/ptx.h"

using namespace ww;
using namespace ww::simt;
using namespace ww::simt::test;

namespace {

// Runs kernel_text(body) with one warp over an output and an input of 16 bytes per thread.
struct Ran {
  std::string wrong;  // "": it went well
  std::vector<std::uint32_t> out;
  LaunchReport report;
};
Ran run_text(const std::string& text, unsigned threads, const std::vector<std::uint32_t>& in, LaunchOptions options) {
  Bed bed(text);
  bed.options = options;
  const auto out = bed.put(std::vector<std::uint32_t>(4 * threads), "out"), from = bed.put(in, "in");
  Ran r;
  r.wrong = bed.run("k", {1}, {threads}, out, from);
  r.out = bed.get<std::uint32_t>(out, 4 * threads);
  r.report = bed.report;
  return r;
}
Ran run_body(const std::string& body, unsigned threads = 1, const std::vector<std::uint32_t>& in = {0, 0, 0, 0},
             LaunchOptions options = {}) {
  return run_text(kernel_text("", body), threads, in, options);
}

}  // namespace

class OpcodesTest : public QObject {
  Q_OBJECT
 private slots:
  void modifiersInAnyOrderAreOneInstruction_data() {
    QTest::addColumn<QString>("one");
    QTest::addColumn<QString>("other");
    const auto row = [](const char* one, const char* other) { QTest::newRow(other) << one << other; };
    row("div.rn.ftz.f32", "div.ftz.rn.f32");
    row("add.rn.ftz.f32", "add.ftz.rn.f32");
    row("add.rz.ftz.sat.f32", "add.sat.ftz.rz.f32");
    row("fma.rn.ftz.f32", "fma.ftz.rn.f32");
    row("setp.lt.and.ftz.f32", "setp.lt.ftz.and.f32");
    row("cvt.rn.ftz.sat.f16.f32", "cvt.sat.rn.ftz.f16.f32");
    row("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "mma.aligned.sync.m16n8k16.row.col.f32.f16.f16.f32");
    row("ldmatrix.sync.aligned.m8n8.x4.shared.b16", "ldmatrix.sync.aligned.x4.m8n8.shared.b16");
    row("ldmatrix.sync.aligned.m8n8.x2.shared.trans.b16", "ldmatrix.sync.aligned.trans.x2.m8n8.shared.b16");
    row("min.NaN.abs.ftz.xorsign.f32", "min.ftz.NaN.xorsign.abs.f32");
  }
  void modifiersInAnyOrderAreOneInstruction() {
    QFETCH(QString, one);
    QFETCH(QString, other);
    QCOMPARE(normal_opcode(one.toStdString()), normal_opcode(other.toStdString()));
  }
  void whatDiffersStaysApart() {
    for (const auto& [a, b] :
         {std::pair{"cvt.f32.s32", "cvt.s32.f32"},
          {"cvt.rn.f16x2.e4m3x2", "cvt.rn.e4m3x2.f16x2"},
          {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32"},
          {"dp4a.u32.s32", "dp4a.s32.u32"},
          {"setp.lo.u32", "setp.hi.u32"}})
      QVERIFY2(normal_opcode(a) != normal_opcode(b), a);
    for (const char* same :
         {"ld.global.nc.v4.f32", "bar.warp.sync", "shfl.sync.idx.b32", "mov.u32", "cp.async.wait_all"})
      QCOMPARE(normal_opcode(same).size(), std::string(same).size());
  }
  void anyOrderRuns() {
    const std::vector<std::uint32_t> in{0x40c00000, 0x40000000, 0, 0};  // 6, 2
    const std::string load = "ld.global.f32 %f1, [%i];\nld.global.f32 %f2, [%i+4];\n";
    for (const auto& [text, expected] : {std::pair{"div.ftz.rn.f32", 0x40400000u},
                                         {"div.rn.ftz.f32", 0x40400000u},
                                         {"add.ftz.rn.f32", 0x41000000u},
                                         {"mul.ftz.rn.f32", 0x41400000u}}) {
      const Ran r = run_body(load + text + " %f3, %f1, %f2;\nst.global.f32 [%o], %f3;", 1, in);
      GOOD(r.wrong);
      QCOMPARE(r.out[0], expected);
    }
    const Ran r = run_body(load +
                           "setp.gt.ftz.and.f32 %p1, %f1, %f2, %p2;\nselp.u32 %r1, 1, 0, %p1;\n"
                           "st.global.u32 [%o], %r1;");
    GOOD(r.wrong);
  }

  void anUnknownFormFailsWhereItIsUsed() {
    const std::string other = ".visible .entry other()\n{\n.reg .b32 %x<3>;\nfrob.b32 %x1, %x2;\nret;\n}\n";
    const std::string fine = "mov.u32 %r1, 7;\nst.global.u32 [%o], %r1;";
    const Ran beside = run_text(kernel_text("", fine, other), 1, {0, 0, 0, 0}, {});
    GOOD(beside.wrong);  // of another kernel
    QCOMPARE(beside.out[0], 7u);
    const std::string skipped = "setp.eq.u32 %p1, %r0, 99;\n@!%p1 bra OVER;\nfrob.b32 %r1, %r2;\nOVER:\n" + fine;
    const Ran refused = run_body(skipped);
    QVERIFY2(refused.wrong.find("unsupported: frob.b32 at line") != std::string::npos, refused.wrong.c_str());
    LaunchOptions lazily;
    lazily.unsupported_on_use = true;
    const Ran over = run_body(skipped, 1, {0, 0, 0, 0}, lazily);
    GOOD(over.wrong);
    QCOMPARE(over.out[0], 7u);
    const Ran reached = run_body("frob.b32 %r1, %r2;\n" + fine, 1, {0, 0, 0, 0}, lazily);
    QVERIFY(reached.report.fault);
    QCOMPARE(reached.report.fault->kind, FaultKind::unsupported);
    QVERIFY2(reached.wrong.find("frob.b32") != std::string::npos, reached.wrong.c_str());
    QVERIFY(!decides(reached.report.fault->kind));
  }

  void zerosAreNormal() {  // as hardware has it; PTX does not say
    const Ran r = run_body(
        "ld.global.f32 %f1, [%i];\ntestp.normal.f32 %p1, %f1;\nselp.u32 %r1, 1, 0, %p1;\nst.global.u32 [%o], %r1;\n"
        "neg.f32 %f1, %f1;\ntestp.normal.f32 %p1, %f1;\nselp.u32 %r1, 1, 0, %p1;\nst.global.u32 [%o+4], %r1;\n"
        "mov.f32 %f1, 0f00000001;\ntestp.normal.f32 %p1, %f1;\nselp.u32 %r1, 1, 0, %p1;\nst.global.u32 [%o+8], %r1;\n"
        "mov.f64 %fd1, 0d0000000000000000;\ntestp.normal.f64 %p1, %fd1;\nselp.u32 %r1, 1, 0, %p1;\n"
        "st.global.u32 [%o+12], %r1;");
    GOOD(r.wrong);
    QCOMPARE(r.out, (std::vector<std::uint32_t>{1, 1, 0, 1}));
  }

  void specialRegistersOfNoConsequence() {
    const Ran r = run_body(
        "mov.u32 %r1, %envreg0;\nmov.u32 %r2, %envreg31;\nadd.u32 %r1, %r1, %r2;\n"
        "mov.u32 %r2, %cluster_nctarank;\nmov.u32 %r3, %reserved_smem_offset_begin;\nmov.u32 %r4, %nclusterid.x;\n"
        "st.global.v4.u32 [%o], {%r1, %r2, %r3, %r4};\nmov.u32 %r1, %reserved_smem_offset_end;\n"
        "mov.u32 %r1, %reserved_smem_offset_cap;\nmov.u32 %r1, %reserved_smem_offset_0;\n"
        "mov.u32 %r1, %reserved_smem_offset_1;\n");
    GOOD(r.wrong);
    QCOMPARE(r.out, (std::vector<std::uint32_t>{0, 1, 0, 1}));
    QVERIFY(run_body("mov.u32 %r1, %envreg32;").wrong.find("special register %envreg32") != std::string::npos);
  }

  void hintsHaveNoEffectAndDiscardForgets() {
    const Ran hints = run_body(
        "prefetch.global.L2 [%i];\nprefetch.L1 [%i];\nprefetchu.L1 [%i];\napplypriority.global.L2::evict_normal [%i], "
        "128;\nnanosleep.u32 100;\nmov.u32 %r1, 3;\nst.global.u32 [%o], %r1;");
    GOOD(hints.wrong);
    QCOMPARE(hints.out[0], 3u);
    const std::string text = kernel_text("",
                                         "discard.global.L2 [%i], 128;\nld.global.u32 %r1, [%i];\n"
                                         "st.global.u32 [%o], %r1;");
    const Ran forgotten = run_text(text, 1, std::vector<std::uint32_t>(32, 5), {});
    QVERIFY(forgotten.report.fault);
    QCOMPARE(forgotten.report.fault->kind, FaultKind::uninitialised_read);
    const Ran beyond = run_text(text, 1, std::vector<std::uint32_t>(8, 5), {});
    QVERIFY(beyond.report.fault);
    QCOMPARE(beyond.report.fault->kind, FaultKind::out_of_bounds);
  }

  void vectorAtomics() {
    const Ran r = run_body(
        "mov.f32 %f1, 0f3F800000;\nmov.f32 %f2, 0f40000000;\n"
        "atom.global.v2.f32.add {%f3, %f4}, [%o], {%f1, %f2};\nred.global.v4.f32.add [%o], {%f1, %f1, %f2, %f2};\n");
    GOOD(r.wrong);
    QCOMPARE(r.out, (std::vector<std::uint32_t>{0x40000000, 0x40400000, 0x40000000, 0x40000000}));
    const Ran wide = run_body("atom.global.exch.b128 %rd1, [%o], %rd2;");
    QVERIFY2(wide.wrong.find("operands do not fit") != std::string::npos, wide.wrong.c_str());
  }

  void formalsInRegistersAndVectors() {
    const std::string scope =
        ".func (.reg .u32 sum, .reg .u32 difference) both(.reg .u32 a, .reg .u32 b)\n{\nadd.u32 sum, a, b;\n"
        "sub.u32 difference, a, b;\nret;\n}\n"
        ".func (.param .b32 out) second(.param .align 8 .v2 .b32 pair)\n{\n.reg .b32 %x<3>;\n"
        "ld.param.v2.b32 {%x1, %x2}, [pair];\nst.param.b32 [out], %x2;\nret;\n}\n";
    const std::string body =
        "add.u32 %r1, %r0, 10;\ncall (%r2, %r3), both, (%r1, 3);\n"
        "{\n.param .align 8 .v2 .b32 p;\n.param .b32 q;\nst.param.v2.b32 [p], {%r1, %r3};\ncall (q), second, (p);\n"
        "ld.param.b32 %r4, [q];\n}\nst.global.v4.u32 [%o], {%r1, %r2, %r3, %r4};";
    const Ran r = run_text(kernel_text("", body, scope), 4, std::vector<std::uint32_t>(16), {});
    GOOD(r.wrong);
    for (std::uint32_t t = 0; t < 4; ++t)
      QCOMPARE((std::vector<std::uint32_t>(r.out.begin() + 4 * t, r.out.begin() + 4 * t + 4)),
               (std::vector<std::uint32_t>{10 + t, 13 + t, 7 + t, 7 + t}));
  }

  void threadsThatEndedDoNotBlockABarrier() {
    const std::string body =
        "setp.ge.u32 %p1, %r0, 32;\n@%p1 exit;\nbar.sync 0;\nmov.u32 %r1, 1;\nst.global.u32 [%o], %r1;";
    LaunchOptions options;
    options.checks = Checks::bounds;
    const Ran r = run_body(body, 64, std::vector<std::uint32_t>(256), options);
    GOOD(r.wrong);
    QCOMPARE(r.out[4 * 31], 1u);
    options.checks = Checks::full;
    options.goes_on = true;
    const Ran ended = run_body(body, 64, std::vector<std::uint32_t>(256), options);
    GOOD(ended.wrong);
    QVERIFY(ended.report.findings.empty());
    const std::string round =
        "setp.ge.u32 %p1, %r0, 32;\nmov.u32 %r1, 1;\n@%p1 bra B;\nbar.sync 0;\nB: st.global.u32 [%o], %r1;";
    const Ran told = run_body(round, 64, std::vector<std::uint32_t>(256), options);
    GOOD(told.wrong);
    QCOMPARE(told.report.findings.size(), std::size_t{1});
    QCOMPARE(told.report.findings[0].kind, FaultKind::barrier_divergence);
    QCOMPARE(told.out[4 * 31], 1u);
  }

  void theBudgetIsSeenInLoopsThroughBarriers() {
    LaunchOptions options;
    options.instruction_budget = 200000;
    options.threads = 1;
    for (const char* sync : {"bar.sync 0;", "bar.warp.sync -1;", "barrier.sync 1, 64;"}) {
      const Ran r = run_body(std::string("L: ") + sync +
                                 "\nld.volatile.global.u32 %r1, [%i];\nadd.u32 %r2, %r2, 1;\n"  // in no circle
                                 "setp.ne.u32 %p1, %r1, 12345;\n@%p1 bra L;",
                             64, std::vector<std::uint32_t>(256), options);
      QVERIFY2(r.report.fault, sync);
      QCOMPARE(r.report.fault->kind, FaultKind::budget_exceeded);
      QVERIFY2(r.report.warp_instructions < 400000, sync);
    }
  }

  void everyGroupOfLanesGetsItsTurn() {  // three loops at three pcs: only the middle one can end
    const std::string body =
        "mov.u32 %r9, 0;\nst.volatile.global.u32 [%o], %r9;\nsetp.eq.u32 %p1, %r0, 0;\nsetp.eq.u32 %p2, %r0, 1;\n"
        "mul.wide.u32 %rd1, %r0, 16;\nsub.s64 %rd1, %o, %rd1;\n@%p1 bra LOW;\n@%p2 bra MIDDLE;\nbra HIGH;\n"
        "LOW: ld.volatile.global.u32 %r1, [%rd1+4];\nsetp.eq.u32 %p3, %r1, 0;\n@%p3 bra LOW;\nbra END;\n"
        "MIDDLE: add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p3, %r2, 5000;\n@%p3 bra MIDDLE;\nmov.u32 %r3, 1;\n"
        "st.volatile.global.u32 [%rd1+4], %r3;\nbra END;\n"
        "HIGH: ld.volatile.global.u32 %r1, [%rd1+4];\nsetp.eq.u32 %p3, %r1, 0;\n@%p3 bra HIGH;\n"
        "END: mov.u32 %r4, 8;\nst.global.u32 [%o+8], %r4;";
    LaunchOptions options;
    options.instruction_budget = 3000000;
    options.checks = Checks::bounds;
    const Ran r = run_body(body, 3, std::vector<std::uint32_t>(12), options);
    GOOD(r.wrong);
    for (int t = 0; t < 3; ++t) QCOMPARE(r.out[4 * t + 2], 8u);
  }
};

QTEST_GUILESS_MAIN(OpcodesTest)
#include "opcodes_test.moc"
