// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include "ptx/reach.h"

using namespace ww::ptx;

namespace {

constexpr std::uint8_t known = reach_known, ran = known | reach_ran, yes = ran | reach_yes, no = ran | reach_no;

// Lines 4 to 7 of the source; what follows line 9 of the PTX is inlined from a header into line 6.
const char* kernel = R"(.version 8.0
.entry k(.param .u32 p)
{
.loc 1 4 0
setp.eq.f32 %p1, %f1, 0f3F800000;
@%p1 bra DONE;
.loc 1 5 0
add.f32 %f1, %f1, %f1;
.loc 2 90 0, function_name L, inlined_at 1 6 3
@%p2 bra DONE;
mov.f32 %f2, %f1;
DONE:
.loc 1 7 0
selp.f32 %f3, %f1, %f2, %p1;
pragma_like;
ret;
}
.file 1 "candidate.cu"
.file 2 "math.h"
)";

QStringList missed(const std::map<int, std::uint8_t>& flags, const std::string& ptx = kernel, bool own = false) {
  Reach reach;
  for (const auto& [line, f] : flags) reach.add(line, f);
  QStringList out;
  for (const Missed& m : missed_in(ptx, reach, own))
    out << QString("%1 %2").arg(ww::enum_name(m.kind).data()).arg(m.line);
  return out;
}

}  // namespace

class ReachTest : public QObject {
  Q_OBJECT
  std::map<int, std::uint8_t> all_ = {{5, ran},  {6, yes | no},  {8, ran}, {10, yes | no},
                                      {11, ran}, {14, yes | no}, {16, ran}};

 private slots:
  void nothingIsMissed() { QCOMPARE(missed(all_), QStringList()); }

  void linesAndConditions() {
    auto flags = all_;
    flags[6] = yes;
    flags[8] = known;
    QCOMPARE(missed(flags), QStringList({"one way 4", "line 5"}));
    flags = all_;
    flags[14] = no;
    QCOMPARE(missed(flags), QStringList({"one way 7"}));
  }

  // The header's condition is not the candidate's; that none of its code ran is told of the line that calls it.
  void codeOfHeaders() {
    auto flags = all_;
    flags[10] = no;
    QCOMPARE(missed(flags), QStringList());
    flags[10] = flags[11] = known;
    QCOMPARE(missed(flags), QStringList({"line 6"}));
  }

  void aFunctionThatNothingEntered() { QCOMPARE(missed({}), QStringList({"line 4", "line 5", "line 6", "line 7"})); }

  void itsOwnSource() {
    auto flags = all_;
    flags[8] = known;
    flags[10] = no;
    QCOMPARE(missed(flags, kernel, true), QStringList({"line 8", "one way 10"}));
  }

  void aGuardThatNeverHeld() {
    const std::string text = ".entry k()\n{\n@%p1 st.global.f32 [%rd1], %f1;\nret;\n}\n";
    QCOMPARE(missed({{3, known}, {4, ran}}, text, true), QStringList({"line 3"}));
    const std::string one_line = ".entry k()\n{\nmov.f32 %f1, %f2; @!%p1 st.global.f32 [%rd1], %f1;\nret;\n}\n";
    QCOMPARE(missed({{3, ran}, {4, ran}}, one_line, true), QStringList());
  }

  // Sizes are above zero, and a case chooses no thread's number.
  void settledConditions() {
    const auto text = [](const std::string& condition) {
      return ".entry k(.param .u32 p, .param .u32 q)\n{\nld.param.u32 %r1, [p]; mov.u32 %r2, %tid.x; mov.u32 %r3, "
             "%ctaid.x;\n" +
             condition + "\n@%p1 bra END;\nadd.u32 %r4, %r1, %r1;\nEND:\nret;\n}\n";
    };
    const auto told = [&](const std::string& condition) {
      return missed({{3, ran}, {4, ran}, {5, no}, {6, ran}, {8, ran}}, text(condition), true);
    };
    const QStringList settled, listed{"one way 5"};
    QCOMPARE(told("setp.lt.s32 %p1, %r1, 1;"), settled);
    QCOMPARE(told("setp.eq.s32 %p1, %r1, 0;"), settled);
    QCOMPARE(told("setp.lt.s32 %p1, %r1, 2;"), listed);
    QCOMPARE(told("setp.eq.s32 %p1, %r1, 4096;"), listed);
    QCOMPARE(told("add.s32 %r5, %r2, 24; setp.gt.s32 %p1, %r5, 64;"), settled);
    QCOMPARE(told("setp.gt.s32 %p1, %r3, 64;"), listed);
    QCOMPARE(told("ld.global.u32 %r5, [%rd1]; setp.lt.s32 %p1, %r5, 1;"), listed);
  }

  // A compiler's copy of a loop's condition; another one on the same line is no copy.
  void copiesOfACondition() {
    const auto told = [](const std::string& other) {
      const std::string text =
          ".entry k(.param .u32 p)\n{\nld.param.u32 %r1, [p];\n.loc 1 7 0\nld.global.u32 %r2, [%rd1];\n"
          "setp.lt.s32 %p1, %r2, %r1;\n@%p1 bra END;\n" +
          other + "\n@%p2 bra END;\nEND:\nret;\n}\n.file 1 \"candidate.cu\"\n";
      return missed({{3, ran}, {5, ran}, {6, ran}, {7, yes | no}, {8, ran}, {9, no}, {11, ran}}, text);
    };
    QCOMPARE(told("add.s32 %r3, %r2, 1; setp.ge.s32 %p2, %r3, %r1;"), QStringList());
    QCOMPARE(told("setp.eq.s32 %p2, %r2, %r1;"), QStringList({"one way 7"}));
    QCOMPARE(told("setp.lt.s32 %p2, %r2, 77;"), QStringList({"one way 7"}));
  }

  void launchesAddUp() {
    Reach a, b;
    a.add(3, yes);
    b.add(3, no);
    b.add(7, ran);
    a += b;
    QCOMPARE(a.lines.size(), std::size_t{8});
    QCOMPARE(int(a.lines[3]), int(yes | no));
    QCOMPARE(int(a.lines[7]), int(ran));
  }

  void anyText() {
    QCOMPARE(missed({}, ""), QStringList());
    (void)missed({{1, ran}}, ".entry k( { @ bra ; selp.");
  }
};

QTEST_APPLESS_MAIN(ReachTest)
#include "reach_test.moc"
