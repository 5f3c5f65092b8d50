// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include "gate/cases.h"
#include "op/parse.h"
#include "identity/program.h"
#include "ptx/normal.h"
#include "explore/script.h"

using namespace ww;

namespace {

const std::string head = ".version 8.0\n.target sm_80, debug\n.address_size 64\n";
std::string entry(const std::string& name, const std::string& body) {
  return ".visible .entry " + name + "(\n .param .u64 " + name + "_param_0,\n .param .u32 " + name +
         "_param_1\n)\n.maxntid 256, 1, 1\n{\n" + body + "}\n";
}
const std::string body_a =
    ".reg .b32 %r<5>;\n.reg .b64 %rd<3>;\n.reg .pred %p<2>;\n .loc 1 4 3\nld.param.u64 %rd1, [k_param_0];\nmov.u32 "
    "%r1, %tid.x; // lane\n"
    "setp.gt.u32 %p1, %r1, 7;\n@%p1 bra $L__BB0_2;\nst.global.u32 [%rd1], %r1;\n$L__BB0_2:\nret;\n";
const std::string body_b =
    ".reg .b32 %r<90>;\n\t.reg .b64 %rd<31>;\n.reg .pred %p<8>;\n /* other */ ld.param.u64 %rd7, [k2_param_0];\n.loc 1 "
    "9 1, function_name $info, inlined_at 1 2 3\n"
    "mov.u32   %r44, %tid.x;\nsetp.gt.u32 %p3, %r44, 7;\n@%p3 bra LOOP;\nst.global.u32 [%rd7], %r44;\nLOOP:\nret;\n";
std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) qFatal("nothing to change");
  return text.replace(at, from.size(), to);
}
std::string only(const std::string& ptx) {
  const auto all = ptx::normalised_entries(ptx);
  if (all.size() != 1) qFatal("not one entry");
  return all.begin()->second;
}

struct Subject {
  op::Spec spec;
  std::vector<identity::BoundCase> cases;
  std::string of(const std::string& file, const std::string& ptx) const {
    const auto c = candidate::parse(file, candidate::Language::cuda);
    if (!c) qFatal("%s", c.error().text().c_str());
    return identity::program_identity(*c, spec, cases, ptx);
  }
};
Subject subject() {
  Subject s{op::parse_spec(script::spec).value(), {}};
  const std::vector<evidence::Case> cases = gate::derive_cases(s.spec, {}).value();
  for (const evidence::Case& one : cases) s.cases.push_back({one.name, one.binding});
  return s;
}
std::string file(const std::string& launch, const std::string& more = {}) {
  return "//@ candidate scale\n" + more + "//@ launch " + launch + "\nextern \"C\" __global__ void k() {}\n";
}

}  // namespace

class ProgramTest : public QObject {
  Q_OBJECT
 private slots:
  void whatHasNoMeaningDoesNotCount() {
    const std::string a = head + entry("k", body_a), b = changed(head, "8.0", "8.4") + ".file 1 \"somewhere.cu\"\n" +
                                                         entry("k2", body_b) + ".section .debug_str { .b8 1, 2 }\n";
    QCOMPARE(only(a), only(b));
    QVERIFY(only(a).find("k_param") == std::string::npos);
  }

  void whatHasMeaningCounts() {
    const std::string a = head + entry("k", body_a);
    for (const auto& [from, to] :
         std::vector<std::pair<std::string, std::string>>{{"%r1, 7", "%r1, 8"},
                                                          {"st.global.u32", "st.global.wt.u32"},
                                                          {"setp.gt", "setp.ge"},
                                                          {".maxntid 256", ".maxntid 128"},
                                                          {"%tid.x", "%tid.y"},
                                                          {".param .u32", ".param .s32"},
                                                          {"[%rd1], %r1", "[%rd1], %r2"},
                                                          {".reg .b32", ".reg .f32"}})
      QVERIFY2(only(changed(a, from, to)) != only(a), from.c_str());
    QVERIFY(only(changed(a, "@%p1 bra $L__BB0_2;\nst.global.u32 [%rd1], %r1;\n$L__BB0_2:\n",
                         "$L__BB0_2:\n@%p1 bra $L__BB0_2;\nst.global.u32 [%rd1], %r1;\n")) != only(a));
  }

