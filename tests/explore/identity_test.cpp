// SPDX-License-Identifier: Apache-2.0
// Texts that decide: which PTX is the same, what is read back from notes, what a step was worth, what of a log goes to
// a model.
#include <QtTest>
#include "explore/facts.h"
#include "explore/moves.h"
#include "gate/cases.h"
#include "op/parse.h"
#include "ptx/identity.h"
#include "ptx/normal.h"
#include "script.h"

using namespace ww;
using namespace ww::explore;

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
  std::vector<ptx::BoundCase> cases;
  std::string of(const std::string& file, const std::string& ptx) const {
    const auto c = candidate::parse(file, candidate::Language::cuda);
    if (!c) qFatal("%s", c.error().text().c_str());
    return ptx::identity_of(*c, spec, cases, ptx);
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

evidence::Verdict timed(double median, double q1, double q3, double samples, const std::string& gpu) {
  evidence::Verdict v;
  evidence::Metrics m;
  m.provenance = Provenance::measured;
  m.values = {{"median_us", median}, {"q1_us", q1}, {"q3_us", q3}, {"samples", samples}};
  m.conditions = {{"gpu", gpu}};
  v.metrics = m;
  return v;
}

}  // namespace

class IdentityTest : public QObject {
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

  void familiesOfOps() {
    QCOMPARE(family_of(op::parse_spec("//@ family: mine\n" + std::string(script::spec)).value()), std::string("mine"));
    const auto of = [](const std::string& head, const std::string& body) {
      return family_of(op::parse_spec("op t(" + head + "\n{\n" + body + "\n}\n").value());
    };
    QCOMPARE(of("a: f32[M, K], b: f32[K, N]) -> y: f32[M, N]", "y[i, j] = sum(k) a[i, k] * b[k, j]"),
             std::string("contraction"));
    QCOMPARE(of("x: f32[N]) -> y: f32[N]", "y[i] = sum(j in 0..i+1) x[j]"), std::string("scan"));
    QCOMPARE(of("x: f32[R, C]) -> y: f32[R]", "y[r] = max(c) x[r, c]"), std::string("row-reduction"));
    QCOMPARE(of("x: f32[R, C]) -> y: f32", "y = sum(r, c) x[r, c] * x[r, c]"), std::string("reduction"));
    QCOMPARE(of("x: f32[R, C]) -> y: f32[R, C]", "top[r] = max(c) x[r, c]\n y[r, c] = x[r, c] - top[r]"),
             std::string("normalization"));
    QCOMPARE(of("x: f32[N]) -> y: f32[N]", "y[i] = 2 * x[i]"), std::string("map"));
    QCOMPARE(of("x: f32[N]) -> y: f32[N - 2]", "y[i] = max(k in 0..3) x[i + k]"), std::string("window"));
    QCOMPARE(of("x: f32[N], t: i32[M]) -> y: f32[M]", "y[i] = x[t[i]]"), std::string("gather"));
  }

  void movesHaveIntervals() {
    QCOMPARE(move_name("vectorise loads: float4 [beam/2 #17]"), std::string("vectorise loads"));
    QCOMPARE(move_name("x[i] is read once.\nmore"), std::string("x[i] is read once"));
    QCOMPARE(move_name(std::string(200, 'a')).size(), std::size_t{80});
    const MoveSide slow = move_side("aaaa", "rows", 20, Provenance::measured,
                                    store::spread_of(*timed(20, 19.8, 20.2, 100, "NVIDIA H200").metrics)),
                   fast = move_side("bbbb", "tiles", 10, Provenance::measured,
                                    store::spread_of(*timed(10, 9.9, 10.1, 100, "NVIDIA H200").metrics));
    const auto m = move_between(3, "normalize", "cuda:0", slow, fast, "");
    QVERIFY(m);
    QCOMPARE(m->effect, 2.0);
    QVERIFY(m->low > 1.98 && m->low < 2 && m->high > 2 && m->high < 2.02);
    QCOMPARE(m->move, std::string("rows to tiles"));
    QCOMPARE(m->device, std::string("NVIDIA H200"));
    QVERIFY(!move_between(3, "f", "cuda:0", slow, move_side("c", "t", 10, Provenance::simulated, {}), ""));
    QVERIFY(!move_between(3, "f", "cuda:0", slow,
                          move_side("c", "t", 10, Provenance::measured,
                                    store::spread_of(*timed(10, 9.9, 10.1, 100, "NVIDIA L4").metrics)),
                          ""));
    QVERIFY(!move_between(3, "f", "cuda:0", slow, move_side("c", "t", 10, Provenance::measured, {}),
                          ""));  // no spread, no statement
    const auto simulated = move_between(3, "f", "simt", move_side("a", "s", 10, Provenance::simulated, {}),
                                        move_side("b", "s", 20, Provenance::simulated, {}), "");
    QCOMPARE(simulated->low, 0.5);
    QCOMPARE(simulated->high, 0.5);

    store::MoveRecord noise = *m;
    noise.move = "noise";
    noise.effect = 1.01;
    noise.low = 0.9;
    noise.high = 1.1;
    store::MoveRecord weak = *m;
    weak.move = "weak";
    weak.effect = 1.1;
    weak.low = 1.01;
    weak.high = 1.2;
    const std::string text = moves_text({noise, weak, *m, *m});
    QVERIFY(text.find("noise") == std::string::npos);
    QVERIFY(text.find("rows to tiles") < text.find("weak"));
    QVERIFY(text.find("2 steps") != std::string::npos);
    QVERIFY(text.find("aaaa -> bbbb") != std::string::npos);
    QCOMPARE(moves_text({noise}), std::string());
  }

