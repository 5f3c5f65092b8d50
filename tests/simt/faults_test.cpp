// SPDX-License-Identifier: Apache-2.0
// Every kind of fault, with its place; divergence, barriers, calls; launch errors.
#include <set>
#include <thread>
#include "simt/bed.h"
#include "simt/ptx.h"

using namespace ww;
using namespace ww::simt;
using namespace ww::simt::test;

namespace {

// Runs kernel_text(body) with an output and an input of `n` words and gives the fault; kind trap with an empty message
// stands for "no fault".
struct Outcome {
  bool faulted = false;
  MachineFault fault;
  std::string error;
};

// Every bed's first buffer has the same address, so one that has none yet gets one here.
Outcome outcome(Bed& bed, Dim3 grid, Dim3 block, std::uint64_t out, std::uint64_t in) {
  Outcome o;
  if (bed.memory.buffers().empty()) (void)bed.put(std::vector<int>(1024, 0), "out");
  auto r = bed.launch("k", grid, block, out, in);
  if (!r) {
    o.error = r.error().text();
  } else if (r->fault) {
    o.faulted = true;
    o.fault = *r->fault;
  }
  bed.report = r ? std::move(*r) : LaunchReport{};
  return o;
}

#define FAULT(o, expected)                        \
  QVERIFY2((o).error.empty(), (o).error.c_str()); \
  QVERIFY2((o).faulted, "no fault");              \
  QCOMPARE((o).fault.kind, FaultKind::expected)
#define SAYS(o, words) QVERIFY2((o).fault.message.find(words) != std::string::npos, (o).fault.message.c_str())
#define CLEAN(o)                                                                              \
  do {                                                                                        \
    const Outcome& once = o;                                                                  \
    QVERIFY2(!once.faulted && once.error.empty(), (once.error + once.fault.message).c_str()); \
  } while (false)

}  // namespace

class FaultsTest : public QObject {
  Q_OBJECT
 private slots:
  void outOfBoundsNamesTheBuffer() {
    Bed bed(kernel_text("", ".loc 1 42 7\nmov.u32 %r1, 5;\nst.global.u32 [%o+4], %r1;"));
    const auto out = bed.room<int>(4 * 40, "y"), in = bed.room<int>(4, "x");
    auto o = outcome(bed, {1}, {64}, out, in);  // thread 40 is the first beyond the end
    FAULT(o, out_of_bounds);
    QCOMPARE(o.fault.thread[0], 40u);
    QCOMPARE(o.fault.line, 42);
    QCOMPARE(o.fault.buffer, std::string("y"));
    QCOMPARE(o.fault.offset, std::int64_t{40 * 16 + 4});
    QCOMPARE(o.fault.access_bytes, std::size_t{4});
    QVERIFY(o.fault.is_write);
    QCOMPARE(o.fault.instruction, std::string("st.global.u32"));
    SAYS(o, "writes 4 bytes out of bounds");
    SAYS(o, "4 bytes past the end of \"y\" (640 bytes), line 42");
    CLEAN(outcome(bed, {1}, {40}, out, in));
  }

  void theLastWriteToWatchedBytesIsReported() {
    Bed bed(kernel_text("",
                        ".loc 1 7 3\nmov.u32 %r1, 5;\nst.global.v2.u32 [%o], {%r1, %r1};\n"
                        ".loc 1 9 3\natom.global.add.u32 %r2, [%o+8], %r1;\n"
                        ".loc 1 11 3\nst.global.u32 [%o+12], %r1;"));
    const auto out = bed.room<int>(4 * 64, "y"), in = bed.put(std::vector<int>(4 * 64, 1), "x");
    (void)bed.memory.fill(out, 0, 4 * 4 * 64);
    bed.options.threads = 1;
    for (const auto& [offset, line] : {std::pair{4, 7}, {8, 9}, {12, 11}}) {
      bed.options.watch = {out + 16 * 37 + static_cast<std::uint64_t>(offset), 4};
      CLEAN(outcome(bed, {2}, {64}, out, in));
      QVERIFY(bed.report.watched);
      QCOMPARE(bed.report.watched->line, line);
      QCOMPARE(bed.report.watched->kernel, std::string("k"));
      QCOMPARE(bed.report.watched->thread[0], 37u);
      QCOMPARE(bed.report.watched->block[0], 1u);  // writes after the first
    }
    bed.options.watch = {in, 4};
    CLEAN(outcome(bed, {1}, {64}, out, in));
    QVERIFY(!bed.report.watched);  // is only read
    bed.options.watch = {};
    CLEAN(outcome(bed, {1}, {64}, out, in));
    QVERIFY(!bed.report.watched);
  }