  void symbolsOfTheModuleAreFollowed() {
    const std::string use =
        ".reg .b32 %r<3>;\n.reg .b64 %rd<2>;\nmov.u64 %rd1, NAME;\nld.shared.u32 %r1, [%rd1];\nret;\n";
    const auto with = [&](const std::string& name, const std::string& size) {
      return head + ".shared .align 4 .b8 " + name + "[" + size + "];\n.global .b8 unused[3];\n" +
             entry("k", changed(use, "NAME", name));
    };
    QCOMPARE(only(with("_ZZ1kE4tile", "512")), only(with("other", "512")));
    QVERIFY(only(with("tile", "512")) != only(with("tile", "1024")));
    // A called function by what it does, wherever it stands.
    const std::string call = ".reg .b32 %r<3>;\ncall NAME, ();\nret;\n", f = ".func NAME()\n{\nbar.sync 0;\nret;\n}\n";
    const std::string before = head + changed(f, "NAME", "helper") + entry("k", changed(call, "NAME", "helper"));
    const std::string after =
        head + ".func twin();\n" + entry("k", changed(call, "NAME", "twin")) + changed(f, "NAME", "twin");
    QCOMPARE(only(before), only(after));
    QVERIFY(only(changed(before, "bar.sync 0", "bar.sync 1")) != only(before));
    // Registers of an inner block are others than those outside of it.
    const std::string scoped =
        head + entry("k", ".reg .b32 t;\nmov.u32 t, 1;\n{ .reg .b32 t; mov.u32 t, 2; }\nmov.u32 t, 3;\nret;\n");
    QVERIFY(only(scoped) != only(changed(scoped, "{ .reg .b32 t; mov", "{ mov")));
    QVERIFY(only(scoped) == only(changed(scoped, "{ .reg .b32 t; mov.u32 t, 2; }", "{ .reg .b32 u; mov.u32 u, 2; }")));
  }

  void rubbishIsNoReasonToFail() {
    for (const char* text :
         {"", "}", "{", ".entry", ".entry {", "\"", "/*", ".entry k(", ".reg .b32 %r<", "a:b::c", ".section {{{"})
      (void)ptx::normalised_entries(text);
    QVERIFY(subject().of(file("k grid(1) block(32) args(x, y)"), "no ptx").empty());
  }

  void plansBelongToIt() {
    const Subject s = subject();
    const std::string ptx = head + entry("k", body_a),
                      base = s.of(file("k grid(ceildiv(N, 64)) block(64) args(x, y)"), ptx);
    QCOMPARE(base.size(), std::size_t{64});
    QCOMPARE(s.of(file("k grid((N + 63) / 64) block(2 * 32) args(x, y)", "//@ title another\n"), ptx), base);
    QVERIFY(s.of(file("k grid(1) block(64) args(x, y)"), ptx) != base);  // the same only in the default case
    QVERIFY(s.of(file("k grid(ceildiv(N, 64)) block(64) args(y, x)"), ptx) != base);
    QVERIFY(s.of(file("k grid(ceildiv(N, 64)) block(64) shared(16) args(x, y)"), ptx) != base);
    QVERIFY(s.of(file("k grid(ceildiv(N, 64)) block(64) args(x, y)", "//@ option maxrregcount=32\n"), ptx) != base);
    QVERIFY(s.of(file("k grid(ceildiv(N, 64)) block(64) args(x, y)", "//@ require N % 2 == 0\n"), ptx) != base);
    QVERIFY(s.of(file("k grid(R) block(64) args(x, y)"), ptx).empty());  // no plan: its verdict says why, nobody else's
    const auto temp = [&](const std::string& name) {
      return s.of(file("k grid(1) block(64) args(x, " + name + ", y)", "//@ temp " + name + ": f32[N]\n"), ptx);
    };
    QCOMPARE(temp("stats"), temp("scratch"));
    const std::string renamed = changed(file("k2 grid(ceildiv(N, 64)) block(64) args(x, y)"), "void k()", "void k2()");
    QCOMPARE(s.of(renamed, head + entry("k2", body_b)), base);
  }
};

QTEST_GUILESS_MAIN(ProgramTest)
#include "program_test.moc"
