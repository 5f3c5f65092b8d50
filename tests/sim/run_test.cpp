// SPDX-License-Identifier: Apache-2.0
// Jobs: what passes, what differs and how, what is found, and what is not judged.
#include <QtTest>
#include <map>
#include <set>
#include "sim/run.h"

using namespace ww;
using namespace ww::sim;

namespace {

// Kernel k(in, out, n): each of n threads runs `body` with its element's addresses %i and %o, %r0 its index, %n.
Job job_with(const std::string& body, const std::vector<float>& in = {1, 2, 3, 4}) {
  Job job;
  job.code =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 pn)\n{\n"
      ".reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b32 %n;\n.reg .b64 %i, %o, %t, %d;\n.reg .f32 %f<9>;\n"
      ".shared .align 4 .b8 s[256];\n"
      "ld.param.u64 %i, [pin];\nld.param.u64 %o, [pout];\nld.param.u32 %n, [pn];\nmov.u32 %r0, %tid.x;\n"
      "mul.wide.u32 %t, %r0, 4;\nadd.s64 %i, %i, %t;\nadd.s64 %o, %o, %t;\n" +
      body + "\nret;\n}\n";
  const auto count = static_cast<std::int64_t>(in.size());
  job.block = {count, 1, 1};
  std::vector<Number> numbers(in.begin(), in.end());
  JobBuffer x, y;
  x.name = "x";
  x.bytes = y.bytes = 4 * count;
  x.content = to_hex(*bytes_of_numbers(numbers, DType::f32));
  y.name = "y";
  x.type = y.type = "f32";
  y.is_output = true;
  job.args.resize(3);
  job.args[0].buffer = x;
  job.args[1].buffer = y;
  job.args[2].number = Number(count);
  return job;
}
const std::string doubled = "ld.global.f32 %f1, [%i];\nadd.f32 %f1, %f1, %f1;\nst.global.f32 [%o], %f1;";

void expect(Job& job, const std::vector<double>& values) {
  job.args[1].buffer->expected = to_hex(*bytes_of_numbers({values.begin(), values.end()}, DType::f32));
}
Outcome outcome_of(const Job& job) {
  Result<Outcome> o = run(job, nullptr);
  if (o) return *o;
  Outcome none;
  none.why = "refused: " + o.error().text();
  return none;
}

#define ENDS(o, expected) \
  QVERIFY2((o).ending == Ending::expected, (std::string(enum_name((o).ending)) + ": " + (o).why).c_str())

}  // namespace

class RunTest : public QObject {
  Q_OBJECT
 private slots:
  void rightResultsPass() {
    Job job = job_with(doubled);
    expect(job, {2, 4, 6, 8});
    const Outcome o = outcome_of(job);
    ENDS(o, passed);
    QCOMPARE(o.kernel, std::string("k"));
    QCOMPARE(o.target, std::string("sm_80"));
    QCOMPARE(o.outputs.size(), std::size_t{1});
    QCOMPARE(o.outputs[0].first, (std::vector<std::string>{"2", "4", "6", "8"}));
    QCOMPARE(o.outputs[0].unwritten, std::int64_t{0});
    QVERIFY(!o.counters.empty());
    QCOMPARE(o.counters[0].first, std::string("warp_instructions"));
    QVERIFY(o.counters[0].second > 0);
    const std::map<std::string, std::uint64_t> counts(o.counters.begin(), o.counters.end());
    QCOMPARE(counts.at("global_sectors"), std::uint64_t{2});  // one read, one written
    QCOMPARE(counts.at("warp_instructions.load_global"), std::uint64_t{1});
    QVERIFY(!o.lines.empty());
  }

  void theFirstDifferenceIsNamed() {
    Job job = job_with(doubled);
    expect(job, {2, 4, 6.5, 9});
    const Outcome o = outcome_of(job);
    ENDS(o, differs);
    QCOMPARE(o.differences.size(), std::size_t{1});
    const Difference& d = o.differences[0];
    QCOMPARE(d.buffer, std::string("y"));
    QCOMPARE(d.index, std::int64_t{2});
    QCOMPARE(d.expected, std::string("6.5"));
    QCOMPARE(d.actual, std::string("6"));
    QCOMPARE(d.wrong, std::int64_t{2});
    QCOMPARE(d.elements, std::int64_t{4});
    QVERIFY(d.written);
  }