  void outOfBoundsBeforeAndStraddling() {
    Bed before(kernel_text("", "ld.global.u32 %r1, [%o+-8];"));
    auto o = outcome(before, {2, 3}, {1}, before.put(std::vector<int>(4), "p"), before.room<int>(4));
    FAULT(o, out_of_bounds);
    QCOMPARE(o.fault.offset, std::int64_t{-8});
    SAYS(o, "8 bytes before the start of \"p\"");
    Bed over(kernel_text("", "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%o];"));
    const auto p = over.put(std::vector<char>(24, 1), "odd");
    o = outcome(over, {1}, {2}, p, p);
    FAULT(o, out_of_bounds);
    QCOMPARE(o.fault.thread[0], 1u);
    SAYS(o, "at byte 16, reaching past the end of \"odd\"");
  }

  void outOfBoundsNamesTheBufferThatWasMeant() {  // far into, or beyond, another one
    Bed bed(kernel_text("", "st.global.u32 [%o+-65536], %r1;"));
    const auto first = bed.put(std::vector<int>(64), "first"), meant = bed.put(std::vector<int>(64), "meant");
    auto o = outcome(bed, {1}, {1}, meant, first);
    FAULT(o, out_of_bounds);
    QCOMPARE(o.fault.buffer, std::string("meant"));
    SAYS(o, "65536 bytes before the start of \"meant\"");
    o = outcome(bed, {1}, {1}, first, meant);
    SAYS(o, "65536 bytes before the start of \"first\"");
  }

  void generalAddressesAreCheckedPerLane() {  // lane 7 of a scattered access
    Bed bed(kernel_text(
        "",
        "mul.lo.u32 %r1, %r0, 48;\nand.b32 %r1, %r1, 1023;\nsetp.eq.u32 %p1, %r0, 7;\n@%p1 mov.u32 %r1, 1296;\n"
        "cvt.u64.u32 %rd1, %r1;\nmul.wide.u32 %rd2, %r0, 16;\nsub.s64 %rd3, %i, %rd2;\nadd.s64 %rd3, %rd3, "
        "%rd1;\nld.global.u32 %r2, [%rd3];"));
    const auto in = bed.put(std::vector<int>(300, 1), "in");
    auto o = outcome(bed, {1}, {32}, bed.room<int>(4), in);
    FAULT(o, out_of_bounds);
    QCOMPARE(o.fault.thread[0], 7u);
    QCOMPARE(o.fault.offset, std::int64_t{1296});
  }

  void misalignedNullReadOnlyFreed() {
    Bed bed(kernel_text("", "ld.global.u32 %r1, [%i+2];"));
    auto in = bed.put(std::vector<int>(16, 1), "in");
    auto o = outcome(bed, {1}, {1}, in, in);
    FAULT(o, misaligned);
    SAYS(o, "at byte 2 of \"in\"");
    o = outcome(bed, {1}, {1}, in, 0);
    FAULT(o, null_pointer);
    Bed store(kernel_text("", "st.global.u32 [%o], %r0;"));
    const auto out = store.put(std::vector<int>(4), "weights");
    QVERIFY(store.memory.set_read_only(out, true).has_value());
    o = outcome(store, {1}, {1}, out, out);
    FAULT(o, read_only_write);
    SAYS(o, "\"weights\"");
    QVERIFY(store.memory.set_read_only(out, false).has_value());
    CLEAN(outcome(store, {1}, {1}, out, out));
    QVERIFY(store.memory.free(out).has_value());
    o = outcome(store, {1}, {1}, out, out);
    FAULT(o, out_of_bounds);
    SAYS(o, "freed before");
  }

  void uninitialisedReads() {
    Bed bed(kernel_text("", "ld.global.u32 %r1, [%i+4];\nneg.s32 %r1, %r1;\nst.global.u32 [%o], %r1;"));
    const auto out = bed.room<int>(128, "out"), in = bed.put(std::vector<int>(128, 3), "in");
    CLEAN(outcome(bed, {1}, {32}, out, in));
    QVERIFY(bed.memory.poison(in + 20 * 16 + 4, 2).has_value());
    auto o = outcome(bed, {1}, {32}, out, in);
    FAULT(o, uninitialised_read);
    QCOMPARE(o.fault.thread[0], 20u);
    QCOMPARE(o.fault.buffer, std::string("in"));
    bed.options.checks = Checks::bounds;
    CLEAN(outcome(bed, {1}, {32}, out, in));
    // Which bytes of the output nobody wrote.
    const auto left = bed.memory.uninitialised(out, 512);
    QCOMPARE(left->count, std::size_t{512 - 32 * 4});
    QCOMPARE(left->first, std::size_t{4});
  }

