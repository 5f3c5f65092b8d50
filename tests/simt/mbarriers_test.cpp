// SPDX-License-Identifier: Apache-2.0
// mbarrier objects, bulk copies, and the cluster of one block.
#include "simt/bed.h"
#include "simt/ptx.h"

using namespace ww;
using namespace ww::simt;
using namespace ww::simt::test;

namespace {

// %s: an mbarrier of `count` arrivals that all threads see; %d: 256 bytes behind it.
std::string with_mbarrier(int count, const std::string& body) {
  return kernel_text(
      ".shared .align 16 .b8 s[1024];\n.reg .b32 %s, %d, %x<9>;\n.reg .b64 %state, %other;\n",
      "mov.u32 %s, s;\nadd.u32 %d, %s, 16;\nsetp.eq.u32 %p8, %r0, 0;\n@%p8 mbarrier.init.shared.b64 [%s], " +
          std::to_string(count) + ";\nbar.sync 0;\n" + body);
}
struct Ran {
  std::string wrong;
  std::vector<std::uint32_t> out;
  LaunchReport report;
};
Ran run(const std::string& text, unsigned threads, bool uninitialised = true) {
  Bed bed(text);
  bed.options.threads = 1;
  bed.options.races = Races::threads;
  bed.options.uninitialised = uninitialised;
  bed.options.instruction_budget = 200000;
  std::vector<std::uint32_t> numbers(4 * 128);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i + 1);
  const auto out = bed.put(std::vector<std::uint32_t>(4 * 128), "out"), in = bed.put(numbers, "in");
  Ran r;
  r.wrong = bed.run("k", {1}, {threads}, out, in);
  r.out = bed.get<std::uint32_t>(out, 4 * 128);
  r.report = bed.report;
  return r;
}
const std::string arrive = "mbarrier.arrive.shared.b64 %state, [%s];\n";
const std::string wait = "W: mbarrier.test_wait.shared.b64 %p1, [%s], %state;\n@!%p1 bra W;\n";
const std::string say = "st.global.u32 [%o], %x1;\n";

}  // namespace

class MbarriersTest : public QObject {
  Q_OBJECT
 private slots:
  void aPhaseEndsWithTheLastArrival() {
    const std::string selp = "selp.u32 %x1, 1, 0, %p1;\n";
    const Ran r = run(
        with_mbarrier(2, arrive + "mbarrier.test_wait.shared.b64 %p1, [%s], %state;\nselp.u32 %x2, 1, 0, %p1;\n"
                                  "mbarrier.arrive.shared::cta.b64 %other, [%s];\n"
                                  "mbarrier.test_wait.shared::cta.b64 %p1, [%s], %state;\nselp.u32 %x3, 1, 0, %p1;\n"
                                  "mbarrier.test_wait.parity.shared.b64 %p1, [%s], 0;\nselp.u32 %x4, 1, 0, %p1;\n"
                                  "mbarrier.try_wait.parity.shared.b64 %p1, [%s], 1, 1000;\nselp.u32 %x5, 1, 0, %p1;\n"
                                  "mbarrier.pending_count.b64 %x6, %state;\nmbarrier.pending_count.b64 %x7, %other;\n"
                                  "shl.b32 %x6, %x6, 4;\nadd.u32 %x5, %x5, %x6;\nadd.u32 %x5, %x5, %x7;\n"
                                  "st.global.v4.u32 [%o], {%x2, %x3, %x4, %x5};\nmbarrier.inval.shared.b64 [%s];\n"),
        1);
    GOOD(r.wrong);
    // Before: no; after the second arrival: yes, by state and by parity; the next phase is open; 2 and 1 were missing.
    QCOMPARE((std::vector<std::uint32_t>(r.out.begin(), r.out.begin() + 4)), (std::vector<std::uint32_t>{0, 1, 1, 33}));
  }