  void tolerancesAreOfReals() {
    Job job = job_with(doubled);
    expect(job, {2.001, 4, 6, 8});
    job.compare = Tolerance{1e-3, 0};
    ENDS(outcome_of(job), passed);
    job.compare = Tolerance{1e-4, 0};
    ENDS(outcome_of(job), differs);
    job.compare = Tolerance{0, 0.002};
    ENDS(outcome_of(job), passed);
    job.args[1].buffer->type = "i32";  // its elements are compared exactly
    ENDS(outcome_of(job), differs);
  }

  void whatIsNotWrittenIsSaid() {
    Job job = job_with("setp.lt.u32 %p1, %r0, 2;\n@%p1 st.global.f32 [%o], 0f3F800000;");
    expect(job, {1, 1, 1, 1});
    const Outcome o = outcome_of(job);
    ENDS(o, differs);
    QCOMPARE(o.differences[0].index, std::int64_t{2});
    QVERIFY(!o.differences[0].written);
    QCOMPARE(o.outputs[0].unwritten, std::int64_t{8});
  }

  void faultsAreFound() {
    Job job = job_with(doubled);
    job.block = {5, 1, 1};
    const Outcome o = outcome_of(job);
    ENDS(o, found);
    QCOMPARE(o.findings.size(), std::size_t{1});
    QCOMPARE(o.findings[0].kind, FaultKind::out_of_bounds);
    QCOMPARE(o.findings[0].check, std::string("memory"));
    QVERIFY(o.findings[0].ended);
    QCOMPARE(o.findings[0].site.thread, (std::vector<std::uint32_t>{4, 0, 0}));
    QCOMPARE(o.findings[0].buffer, std::string("x"));
  }

  void allFindingsAreListed() {  // a race, a read of what was never written, a barrier that threads go round
    const std::string body =
        "mov.u32 %r1, s;\nshl.b32 %r2, %r0, 2;\nadd.u32 %r2, %r2, %r1;\nxor.b32 %r3, %r0, 32;\nshl.b32 %r3, %r3, 2;\n"
        "add.u32 %r3, %r3, %r1;\nst.shared.u32 [%r2], %r0;\nld.shared.u32 %r4, [%r3];\nld.global.u32 %r5, [%o];\n"
        "st.global.u32 [%o], %r4;\nsetp.eq.u32 %p1, %r0, 63;\n@%p1 bra past;\nbar.sync 0;\npast:\nbar.sync 0;\n";
    Job job = job_with(body, std::vector<float>(64, 1));
    const Outcome o = outcome_of(job);
    ENDS(o, found);
    std::set<std::string> checks;
    for (const Finding& f : o.findings) checks.insert(f.check);
    QCOMPARE(checks, (std::set<std::string>{"races", "init", "sync"}));
    const auto race = std::ranges::find_if(o.findings, [](const Finding& f) { return f.check == "races"; });
    QVERIFY(race->other);
    QVERIFY(race->site.is_write != race->other->is_write);
    QCOMPARE(race->space, std::string("shared"));
    QVERIFY(!race->other->value.empty());
    QVERIFY(!race->ended);
    // Each check can be left out.
    for (const auto& [check, name] : {std::pair{Check::races, "races"}, {Check::init, "init"}, {Check::sync, "sync"}}) {
      Job less = job;
      std::erase(less.checks, check);
      const Outcome p = outcome_of(less);
      QVERIFY2(std::ranges::none_of(p.findings, [&, &n = name](const Finding& f) { return f.check == n; }), name);
      QVERIFY(!p.findings.empty());
    }
    job.checks = {Check::memory};
    ENDS(outcome_of(job), passed);
  }

  void whatIsUnknownIsNotJudged() {
    Job job = job_with("frobnicate.f32 %f1, %f2;\n" + doubled);
    Outcome o = outcome_of(job);
    ENDS(o, not_judged);
    QVERIFY2(o.why.find("frobnicate.f32") != std::string::npos, o.why.c_str());
    job = job_with("L: bra L;");
    job.budget = 100000;
    o = outcome_of(job);
    ENDS(o, not_judged);
    QVERIFY2(o.why.find("budget") != std::string::npos, o.why.c_str());
    job = job_with(doubled);
    job.cluster = {2, 1, 1};
    ENDS(outcome_of(job), not_judged);
    job = job_with(doubled);
    job.cooperative = true;
    ENDS(outcome_of(job), passed);
    job.grid = {1000, 1, 1};
    o = outcome_of(job);
    ENDS(o, not_judged);
    QVERIFY2(o.why.find("at most 256 at once") != std::string::npos, o.why.c_str());
  }