  void sharedAndLocalMemory() {
    const std::string shared = ".shared .align 4 .b8 s[128];\n";
    Bed write(kernel_text(shared,
                          "shl.b32 %r1, %r0, 2;\nmov.u32 %r2, s;\nadd.u32 %r2, %r2, %r1;\nst.shared.u32 [%r2], %r0;"));
    const auto p = write.room<int>(4);
    CLEAN(outcome(write, {1}, {32}, p, p));
    auto o = outcome(write, {1}, {64}, p, p);
    FAULT(o, out_of_bounds);
    QCOMPARE(o.fault.thread[0], 32u);
    QCOMPARE(o.fault.offset, std::int64_t{128});
    SAYS(o, "shared memory (128 bytes)");
    Bed read(kernel_text(shared, "mov.u64 %rd1, s;\ncvta.shared.u64 %rd1, %rd1;\nld.u32 %r1, [%rd1+64];"));
    const auto q = read.room<int>(4);
    o = outcome(read, {1}, {1}, q, q);
    FAULT(o, uninitialised_read);
    QCOMPARE(o.fault.space, Space::shared);
    Bed local(kernel_text(".local .align 8 .b8 depot[16];\n",
                          "mov.u64 %rd1, depot;\nst.local.u32 [%rd1+12], %r0;\nld.local.u32 %r1, "
                          "[%rd1+12];\nst.global.u32 [%o], %r1;\nst.local.u64 [%rd1+16], %rd1;"));
    const auto l = local.room<int>(4 * 40);
    o = outcome(local, {1}, {33}, l, l);
    FAULT(o, out_of_bounds);
    QCOMPARE(o.fault.space, Space::local);
    QCOMPARE(local.get<int>(l, 12)[8], 2);
    Bed unset(kernel_text(".local .align 8 .b8 depot[16];\n", "mov.u64 %rd1, depot;\nld.local.u32 %r1, [%rd1+8];"));
    o = outcome(unset, {1}, {1}, l, l);
    FAULT(o, uninitialised_read);
    QCOMPARE(o.fault.space, Space::local);
  }

  void lanes_that_a_mask_names() {
    const std::string shuffle = "shfl.sync.bfly.b32 %r2, %r0, 1, 31, -1;\n", store = "st.global.u32 [%o], %r2;";
    const std::string half = "mov.u32 %r2, 0;\nsetp.ge.u32 %p1, %r0, 16;\n";
    const std::string all[] = {
        half + "@%p1 bra B;\n" + shuffle + "B: " + store,  // half of the warp goes round it, and on
        half + "@!%p1 bra A;\nB: " + store + "ret;\nA: " + shuffle + "bra B;",  // the same, in another order
        half + "@%p1 bra B;\nbar.warp.sync -1;\nB: " + store,
        half + "@%p1 bra B;\nvote.sync.any.pred %p2, %p1, -1;\nB: " + store,
        "mov.u32 %r3, 0;\nA: " + shuffle + "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r0;\n@%p1 bra A;\n" + store};
    for (const std::string& body : all) {
      Bed bed(kernel_text("", body));
      const auto out = bed.room<int>(128);
      for (const std::uint32_t apart : {0u, 0xf0f0f0f1u, 0x0000fffeu}) {
        bed.options.order.apart = apart;
        const auto o = outcome(bed, {1}, {32}, out, out);
        FAULT(o, deadlock);
        SAYS(o, "the member mask names threads of the warp that never come");
      }
    }
    Bed masks(
        kernel_text("", half + "selp.u32 %r3, -1, 65535, %p1;\nshfl.sync.bfly.b32 %r2, %r0, 1, 31, %r3;\n" + store));
    const auto masked = outcome(masks, {1}, {32}, masks.room<int>(128), masks.room<int>(128));
    FAULT(masked, invalid_instruction);
    SAYS(masked, "with another mask");
    // Those that have exited are not waited for, nor those that other masks name.
    const std::string good[] = {half + "@%p1 ret;\n" + shuffle + store,
                                half + "@%p1 bra B;\n" + shuffle + store + "\nB: ret;",
                                half + "@%p1 bra B;\nshfl.sync.bfly.b32 %r2, %r0, 1, 31, 65535;\nB: " + store,
                                half + "@%p1 bra B;\nmov.u32 %r2, 1;\nB: " + shuffle + store};
    for (const std::string& body : good) {
      Bed bed(kernel_text("", body));
      const auto out = bed.room<int>(128);
      for (const std::uint32_t apart : {0u, 0xf0f0f0f1u, 0x0000fffeu}) {
        bed.options.order.apart = apart;
        CLEAN(outcome(bed, {1}, {32}, out, out));
      }
    }
  }

