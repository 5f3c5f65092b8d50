// SPDX-License-Identifier: Apache-2.0
// What a launch may vary or must notice because hardware promises no more: the order of blocks and of a warp's lanes,
// the last bits of approximate instructions.
#include <algorithm>
#include <cmath>
#include <set>
#include "simt/bed.h"
#include "simt/ptx.h"
#include "simt/surroundings.h"

using namespace ww;
using namespace ww::simt;
using namespace ww::simt::test;

namespace {

// The fault of a launch of `blocks` blocks of one thread under every check; "": none.
std::string fault_of(const std::string& body, unsigned blocks = 2) {
  Bed bed(kernel_text("", body));
  bed.options.checks = Checks::full;
  bed.options.threads = 1;
  const auto out = bed.put(std::vector<int>(8), "y");
  const auto r = bed.launch("k", {blocks}, {1}, out, out);
  if (!r) return r.error().text();
  return r->fault ? enum_string(r->fault->kind) : "";
}

// What the threads of a launch took from a counter in the first word, each stored in a word of its own.
std::vector<int> taken(Bed& bed, unsigned blocks, unsigned threads) {
  const std::size_t count = blocks * threads + 1;
  const auto out = bed.put(std::vector<int>(count), "y");
  if (!bed.run("k", {blocks}, {threads}, out, out).empty()) return {};
  std::vector<int> numbers = bed.get<int>(out, count);
  numbers.erase(numbers.begin());
  return numbers;
}

// Of eight launches of a block, each with other draws, those that count fewer additions. -1: one fails.
int launches_that_lose(const std::string& body, unsigned threads, int additions, std::uint32_t apart = 0) {
  int lost = 0;
  for (std::uint64_t drawn = 1; drawn <= 8; ++drawn) {
    Bed bed(kernel_text("", body));
    bed.options.checks = Checks::full;
    bed.options.surroundings = drawn;
    bed.options.order.apart = apart;
    const auto out = bed.put(std::vector<int>(4096), "y");
    if (!bed.run("k", {1}, {threads}, out, out).empty()) return -1;
    lost += bed.get<int>(out, 1)[0] != additions;
  }
  return lost;
}

const std::string mine = "mov.u32 %r1, %ctaid.x;\n";
const std::string first_writes = mine + "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [%o], 7;\n";

}  // namespace

