// SPDX-License-Identifier: Apache-2.0
// Counters against numbers worked out by hand.
#include <map>
#include "simt/bed.h"
#include "simt/ptx.h"

using namespace ww;
using namespace ww::simt;
using namespace ww::simt::test;

namespace {

// Loads (or stores) one f32 per lane of one warp at byte offset lane * stride + shift of %i (or %o's) start.
Tally global_access(const std::string& instruction, int stride, int shift, unsigned lanes = 32) {
  Bed bed(kernel_text("", "mul.lo.u32 %r1, %r0, " + std::to_string(stride - 16) +
                              ";\ncvt.s64.s32 %rd1, %r1;\nadd.s64 %rd2, %i, %rd1;\nadd.s64 %rd2, %rd2, " +
                              std::to_string(shift) + ";\n" + instruction));
  const auto p = bed.put(std::vector<float>(1 << 16, 1.0f));
  if (const std::string bad = bed.run("k", {1}, {lanes}, p, p); !bad.empty()) qWarning("%s", bad.c_str());
  return bed.report.counters.total;
}
// The same in shared memory.
Tally shared_access(const std::string& instruction, const std::string& offset) {
  Bed bed(kernel_text(".shared .align 16 .b8 s[8192];\n",
                      offset + "mov.u32 %r2, s;\nadd.u32 %r2, %r2, %r1;\n" + instruction));
  bed.options.checks = Checks::bounds;
  const auto p = bed.put(std::vector<float>(1 << 12, 1.0f));
  if (const std::string bad = bed.run("k", {1}, {32}, p, p); !bad.empty()) qWarning("%s", bad.c_str());
  return bed.report.counters.total;
}
using Pair = std::pair<std::uint64_t, std::uint64_t>;

}  // namespace

class CountersTest : public QObject {
  Q_OBJECT
 private slots:
  void globalSectors() {
    const auto loads = [](int stride, int shift, unsigned lanes = 32) {
      const Tally t = global_access("ld.global.f32 %f1, [%rd2];", stride, shift, lanes);
      return Pair(t.global_load_requests, t.global_load_sectors);
    };
    QCOMPARE(loads(4, 0), Pair(1, 4));      // coalesced: 128 bytes
    QCOMPARE(loads(4, 4), Pair(1, 5));      // the same, shifted off a sector boundary
    QCOMPARE(loads(8, 0), Pair(1, 8));      // stride 2
    QCOMPARE(loads(32, 0), Pair(1, 32));    // a sector a lane
    QCOMPARE(loads(4096, 0), Pair(1, 32));  // far apart: the slow way of counting
    QCOMPARE(loads(0, 0), Pair(1, 1));      // uniform
    QCOMPARE(loads(4, 0, 8), Pair(1, 1));   // a quarter of a warp
    QCOMPARE(loads(-4, 512), Pair(1, 5));   // downwards from byte 512 to 388
    const Tally v = global_access("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2];", 16, 0);
    QCOMPARE(Pair(v.global_load_requests, v.global_load_sectors), Pair(1, 16));
    QCOMPARE(v.global_load_bytes, std::uint64_t{512});
    const Tally s = global_access("mov.f32 %f1, 0f3F800000;\nst.global.f32 [%rd2], %f1;", 4, 0);
    QCOMPARE(Pair(s.global_store_requests, s.global_store_sectors), Pair(1, 4));
    QCOMPARE(s.global_load_requests, std::uint64_t{0});
    const Tally g = global_access("ld.f32 %f1, [%rd2];", 4, 0);  // generic
    QCOMPARE(Pair(g.global_load_requests, g.global_load_sectors), Pair(1, 4));
  }