  void shuffles_that_read_exited_lanes() {
    const std::string half = "setp.ge.u32 %p1, %r0, 16;\n@%p1 ret;\nmov.u32 %r3, 7;\n",
                      shuffle = "shfl.sync.bfly.b32 %r2, %r0, 16, 31, -1;\n", store = "\nst.global.u32 [%o], %r2;";
    for (const std::uint32_t apart : {0u, 0xf0f0f0f1u, 0x0000fffeu}) {
      Bed bed(kernel_text("", half + shuffle + store));
      bed.options.order.apart = apart;
      const auto out = bed.room<int>(128);
      const auto o = outcome(bed, {1}, {32}, out, out);
      FAULT(o, invalid_instruction);
      SAYS(o, "reads the register of a thread that has exited");
      QVERIFY(o.fault.ptx_line > 0);
    }
    Bed part(kernel_text("", shuffle + store));  // half of a warp
    const auto o = outcome(part, {1}, {16}, part.room<int>(64), part.room<int>(64));
    FAULT(o, invalid_instruction);
    SAYS(o, "that has exited or never was");
    // The own register, where the source is out of range; a value that a selection discards; the lanes that are there.
    const std::string good[] = {
        half + "shfl.sync.down.b32 %r2, %r0, 16, 15, -1;" + store,
        half + shuffle + "setp.lt.u32 %p1, %r0, 16;\nselp.u32 %r4, %r3, %r2, %p1;\n" + "st.global.u32 [%o], %r4;",
        half + shuffle + "mov.b32 %f1, %r2;\nadd.f32 %f1, %f1, %f1;\nmov.b32 %r2, %f1;\n" +
            "setp.lt.u32 %p1, %r0, 16;\nselp.u32 %r4, %r3, %r2, %p1;\n" + "st.global.u32 [%o], %r4;",
        half + "shfl.sync.bfly.b32 %r2, %r0, 8, 31, -1;" + store};
    for (const std::string& body : good) {
      Bed bed(kernel_text("", body));
      const auto to = bed.room<int>(128);
      CLEAN(outcome(bed, {1}, {32}, to, to));
    }
  }

  void barriers() {
    // Warps meet although each took another way to the barrier's number.
    Bed good(kernel_text(
        ".shared .align 4 .b8 s[256];\n",
        "shl.b32 %r1, %r0, 2;\nmov.u32 %r2, s;\nadd.u32 %r3, %r2, %r1;\nst.shared.u32 [%r3], %r0;\nbar.sync 0;\n"
        "sub.u32 %r4, 252, %r1;\nadd.u32 %r4, %r4, %r2;\nld.shared.u32 %r5, [%r4];\nst.global.u32 [%o], %r5;"));
    const auto out = good.room<int>(4 * 64);
    CLEAN(outcome(good, {3}, {64}, out, out));
    QCOMPARE(good.get<int>(out, 256)[4 * 10], 53);
    // Half of a warp goes round the barrier.
    Bed split(
        kernel_text("", "setp.lt.u32 %p1, %r0, 16;\n@%p1 bra A;\nbra B;\nA: bar.sync 0;\nB: st.global.u32 [%o], %r0;"));
    auto o = outcome(split, {1}, {32}, out, out);
    FAULT(o, barrier_divergence);
    // Other warps, or lanes, have left: those that ended are not waited for.
    Bed leave(kernel_text("", "setp.ge.u32 %p1, %r0, 32;\n@%p1 ret;\nbar.sync 0;\nst.global.u32 [%o], %r0;"));
    CLEAN(outcome(leave, {1}, {96}, out, out));
    Bed lanes(kernel_text("", "setp.ge.u32 %p1, %r0, 40;\n@%p1 ret;\nbar.sync 0;\nst.global.u32 [%o], %r0;"));
    CLEAN(outcome(lanes, {1}, {96}, out, out));
    // Other warps go round it, or leave a loop earlier, and go on.
    for (const char* body : {"setp.ge.u32 %p1, %r0, 32;\n@%p1 bra B;\nbar.sync 0;\nB: st.global.u32 [%o], %r0;",
                             "shr.u32 %r1, %r0, 5;\nA: bar.sync 0;\nsub.s32 %r1, %r1, 1;\nsetp.ge.s32 %p1, %r1, 0;\n"
                             "@%p1 bra A;\nst.global.u32 [%o], %r0;"}) {
      Bed round(kernel_text("", body));
      o = outcome(round, {1}, {96}, out, out);
      FAULT(o, barrier_divergence);
      SAYS(o, "threads of the block took another path");
    }
    // A barrier for more threads than come.
    Bed count(kernel_text("", "bar.sync 1, 128;"));
    o = outcome(count, {1}, {64}, out, out);
    FAULT(o, deadlock);
    SAYS(o, "barrier 1 has 64 of 128 threads");
    Bed producer(kernel_text(".shared .align 4 .b8 s[4];\n",
                             "setp.lt.u32 %p1, %r0, 32;\n@%p1 bra P;\nbar.sync 2, 64;\nld.shared.u32 %r1, "
                             "[s];\nst.global.u32 [%o], %r1;\nret;\n"
                             "P: mov.u32 %r1, 77;\nst.shared.u32 [s], %r1;\nbar.arrive 2, 64;"));
    CLEAN(outcome(producer, {1}, {64}, out, out));
    QCOMPARE(producer.get<int>(out, 256)[4 * 40], 77);
    Bed red(kernel_text("",
                        "and.b32 %r1, %r0, 3;\nsetp.eq.u32 %p1, %r1, 0;\nbar.red.popc.u32 %r2, 0, "
                        "%p1;\nbar.red.and.pred %p2, 0, %p1;\nbar.red.or.pred %p3, 0, !%p1;\n"
                        "selp.u32 %r3, 100, 0, %p2;\nselp.u32 %r4, 1000, 0, %p3;\nadd.u32 %r2, %r2, %r3;\nadd.u32 %r2, "
                        "%r2, %r4;\nst.global.u32 [%o], %r2;"));
    CLEAN(outcome(red, {1}, {64}, out, out));
    QCOMPARE(red.get<int>(out, 256)[4 * 63], 1016);
  }

