// SPDX-License-Identifier: Apache-2.0
// Races between the warps of a block in shared memory: found whatever the order of the warps, with both sides, and
// where something orders the two, not at all.
#include "simt/bed.h"
#include "simt/ptx.h"

using namespace ww;
using namespace ww::simt;
using namespace ww::simt::test;

namespace {

const std::string declared = ".shared .align 4 .b8 s[1024];\n.reg .b32 %s<9>;\n.reg .pred %q<9>;\n";
// %s1: s, %s2: its word of this thread, %s3: of the thread with the same lane in the other of two warps; %q1: warp 0.
const std::string places =
    "mov.u32 %s1, s;\nmov.u32 %s4, %tid.x;\nshl.b32 %s2, %s4, 2;\nadd.u32 %s2, %s2, %s1;\nxor.b32 %s3, %s4, 32;\n"
    "shl.b32 %s3, %s3, 2;\nadd.u32 %s3, %s3, %s1;\nsetp.lt.u32 %q1, %s4, 32;\n";
const std::string write_own = "st.shared.u32 [%s2], %s4;\n",
                  read_other = "ld.shared.u32 %s5, [%s3];\nst.global.u32 [%o], %s5;\n", barrier = "bar.sync 0;\n",
                  first_warp = "@%q1 ", second_warp = "@!%q1 ";

struct Outcome {
  std::string kind, message;
};
Outcome outcome_of(const std::string& body, bool reverse, unsigned threads = 64, unsigned blocks = 1) {
  Bed bed(kernel_text(declared, places + "st.shared.u32 [%s2], 1000;\nbar.sync 0;\n" + body));
  bed.options.checks = Checks::full;
  bed.options.threads = 1;
  bed.options.order = backwards(reverse);
  bed.options.instruction_budget = 100000;
  const auto out = bed.put(std::vector<int>(4096), "y");
  const auto r = bed.launch("k", {blocks}, {threads}, out, out);
  if (!r) return {"refused", r.error().text()};
  return r->fault ? Outcome{enum_string(r->fault->kind), r->fault->message} : Outcome{};
}

}  // namespace

class SharedRacesTest : public QObject {
  Q_OBJECT
 private slots:
  void racesAreFound_data() {
    QTest::addColumn<QString>("body");
    const auto row = [](const char* name, const std::string& body) {
      QTest::newRow(name) << QString::fromStdString(body);
    };
    row("read of what another warp writes", write_own + read_other);
    row("write over what another warp reads",
        write_own + barrier + read_other + write_own + "st.shared.u32 [%s2], 9;\n");
    row("two values in one place", "st.shared.u32 [%s1], %s4;\n");
    row("one byte of a word",
        "st.shared.u32 [%s2], 0;\n" + barrier + "st.shared.u8 [%s2+1], 7;\nld.shared.u32 %s5, [%s3];\n");
    row("barrier that one warp passes", first_warp + "st.shared.u32 [%s1], 5;\n" + first_warp + "bar.sync 1, 32;\n" +
                                            second_warp + "ld.shared.u32 %s5, [%s1];\n");
    row("barrier before the write",
        barrier + first_warp + "st.shared.u32 [%s1], 5;\n" + second_warp + "ld.shared.u32 %s5, [%s1];\n");
    row("sum that is not awaited",
        "st.shared.u32 [%s2], 0;\n" + barrier + "atom.shared.add.u32 %s5, [%s1], 1;\nld.shared.u32 %s5, [%s1];\n");
    row("plain write beside an atomic one",
        barrier + first_warp + "st.shared.u32 [%s1], 5;\n" + second_warp + "atom.shared.add.u32 %s5, [%s1], 1;\n");
    row("barrier of another number", first_warp + "st.shared.u32 [%s1], 5;\n" + first_warp + "bar.arrive 1, 64;\n" +
                                         second_warp + "bar.sync 2, 32;\n" + second_warp +
                                         "ld.shared.u32 %s5, [%s1];\n" + second_warp + "bar.sync 1, 64;\n");
    row("volatile store of another place",
        barrier + first_warp + "st.shared.u32 [%s1], 5;\n" + first_warp + "st.volatile.shared.u32 [%s1+4], 1;\n" +
            second_warp + "ld.volatile.shared.u32 %s5, [%s1+8];\n" + second_warp + "ld.shared.u32 %s5, [%s1];\n");
    row("atomic sums in two places", barrier + first_warp + "st.shared.u32 [%s1], 5;\n" + first_warp +
                                         "atom.shared.add.u32 %s6, [%s1+4], 1;\n" + second_warp +
                                         "atom.shared.add.u32 %s6, [%s1+8], 1;\n" + second_warp +
                                         "ld.shared.u32 %s5, [%s1];\nst.global.u32 [%o], %s5;\n");
    row("volatile load before both", "ld.volatile.shared.u32 %s6, [%s2];\n" + write_own + read_other);
    const std::string leader = "setp.eq.u32 %q2, %s4, 0;\n";
    const auto message = [&](const std::string& before, const std::string& after, const std::string& told) {
      return leader + barrier + "@%q2 " + before + "@%q2 " + after + "@%q2 " + told + "@%q1 bra END;\n" +
             "L: ld.volatile.shared.u32 %s5, [%s1];\nsetp.ne.u32 %q4, %s5, 1001;\n@%q4 bra L;\n"
             "membar.cta;\nld.shared.u32 %s5, [%s1+4];\nEND:\n";
    };
    const std::string data = "st.shared.u32 [%s1+4], 6;\n", fence = "membar.cta;\n";
    row("volatile flag without a fence", message(data, data, "st.volatile.shared.u32 [%s1], 1001;\n"));
    row("volatile flag, the fence before the data", message(fence, data, "st.volatile.shared.u32 [%s1], 1001;\n"));
    row("atomic flag without a fence", message(data, data, "atom.shared.add.u32 %s6, [%s1], 1;\n"));
    row("warp barrier", write_own + "bar.warp.sync -1;\n" + read_other);
    row("fence alone", write_own + "membar.cta;\n" + read_other);
    row("address by generic memory",
        "cvt.u64.u32 %rd1, %s2;\ncvta.shared.u64 %rd1, %rd1;\nst.u32 [%rd1], %s4;\n" + read_other);
    row("asynchronous copy",
        write_own + barrier + "cp.async.ca.shared.global [%s2], [%o], 4;\ncp.async.wait_all;\n" + read_other);
  }
  void racesAreFound() {
    QFETCH(QString, body);
    for (const bool reverse : {false, true}) {
      const Outcome o = outcome_of(body.toStdString(), reverse);
      QVERIFY2(o.kind == "race", (o.kind + ": " + o.message).c_str());
      QVERIFY2(o.message.find("that warp ") != std::string::npos &&
                   o.message.find("nothing orders the two") != std::string::npos &&
                   o.message.find("of shared memory (1024 bytes)") != std::string::npos,
               o.message.c_str());
    }
  }