  void itOrdersWhatThreadsDo() {  // each writes, arrives and waits, then reads another's
    const std::string exchange = "shl.b32 %x1, %r0, 2;\nadd.u32 %x1, %x1, %d;\nst.shared.u32 [%x1], %r0;\n",
                      read =
                          "xor.b32 %x2, %r0, 33;\nshl.b32 %x2, %x2, 2;\nadd.u32 %x2, %x2, %d;\n"
                          "ld.shared.u32 %x1, [%x2];\n";
    const Ran good = run(with_mbarrier(64, exchange + arrive + wait + read + say), 64);
    GOOD(good.wrong);
    QCOMPARE(good.out[4 * 5], 5u ^ 33u);
    const Ran late = run(with_mbarrier(64, arrive + exchange + wait + read + say), 64);
    QVERIFY(late.report.fault);
    QCOMPARE(late.report.fault->kind, FaultKind::race);
    const Ran none = run(with_mbarrier(64, exchange + arrive + read + say), 64, false);
    QVERIFY(none.report.fault);
    QCOMPARE(none.report.fault->kind, FaultKind::race);
  }

  void manyPhases() {
    const Ran r = run(with_mbarrier(64, "mov.u32 %x1, 0;\nmov.u32 %x2, 0;\nN: " + arrive +
                                            "W: mbarrier.try_wait.parity.shared.b64 %p1, [%s], %x2;\n@!%p1 bra W;\n"
                                            "xor.b32 %x2, %x2, 1;\nadd.u32 %x1, %x1, 1;\nsetp.lt.u32 %p2, %x1, 50;\n"
                                            "@%p2 bra N;\n" +
                                            say),
                      64);
    GOOD(r.wrong);
    for (unsigned t = 0; t < 64; ++t) QCOMPARE(r.out[4 * t], 50u);
  }

  void dropsAndCounts() {
    const Ran r =
        run(with_mbarrier(3,
                          "mbarrier.arrive.shared.b64 %state, [%s], 2;\nmbarrier.arrive_drop.shared.b64 %other, [%s];\n"
                          "mbarrier.arrive.shared.b64 %state, [%s], 1;\nmbarrier.arrive.shared.b64 %state, [%s];\n"
                          "mbarrier.test_wait.shared.b64 %p1, [%s], %state;\nselp.u32 %x1, 1, 0, %p1;\n" +
                              say),
            1);
    GOOD(r.wrong);
    QCOMPARE(r.out[0], 1u);
    const Ran over = run(with_mbarrier(1, "mbarrier.arrive.shared.b64 %state, [%s], 2;\n"), 1);
    QVERIFY(over.report.fault);
    QCOMPARE(over.report.fault->kind, FaultKind::invalid_instruction);
  }

  void bulkCopiesComplete() {
    const std::string copy =
        "@%p8 mbarrier.arrive.expect_tx.shared.b64 %state, [%s], 256;\n"
        "@%p8 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%d], [%i], 256, [%s];\n";
    const std::string parity_wait = "W: mbarrier.try_wait.parity.shared.b64 %p1, [%s], 0;\n@!%p1 bra W;\n";
    const std::string read = "shl.b32 %x2, %r0, 2;\nadd.u32 %x2, %x2, %d;\nld.shared.u32 %x1, [%x2];\n";
    const Ran good = run(with_mbarrier(1, copy + parity_wait + read + say), 64);
    GOOD(good.wrong);
    for (unsigned t = 0; t < 64; ++t) QCOMPARE(good.out[4 * t], t + 1);
    const Ran early = run(with_mbarrier(1, copy + read + say + parity_wait), 64);
    QVERIFY(early.report.fault);
    QVERIFY(early.report.fault->kind == FaultKind::race || early.report.fault->kind == FaultKind::uninitialised_read);
    const Ran odd = run(
        with_mbarrier(1, "@%p8 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%d], [%i], 24, [%s];\n"),
        1);
    QVERIFY(odd.report.fault);
    QCOMPARE(odd.report.fault->kind, FaultKind::invalid_instruction);
  }