  void divergence() {
    // Collatz steps: every lane has its own trip count, with a break and a continue.
    Bed bed(kernel_text("",
                        "add.u32 %r1, %r0, 1;\nmov.u32 %r2, 0;\nmov.u32 %r6, 0;\nL: setp.eq.u32 %p1, %r1, 1;\n@%p1 bra "
                        "E;\nadd.u32 %r2, %r2, 1;\n"
                        "setp.gt.u32 %p4, %r2, 100;\n@%p4 bra E;\nand.b32 %r3, %r1, 1;\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 "
                        "bra V;\nmad.lo.u32 %r1, %r1, 3, 1;\nadd.u32 %r6, %r6, 1;\nbra L;\n"
                        "V: shr.u32 %r1, %r1, 1;\nbra L;\nE: mov.u32 %r5, -1;\nactivemask.b32 %r4;\nst.global.v4.u32 "
                        "[%o], {%r2, %r4, %r6, %r5};"));
    const auto out = bed.room<int>(4 * 64);
    CLEAN(outcome(bed, {1}, {64}, out, out));
    for (int t = 0; t < 64; ++t) {
      unsigned x = static_cast<unsigned>(t) + 1;
      int steps = 0, odd = 0;
      while (x != 1 && ++steps <= 100) {
        odd += x % 2 != 0;
        x = x % 2 == 0 ? x / 2 : 3 * x + 1;
      }
      QCOMPARE(bed.get<int>(out, 256)[4 * t], steps);
      QCOMPARE(bed.get<int>(out, 256)[4 * t + 1], -1);  // all 32 are together again
      QCOMPARE(bed.get<int>(out, 256)[4 * t + 2], odd);
    }
  }

  // "…executed bar.warp.sync with the same mask": which one does not matter (PTX ISA; alike for the others).
  void lanesInTwoBranchesMeet() {
    const auto branches = [](const std::string& one, const std::string& other, const std::string& after = "") {
      return "mov.u32 %r2, 0;\nsetp.ge.u32 %p1, %r0, 16;\nadd.u32 %r1, %r0, 100;\nadd.u32 %r3, %r0, 200;\n"
             "@%p1 bra B;\n" +
             one + "bra E;\nB: " + other + "E: " + after + "st.global.u32 [%o], %r2;";
    };
    const auto results = [&](const std::string& body, std::uint32_t apart) {
      Bed bed(kernel_text("", body));
      const auto out = bed.room<int>(128);
      bed.options.order.apart = apart;
      const Outcome o = outcome(bed, {1}, {32}, out, out);
      if (o.faulted || !o.error.empty()) qWarning("%s%s", o.error.c_str(), o.fault.message.c_str());
      std::vector<int> values;
      for (std::size_t t = 0; t < 32; ++t) values.push_back(o.faulted ? -1 : bed.get<int>(out, 128)[4 * t]);
      return values;
    };
    const auto each = [](auto f) {
      std::vector<int> values;
      for (int t = 0; t < 32; ++t) values.push_back(f(t));
      return values;
    };
    const std::string sync = "bar.warp.sync -1;\n";
    for (const std::uint32_t apart : {0u, 0xf0f0f0f1u, 0x0000fffeu}) {
      QCOMPARE(results(branches("mov.u32 %r2, 1;\n" + sync, "mov.u32 %r2, 2;\n" + sync), apart),
               each([](int t) { return t < 16 ? 1 : 2; }));
      // Once more each, and then together.
      QCOMPARE(results(branches(sync + sync, sync + sync + "mov.u32 %r2, 2;\n", sync), apart),
               each([](int t) { return t < 16 ? 0 : 2; }));
      // What a branch's lanes bring differs in its register.
      QCOMPARE(
          results(branches("shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;\n", "shfl.sync.bfly.b32 %r2, %r3, 16, 31, -1;\n"),
                  apart),
          each([](int t) { return (t ^ 16) + (t < 16 ? 200 : 100); }));
      QCOMPARE(results(branches("redux.sync.add.u32 %r2, %r1, -1;\n", "redux.sync.add.u32 %r2, %r3, -1;\n"), apart),
               each([](int) { return 31 * 16 + 100 * 16 + 200 * 16; }));
      QCOMPARE(
          results(branches("vote.sync.ballot.b32 %r2, %p1, -1;\n", "vote.sync.ballot.b32 %r2, !%p1, -1;\n"), apart),
          each([](int) { return 0; }));
      QCOMPARE(results(branches("setp.lt.u32 %p2, %r0, 4;\nvote.sync.any.pred %p3, %p2, -1;\n"
                                "selp.u32 %r2, 1, 0, %p3;\n",
                                "setp.lt.u32 %p4, %r0, 4;\nvote.sync.any.pred %p5, %p4, -1;\n"
                                "selp.u32 %r2, 2, 0, %p5;\n"),
                       apart),
               each([](int t) { return t < 16 ? 1 : 2; }));
      QCOMPARE(results(branches("cvt.u64.u32 %rd1, %r1;\nmatch.all.sync.b64 %r2|%p2, %rd1, -1;\n",
                                "cvt.u64.u32 %rd2, %r1;\nmatch.all.sync.b64 %r2|%p3, %rd2, -1;\n"),
                       apart),
               each([](int) { return 0; }));
      // Of masks that name others, each has its own.
      QCOMPARE(results(branches("redux.sync.add.u32 %r2, %r1, 0xffff;\n", "redux.sync.add.u32 %r2, %r3, 0xffff0000;\n"),
                       apart),
               each([](int t) { return t < 16 ? 15 * 8 + 1600 : 15 * 8 + 256 + 3200; }));
    }
    const std::string never[] = {
        branches(sync, "vote.sync.any.pred %p2, %p1, -1;\n"), branches(sync, "bar.warp.sync 0xfffffff0;\n"),
        branches("shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;\n", "shfl.sync.up.b32 %r2, %r3, 16, 0, -1;\n"),
        branches("redux.sync.add.u32 %r2, %r1, -1;\n", "redux.sync.min.u32 %r2, %r1, -1;\n")};
    for (const std::string& body : never) {
      Bed bed(kernel_text("", body));
      const auto out = bed.room<int>(128);
      const Outcome o = outcome(bed, {1}, {32}, out, out);
      FAULT(o, deadlock);
      SAYS(o, "the member mask names threads of the warp that never come");
    }
  }

