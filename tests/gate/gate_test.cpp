// SPDX-License-Identifier: Apache-2.0
// The gate's stages on kernels that are functions of the test.
#include <QtTest>
#include <bit>
#include <cmath>
#include <set>
#include "evidence/case_kind.h"
#include "gate/distributions.h"
#include "gate/cases.h"
#include "gate/fake_device.h"
#include "gate/gate.h"
#include "gate/residues.h"
#include "op/parse.h"

using namespace ww;
using namespace ww::gate;
using namespace ww::test;

namespace {

const char* scale_spec = "op scale(x: f32[N]; a = 2.5) -> y: f32[N]\n  default N = 1024\n{\n  y[i] = a * x[i]\n}\n";
const char* count_spec = "op double(x: i32[N]) -> y: i32[N]\n  default N = 1024\n{\n  y[i] = 2 * x[i]\n}\n";

const char* scale_candidate =
    "//@ candidate scale\n//@ tune BLOCK = 128\n//@ launch scale grid(ceildiv(N, BLOCK)) block(BLOCK) args(x, y, "
    "N, a)\n"
    "extern \"C\" __global__ void scale(const float* x, float* y, int n, float a) {}\n";
const char* count_candidate =
    "//@ candidate double\n//@ launch twice grid(ceildiv(N, 128)) block(128) args(x, y, N)\n"
    "extern \"C\" __global__ void twice(const int* x, int* y, int n) {}\n";

}  // namespace

class GateTest : public QObject {
  Q_OBJECT
  FakeDevice device_;
  FakeCompiler compiler_;
  ReferenceCache references_;

  Request request(const char* spec = scale_spec, const char* candidate = scale_candidate) const {
    Request r;
    r.spec = spec;
    r.candidate = candidate;
    return r;
  }
  Result<Verdict> judge_it(const Request& r, std::stop_token stop = {}, const ProgressHandler& progress = {}) {
    return judge(r, Services{&compiler_, &device_, &references_, 2}, stop, progress);
  }
  // The stage that failed, after checking that the verdict is in order.
  StageResult failed(const Result<Verdict>& v) {
    if (!v) {
      qWarning("%s", v.error().text().c_str());
      return {};
    }
    StageResult found;
    bool after = false;
    for (const StageResult& s : v->stages) {
      if (after && s.outcome != Outcome::skipped) qWarning("a stage ran after the one that failed");
      if (!ends_judgement(s.outcome)) continue;
      found = s;
      after = true;
    }
    if (v->accepted) qWarning("accepted: %s", v->summary().c_str());
    return v->accepted ? StageResult{} : found;
  }

 private slots:
  void init() {
    device_ = FakeDevice{};
    compiler_ = FakeCompiler{};
    device_.kernels = {{"scale", good_scale}};
  }