  void orderIsKnown_data() {
    QTest::addColumn<QString>("body");
    const auto row = [](const char* name, const std::string& body) {
      QTest::newRow(name) << QString::fromStdString(body);
    };
    row("barrier", write_own + barrier + read_other);
    row("barriers in turn",
        write_own + barrier + read_other + barrier + "st.shared.u32 [%s2], 9;\n" + barrier + read_other);
    row("many readers, then a writer",
        write_own + barrier + "ld.shared.u32 %s5, [%s1];\n" + barrier + first_warp + "st.shared.u32 [%s1], 3;\n");
    row("the same value", "st.shared.u32 [%s1], 5;\nld.shared.u32 %s5, [%s1];\n");
    row("neighbouring bytes",
        "add.u32 %s6, %s1, %s4;\nst.shared.u8 [%s6], %s4;\n" + barrier + "ld.shared.u32 %s5, [%s1];\n");
    row("arrival without waiting", first_warp + "st.shared.u32 [%s1], 5;\n" + first_warp + "bar.arrive 1, 64;\n" +
                                       second_warp + "bar.sync 1, 64;\n" + second_warp + "ld.shared.u32 %s5, [%s1];\n");
    row("atomic sums, awaited", "st.shared.u32 [%s2], 0;\n" + barrier + "atom.shared.add.u32 %s5, [%s1], 1;\n" +
                                    barrier + "ld.shared.u32 %s5, [%s1];\n");
    row("lock", "setp.eq.u32 %q2, %s4, 0;\n@%q2 st.shared.u32 [%s1], 0;\n@%q2 st.shared.u32 [%s1+4], 0;\n" + barrier +
                    "and.b32 %s6, %s4, 31;\nsetp.ne.u32 %q3, %s6, 0;\n@%q3 bra END;\n"
                    "L: atom.shared.cas.b32 %s5, [%s1], 0, 1;\nsetp.ne.u32 %q4, %s5, 0;\n@%q4 bra L;\n"
                    "ld.shared.u32 %s5, [%s1+4];\nadd.u32 %s5, %s5, %s4;\nst.shared.u32 [%s1+4], %s5;\nmembar.cta;\n"
                    "atom.shared.exch.b32 %s5, [%s1], 0;\nEND:\n");
    row("volatile flag",
        "setp.eq.u32 %q2, %s4, 0;\n@%q2 st.shared.u32 [%s1], 0;\n" + barrier +
            "@%q2 st.shared.u32 [%s1+4], 6;\n@%q2 membar.cta;\n@%q2 st.volatile.shared.u32 [%s1], 1;\n@%q1 bra "
            "END;\nL: ld.volatile.shared.u32 %s5, [%s1];\nsetp.eq.u32 %q4, %s5, 0;\n@%q4 bra L;\n"
            "membar.cta;\nld.shared.u32 %s5, [%s1+4];\nEND:\n");
    row("flags in turn, 1000 times",  // each warp waits for the other: neither may use up the budget
        "st.shared.u32 [%s2], 0;\n" + barrier +
            "mov.u32 %s6, 0;\nR: shr.u32 %s5, %s4, 5;\nand.b32 %s7, %s6, 1;\nsetp.ne.u32 %q2, %s5, %s7;\n@%q2 bra W;\n"
            "add.u32 %s5, %s6, 1;\nst.volatile.shared.u32 [%s1], %s5;\nW: ld.volatile.shared.u32 %s5, [%s1];\n"
            "setp.le.u32 %q4, %s5, %s6;\n@%q4 bra W;\nadd.u32 %s6, %s6, 1;\nsetp.lt.u32 %q4, %s6, 1000;\n@%q4 bra "
            "R;\n");
    row("read that a selection drops", first_warp +
                                           "st.shared.u32 [%s1], 5;\nld.shared.u32 %s5, [%s1];\nselp.b32 %s6, "
                                           "%s5, 0, %q1;\nst.global.u32 [%o], %s6;\n");
    row("lanes of one warp", first_warp + "st.shared.u32 [%s2], %s4;\n" + first_warp + "ld.shared.u32 %s5, [%s1];\n");
  }
  void orderIsKnown() {
    QFETCH(QString, body);
    for (const bool reverse : {false, true}) {
      const Outcome o = outcome_of(body.toStdString(), reverse);
      QVERIFY2(o.kind.empty(), (o.kind + ": " + o.message).c_str());
    }
  }