  void sharedBanks() {
    const auto loads = [](const std::string& offset, const std::string& instruction = "ld.shared.f32 %f1, [%r2];") {
      const Tally t = shared_access(instruction, offset);
      return Pair(t.shared_load_wavefronts, t.shared_load_conflicts);
    };
    QCOMPARE(loads("shl.b32 %r1, %r0, 2;\n"), Pair(1, 0));                        // a row
    QCOMPARE(loads("mul.lo.u32 %r1, %r0, 128;\n"), Pair(32, 31));                 // a column of [32][32]
    QCOMPARE(loads("mul.lo.u32 %r1, %r0, 132;\n"), Pair(1, 0));                   // a column of [32][33]
    QCOMPARE(loads("mul.lo.u32 %r1, %r0, 8;\n"), Pair(2, 1));                     // stride 2
    QCOMPARE(loads("mul.lo.u32 %r1, %r0, 0;\n"), Pair(1, 0));                     // broadcast
    QCOMPARE(loads("and.b32 %r1, %r0, 1;\nshl.b32 %r1, %r1, 7;\n"), Pair(2, 1));  // two words of one bank
    QCOMPARE(loads("shl.b32 %r1, %r0, 3;\n", "ld.shared.f64 %fd1, [%r2];"), Pair(2, 0));
    QCOMPARE(loads("shl.b32 %r1, %r0, 4;\n", "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r2];"), Pair(4, 0));
    QCOMPARE(loads("shl.b32 %r1, %r0, 5;\n", "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r2];"), Pair(8, 4));
    const Tally s = shared_access("st.shared.u32 [%r2], %r0;", "mul.lo.u32 %r1, %r0, 128;\n");
    QCOMPARE(Pair(s.shared_store_wavefronts, s.shared_store_conflicts), Pair(32, 31));
    QCOMPARE(Pair(s.shared_store_requests, s.shared_store_bytes), Pair(1, 128));
  }

  void classesLinesAndBranches() {
    Bed bed(kernel_text("",
                        ".loc 1 5 1\nsetp.lt.u32 %p1, %r0, 20;\n@%p1 bra A;\n.loc 1 6 1\nmul.f32 %f1, %f2, "
                        "%f3;\nfma.rn.f32 %f1, %f1, %f2, %f3;\nbra B;\n"
                        "A:\n.loc 1 7 1\nadd.f64 %fd1, %fd2, %fd3;\nB:\n.loc 1 8 1\nsetp.gt.u32 %p2, %r0, 1000;\n@%p2 "
                        "bra C;\nbra D;\nC:\n.loc 1 9 1\nex2.approx.f32 %f4, %f1;\nD:\n.loc 1 10 1"));
    const auto p = bed.put(std::vector<int>(4 * 96, 0));
    QCOMPARE(bed.run("k", {2}, {40}, p, p), std::string());  // two warps a block: 32 threads (20 and 12) and 8
    const Counters& c = bed.report.counters;
    QCOMPARE(c.total.branches, std::uint64_t{8});
    QCOMPARE(c.total.divergent_branches, std::uint64_t{2});
    QCOMPARE(c.total.branch_threads_taken, std::uint64_t{2 * 20});
    QCOMPARE(c.total.branch_threads_not_taken, std::uint64_t{2 * 20 + 2 * 40});
    QCOMPARE(c.total.flops_f32, std::uint64_t{2 * 20 * 3});
    QCOMPARE(c.total.flops_f64, std::uint64_t{2 * 20});
    const auto& f32 = c.total.by_class[static_cast<std::size_t>(InstrClass::f32)];
    QCOMPARE(Pair(f32.warp, f32.thread), Pair(2 * 2 * 2, 2 * 20 * 2));
    QCOMPARE(Pair(c.total.by_class[static_cast<std::size_t>(InstrClass::f64)].warp,
                  c.total.by_class[static_cast<std::size_t>(InstrClass::f64)].thread),
             Pair(2, 40));
    std::uint64_t warps = 0, threads = 0;
    for (const ClassCount& k : c.total.by_class) warps += k.warp, threads += k.thread;
    QCOMPARE(Pair(warps, threads), Pair(c.total.warp_instructions, c.total.thread_instructions));
    std::map<int, LineTally> lines;
    for (const LineTally& l : c.lines) lines[l.line] = l;
    QVERIFY(lines[7].executed && lines[6].executed && !lines[9].executed);
    QCOMPARE(lines[6].tally.thread_instructions, std::uint64_t{2 * 20 * 3});
    QCOMPARE(lines[5].tally.branch_threads_taken, std::uint64_t{40});
    QCOMPARE(bed.report.warp_instructions, c.total.warp_instructions);
  }