  void rightIsAccepted() {
    std::vector<Progress> seen;
    const auto v = judge_it(request(), {}, [&](const Progress& p) { seen.push_back(p); });
    QVERIFY2(v.has_value(), v ? "" : v.error().text().c_str());
    QVERIFY2(v->accepted, v->summary().c_str());
    QCOMPARE(v->stages.size(), std::size_t{6});
    for (const StageResult& s : v->stages) {
      QCOMPARE(s.outcome, Outcome::passed);
      QVERIFY(!s.message.empty());
    }
    QVERIFY(v->coverage.size() >= 6);
    for (const CaseCoverage& c : v->coverage) {
      QVERIFY(c.claimed);
      QCOMPARE(c.seeds, is_secondary({c.case_name, c.binding}) ? 2 : 5);
    }
    QCOMPARE(v->coverage[0].case_name, std::string("default"));
    QVERIFY(v->metrics.has_value());
    QCOMPARE(v->metrics->case_name, std::string("default"));
    QCOMPARE(v->metrics->provenance, Provenance::simulated);
    QCOMPARE(v->metrics->values.at(1).second, 1024.0);
    QCOMPARE(v->stages[4].message, std::string("bitwise equal when repeated"));
    QCOMPARE(compiler_.last.defines.at("BLOCK"), std::int64_t{128});
    for (std::size_t i = 1; i < seen.size(); ++i) QVERIFY(seen[i].fraction >= seen[i - 1].fraction);
    QVERIFY(v->summary().starts_with("proved: "));
  }
  void withoutMeasureThereAreNoCounts() {
    Request r = request();
    r.measure = false;
    r.seeds = 2;
    const auto v = judge_it(r);
    QVERIFY(v->accepted);
    QVERIFY(!v->metrics);
    QCOMPARE(v->stages.back().outcome, Outcome::skipped);
    QCOMPARE(v->coverage[1].seeds, 2);
  }
  void contractFailures() {
    QCOMPARE(failed(judge_it(request(scale_spec, "no header at all"))).stage, Stage::contract);
    QVERIFY(!failed(judge_it(request(scale_spec, "no header at all"))).message.empty());
    QCOMPARE(failed(judge_it(request(scale_spec, count_candidate))).stage, Stage::contract);
    const std::string none =
        std::string(scale_candidate).insert(std::string(scale_candidate).find('\n') + 1, "//@ require N < 100\n");
    const StageResult a = failed(judge_it(request(scale_spec, none.c_str())));
    QCOMPARE(a.stage, Stage::contract);
    QVERIFY(a.message.find("does not claim the default case") != std::string::npos);
    QVERIFY2(a.message.find("\"require N < 100\" excludes it (N = ") != std::string::npos &&
                 a.message.ends_with("; it would fit with --set N=99"),
             a.message.c_str());
    const std::string only =
        std::string(scale_candidate).insert(std::string(scale_candidate).find('\n') + 1, "//@ require N == 1024\n");
    const StageResult b = failed(judge_it(request(scale_spec, only.c_str())));
    QVERIFY2(b.message.find("claims only 1 of") != std::string::npos, b.message.c_str());
  }
  void aSpecThatDoesNotParseIsAnError() {
    const auto v = judge_it(request("op nothing", scale_candidate));
    QVERIFY(!v);
    QCOMPARE(v.error().code, Code::parse);
  }
  void requireLimitsTheCases() {
    const std::string four =
        std::string(scale_candidate).insert(std::string(scale_candidate).find('\n') + 1, "//@ require N % 4 == 0\n");
    const auto v = judge_it(request(scale_spec, four.c_str()));
    QVERIFY2(v && v->accepted, v ? v->summary().c_str() : v.error().text().c_str());
    int claimed = 0, not_claimed = 0;
    for (const CaseCoverage& c : v->coverage) {
      QCOMPARE(c.claimed, c.binding.symbols.at("N") % 4 == 0);
      QCOMPARE(c.seeds, !c.claimed ? 0 : is_secondary({c.case_name, c.binding}) ? 2 : 5);
      ++(c.claimed ? claimed : not_claimed);
    }
    QVERIFY(claimed >= 3);
    QVERIFY(not_claimed >= 3);
    QVERIFY(v->summary().find("not claimed") != std::string::npos);
    // A power of two is no trouble either: the default's own divisors are among the cases.
    const std::string wide =
        std::string(scale_candidate).insert(std::string(scale_candidate).find('\n') + 1, "//@ require N % 128 == 0\n");
    const auto w = judge_it(request(scale_spec, wide.c_str()));
    QVERIFY2(w && w->accepted, w ? w->summary().c_str() : w.error().text().c_str());
  }
  void temporariesMustFitTheDevice() {
    device_.what.memory = 64 << 20;
    const std::string much = std::string(scale_candidate)
                                 .insert(std::string(scale_candidate).find('\n') + 1, "//@ temp t: f32[N * 100000]\n");
    const StageResult s = failed(judge_it(request(scale_spec, much.c_str())));
    QCOMPARE(s.stage, Stage::contract);
    QVERIFY2(s.message.find("need 391 MiB; the device fake has 64 MiB") != std::string::npos, s.message.c_str());
  }
  void runningOutOfMemoryIsNoVerdict() {
    device_.kernels["scale"] = [](FakeExecution&, const candidate::PlannedLaunch&,
                                  const device::LaunchOptions&) -> std::optional<Fault> { throw std::bad_alloc(); };
    QVERIFY_THROWS_EXCEPTION(std::bad_alloc, judge_it(request()));
  }
  void compileFailures() {
    compiler_.error = Error{Code::compile, "line 3: identifier \"z\" is undefined", "the whole log"};
    const StageResult s = failed(judge_it(request()));
    QCOMPARE(s.stage, Stage::compile);
    QCOMPARE(s.detail, std::string("the whole log"));
    compiler_.error = Error{Code::unavailable, "no NVRTC", ""};
    QCOMPARE(judge_it(request()).error().code, Code::unavailable);
    compiler_.error.reset();
    compiler_.ptx = "\n.pragma \"a\\\", \"; //\";";
    const StageResult doubtful = failed(judge_it(request()));
    QCOMPARE(doubtful.stage, Stage::compile);
    QCOMPARE(doubtful.message, std::string("the PTX can be read in two ways, at line 2: a backslash"));
    compiler_.ptx.clear();
    device_.kernels = {{"other", good_scale}};
    const StageResult k = failed(judge_it(request()));
    QCOMPARE(k.stage, Stage::compile);
    QVERIFY(k.message.find("no kernel scale") != std::string::npos);
    QVERIFY(k.detail.find("other") != std::string::npos);
    init();
    device_.fit_error = Error{Code::invalid_argument, "the kernel scale takes 3 parameters, its launch passes 4", ""};
    QCOMPARE(failed(judge_it(request())).stage, Stage::compile);
    device_.fit_error.reset();
    device_.load_error = Error{Code::unsupported, "no tensor cores", ""};
    const StageResult u = failed(judge_it(request()));
    QCOMPARE(u.stage, Stage::compile);
    QCOMPARE(u.failure->fault->kind, FaultKind::unsupported);
    QCOMPARE(u.outcome, Outcome::not_judged);
  }
  // A kernel that uses up its budget is not proved wrong, and never accepted; a larger budget is given to its launches.
  void whatOnlyRunsOutIsNotJudged() {
    std::uint64_t budget = 0;
    bool later = false;  // in the main case, after others have passed
    device_.kernels["scale"] = [&](FakeExecution& e, const candidate::PlannedLaunch& l,
                                   const device::LaunchOptions& o) -> std::optional<Fault> {
      if (budget == 0) budget = o.budget;
      if (later && l.args.at(2).integer < 100) return good_scale(e, l, o);
      Fault fault;
      fault.kind = FaultKind::budget_exceeded;
      fault.message = "the kernel used up its budget";
      return fault;
    };
    for (const Stage stage : {Stage::smoke, Stage::cases}) {
      later = stage == Stage::cases;
      const auto v = judge_it(request());
      QCOMPARE(failed(v).stage, stage);
      QCOMPARE(failed(v).outcome, Outcome::not_judged);
      QVERIFY(!v->accepted && v->ruling() == evidence::Ruling::not_judged);
      QVERIFY2(v->summary().starts_with("not judged at " + enum_string(stage)), v->summary().c_str());
    }
    const std::uint64_t usual = std::exchange(budget, 0);
    Request larger = request();
    larger.launch_budget = 3;
    QVERIFY(!judge_it(larger)->accepted);
    QCOMPARE(budget, 3 * usual);
  }
  void wrongEverywhereFailsSmoke() {
    device_.kernels["scale"] = [](FakeExecution& e, const candidate::PlannedLaunch& l,
                                  const device::LaunchOptions&) -> std::optional<Fault> {
      for (std::int64_t i = 0; i < l.args.at(2).integer; ++i) e.set("y", i, e.get("x", i) + 1);
      return {};
    };
    const StageResult s = failed(judge_it(request()));
    QCOMPARE(s.stage, Stage::smoke);
    QVERIFY(s.failure->element.has_value());
    QCOMPARE(s.failure->element->tensor, std::string("y"));
    QVERIFY(s.failure->element->wrong > 0);
    QVERIFY(!s.failure->binding.symbols.empty());
  }
  void wrongInOneElementOfALargeCaseIsFound() {
    device_.kernels["scale"] = [](FakeExecution& e, const candidate::PlannedLaunch& l, const device::LaunchOptions& o) {
      const auto f = good_scale(e, l, o);
      if (l.args.at(2).integer == 1024) e.set("y", 777, 1e9);
      return f;
    };
    const auto v = judge_it(request());
    const StageResult s = failed(v);
    QCOMPARE(s.stage, Stage::cases);
    QCOMPARE(s.failure->case_name, std::string("default"));
    QCOMPARE(s.failure->element->index, (std::vector<std::int64_t>{777}));
    QCOMPARE(s.failure->element->wrong, std::int64_t{1});
    QVERIFY(s.message.find("y[777]") != std::string::npos);
    QVERIFY(v->summary().find("rejected at cases") == 0);
  }
  void wrongOnlyForLargeInputsIsFound() {
    device_.kernels["scale"] = [](FakeExecution& e, const candidate::PlannedLaunch& l,
                                  const device::LaunchOptions&) -> std::optional<Fault> {
      for (std::int64_t i = 0; i < l.args.at(2).integer; ++i) e.set("y", i, std::min(2.5 * e.get("x", i), 50.0));
      return {};
    };
    const StageResult s = failed(judge_it(request()));
    QVERIFY(s.failure->element->expected > 50);
  }
  void aConstantTakenForGrantedIsFound() {
    device_.kernels["scale"] = [](FakeExecution& e, const candidate::PlannedLaunch& l,
                                  const device::LaunchOptions&) -> std::optional<Fault> {
      for (std::int64_t i = 0; i < l.args.at(2).integer; ++i) e.set("y", i, 2.5 * e.get("x", i));
      return {};
    };
    const StageResult s = failed(judge_it(request()));
    QVERIFY(s.failure->case_name.starts_with(evidence::case_names::constants));
    QVERIFY(s.failure->binding.constants.at("a") != 2.5);
  }
  void unwrittenElementsAreNamed() {
    device_.kernels["scale"] = [](FakeExecution& e, const candidate::PlannedLaunch& l,
                                  const device::LaunchOptions&) -> std::optional<Fault> {
      const std::int64_t n = l.args.at(2).integer;
      for (std::int64_t i = 0; i < n - n % 4; ++i) e.set("y", i, 2.5f * static_cast<float>(e.get("x", i)));
      return {};
    };
    const StageResult s = failed(judge_it(request()));
    QVERIFY2(s.message.find("was never written") != std::string::npos, s.message.c_str());
    QVERIFY(s.failure->element.has_value());
  }
  void changedInputsAndGuardsAreFaults() {
    device_.kernels["scale"] = [](FakeExecution& e, const candidate::PlannedLaunch& l, const device::LaunchOptions& o) {
      const auto f = good_scale(e, l, o);
      e.set("x", 0, 42);
      return f;
    };
    StageResult s = failed(judge_it(request()));
    QCOMPARE(s.failure->fault->kind, FaultKind::input_changed);
    QCOMPARE(s.failure->fault->buffer, std::string("x"));
    device_.kernels["scale"] = [](FakeExecution& e, const candidate::PlannedLaunch& l, const device::LaunchOptions& o) {
      const auto f = good_scale(e, l, o);
      e.set("y", e.count("y"), 42);
      return f;
    };
    s = failed(judge_it(request()));
    QCOMPARE(s.failure->fault->kind, FaultKind::out_of_bounds);
    QCOMPARE(s.failure->fault->buffer, std::string("y"));
  }
  void faultsAreCarriedOver() {
    device_.kernels["scale"] = [](FakeExecution&, const candidate::PlannedLaunch& l, const device::LaunchOptions&) {
      Fault f;
      f.kind = FaultKind::misaligned;
      f.message = "a read of 8 bytes at an odd address";
      f.kernel = l.kernel;
      f.line = 3;
      f.thread[0] = 5;
      return std::optional(f);
    };
    const StageResult s = failed(judge_it(request()));
    QCOMPARE(s.stage, Stage::smoke);
    QCOMPARE(s.failure->fault->kind, FaultKind::misaligned);
    QCOMPARE(s.failure->fault->line, 3);
    QCOMPARE(s.failure->fault->thread[0], 5u);
  }
  void whatIsKeptFromCallToCallShows() {
    for (const int good_calls : {1, 2}) {
      device_.kernels["scale"] = [&](FakeExecution& e, const candidate::PlannedLaunch& l,
                                     const device::LaunchOptions& o) {
        const auto f = good_scale(e, l, o);
        if (++e.state > good_calls) e.set("y", 0, 1e9);
        return f;
      };
      const StageResult s = failed(judge_it(request()));
      QCOMPARE(s.stage, Stage::smoke);
      QVERIFY2(s.message.find("keeps state between calls") != std::string::npos, s.message.c_str());
    }
    // Every plan runs at least three times in a module, each time elsewhere and over other garbage.
    std::map<FakeExecution*, int> calls;
    std::set<std::uint64_t> places, surroundings;
    int launches = 0;
    device_.kernels["scale"] = [&](FakeExecution& e, const candidate::PlannedLaunch& l,
                                   const device::LaunchOptions& o) {
      if (l.args.at(2).integer == 1024) ++calls[&e];
      places.insert(e.place);
      surroundings.insert(o.surroundings);
      ++launches;
      return good_scale(e, l, o);
    };
    QVERIFY(judge_it(request())->accepted);
    QVERIFY(calls.begin()->second >= 3);
    QCOMPARE(places.size(), static_cast<std::size_t>(launches));
    QCOMPARE(surroundings.size(), static_cast<std::size_t>(launches));
  }
  void aSecretIsDrawnAnewAndRepeatsItsVerdict() {
    std::vector<std::uint64_t> inputs;  // as bits: an input may be NaN
    device_.kernels["scale"] = [&](FakeExecution& e, const candidate::PlannedLaunch& l,
                                   const device::LaunchOptions& o) {
      inputs.push_back(std::bit_cast<std::uint64_t>(e.get("x", 0)));
      inputs.push_back(e.place >> 12);
      return good_scale(e, l, o);
    };
    const auto judged = [&](const std::string& secret) {
      inputs.clear();
      Request r = request();
      r.secret = secret;
      const auto v = judge_it(r);
      return v ? v->proof.secret : v.error().message;
    };
    const std::string first = judged(""), second = judged("");
    QCOMPARE(first.size(), std::size_t{16});
    QVERIFY(first != second);
    const std::vector<std::uint64_t> of_second = inputs;
    QCOMPARE(judged(second), second);
    QVERIFY(inputs == of_second);
    judged(first);
    QVERIFY(inputs != of_second);
    QVERIFY(judged("12").find("16 hexadecimal digits") != std::string::npos);
  }
  void aLongCaseOutOfBudgetIsNamedAndNotProved() {
    const auto endless_at = [](const std::int64_t least) {
      return [least](FakeExecution& e, const candidate::PlannedLaunch& l,
                     const device::LaunchOptions& o) -> std::optional<Fault> {
        if (l.args.at(2).integer < least) return good_scale(e, l, o);
        Fault fault;
        fault.kind = FaultKind::budget_exceeded;
        fault.message = "the budget is used up";
        return fault;
      };
    };
    device_.kernels["scale"] = endless_at(5000);
    const auto v = judge_it(request());
    QVERIFY2(v && v->accepted, v ? v->summary().c_str() : v.error().text().c_str());
    int unproved = 0;
    for (const CaseCoverage& c : v->coverage) {
      if (c.seeds > 0) continue;
      ++unproved;
      QVERIFY(c.claimed && c.binding.symbols.at("N") >= 5000);
      QVERIFY2(v->stages[3].message.find("out of budget, so not proved: " + c.case_name) != std::string::npos,
               v->stages[3].message.c_str());
    }
    QCOMPARE(unproved, 1);
    QVERIFY2(v->summary().ends_with(", 1 not proved"), v->summary().c_str());
    device_.kernels["scale"] = endless_at(1024);  // the default, too
    QCOMPARE(judge_it(request())->ruling(), Ruling::not_judged);
  }
  void whichRunIsCountedIsDrawn() {
    std::set<bool> first_counted;
    for (int i = 0; i < 40 && first_counted.size() < 2; ++i) {
      std::vector<bool> counted;
      device_.kernels["scale"] = [&](FakeExecution& e, const candidate::PlannedLaunch& l,
                                     const device::LaunchOptions& o) {
        if (l.args.at(2).integer == 1024) counted.push_back(o.counters);
        return good_scale(e, l, o);
      };
      const auto v = judge_it(request());
      QVERIFY(v->accepted && v->metrics);
      QCOMPARE(std::count(counted.begin(), counted.end(), true), 1);
      first_counted.insert(!counted.back());
    }
    QCOMPARE(first_counted.size(), std::size_t{2});
  }
  void otherTunedValuesAreTried() {
    device_.kernels["scale"] = [&](FakeExecution& e, const candidate::PlannedLaunch& l,
                                   const device::LaunchOptions& o) {
      return l.block[0] == 256 ? std::optional<Fault>() : good_scale(e, l, o);  // writes nothing
    };
    Request r = request();
    r.candidate.replace(r.candidate.find("128"), 3, "128 | 256");
    const auto v = judge_it(r);
    QVERIFY(!v->accepted);
    QCOMPARE(failed(v).stage, Stage::cases);
    QVERIFY2(failed(v).message.find("BLOCK = 256") != std::string::npos, failed(v).message.c_str());
    r.candidate.replace(r.candidate.find("256"), 3, "2000");  // no block is that large: not a fault of the code
    QVERIFY(judge_it(r)->accepted);
  }
  void smokeAndFirstSetsRunUnderEveryCheckAndABudget() {
    int full = 0, counted = 0, launches = 0;
    bool always_budget = true;
    device_.kernels["scale"] = [&](FakeExecution& e, const candidate::PlannedLaunch& l,
                                   const device::LaunchOptions& o) {
      ++launches;
      full += o.checks == device::Checks::full;
      counted += o.counters;
      always_budget = always_budget && o.budget > 0;
      return good_scale(e, l, o);
    };
    const auto v = judge_it(request());
    QVERIFY(v->accepted);
    int sets = 0;
    for (const CaseCoverage& c : v->coverage) sets += c.seeds;
    const int cases = static_cast<int>(v->coverage.size()),
              smoke = static_cast<int>(distributions_for(*op::parse_spec(scale_spec), true).size()),
              in_turn = 3 * 3 + 24;  // in the main case's module: a random case, one of other constants and
                                     // the smallest, which has its sizes
    const int keyed = 5 * 8;         // of inputs that are keyed on values; there is nothing to plant
    const int binades = 24;
    QCOMPARE(launches, smoke + keyed + binades + residue_cases + sets + in_turn + 1);
    QCOMPARE(full, smoke + cases);
    QCOMPARE(counted, 1);
    QVERIFY(always_budget);
  }
  void realsMayDifferWithinTolerance() {
    int calls = 0;
    device_.kernels["scale"] = [&](FakeExecution& e, const candidate::PlannedLaunch& l,
                                   const device::LaunchOptions& o) {
      const auto f = good_scale(e, l, o);
      if (l.args.at(2).integer == 1024 && ++calls == 6)
        e.set("y", 0, std::nextafter(static_cast<float>(e.get("y", 0)), 1e30f));  // the repetition
      return f;
    };
    const auto v = judge_it(request());
    QVERIFY2(v->accepted, v->summary().c_str());
    QCOMPARE(v->proof.reproducibility, Reproducibility::within_bound);
    QCOMPARE(v->proof.varying.size(), std::size_t{1});
    QCOMPARE(v->proof.varying[0].count, 1);
    QCOMPARE(v->proof.varying[0].total, 1024);
    QCOMPARE(
        v->stages[4].message,
        std::string("not bitwise reproducible: 1 of 1024 elements of y differed when repeated, all within tolerance"));
  }
  void whatWasTriedIsTyped() {
    const auto v = judge_it(request());
    QVERIFY2(v && v->accepted, v ? v->summary().c_str() : v.error().text().c_str());
    QCOMPARE(v->proof.reproducibility, Reproducibility::bitwise);
    QVERIFY(v->proof.elements && v->proof.elements->compared > 1024);
    QCOMPARE(v->proof.elements->unproved + v->proof.elements->not_compared, 0);
    QVERIFY(!v->proof.smoke_case.empty() && !v->proof.compiler.empty());
    device_.what.checks = {CheckCoverage::yes, CheckCoverage::yes, CheckCoverage::yes, CheckCoverage::no};
    const Checks checks = judge_it(request())->proof.checks;
    QCOMPARE(checks.initialisation, CheckCoverage::partly);  // not in every input set
    QCOMPARE(checks.races, CheckCoverage::no);
    QCOMPARE(v->proved_at(), ProvedAt::asked_shape);
    Request unmeasured = request();
    unmeasured.measure = false;
    QCOMPARE(judge_it(unmeasured)->stages.back().skipped, SkipReason::not_requested);
  }
  void wrongTheSecondTimeFailsDeterminism() {
    int calls = 0;
    device_.kernels["scale"] = [&](FakeExecution& e, const candidate::PlannedLaunch& l,
                                   const device::LaunchOptions& o) {
      const auto f = good_scale(e, l, o);
      if (l.args.at(2).integer == 1024 && ++calls % 6 == 0) e.set("y", 3, 1e6);
      return f;
    };
    const StageResult s = failed(judge_it(request()));
    QCOMPARE(s.stage, Stage::determinism);
    QCOMPARE(s.failure->element->index, (std::vector<std::int64_t>{3}));
    calls = 0;
    QCOMPARE(judge_it(request())->proved_at(), ProvedAt::unknown);
  }
  void integersAreExact() {
    device_.kernels["twice"] = [](FakeExecution& e, const candidate::PlannedLaunch&,
                                  const device::LaunchOptions&) -> std::optional<Fault> {
      for (std::int64_t i = 0; i < e.count("y"); ++i)  // in 32 bits
        e.set("y", i,
              static_cast<std::int32_t>(2u * static_cast<std::uint32_t>(static_cast<std::int64_t>(e.get("x", i)))));
      return {};
    };
    const auto v = judge_it(request(count_spec, count_candidate));
    QVERIFY2(v && v->accepted, v ? v->summary().c_str() : v.error().text().c_str());
  }
  void theDefaultMayBeReduced() {
    device_.what.default_work_limit = 500;
    const auto v = judge_it(request());
    QVERIFY2(v && v->accepted, v ? v->summary().c_str() : v.error().text().c_str());
    QCOMPARE(v->coverage[0].case_name, std::string("default"));
    QCOMPARE(v->coverage[0].seeds, 0);
    QVERIFY(v->coverage[0].claimed);
    QCOMPARE(v->coverage[1].case_name, std::string("reduced"));
    QCOMPARE(v->proved_at(), ProvedAt::smaller_shapes);
    QVERIFY2(v->summary().starts_with("proved at smaller shapes only: "), v->summary().c_str());
    QCOMPARE(v->coverage[1].seeds, 5);
    QCOMPARE(v->metrics->case_name, std::string("reduced"));
    QVERIFY(v->coverage[1].binding.symbols.at("N") < 1024);
  }
  void cancelledIsAnError() {
    std::stop_source source;
    const auto v = judge_it(request(), source.get_token(), [&](const Progress& p) {
      if (p.stage == Stage::cases) source.request_stop();
    });
    QVERIFY(!v);
    QCOMPARE(v.error().code, Code::cancelled);
  }
  void referencesAreSharedWhereAJudgementIsRepeated() {
    Request same = request();
    same.secret = "00000000000000aa";
    QVERIFY(judge_it(same)->accepted);
    const std::size_t hits = references_.hits();
    QVERIFY(judge_it(same)->accepted);
    QVERIFY(references_.hits() > hits + 30);
    QVERIFY(references_.bytes() > 0);
    ReferenceCache small(10000);
    QVERIFY(judge(request(), Services{&compiler_, &device_, &small, 1})->accepted);
    QVERIFY(small.bytes() <= 10000);
  }
};

QTEST_GUILESS_MAIN(GateTest)
#include "gate_test.moc"