  void warpSynchronisation() {
    // Lanes reach a shuffle by different ways, early leavers are not waited for.
    Bed bed(kernel_text("",
                        "setp.ge.u32 %p1, %r0, 24;\n@%p1 ret;\nmov.u32 %r1, %r0;\nsetp.lt.u32 %p2, %r0, 5;\n@%p2 bra "
                        "B;\nadd.u32 %r1, %r1, 100;\nbra S;\nB: add.u32 %r1, %r1, 200;\n"
                        "S: shfl.sync.bfly.b32 %r2|%p3, %r1, 1, 31, -1;\nst.global.u32 [%o], %r2;"));
    const auto out = bed.room<int>(128);
    CLEAN(outcome(bed, {1}, {32}, out, out));
    for (int t = 0; t < 24; ++t) QCOMPARE(bed.get<int>(out, 128)[4 * t], (t ^ 1) + ((t ^ 1) < 5 ? 200 : 100));
    // A mask that names lanes which are past the place.
    Bed never(kernel_text(
        "", "setp.lt.u32 %p1, %r0, 16;\n@!%p1 bra E;\nvote.sync.ballot.b32 %r1, %p1, -1;\nE: bar.warp.sync -1;"));
    auto o = outcome(never, {1}, {32}, out, out);
    FAULT(o, deadlock);
    SAYS(o, "member mask");
    Bed stranger(kernel_text("", "bar.warp.sync 1;"));
    o = outcome(stranger, {1}, {32}, out, out);
    FAULT(o, invalid_instruction);
    // Each group of eight has its own mask at the same instruction.
    Bed groups(kernel_text("",
                           "shr.u32 %r1, %r0, 3;\nshl.b32 %r1, %r1, 3;\nmov.u32 %r2, 255;\nshl.b32 %r2, %r2, "
                           "%r1;\nredux.sync.add.u32 %r3, %r0, %r2;\nst.global.u32 [%o], %r3;"));
    CLEAN(outcome(groups, {1}, {32}, out, out));
    QCOMPARE(groups.get<int>(out, 128)[4 * 9], 8 * 8 + 28);
  }