class OrdersTest : public QObject {
  Q_OBJECT
 private slots:
  void blocksThatStoreDifferentValuesRace() {
    QCOMPARE(fault_of(mine + "st.global.u32 [%o], %r1;"), std::string("race"));
    QCOMPARE(fault_of(mine + "st.volatile.global.u32 [%o], %r1;"), std::string("race"));
    QCOMPARE(fault_of(mine + "st.global.u32 [%o], %r1;", 1), std::string());
    QCOMPARE(fault_of("st.global.u32 [%o], 5;"), std::string());  // which comes last makes no difference
    QCOMPARE(fault_of(mine + "atom.global.add.u32 %r2, [%o], %r1;"), std::string());
  }
  void aLockOrdersStores() {
    const std::string locked = mine + "atom.global.add.u32 %r2, [%o+4], 1;\nst.global.u32 [%o], %r1;\n";
    QCOMPARE(fault_of(locked), std::string("race"));
    // A fence alone tells nobody: only an atomic operation after it does, or a store that another block finds.
    const std::string freed = "atom.global.add.u32 %r2, [%o+4], 1;\n";
    QCOMPARE(fault_of(locked + "membar.gl;"), std::string("race"));
    QCOMPARE(fault_of(locked + freed), std::string("race"));
    QCOMPARE(fault_of(locked + "membar.gl;\n" + freed), std::string());
    QCOMPARE(fault_of(locked + "membar.gl;\nst.volatile.global.u32 [%o+4], 0;"), std::string());
    QCOMPARE(fault_of(locked + "membar.gl;\natom.global.add.u32 %r2, [%o+8], 1;"), std::string("race"));
    QCOMPARE(fault_of(locked + "membar.cta;\n" + freed), std::string("race"));
    QCOMPARE(fault_of(locked + "atom.release.gpu.global.add.u32 %r2, [%o+4], 1;"), std::string());
    // A fence orders what precedes it.
    const std::string too_early = mine + "membar.gl;\natom.global.add.u32 %r2, [%o+4], 1;\nst.global.u32 [%o], %r1;\n";
    QCOMPARE(fault_of(too_early), std::string("race"));
  }
  void readingWhatAnotherBlockWritesRaces() {
    QCOMPARE(fault_of(first_writes + "ld.global.u32 %r2, [%o];"), std::string("race"));
    QCOMPARE(fault_of(first_writes + "ld.global.u32 %r2, [%o+4];"), std::string());
    QCOMPARE(fault_of(first_writes + "ld.volatile.global.u32 %r2, [%o];"), std::string());
    QCOMPARE(fault_of(first_writes + "fence.acq_rel.gpu;\nld.global.u32 %r2, [%o];"), std::string("race"));
    const std::string told = first_writes + "fence.acq_rel.gpu;\n@%p1 st.volatile.global.u32 [%o+4], 1;\n";
    QCOMPARE(fault_of(told + "ld.global.u32 %r2, [%o];"), std::string("race"));
    QCOMPARE(fault_of(told + "ld.volatile.global.u32 %r3, [%o+4];\nsetp.eq.u32 %p2, %r3, 0;\n"
                             "@!%p2 ld.global.u32 %r2, [%o];"),
             std::string());
  }
  void readOnlyLoadsNeedWhatNoLaunchChanges() {
    const std::string own = "mov.u32 %r1, %tid.x;\nst.global.u32 [%o], %r1;\nbar.sync 0;\n";
    QCOMPARE(fault_of(own + "ld.global.nc.u32 %r2, [%o];", 1), std::string("race"));
    QCOMPARE(fault_of(own + "ld.global.u32 %r2, [%o];", 1), std::string());
    QCOMPARE(fault_of(own + "ld.global.nc.u32 %r2, [%o+4];", 1), std::string());
  }
  // What a block has learned it tells with what it writes.
  void whatIsLearnedIsPassedOn() {
    const auto chain = [](const std::string& second) {
      return fault_of(mine +
                          "setp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r1, 1;\n"
                          "@%p1 st.global.u32 [%o], 7;\nmembar.gl;\n@%p1 st.volatile.global.u32 [%o+4], 1;\n"
                          "@%p2 ld.volatile.global.u32 %r3, [%o+4];\nsetp.eq.u32 %p3, %r3, 9;\n" +
                          second +
                          "setp.eq.u32 %p3, %r1, 2;\n@%p3 atom.global.add.u32 %r4, [%o+8], 0;\n"
                          "@%p3 ld.global.u32 %r5, [%o];\n",
                      3);
    };
    QCOMPARE(chain("@%p2 atom.global.add.u32 %r4, [%o+8], 1;\n"), std::string());
    QCOMPARE(chain("@%p2 atom.global.add.u32 %r4, [%o+12], 1;\n"), std::string("race"));
  }
  // Volatile orders nothing: what is read because another word says that it is there needs the writer's fence.
  void messagesNeedAFence() {
    const auto passed = [](const std::string& between, const std::string& use) {
      return fault_of(mine + "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.volatile.global.u32 [%o], 7;\n" + between +
                      "atom.global.add.u32 %r2, [%o+4], 1;\nld.volatile.global.u32 %r3, [%o];\n" + use);
    };
    const std::string add =
        "add.s32 %r4, %r3, 1;\natom.global.add.u32 %r5, [%o+8], 0;\n@!%p1 st.global.u32 [%o+12], %r4;\n";
    QCOMPARE(passed("", add), std::string("race"));
    QCOMPARE(passed("membar.gl;\n", add), std::string());
    QCOMPARE(passed("membar.cta;\n", add), std::string("race"));
    // A value that is compared may say by itself whether it is there.
    QCOMPARE(passed("", "add.s32 %r4, %r3, 1;\nsetp.ne.u32 %p2, %r4, 1;\n@%p2 st.global.u32 [%o+12], 1;\n"),
             std::string());
    // So may one that other threads compare.
    QCOMPARE(passed("", "atom.global.add.u32 %r5, [%o+8], %r3;\n"), std::string());
  }
  // Each block takes a number as it begins.
  void blocksRunInAnOrderThatIsDrawn() {
    std::set<std::vector<int>> orders;
    for (std::uint64_t drawn = 0; drawn < 12; ++drawn) {
      Bed bed(kernel_text("", mine + "atom.global.add.u32 %r2, [%o], 1;\nmad.wide.u32 %rd1, %r1, 4, %o;\n"
                                     "st.global.u32 [%rd1+4], %r2;"));
      bed.options.threads = 1;
      bed.options.surroundings = drawn;
      const std::vector<int> numbers = taken(bed, 24, 1);
      QCOMPARE(std::set<int>(numbers.begin(), numbers.end()).size(), std::size_t{24});
      if (drawn == 0) QVERIFY(std::is_sorted(numbers.begin(), numbers.end()));
      orders.insert(numbers);
    }
    QVERIFY(orders.size() > 5);
  }
  // Each block takes a number as it begins and one as it ends.
  void blocksTakeTurnsAtAtomicOperations() {
    const auto numbers = [](std::uint32_t turns, int threads) {
      Bed bed(kernel_text("", mine + "atom.global.add.u32 %r2, [%o], 1;\natom.global.add.u32 %r2, [%o+4], 1;\n"
                                     "mad.wide.u32 %rd1, %r1, 4, %o;\nst.global.u32 [%rd1+8], %r2;"));
      bed.options.threads = threads;
      bed.options.order.turns = turns;
      bed.options.checks = Checks::full;
      const auto out = bed.put(std::vector<int>(26), "y");
      const std::string wrong = bed.run("k", {24}, {1}, out, out);
      const std::vector<int> all = bed.get<int>(out, 26);
      return wrong.empty() ? std::vector<int>(all.begin() + 2, all.end()) : std::vector<int>();
    };
    const std::vector<int> in_order = numbers(0, 1);
    QVERIFY(!in_order.empty() && std::is_sorted(in_order.begin(), in_order.end()));
    std::set<std::vector<int>> orders;
    for (const std::uint32_t turns : {1u, 2u, 3u, 4u}) {
      const std::vector<int> once = numbers(turns, 1);
      QCOMPARE(std::set<int>(once.begin(), once.end()).size(), std::size_t{24});
      QCOMPARE(numbers(turns, 4), once);
      orders.insert(once);
    }
    QVERIFY(orders.size() > 2);
    QVERIFY(orders.count(in_order) == 0);
  }
  // A block waits for one that starts after it: only in turns does it end.
  void aBlockThatWaitsLetsOthersRun() {
    const std::string body = mine +
                             "setp.eq.u32 %p1, %r1, 1;\n@%p1 atom.global.add.u32 %r2, [%o], 1;\n@%p1 bra E;\n"
                             "W: ld.volatile.global.u32 %r2, [%o];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra W;\nE:\n";
    Bed bed(kernel_text("", body));
    bed.options.threads = 1;
    bed.options.order.turns = 7;
    bed.options.instruction_budget = 1000000;
    const auto out = bed.put(std::vector<int>(8), "y");
    GOOD(bed.run("k", {2}, {1}, out, out));
  }
  // Cooperative grids: every block runs, whatever the host's threads, the checks and the order.
  void blocksOfACooperativeGridMeet() {
    // Twice: each block stores its number, all meet, each adds up what all have stored.
    const std::string meet =
        "bar.sync 0;\n@%p9 bra N$;\natom.add.release.gpu.u32 %r5, [%rd9], %r4;\n"
        "W$: ld.acquire.gpu.u32 %r6, [%rd9];\nxor.b32 %r7, %r5, %r6;\nsetp.ge.s32 %p1, %r7, 0;\n@%p1 bra W$;\n"
        "N$: bar.sync 0;\n";
    const auto numbered = [](std::string text, const std::string& n) {
      for (std::size_t at = 0; (at = text.find('$', at)) != std::string::npos;) text.replace(at, 1, n);
      return text;
    };
    const std::string sum =
        "mov.u32 %r10, 0;\nmov.u32 %r11, 0;\nS$: mul.wide.u32 %rd3, %r11, 4;\n"
        "add.s64 %rd3, %rd1, %rd3;\nld.global.u32 %r12, [%rd3];\nadd.u32 %r10, %r10, %r12;\n"
        "add.u32 %r11, %r11, 1;\nsetp.lt.u32 %p1, %r11, %r3;\n@%p1 bra S$;\n";
    // As cooperative_groups::this_grid().sync(): %rd9 the barrier, %r4 what this block adds.
    const std::string body =
        "ld.param.u64 %rd1, [pout];\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %nctaid.x;\nmov.u32 %r8, %envreg1;\n"
        "mov.u32 %r9, %envreg2;\nmov.b64 %rd9, {%r9, %r8};\nadd.s64 %rd9, %rd9, 4;\nsetp.ne.u32 %p9, %r0, 0;\n"
        "mov.u32 %r4, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra M;\nsub.u32 %r4, 0x80000001, %r3;\nM:\n"
        "mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd4, %rd1, %rd2;\n@!%p9 st.global.u32 [%rd4], %r2;\n" +
        numbered(meet, "1") + numbered(sum, "1") + numbered(meet, "2") + "@!%p9 st.global.u32 [%rd4], %r10;\n" +
        numbered(meet, "3") + numbered(sum, "3") +
        "mul.wide.u32 %rd5, %r3, 4;\nadd.s64 %rd5, %rd4, %rd5;\n"
        "@!%p9 st.global.u32 [%rd5], %r10;";
    for (const unsigned blocks : {2u, 8u, 64u})
      for (const int threads : {1, 4})
        for (const auto& [checks, races] :
             {std::pair(Checks::bounds, Races::none), std::pair(Checks::full, Races::warps),
              std::pair(Checks::full, Races::threads)}) {
          if (blocks == 64 && races == Races::threads && threads != 1) continue;  // the same again
          Bed bed(kernel_text(".reg .pred %p9;\n", body));
          bed.options.cooperative = true;
          bed.options.threads = threads;
          bed.options.checks = checks;
          bed.options.races = races;
          bed.options.order.turns = blocks == 8 ? 0x301 : 0;  // which would run one alone
          bed.options.instruction_budget = 50'000'000;
          const auto out = bed.room<unsigned>(2 * blocks);
          GOOD(bed.run("k", {blocks}, {64}, out, out));
          const unsigned sum_of_numbers = blocks * (blocks - 1) / 2;
          const auto sums = bed.get<unsigned>(out + 4 * blocks, blocks);
          for (const unsigned s : sums) QCOMPARE(s, blocks * sum_of_numbers);
          QCOMPARE(bed.memory.buffers().size(), std::size_t{1});
        }
    // One block never comes.
    Bed stuck(
        kernel_text(".reg .pred %p9;\n", "mov.u32 %r13, %ctaid.x;\nsetp.eq.u32 %p2, %r13, 5;\n@%p2 ret;\n" + body));
    for (const auto checks : {Checks::bounds, Checks::full}) {
      stuck.options.cooperative = true;
      stuck.options.checks = checks;
      const auto out = stuck.room<unsigned>(2 * 8);
      const std::string seen = stuck.run("k", {8}, {64}, out, out);
      QVERIFY2(seen.find("waits forever") != std::string::npos &&
                   seen.find("all threads that have not ended wait for others") != std::string::npos,
               seen.c_str());
    }
    stuck.options.cooperative = false;  // a plain launch has no such barrier
    const auto out = stuck.room<unsigned>(2 * 8);
    QVERIFY(!stuck.run("k", {8}, {64}, out, out).empty());
    Bed large(kernel_text(".reg .pred %p9;\n", body));
    large.options.cooperative = true;
    const auto r = large.launch("k", {257}, {64}, out, out);
    QVERIFY(!r && r.error().code == Code::unsupported);
  }
  // A launch need not have room for all of its blocks, and what nobody writes never comes.
  void blocksThatWaitForeverAreNamed() {
    const std::string start = "ld.param.u64 %rd2, [pout];\n";
    const std::string counted = start + "atom.global.add.u32 %r2, [%rd2], 1;\nW: atom.global.add.u32 %r3, [%rd2], 0;\n",
                      wait = "@%p1 bra W;\n";
    const auto fault = [&](const std::string& body, unsigned blocks, std::uint32_t turns) {
      Bed bed(kernel_text("", body));
      bed.options.threads = 1;
      bed.options.order.turns = turns;
      bed.options.instruction_budget = 10'000'000;
      const auto out = bed.put(std::vector<int>(8), "y");
      const auto r = bed.launch("k", {blocks}, {64}, out, out);
      if (!r || !r->fault) return r ? std::string() : r.error().text();
      return enum_string(r->fault->kind) + ": " + r->fault->message;
    };
    const std::string all = counted + "setp.lt.u32 %p1, %r3, 512;\n" + wait;
    for (const std::uint32_t turns : {0u, 5u, 9u}) {
      const std::string seen = fault(all, 8, turns);
      QVERIFY2(seen.starts_with("deadlock: ") && seen.find("begin only when one of them ends") != std::string::npos,
               seen.c_str());
      // That many do begin.
      QCOMPARE(fault(counted + "setp.lt.u32 %p1, %r3, 256;\n" + wait, 4, turns == 0 ? 3 : turns), std::string());
      const std::string never = fault(counted + "setp.ne.u32 %p1, %r3, 7777;\n" + wait, 2, turns == 0 ? 3 : turns);
      QVERIFY2(never.starts_with("deadlock: ") && never.find("wait for others") != std::string::npos, never.c_str());
    }
    // One that counts how often it has asked does not wait forever, nor one that works while others wait.
    QCOMPARE(fault(start + "mov.u32 %r4, 0;\nW: add.u32 %r4, %r4, 1;\nld.volatile.global.u32 %r3, [%rd2];\n"
                           "setp.eq.u32 %p1, %r3, 0;\nsetp.gt.u32 %p2, %r4, 30000;\n@%p2 bra E;\n@%p1 bra W;\nE:\n",
                   8, 0),
             std::string());
    QCOMPARE(fault(start + mine +
                       "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra V;\nmov.u32 %r4, 0;\n"
                       "L: add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 100000;\n@%p2 bra L;\n"
                       "atom.global.add.u32 %r2, [%rd2], 1;\nbra E;\n"
                       "V: ld.volatile.global.u32 %r3, [%rd2];\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra V;\nE:\n",
                   4, 3),
             std::string());
  }
  void lanesOfAnAtomicInstructionGoInAnOrderThatIsDrawn() {
    std::set<std::vector<int>> orders;
    for (const std::uint32_t drawn : {0u, 32u * 31 + 31, 5u, 32u * 6 + 3}) {
      Bed bed(kernel_text("",
                          "ld.param.u64 %rd2, [pout];\natom.global.add.u32 %r2, [%rd2], 1;\n"
                          "mad.wide.u32 %rd1, %r0, 4, %rd2;\nst.global.u32 [%rd1+4], %r2;"));
      bed.options.order.atomic_lanes = drawn;
      const std::vector<int> numbers = taken(bed, 1, 32);
      QCOMPARE(std::set<int>(numbers.begin(), numbers.end()).size(), std::size_t{32});
      if (drawn == 0) QVERIFY(std::is_sorted(numbers.begin(), numbers.end()));
      orders.insert(numbers);
    }
    QCOMPARE(orders.size(), std::size_t{4});
  }
  // Warps that add to one number without atomics lose additions.
  void warpsTakeTurnsAtLoadsOfWhatTheyWrite() {
    const std::string body =
        "ld.param.u64 %rd1, [pout];\nand.b32 %r1, %r0, 31;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra E;\n"
        "ld.global.u32 %r2, [%rd1];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%rd1], %r2;\nE:\n";
    const int lost = launches_that_lose(body, 256, 8);
    QVERIFY2(lost >= 4, std::to_string(lost).c_str());
  }
  void theClockDoesNotRunEvenly() {
    Bed bed(kernel_text("",
                        "mov.u64 %rd1, %clock64;\nmov.u64 %rd2, %clock64;\nmov.u64 %rd3, %clock64;\n"
                        "sub.u64 %rd2, %rd2, %rd1;\nsub.u64 %rd3, %rd3, %rd1;\n"
                        "st.global.u64 [%o], %rd2;\nst.global.u64 [%o+8], %rd3;"));
    int even = 0;
    for (std::uint64_t drawn = 1; drawn <= 8; ++drawn) {
      bed.options.surroundings = drawn;
      const auto out = bed.put(std::vector<std::uint64_t>(2), "y");
      GOOD(bed.run("k", {1}, {1}, out, out));
      const auto times = bed.get<std::uint64_t>(out, 2);
      QVERIFY(times[0] > 0 && times[1] > times[0]);
      even += times[1] == 2 * times[0];
    }
    QVERIFY(even < 8);
  }
  void theTimerCountsInSteps() {
    std::set<std::uint64_t> steps;
    for (std::uint64_t drawn = 1; drawn <= 24; ++drawn) {
      Bed bed(kernel_text("", "mov.u64 %rd1, %globaltimer;\nst.global.u64 [%o], %rd1;"));
      bed.options.surroundings = drawn;
      const auto out = bed.put(std::vector<std::uint64_t>(2), "y");
      GOOD(bed.run("k", {1}, {1}, out, out));
      steps.insert(bed.get<std::uint64_t>(out, 1)[0] % 32);
    }
    QVERIFY(steps.size() > 1 && steps.count(0) == 1);
  }
  void theTimerIsTheSameInEveryRun() {
    const auto times = [](int threads, std::uint64_t drawn, Checks checks) {
      Bed bed(kernel_text("",
                          "mov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd5, %r1, 16;\nadd.s64 %o, %o, %rd5;\n"
                          "mov.u64 %rd1, %globaltimer;\nst.global.u64 [%o], %rd1;\n"
                          "mov.u64 %rd2, %globaltimer;\nst.global.u64 [%o+8], %rd2;"));
      bed.options.threads = threads;
      bed.options.surroundings = drawn;
      bed.options.checks = checks;
      bed.options.order.blocks = BlockOrder::ascending;
      std::vector<std::uint64_t> all;
      for (int launch = 0; launch < 2; ++launch) {
        const auto out = bed.put(std::vector<std::uint64_t>(2 * 300), "y");
        if (const std::string bad = bed.run("k", {300}, {1}, out, out); !bad.empty()) qWarning("%s", bad.c_str());
        const auto here = bed.get<std::uint64_t>(out, 2 * 300);
        all.insert(all.end(), here.begin(), here.end());
      }
      return all;
    };
    for (const std::uint64_t drawn : {0u, 7u}) {
      const auto once = times(1, drawn, Checks::full);
      QCOMPARE(times(1, drawn, Checks::full), once);
      // In one launch, one block after the other where no overlap is drawn, and in the next launch.
      QCOMPARE(std::is_sorted(once.begin(), once.begin() + 600), !Surroundings(drawn).overlap);
      QVERIFY(std::ranges::max(std::vector(once.begin(), once.begin() + 600)) < once[600]);
    }
    const auto once = times(4, 0, Checks::bounds);
    for (int again = 0; again < 4; ++again) QCOMPARE(times(4, 0, Checks::bounds), once);
    QVERIFY(once[1] > once[0] && std::ranges::max(std::vector(once.begin(), once.begin() + 600)) < once[600]);
    QVERIFY(times(1, 7, Checks::full) != times(1, 8, Checks::full));
  }
  // Lanes that compare and store in the order of a loop, which nothing keeps.
  void lanesTakeTurnsAtLoadsOfWhatTheyWrite() {
    const std::string body =
        "ld.param.u64 %rd1, [pout];\nmov.u32 %r1, 0;\nL: setp.ne.u32 %p1, %r1, %r0;\n@%p1 bra N;\n"
        "ld.global.u32 %r2, [%rd1];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%rd1], %r2;\n"
        "N: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bra L;\n";
    const int lost = launches_that_lose(body, 32, 32, 0x5a3c96a5);
    QVERIFY2(lost >= 4, std::to_string(lost).c_str());
  }
  void launchesAreInOrder() {
    Bed bed(kernel_text("", "ld.global.u32 %r1, [%o];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%o], %r1;"));
    bed.options.checks = Checks::full;
    const auto out = bed.put(std::vector<int>(8), "y");
    for (int i = 0; i < 3; ++i) GOOD(bed.run("k", {1}, {1}, out, out));
    QCOMPARE(bed.get<int>(out, 1)[0], 3);
  }
  void lanesRunApartUntilTheyAreSynchronised() {
    // Each lane stores its number, then reads its neighbour's.
    const auto neighbours = [](const std::string& between, std::uint32_t apart) {
      Bed bed(kernel_text(".shared .align 4 .b8 s[128];\n.reg .b32 %s<4>;\n",
                          "mov.u32 %s0, s;\nshl.b32 %s1, %r0, 2;\nadd.u32 %s1, %s0, %s1;\nst.shared.u32 [%s1], %r0;\n" +
                              between +
                              "add.u32 %s2, %r0, 1;\nand.b32 %s2, %s2, 31;\nshl.b32 %s2, %s2, 2;\nadd.u32 %s2, %s0, "
                              "%s2;\nld.shared.u32 %r1, [%s2];\nst.global.u32 [%o], %r1;"));
      bed.options.order.apart = apart;
      bed.options.threads = 1;
      const auto out = bed.room<int>(4 * 32);
      const std::string wrong = bed.run("k", {1}, {32}, out, out);
      int right = 0;
      const std::vector<int> found = bed.get<int>(out, 4 * 32);
      for (std::size_t i = 0; i < 32; ++i) right += found[4 * i] == static_cast<int>((i + 1) % 32);
      return wrong.empty() ? right : -1;
    };
    QCOMPARE(neighbours("", 0), 32);
    for (const std::uint32_t apart : {0x0000ffffu, 0xffff0000u, 0x5a5a1234u}) {
      QVERIFY(neighbours("", apart) < 32);
      QCOMPARE(neighbours("bar.warp.sync -1;\n", apart), 32);
      QCOMPARE(neighbours("bar.sync 0;\n", apart), 32);
      QCOMPARE(neighbours("shfl.sync.idx.b32 %r2, %r0, 0, 31, -1;\n", apart), 32);
    }
  }
  void lanesApartMeetInLoops() {
    // A loop of lane-dependent length around a branch, then a sum over the warp by shuffles.
    std::string body = "mov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1;\nsetp.le.u32 %p1, %r1, %r0;\n@%p1 bra L;\n";
    for (const char* d : {"16", "8", "4", "2", "1"})
      body += std::string("shfl.sync.bfly.b32 %r2, %r1, ") + d + ", 31, -1;\nadd.u32 %r1, %r1, %r2;\n";
    for (const std::uint32_t apart : {0u, 0x0f0f0f0fu, 0x00000001u}) {
      Bed bed(kernel_text("", body + "st.global.u32 [%o], %r1;"));
      bed.options.order.apart = apart;
      bed.options.checks = Checks::full;
      const auto out = bed.room<int>(4 * 32);
      GOOD(bed.run("k", {1}, {32}, out, out));
      for (std::size_t i = 0; i < 32; ++i) QCOMPARE(bed.get<int>(out, 128)[4 * i], 32 * 33 / 2);
    }
  }
  void approximateInstructionsErrAsDocumented_data() {
    QTest::addColumn<QString>("instruction");
    QTest::addColumn<double>("argument");
    QTest::addColumn<double>("exact");
    QTest::addColumn<double>("error");  // relative
    QTest::newRow("tanh") << "tanh.approx.f32" << 0.5 << std::tanh(0.5) << 0x1p-11;
    QTest::newRow("ex2") << "ex2.approx.f32" << 0.375 << std::exp2(0.375) << 0x1p-22;
    QTest::newRow("ex2 of a whole number") << "ex2.approx.ftz.f32" << -3.0 << 0.125 << 0.0;
    QTest::newRow("lg2") << "lg2.approx.f32" << 3.0 << std::log2(3.0) << 0x1p-22;
    QTest::newRow("lg2 of one") << "lg2.approx.f32" << 1.0 << 0.0 << 0.0;
    QTest::newRow("rsqrt") << "rsqrt.approx.f32" << 3.0 << 1 / std::sqrt(3.0) << 0x1p-22;
    QTest::newRow("rcp") << "rcp.approx.f32" << 3.0 << 1 / 3.0 << 0x1p-23;
    QTest::newRow("rcp of a power of two") << "rcp.approx.ftz.f32" << -8.0 << -0.125 << 0.0;
    QTest::newRow("sqrt") << "sqrt.approx.f32" << 3.0 << std::sqrt(3.0) << 0x1p-23;
    QTest::newRow("sqrt of a square") << "sqrt.approx.ftz.f32" << 9.0 << 3.0 << 0.0;
    QTest::newRow("div") << "mov.f32 %f3, 0f40E00000;\ndiv.approx.f32 %f1, %f1, %f3;\nmov.f32" << 3.0 << 3 / 7.0
                         << 0x1p-23;
    QTest::newRow("sin") << "sin.approx.f32" << 1.0 << std::sin(1.0) << 0x1p-20;
  }
  void approximateInstructionsErrAsDocumented() {
    QFETCH(QString, instruction);
    QFETCH(double, argument);
    QFETCH(double, exact);
    QFETCH(double, error);
    Bed bed(kernel_text(
        "", "ld.global.f32 %f1, [%i];\n" + instruction.toStdString() + " %f2, %f1;\nst.global.f32 [%o], %f2;"));
    const auto in = bed.put(std::vector<float>{static_cast<float>(argument)}), out = bed.room<float>(1);
    std::set<float> seen;
    for (std::uint32_t draw = 0; draw < 16; ++draw) {
      bed.options.inexact = draw;
      GOOD(bed.run("k", {1}, {1}, out, in));
      const float once = bed.get<float>(out, 1)[0];
      GOOD(bed.run("k", {1}, {1}, out, in));
      QCOMPARE(bed.get<float>(out, 1)[0], once);
      QVERIFY(std::abs(static_cast<double>(once) - exact) <=
              (draw == 0 ? 0x1p-24 : std::max(error, 0x1p-24)) * std::abs(exact));
      seen.insert(once);
    }
    QCOMPARE(seen.size() > 1, error > 0);
  }