  void numbersSayWhereTheyComeFrom() {
    Ground g;
    g.spec = op::parse_spec(script::spec).value();
    g.binding.symbols = {{"N", 64}};
    g.device = "cuda:0";
    g.architecture = "sm_90";
    g.rules = RankRules::load().value();
    store::CandidateRecord c;
    c.text = file("k grid(ceildiv(N, 64)) block(64) args(x, y)");
    c.language = candidate::Language::cuda;
    c.resources.push_back({"k", 40, 128, 0, 16, 24, 0, 0});
    QVERIFY(numbers_text(g, c).starts_with("Not measured."));
    c.verdict = timed(20, 19.8, 20.2, 100, "NVIDIA H200");
    c.verdict->metrics->floor = evidence::Floor{10};
    c.verdict->metrics->values.emplace_back("dram__bytes.sum", 4096);
    const std::string text = numbers_text(g, c);
    for (const char* part :
         {"measured, cold L2 cache: median 20 us, quartiles 19.8 to 20.2",
          "modelled: 10 us, so the kernel reaches 50 %", "counters, measured: dram__bytes.sum 4096",
          "modelled by ptxas for sm_90: 40 registers", "spills 16 bytes of stores and 24", "occupancy, modelled: "})
      QVERIFY2(text.find(part) != std::string::npos, (std::string(part) + "\n" + text).c_str());
    QVERIFY(text.find("simulated") == std::string::npos);
    c.verdict->metrics->lines = {{2, 90, 0, 0, 0, 0, 0}, {3, 10, 0, 7, 0, 0, 0}};
    QCOMPARE(lines_text(c), std::string("Share of the warp instructions by source line (measured):\nline 2: 90.0 %: "
                                        "//@ launch k grid(ceildiv(N, 64)) block(64) args(x, y)\n"
                                        "line 3: 10.0 %, 7 global sectors: extern \"C\" __global__ void k() {}\n"));
    QVERIFY(case_facts(g).find("input x: f32 64\n") != std::string::npos);
    profile::DeviceDetails d;
    d.gpu = "NVIDIA H200";
    d.architecture = "sm_90";
    d.free_memory = 1234567;
    g.details = d;
    QVERIFY(device_facts(g).find("NVIDIA H200 (sm_90)") != std::string::npos);
    QVERIFY(device_facts(g).find("1234567") == std::string::npos);  // what changes from run to run is not told
    QVERIFY(ground_sheet(g).at("reference").find("Tolerance of y (f32)") != std::string::npos);
  }

  void logsKeepTheirErrors() {
    std::string log;
    for (int i = 0; i < 500; ++i) log += "candidate(" + std::to_string(i) + "): warning: nothing to see\n";
    log += "candidate(7): error: identifier \"fop\" is undefined\n    fop(x);\n    ^\n";
    for (int i = 0; i < 500; ++i) log += "more\n";
    const std::string kept = trimmed_log(log, 20);
    QVERIFY(kept.find("\"fop\" is undefined\n    fop(x);\n    ^") != std::string::npos);
    QVERIFY(std::count(kept.begin(), kept.end(), '\n') <= 22);
    QCOMPARE(trimmed_log("short", 20), std::string("short"));
  }
};

QTEST_GUILESS_MAIN(IdentityTest)
#include "identity_test.moc"