  void writersOfOneValueRaceWithReaders_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<bool>("races");
    const auto row = [](const char* name, const std::string& body, bool races) {
      QTest::newRow(name) << QString::fromStdString(body) << races;
    };
    const std::string third = "setp.ge.u32 %q2, %s4, 64;\n@%q2 bra T;\n", set = "st.shared.u32 [%s1], 5;\n",
                      look = "ld.shared.u32 %s5, [%s1];\nst.global.u32 [%o], %s5;\n", end = "bra END;\nT:\n";
    row("read by a third warp", third + set + end + look + "END:\n", true);
    row("a byte", third + "st.shared.u8 [%s1+1], 5;\n" + end + look + "END:\n", true);
    row("barrier with none of the writers", third + set + "bar.sync 1, 64;\n" + end + look + "END:\n", true);
    row("one writer has read before", first_warp + "ld.shared.u32 %s5, [%s1];\n" + set, true);
    row("one writer has read a byte before", first_warp + "ld.shared.u8 %s5, [%s1];\n" + set, true);
    row("another value by the third", third + set + end + "st.shared.u32 [%s1], 6;\nEND:\n", true);
    row("barrier of all", third + set + barrier + end + barrier + look + "END:\n", false);
    row("barrier with one writer",
        third + set + first_warp + "bra END;\nbar.sync 1, 64;\n" + end + "bar.sync 1, 64;\n" + look + "END:\n", false);
    row("each reads what it wrote", set + look, false);
    row("the value that was there", third + "st.shared.u32 [%s1], 1000;\n" + end + look + "END:\n", false);
    row("reads before a barrier", look + barrier + set + barrier + look + barrier + set, false);
    row("bytes read before a barrier, then words and bytes written",
        "ld.shared.u8 %s5, [%s1];\n" + barrier + set + barrier + "st.shared.u8 [%s1+1], 0;\n", false);
  }
  void writersOfOneValueRaceWithReaders() {
    QFETCH(QString, body);
    QFETCH(bool, races);
    for (const bool reverse : {false, true}) {
      const Outcome o = outcome_of(body.toStdString(), reverse, 96);
      QVERIFY2(o.kind == (races ? "race" : ""), (o.kind + ": " + o.message).c_str());
    }
  }

  // Unless its value decides what follows: it may say by itself whether it is there. Where the read comes first, it is
  // not found.
  void volatileReadsOfWhatIsNotAwaited() {
    const std::string body =
        barrier + first_warp + "st.shared.u32 [%s1], 5;\n" + second_warp + "ld.volatile.shared.u32 %s5, [%s1];\n";
    QCOMPARE(outcome_of(body + "st.global.u32 [%o], %s5;\n", false).kind, std::string("race"));
    const std::string many = "setp.ge.u32 %q2, %s4, 64;\n" + barrier +
                             "@!%q2 st.shared.u32 [%s1], 5;\n@%q2 ld.volatile.shared.u32 %s5, [%s1];\n"
                             "st.global.u32 [%o], %s5;\n";
    QCOMPARE(outcome_of(many, false, 96).kind, std::string("race"));
    QCOMPARE(outcome_of(body + "setp.eq.u32 %q2, %s5, 5;\n@%q2 st.global.u32 [%o], %s5;\n", false).kind, std::string());
  }

  void eachBlockHasItsOwn() {
    const Outcome o = outcome_of(write_own + barrier + read_other, false, 64, 5);
    QVERIFY2(o.kind.empty(), o.message.c_str());
    QCOMPARE(outcome_of(write_own + read_other, false, 64, 5).kind, std::string("race"));
    QVERIFY(outcome_of("st.shared.u32 [%s1], %s4;\n", false, 32).kind.empty());  // one warp
    QCOMPARE(outcome_of("st.shared.u32 [%s1], %s4;\n", false, 256).kind, std::string("race"));
  }
};

QTEST_GUILESS_MAIN(SharedRacesTest)
#include "shared_races_test.moc"