  void unusableJobsAreRefused() {
    Job job = job_with(doubled);
    job.entry = "other";
    QCOMPARE(run(job, nullptr).error().code, Code::not_found);
    job = job_with(doubled);
    job.args.pop_back();
    QCOMPARE(run(job, nullptr).error().code, Code::invalid_argument);
    job = job_with(doubled);
    job.block = {2000, 1, 1};
    QCOMPARE(run(job, nullptr).error().code, Code::invalid_argument);
    job = job_with(doubled);
    job.block = {};
    QCOMPARE(run(job, nullptr).error().code, Code::invalid_argument);
    job = job_with(doubled);
    job.language = candidate::Language::cuda;
    QCOMPARE(run(job, nullptr).error().code, Code::unavailable);
    job = job_with("}");
    QCOMPARE(run(job, nullptr).error().code, Code::parse);
    job = job_with(doubled);
    job.args[0].buffer->bytes = -4;
    QCOMPARE(run(job, nullptr).error().code, Code::invalid_argument);
    job = job_with(doubled);
    job.args[0].buffer->content = "zz";
    QVERIFY(!run(job, nullptr));
  }

  void buffersInPlaceAndReadOnly() {
    Job job = job_with("ld.global.f32 %f1, [%i];\nadd.f32 %f1, %f1, %f1;\nst.global.f32 [%i], %f1;");
    job.args[0].buffer->expected = to_hex(*bytes_of_numbers({2.0, 4.0, 6.0, 8.0}, DType::f32));
    ENDS(outcome_of(job), passed);
    job.runs = 3;  // each from the same beginning
    const Outcome o = outcome_of(job);
    ENDS(o, passed);
    QCOMPARE(o.seconds.size(), std::size_t{3});
    job.args[0].buffer->read_only = true;
    const Outcome refused = outcome_of(job);
    ENDS(refused, found);
    QCOMPARE(refused.findings[0].kind, FaultKind::read_only_write);
  }

  void variablesOfTheModule() {
    Job job = job_with("mov.u64 %d, c;\nld.const.f32 %f2, [c];\nst.global.f32 [%o], %f2;");
    job.code.insert(job.code.find(".visible"), ".const .align 4 .f32 c = 0f00000000;\n");
    JobBuffer c;
    c.name = "c";
    c.bytes = 4;
    c.content = "00008040";
    job.symbols = {c};
    expect(job, {4, 4, 4, 4});
    ENDS(outcome_of(job), passed);
    job.symbols[0].name = "d";
    QVERIFY(!run(job, nullptr));
  }

  void kernelsAreNamedAsInTheSource() {
    Job job = job_with(doubled);
    const auto at = job.code.find(".entry k(");
    job.code.replace(at, 9, ".entry _ZN2ns5scaleEPf(");
    expect(job, {2, 4, 6, 8});
    for (const char* name : {"", "ns::scale", "_ZN2ns5scaleEPf"}) {
      job.entry = name;
      ENDS(outcome_of(job), passed);
    }
  }

  void listings() {
    Job job = job_with(
        "setp.lt.u32 %p1, %r0, %n;\n@!%p1 bra END;\nld.global.v2.f32 {%f1, %f2}, [%i+8];\nwhat.f32 %f1;\n"
        "END: ld.shared.u32 %r1, [s];\n");
    const auto listing = list(job, nullptr);
    QVERIFY(listing);
    QCOMPARE(listing->functions.size(), std::size_t{1});
    const ListedFunction& f = listing->functions[0];
    QVERIFY(f.is_kernel);
    QCOMPARE(f.params, (std::vector<std::string>{"u64 pin", "u64 pout", "u32 pn"}));
    QCOMPARE(f.static_shared, std::int64_t{256});
    const auto has = [&](const std::string& text) {
      return std::ranges::any_of(f.instructions, [&](const auto& i) { return i.text == text; });
    };
    QVERIFY(has("ld.global.v2.f32 {%f1, %f2}, [%i+8]"));
    QVERIFY(has("setp.lt.u32 %p1, %r0, %n"));
    const auto unknown = std::ranges::find_if(f.instructions, [](const auto& i) { return !i.unsupported.empty(); });
    QVERIFY(unknown != f.instructions.end());
    QCOMPARE(unknown->text, std::string("what.f32 %f1"));
  }
};

QTEST_GUILESS_MAIN(RunTest)
#include "run_test.moc"