  void halfApproximationsErrAsDocumented_data() {
    QTest::addColumn<QString>("function");
    QTest::addColumn<QString>("type");
    QTest::addColumn<double>("argument");
    QTest::addColumn<double>("exact");
    QTest::addColumn<double>("error");  // absolute
    QTest::addColumn<double>("grid");   // distance of the type's numbers there
    const double tanh = std::tanh(0.75), ex2 = std::exp2(0.3125);
    QTest::newRow("tanh f16") << "tanh.approx"
                              << "f16" << 0.75 << tanh << std::exp2(-10.987) << 0x1p-11;
    QTest::newRow("tanh f16, negative") << "tanh.approx"
                                        << "f16" << -0.75 << -tanh << std::exp2(-10.987) << 0x1p-11;
    QTest::newRow("tanh f16, small") << "tanh.approx"
                                     << "f16" << 0x1p-12 << std::tanh(0x1p-12) << std::exp2(-10.987) << 0x1p-21;
    QTest::newRow("tanh f16 of zero") << "tanh.approx"
                                      << "f16" << 0.0 << 0.0 << 0.0 << 0x1p-24;
    QTest::newRow("tanh bf16") << "tanh.approx"
                               << "bf16" << 0.75 << tanh << 0x1p-8 << 0x1p-8;
    QTest::newRow("ex2 f16") << "ex2.approx"
                             << "f16" << 0.3125 << ex2 << std::exp2(-9.9) * ex2 << 0x1p-10;
    QTest::newRow("ex2 f16 of a whole number") << "ex2.approx"
                                               << "f16" << -3.0 << 0.125 << 0.0 << 0x1p-13;
    QTest::newRow("ex2 bf16") << "ex2.approx.ftz"
                              << "bf16" << 0.3125 << ex2 << 0x1p-7 * ex2 << 0x1p-7;
  }
  void halfApproximationsErrAsDocumented() {
    QFETCH(QString, function);
    QFETCH(QString, type);
    QFETCH(double, argument);
    QFETCH(double, exact);
    QFETCH(double, error);
    QFETCH(double, grid);
    const std::string of = type.toStdString(), name = function.toStdString() + '.' + of;
    Bed bed(kernel_text("", "ld.global.f32 %f1, [%i];\n{\n.reg .b16 %h<4>;\n.reg .b32 %p<3>;\ncvt.rn." + of +
                                ".f32 %h1, %f1;\n" + name + " %h2, %h1;\nmov.b32 %p1, {%h1, %h1};\n" + name +
                                "x2 %p2, %p1;\nmov.b32 {%h1, %h3}, %p2;\ncvt.f32." + of + " %f1, %h2;\ncvt.f32." + of +
                                " %f2, %h3;\nst.global.f32 [%o], %f1;\nst.global.f32 [%o+4], %f2;\n}"));
    const auto in = bed.put(std::vector<float>{static_cast<float>(argument)}), out = bed.room<float>(2);
    std::set<float> seen;
    double furthest = 0;
    for (std::uint32_t draw = 0; draw < 16; ++draw) {
      bed.options.inexact = draw;
      GOOD(bed.run("k", {1}, {1}, out, in));
      const std::vector<float> got = bed.get<float>(out, 2);
      QCOMPARE(got[0], got[1]);  // of the pair as of the single number
      const double off = std::abs(static_cast<double>(got[0]) - exact);
      QVERIFY2(off <= (draw == 0 ? grid / 2 : std::max(error, grid / 2)) + 0x1p-23, qPrintable(QString::number(off)));
      furthest = std::max(furthest, off);
      seen.insert(got[0]);
    }
    QCOMPARE(seen.size() > 1, error > 0);
    if (error > 0) QVERIFY2(furthest > error - grid, qPrintable(QString::number(furthest)));
  }
};

QTEST_GUILESS_MAIN(OrdersTest)
#include "orders_test.moc"