  void spinLocksMakeProgress() {  // 32 lanes of one warp and 4 warps take a lock in turn
    Bed bed(kernel_text("",
                        "mul.wide.u32 %rd1, %r0, 16;\nsub.s64 %rd2, %o, %rd1;\nL: atom.global.cas.b32 %r1, [%rd2], 0, "
                        "1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\n"
                        "ld.volatile.global.u32 %r2, [%rd2+4];\nadd.u32 %r2, %r2, 1;\nst.volatile.global.u32 [%rd2+4], "
                        "%r2;\nmembar.gl;\natom.global.exch.b32 %r3, [%rd2], 0;"));
    const auto out = bed.put(std::vector<int>(4, 0));
    bed.options.instruction_budget = 50'000'000;
    CLEAN(outcome(bed, {2}, {128}, out, out));
    QCOMPARE(bed.get<int>(out, 2)[1], 256);
  }

  void budgetTrapAndCancel() {
    Bed loop(kernel_text("", ".loc 1 9 0\nL: add.u32 %r1, %r1, 1;\nbra L;"));
    const auto p = loop.room<int>(4);
    loop.options.instruction_budget = 100000;
    auto o = outcome(loop, {1}, {32}, p, p);
    FAULT(o, budget_exceeded);
    SAYS(o, "infinite loop");
    QCOMPARE(o.fault.line, 9);
    loop.options.instruction_budget = 0;
    std::stop_source source;
    loop.options.stop = source.get_token();
    std::thread other([&] { source.request_stop(); });
    const auto r = loop.launch("k", {4}, {64}, p, p);
    other.join();
    QVERIFY(!r.has_value());
    QCOMPARE(r.error().code, Code::cancelled);
    Bed trap(kernel_text("", "setp.eq.u32 %p1, %r0, 3;\n@%p1 trap;"));
    o = outcome(trap, {1}, {32}, p, p);
    FAULT(o, trap);
    QCOMPARE(o.fault.thread[0], 3u);
  }

  void stackOverflow() {
    const std::string f =
        ".func (.param .b32 r) f(.param .b32 a) {\n.reg .b32 %x<4>;\nld.param.b32 %x1, [a];\nadd.s32 %x2, %x1, 1;\n"
        "{ .param .b32 p0; st.param.b32 [p0], %x2; .param .b32 q0; call.uni (q0), f, (p0); ld.param.b32 %x3, [q0]; "
        "}\nst.param.b32 [r], %x3;\nret;\n}\n";
    Bed bed(kernel_text(
        "",
        "{ .param .b32 p0; st.param.b32 [p0], %r0; .param .b32 q0; call.uni (q0), f, (p0); ld.param.b32 %r1, [q0]; }",
        f));
    QVERIFY2(bed.program, bed.error.c_str());
    const auto p = bed.room<int>(4);
    auto o = outcome(bed, {1}, {1}, p, p);
    FAULT(o, stack_overflow);
  }

  void lowestThreadFirstWithOneThread() {
    Bed bed(kernel_text("", "mov.u32 %r1, %ctaid.x;\nsetp.ge.u32 %p1, %r1, 3;\n@%p1 trap;"));
    bed.options.threads = 1;
    const auto p = bed.room<int>(4);
    auto o = outcome(bed, {9}, {32}, p, p);
    FAULT(o, trap);
    QCOMPARE(o.fault.block[0], 3u);
  }

  void launchErrors() {
    Bed bed(kernel_text(".shared .align 4 .b8 s[1024];\n", "st.shared.u32 [s], %r0;"));
    const auto p = bed.room<int>(4);
    const auto says = [&](Dim3 grid, Dim3 block, const char* words) {
      const auto o = outcome(bed, grid, block, p, p);
      return o.error.find(words) != std::string::npos;
    };
    QVERIFY(says({0}, {32}, "grid is empty"));
    QVERIFY(says({1}, {0}, "block is empty"));
    QVERIFY(says({1}, {1025}, "at most 1024"));
    QVERIFY(says({1}, {33, 32}, "1056 threads"));
    QVERIFY(says({1, 70000}, {32}, "65535"));
    bed.dynamic_shared = 232448;
    QVERIFY(says({1}, {32}, "shared memory"));
    bed.dynamic_shared = 231424;
    CLEAN(outcome(bed, {1}, {32}, p, p));
    QVERIFY(!launch(*bed.program, "k", {{1}, {32}, 0, {}}, bed.memory, {}).has_value());
    QCOMPARE(launch(*bed.program, "nobody", {{1}, {32}, 0, {}}, bed.memory, {}).error().code, Code::not_found);
    Arguments few(*bed.program->kernel("k"));
    QVERIFY(!few.add_pointer(p).bytes().has_value());
    QVERIFY(!few.add_f64(1.0).bytes().has_value());
    Bed bounded(module_text(".visible .entry k()\n.maxntid 64, 1, 1\n{ ret; }\n"));
    QVERIFY(bounded.run("k", {1}, {65}).find("launch bounds") != std::string::npos);
    QCOMPARE(bounded.run("k", {1}, {64}), std::string());
  }