  void barriersAtomicsAndLocal() {
    Bed bed(kernel_text(
        ".shared .align 4 .b8 s[4];\n.local .align 4 .b8 l[4];\n",
        "bar.sync 0;\nmov.u32 %r1, 1;\nst.shared.u32 [s], %r1;\nbar.sync 0;\natom.shared.add.u32 %r2, [s], "
        "1;\nred.global.add.u32 [%o], 1;\nmov.u64 %rd1, l;\nst.local.u32 [%rd1], %r1;\nld.local.u32 %r2, [%rd1];"));
    const auto p = bed.put(std::vector<int>(4 * 96, 0));
    QCOMPARE(bed.run("k", {1}, {96}, p, p), std::string());
    const Tally& t = bed.report.counters.total;
    QCOMPARE(t.barriers, std::uint64_t{6});
    QCOMPARE(Pair(t.shared_atomics, t.global_atomics), Pair(96, 96));
    QCOMPARE(Pair(t.local_store_requests, t.local_load_requests), Pair(3, 3));
    QCOMPARE(Pair(t.shared_store_requests, t.shared_store_wavefronts), Pair(3, 3));
  }

  void wholeKernels() {  // vector addition of 1000 elements in 4 blocks of 256: 31 full warps, one of 8 lanes
    Bed bed(fixture("00_bench4.sm80.ptx"));
    const auto a = bed.put(std::vector<float>(1000, 1)), c = bed.room<float>(1000);
    QCOMPARE(bed.run("vadd", {4}, {256}, a, a, c, 1000), std::string());
    const Tally& t = bed.report.counters.total;
    // 4 parameters, 3 special registers, mad, setp, bra and ret for all; 11 more for the 1000 threads.
    QCOMPARE(t.thread_instructions, std::uint64_t{1024 * 11 + 1000 * 11});
    QCOMPARE(Pair(t.global_load_requests, t.global_load_sectors), Pair(64, 2 * 125));
    QCOMPARE(Pair(t.global_store_requests, t.global_store_sectors), Pair(32, 125));
    QCOMPARE(t.divergent_branches, std::uint64_t{1});
    QCOMPARE(t.flops_f32, std::uint64_t{1000});
    bed.options.counters = false;
    QCOMPARE(bed.run("vadd", {4}, {256}, a, a, c, 1000), std::string());
    QVERIFY(bed.report.counters.lines.empty());
  }

  void sameCountsOnEveryThreadCount() {
    std::vector<Tally> totals;
    for (const int threads : {1, 2, 3}) {
      Bed bed(fixture("00_bench4.sm80.ptx"));
      bed.options.threads = threads;
      const auto x = bed.put(std::vector<float>(16 * 500, 1)), y = bed.room<float>(16 * 500);
      QCOMPARE(bed.run("softmax", {16}, {256}, x, y, 500), std::string());
      totals.push_back(bed.report.counters.total);
    }
    for (const Tally& t : totals) {
      QCOMPARE(t.thread_instructions, totals[0].thread_instructions);
      QCOMPARE(t.global_load_sectors, totals[0].global_load_sectors);
      QCOMPARE(t.shared_load_wavefronts, totals[0].shared_load_wavefronts);
    }
  }
};

QTEST_GUILESS_MAIN(CountersTest)
#include "counters_test.moc"