  void bulkCopiesToGlobalMemory() {
    const std::string fill =
        "shl.b32 %x2, %r0, 2;\nadd.u32 %x2, %x2, %d;\nmov.u32 %x1, 9;\nst.shared.u32 [%x2], %x1;\n"
        "fence.proxy.async.shared::cta;\nbar.sync 0;\n";
    const std::string copy =
        "@%p8 cp.async.bulk.global.shared::cta.bulk_group [%o], [%d], 256;\n"
        "@%p8 cp.async.bulk.commit_group;\n";
    for (const char* const then :
         {"@%p8 cp.async.bulk.wait_group 0;\n", "@%p8 cp.async.bulk.wait_group.read 0;\n", ""}) {
      const Ran r = run(with_mbarrier(1, fill + copy + then), 64);
      GOOD(r.wrong);
      QCOMPARE(std::count(r.out.begin(), r.out.begin() + 64, 9u), 64);
      QCOMPARE(r.out[64], 0u);
    }
    const Ran raced = run(with_mbarrier(1, fill + copy + "st.shared.u32 [%x2], %r0;\n"), 64);
    QVERIFY(raced.report.fault);
    QCOMPARE(raced.report.fault->kind, FaultKind::race);
  }

  void copiesArriveForTheirThreads() {
    const Ran r = run(with_mbarrier(32,
                                    "shl.b32 %x2, %r0, 2;\nadd.u32 %x2, %x2, %d;\n"
                                    "cp.async.ca.shared.global [%x2], [%i], 4;\n"
                                    "cp.async.mbarrier.arrive.noinc.shared.b64 [%s];\n"
                                    "W: mbarrier.test_wait.parity.shared.b64 %p1, [%s], 0;\n@!%p1 bra W;\n"
                                    "xor.b32 %x3, %r0, 1;\nshl.b32 %x3, %x3, 2;\nadd.u32 %x3, %x3, %d;\n"
                                    "ld.shared.u32 %x1, [%x3];\n" +
                                        say),
                      32);
    GOOD(r.wrong);
    QCOMPARE(r.out[4 * 6], 4u * 7 + 1);
  }

  void barriersAndCopiesOfTheLibrary() {  // as NVRTC compiles cuda::barrier, and bulk copies for sm_90
    std::vector<float> numbers(256);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i) + 0.5f;
    for (const auto& [file, kernel] : {std::pair{"09b_barrier.sm80.ptx", "bar"}, {"14_sm90.sm90.ptx", "tma"}}) {
      Bed bed(fixture(file));
      bed.options.races = Races::threads;
      const auto in = bed.put(numbers, "in"), out = bed.put(std::vector<float>(512), "out");
      GOOD(bed.run(kernel, {1}, {256}, in, out));
      const auto got = bed.get<float>(out, 512);
      for (std::size_t i = 0; i < 256; ++i) QCOMPARE(got[i], numbers[255 - i]);
      if (kernel == std::string("tma"))
        for (std::size_t i = 0; i < 256; ++i) QCOMPARE(got[256 + i], numbers[i]);
    }
  }

  void clustersOfSeveralBlocksAreRefused() {
    Bed bed(fixture("14_sm90.sm90.ptx"));
    bed.dynamic_shared = 1024;
    const std::string wrong = bed.run("clus", {2}, {32}, bed.room<float>(64));
    QVERIFY2(wrong.find("clusters of 2 blocks") != std::string::npos, wrong.c_str());
  }

  void theClusterIsTheBlock() {
    const Ran r = run(with_mbarrier(1,
                                    "shl.b32 %x2, %r0, 2;\nadd.u32 %x2, %x2, %d;\nst.shared.u32 [%x2], %r0;\n"
                                    "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
                                    "xor.b32 %x3, %r0, 32;\nshl.b32 %x3, %x3, 2;\nadd.u32 %x3, %x3, %d;\n"
                                    "mapa.shared::cluster.u32 %x3, %x3, 0;\nld.shared.u32 %x1, [%x3];\n" +
                                        say),
                      64);
    GOOD(r.wrong);
    QCOMPARE(r.out[4 * 3], 35u);
  }
};

QTEST_GUILESS_MAIN(MbarriersTest)
#include "mbarriers_test.moc"