  void unknownInstructionsStopTheLaunch() {
    Bed bed(kernel_text("", "foo.bar.u32 %r1, %r2;", ".visible .entry fine() { ret; }\n"));
    QVERIFY2(bed.program, bed.error.c_str());
    const auto p = bed.room<int>(4);
    const auto r = bed.launch("k", {1}, {1}, p, p);
    QVERIFY(!r.has_value());
    QCOMPARE(r.error().code, Code::unsupported);
    QVERIFY2(r.error().message.starts_with("unsupported: foo.bar.u32 at line "), r.error().message.c_str());
    QCOMPARE(bed.run("fine", {1}, {1}), std::string());
    Bed width(kernel_text("", "add.s32 %r1, %rd1, %r2;"));
    QVERIFY(!width.launch("k", {1}, {1}, p, p).has_value());
  }

  void unsupportedIsNamed() {
    for (const auto& [opcode, operands] : {std::pair{"wgmma.fence.sync.aligned", ""},
                                           {"multimem.ld_reduce.global.add.f32", " %f1, [%o]"},
                                           {"tex.1d.v4.f32.s32", " {%f1, %f2, %f3, %f4}, [t, {%r1}]"},
                                           {"setp.zz.u32", " %p1, %r1, %r2"}}) {
      Bed bed(kernel_text("", std::string(opcode) + operands + ";", ".global .b64 t;\n"));
      QVERIFY2(bed.program, bed.error.c_str());
      const KernelInfo* k = bed.program->kernel("k");
      QVERIFY2(!k->unsupported.empty(), opcode);
      const auto r = launch(*bed.program, "k", {{1}, {32}, 0, std::vector<std::byte>(k->param_bytes)}, bed.memory, {});
      QVERIFY(!r.has_value());
      QCOMPARE(r.error().code, Code::unsupported);
      QVERIFY2(r.error().message.starts_with(std::string("unsupported: ") + opcode), r.error().message.c_str());
      QVERIFY2(r.error().message.find(" at line ") != std::string::npos, r.error().message.c_str());
    }
  }

  void manyShortBlocksUseUpTheBudget() {
    Bed bed(kernel_text("", "add.u32 %r1, %r1, 1;"));
    bed.options.instruction_budget = 40000;
    const auto p = bed.room<int>(4);
    auto o = outcome(bed, {100000}, {32}, p, p);
    FAULT(o, budget_exceeded);
    CLEAN(outcome(bed, {100}, {32}, p, p));
  }

  void moduleVariablesKeepTheirState() {
    Bed bed(kernel_text("", "atom.global.add.u32 %r1, [counter], 2;\nst.global.u32 [%o], %r1;",
                        ".global .align 4 .u32 counter = 40;\n.const .align 4 .u32 limit[2] = {7, 9};\n"));
    const auto p = bed.room<int>(4);
    CLEAN(outcome(bed, {1}, {1}, p, p));
    CLEAN(outcome(bed, {1}, {1}, p, p));
    QCOMPARE(bed.get<int>(p, 1)[0], 42);
    QCOMPARE(bed.get<int>(*bed.memory.symbol(*bed.program, "counter"), 1)[0], 44);
    bed.memory.release(*bed.program);
    CLEAN(outcome(bed, {1}, {1}, p, p));
    QCOMPARE(bed.get<int>(p, 1)[0], 40);
    QVERIFY(!bed.memory.symbol(*bed.program, "nothing").has_value());
  }

  void hostMemoryCallsAreChecked() {
    Memory memory(1 << 20);
    const auto a = *memory.allocate(100, "a");
    QCOMPARE(a % 256, std::uint64_t{0});
    const auto z = *memory.allocate(0, "empty");
    QVERIFY(z >= a + 100 + 256);
    int x = 5;
    QVERIFY(memory.write(a + 96, &x, 4).has_value());
    QVERIFY(!memory.write(a + 97, &x, 4).has_value());
    QVERIFY(!memory.read(a - 1, &x, 1).has_value());
    QVERIFY(!memory.allocate(1 << 20, "too much").has_value());
    QVERIFY(memory.free(a).has_value());
    QVERIFY(!memory.free(a).has_value());
    QCOMPARE(memory.bytes_in_use(), std::size_t{0});
  }

  // With an odd seed, buffers start at any multiple of 32 bytes.
  void scatteredBuffersAreAligned() {
    std::set<std::uint64_t> offsets;
    for (std::uint64_t seed = 2; seed < 40; ++seed) {
      Memory memory(1 << 20);
      memory.scatter(seed);
      std::uint64_t before = 0;
      for (const char* name : {"a", "b", "c", "d"}) {
        const auto at = *memory.allocate(100, name);
        QVERIFY(at >= before + 256);
        before = at + 100;
        QCOMPARE(at % (seed % 2 != 0 ? 32 : 256), std::uint64_t{0});
        offsets.insert(at % 256);
      }
    }
    QCOMPARE(offsets.size(), std::size_t{8});
  }
};

QTEST_GUILESS_MAIN(FaultsTest)
#include "faults_test.moc"
