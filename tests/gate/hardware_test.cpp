// SPDX-License-Identifier: Apache-2.0
// The gate on a device that behaves as real hardware does: sets in its own memory, times, counters, contexts that are
// lost.
#include <QtTest>
#include <cmath>
#include <set>
#include "gate/cases.h"
#include "gate/fake_device.h"
#include "gate/gate.h"
#include "gate/measure.h"
#include "gate/resident.h"
#include "op/parse.h"

using namespace ww;
using namespace ww::gate;
using namespace ww::test;

namespace {

const char* scale_spec = "op scale(x: f32[N]; a = 2.5) -> y: f32[N]\n  default N = 4096\n{\n  y[i] = a * x[i]\n}\n";
const char* scale_candidate =
    "//@ candidate scale\n//@ launch scale grid(ceildiv(N, 128)) block(128) args(x, y, N, a)\n"
    "extern \"C\" __global__ void scale(const float* x, float* y, int n, float a) {}\n";
const char* sum_spec = "op total(x: f32[N]) -> y: f32\n  default N = 4096\n{\n  y = sum(i) x[i]\n}\n";
const char* sum_candidate =
    "//@ candidate total\n//@ zero y\n//@ launch add grid(1) block(128) args(x, y, N)\n"
    "extern \"C\" __global__ void add(const float* x, float* y, int n) {}\n";

std::optional<Fault> add_up(FakeExecution& e, const candidate::PlannedLaunch& l, const device::LaunchOptions&) {
  double sum = e.get("y", 0);
  for (std::int64_t i = 0; i < l.args.at(2).integer; ++i) sum += e.get("x", i);
  e.set("y", 0, sum);
  return {};
}

double value(const Metrics& m, const std::string& name) {
  for (const auto& [n, v] : m.values)
    if (n == name) return v;
  return std::nan("");
}

}  // namespace

class HardwareTest : public QObject {
  Q_OBJECT
  std::unique_ptr<FakeDevice> device_;
  FakeCompiler compiler_;
  std::unique_ptr<ReferenceCache> references_;
  std::unique_ptr<ResidentCache> resident_;

  Result<Verdict> judge_it(const char* spec = scale_spec, const char* candidate = scale_candidate,
                           const char* secret = "0000000000000007") {
    Request r;
    r.secret = secret;
    r.spec = spec;
    r.candidate = candidate;
    return judge(r, Services{&compiler_, device_.get(), references_.get(), 2, resident_.get()});
  }
  static StageResult stage(const Result<Verdict>& v, Stage which) {
    if (!v) qFatal("%s", v.error().text().c_str());
    return v->stages.at(static_cast<std::size_t>(which));
  }

 private slots:
  void init() {
    device_ = std::make_unique<FakeDevice>();
    device_->be_hardware();
    device_->kernels["scale"] = good_scale;
    device_->kernels["add"] = add_up;
    references_ = std::make_unique<ReferenceCache>();
    resident_ = std::make_unique<ResidentCache>(*device_, compiler_);
  }
  void cleanup() { resident_.reset(); }

  void goodCandidateIsTimedAndCounted() {
    const auto v = judge_it();
    QVERIFY2(v && v->accepted, v ? v->summary().c_str() : v.error().text().c_str());
    QCOMPARE(compiler_.last.architecture, std::string("sm_90"));
    QVERIFY(v->metrics.has_value());
    const Metrics& m = *v->metrics;
    QCOMPARE(m.provenance, Provenance::measured);
    QCOMPARE(m.device, std::string("fake:0"));
    QCOMPARE(m.case_name, std::string("default"));
    QCOMPARE(value(m, "median_us"), 10.0);
    QCOMPARE(value(m, "median_warm_us"), 10.0);
    QCOMPARE(value(m, "samples"), 9.0);
    QCOMPARE(value(m, "dram__bytes.sum"), 100.0);
    QCOMPARE(value(m, "sm__warps_active.avg.pct_of_peak_sustained_active"), 50.0);
    QVERIFY(m.floor && m.floor->us > 0);
    QCOMPARE(m.impossible, std::string());
    QCOMPARE(m.conditions.gpu, std::string("Fake GPU"));
    QCOMPARE(m.conditions.sm_mhz, std::string("1500 to 1502"));
    QVERIFY(m.conditions.counters.find("set small") == 0);
    QVERIFY2(stage(v, Stage::measure).message.find("median 10 µs with a cold L2 cache") == 0,
             stage(v, Stage::measure).message.c_str());
    QCOMPARE(v->stages[4].message, std::string("bitwise equal when repeated"));
  }
  void setsAreKeptForARepeatedJudgement() {
    QVERIFY(judge_it()->accepted);
    const int made = device_->sets_made;
    QVERIFY(made > 0);
    QVERIFY(resident_->bytes() > 0);
    QVERIFY(judge_it()->accepted);
    QCOMPARE(device_->sets_made, made);
    QVERIFY(resident_->hits() > 0);
    QVERIFY(judge_it(scale_spec, scale_candidate, "0000000000000008")->accepted);  // another secret: other inputs
    QVERIFY(device_->sets_made > made);
  }
  void aSmallCacheKeepsTheLatest() {
    resident_ = std::make_unique<ResidentCache>(*device_, compiler_, 200'000);  // some 80 kB a set
    QVERIFY(judge_it()->accepted);
    QVERIFY(resident_->bytes() <= 200'000);
    QVERIFY(resident_->bytes() > 0);
  }
  void setsMakeWayForTensors() {
    QVERIFY(judge_it()->accepted);
    const std::int64_t before = resident_->bytes();
    resident_->leave_room(1000);
    QCOMPARE(resident_->bytes(), before);
    resident_->leave_room(static_cast<double>(device_->what.memory - before + 1));
    QVERIFY(resident_->bytes() < before && resident_->bytes() > 0);
    resident_->leave_room(1e15);
    QCOMPARE(resident_->bytes(), std::int64_t{0});
    QVERIFY(judge_it()->accepted);
  }
  void aWrongElementIsNamedFromTheDevice() {
    device_->kernels["scale"] = [](FakeExecution& e, const candidate::PlannedLaunch& l,
                                   const device::LaunchOptions& o) {
      const auto fault = good_scale(e, l, o);
      if (l.args.at(2).integer == 4096) e.set("y", 1234, 7);
      return fault;
    };
    const auto v = judge_it();
    QVERIFY(!v->accepted);
    const StageResult s = stage(v, Stage::cases);
    QCOMPARE(s.outcome, Outcome::failed);
    QVERIFY(s.failure && s.failure->element);
    QCOMPARE(s.failure->element->index, std::vector<std::int64_t>{1234});
    QCOMPARE(s.failure->element->actual, 7.0);
    QCOMPARE(s.failure->element->wrong, std::int64_t{1});
    QCOMPARE(s.failure->element->total, std::int64_t{4096});
    QVERIFY(s.failure->element->tolerance > 0);
    QVERIFY(s.failure->element->error_ulps > 1);
    QVERIFY2(s.message.find("y[1234] is 7, expected") == 0, s.message.c_str());
  }
  void anUnwrittenElementShowsAsPoison() {
    device_->kernels["scale"] = [](FakeExecution& e, const candidate::PlannedLaunch& l,
                                   const device::LaunchOptions&) -> std::optional<Fault> {
      for (std::int64_t i = 0; i < l.args.at(2).integer - 1; ++i)
        e.set("y", i, static_cast<float>(2.5) * static_cast<float>(e.get("x", i)));
      return {};
    };
    QVERIFY(!judge_it()->accepted);
  }
  void repeatedRunsAreHeldAgainstEachOther() {
    auto runs = std::make_shared<int>(0);
    device_->kernels["scale"] = [runs](FakeExecution& e, const candidate::PlannedLaunch& l,
                                       const device::LaunchOptions& o) {
      const auto fault = good_scale(e, l, o);
      if (l.args.at(2).integer == 4096 && ++*runs == 6)  // five seeds, then again
        e.set("y", 9, std::nextafter(static_cast<float>(e.get("y", 9)), 1e9f));
      return fault;
    };
    const auto v = judge_it();
    QVERIFY2(v && v->accepted, v ? v->summary().c_str() : v.error().text().c_str());
    QCOMPARE(
        stage(v, Stage::determinism).message,
        std::string("not bitwise reproducible: 1 of 4096 elements of y differed when repeated, all within tolerance"));
  }
  void aChangedInputOfASetIsSeen() {
    device_->kernels["scale"] = [](FakeExecution& e, const candidate::PlannedLaunch& l,
                                   const device::LaunchOptions& o) {
      const auto fault = good_scale(e, l, o);
      if (l.args.at(2).integer == 4096) e.set("x", 5, e.get("x", 5) + 1);
      return fault;
    };
    const StageResult s = stage(judge_it(), Stage::cases);
    QCOMPARE(s.outcome, Outcome::failed);
    QCOMPARE(s.failure->fault->kind, FaultKind::input_changed);
  }
  void theDevicesReferenceIsCheckedFirst() {
    device_->spoil_reference = [](op::ReferenceTensor& t) { t.value[0] += 1; };
    const auto contract =
        [&] {  // a reference that disagrees is not used: the host's takes its place, and the verdict says so
          resident_ = std::make_unique<ResidentCache>(*device_, compiler_);
          const auto v = judge_it();
          const StageResult s = stage(v, Stage::contract);
          return v->accepted ? s.message : "not as expected: " + v->summary();
        };
    QVERIFY2(contract().find("evaluated on the host") != std::string::npos, contract().c_str());
    QVERIFY2(contract().find("for the tensor y") != std::string::npos, contract().c_str());
    device_->spoil_reference = [](op::ReferenceTensor& t) { t.bound[0] *= 3; };
    QVERIFY2(contract().find("a bound of") != std::string::npos, contract().c_str());
    device_->spoil_reference = nullptr;
    resident_ = std::make_unique<ResidentCache>(*device_, compiler_);
    const auto v = judge_it();
    QVERIFY(v->accepted);
    QVERIFY2(stage(v, Stage::contract).message.find("on the host") == std::string::npos,
             stage(v, Stage::contract).message.c_str());
  }
  void referencesOfTwoKindsAgreeWithinTheirErrors() {
    op::ReferenceTensor a;
    a.dtype = DType::f32;
    a.shape = {3};
    a.value = {1, std::nan(""), HUGE_VAL};
    a.bound = {1e-7, 1, 0};
    op::ReferenceTensor b = a;
    QVERIFY(same_reference("y", a, b, false));
    b.value[0] = 1 + 1e-12;
    b.bound[0] = 1.05e-7;
    QVERIFY(same_reference("y", a, b, false));
    b.value[0] = 1 + 1e-8;
    QVERIFY(!same_reference("y", a, b, false));
    QVERIFY(same_reference("y", a, b, true));
    b = a;
    b.value[2] = 5;
    QVERIFY(!same_reference("y", a, b, false));
    b = a;
    b.value[1] = 0;
    QVERIFY(!same_reference("y", a, b, false));
    b = a;
    b.bound[0] = HUGE_VAL;
    QVERIFY(!same_reference("y", a, b, false));
    b = a;
    b.shape = {1, 3};
    QVERIFY(!same_reference("y", a, b, false));
  }
  void noRoomSaysSo() {
    device_->what.memory = 20'000;  // three tensors of 16 kB
    StageResult s = stage(judge_it(), Stage::contract);
    QCOMPARE(s.outcome, Outcome::not_judged);
    QVERIFY2(s.message.find("and its inputs with their reference 1 MiB; the device fake:0 has 1 MiB") !=
                 std::string::npos,
             s.message.c_str());
    device_->what.memory = 1 << 30;
    device_->set_error = Error{
        Code::unsupported, "there is no room on fake:0 for the input x: 5 GiB are needed, 1 GiB of 2 GiB are free", {}};
    s = stage(judge_it(), Stage::cases);
    QCOMPARE(s.outcome, Outcome::not_judged);
    QVERIFY2(s.message.find("5 GiB are needed") != std::string::npos, s.message.c_str());
  }
  void wrongOutputsOfATimedLaunchRejectTheCandidate() {
    // Right in every launch but the many of a timing.
    auto launches = std::make_shared<int>(0);
    device_->kernels["scale"] = [launches](FakeExecution& e, const candidate::PlannedLaunch& l,
                                           const device::LaunchOptions& o) {
      const auto fault = good_scale(e, l, o);
      if (l.args.at(2).integer == 4096 && o.seconds == 0 && ++*launches == 9) e.set("y", 3, 1e6);
      return fault;
    };
    const auto v = judge_it();
    QVERIFY(!v->accepted);
    const StageResult s = stage(v, Stage::measure);
    QCOMPARE(s.outcome, Outcome::failed);
    QVERIFY2(s.message.find("while it was timed, y[3] is 1000000") == 0, s.message.c_str());
    QCOMPARE(s.failure->element->index, std::vector<std::int64_t>{3});
    QVERIFY2(v->summary().find("rejected at measure: ") == 0, v->summary().c_str());
  }
  void timedRunsFindDrawnGarbage() {
    std::set<double> found;
    device_->kernels["scale"] = [&found](FakeExecution& e, const candidate::PlannedLaunch& l,
                                         const device::LaunchOptions& o) {
      const double first = e.get("y", 0), second = e.get("y", 1);
      if (l.args.at(2).integer == 4096 && o.seconds == 0) {
        if (std::isnan(first) && std::isnan(second)) found.insert(0);
        if (first == second) found.insert(first);
      }
      return good_scale(e, l, o);
    };
    for (const char* const secret : {"0000000000000007", "0000000000000008", "0000000000000009"}) {
      const std::size_t before = found.size();
      QVERIFY(judge_it(scale_spec, scale_candidate, secret)->accepted);
      QVERIFY(found.size() > before);
    }
  }
  void aTimingThatFailsLeavesTheCandidateAccepted() {
    device_->time_error = Error{Code::device, "the timer is broken", {}};
    const auto v = judge_it();
    QVERIFY(v->accepted);
    QVERIFY(!v->metrics);
    QCOMPARE(stage(v, Stage::measure).outcome, Outcome::skipped);
    QCOMPARE(stage(v, Stage::measure).message, std::string("not measured: the timer is broken"));
  }
  void zeroedBuffersAreNamedToTheTimer() {
    const auto v = judge_it(sum_spec, sum_candidate);
    QVERIFY2(v && v->accepted, v ? v->summary().c_str() : v.error().text().c_str());
    QVERIFY(!device_->timed_zeroed.empty());
    QCOMPARE(device_->timed_zeroed.back(), std::vector<std::string>{"y"});
  }
  void impossibleTimesAreFlagged() {
    device_->time_us = [](const std::string&) { return 1e-6; };
    const auto v =
        judge_it("op scale(x: f32[N]; a = 2.5) -> y: f32[N]\n  default N = 16384\n{\n  y[i] = a * x[i]\n}\n");
    QVERIFY2(v && v->accepted, v ? v->summary().c_str() : v.error().text().c_str());
    QVERIFY(!v->metrics->impossible.empty());
    QVERIFY(stage(v, Stage::measure).message.find("not ranked: " + v->metrics->impossible) != std::string::npos);
  }
  void deniedCountersAreACondition() {
    device_->counters.why_not = "the driver does not allow it";
    const auto v = judge_it();
    QVERIFY(v->accepted);
    QCOMPARE(value(*v->metrics, "median_us"), 10.0);
    QCOMPARE(v->metrics->counters_why_not, std::string("the driver does not allow it"));
    QVERIFY(std::isnan(value(*v->metrics, "dram__bytes.sum")));
  }
  void longPlansAreNotCountedInTheGate() {
    device_->time_us = [](const std::string&) { return 125'000; };
    const auto v = judge_it();
    QVERIFY(v->accepted);
    QCOMPARE(value(*v->metrics, "median_us"), 125'000.0);
    QVERIFY2(v->metrics->counters_why_not.find("the replays of a plan of 125 ms") == 0,
             v->metrics->counters_why_not.c_str());
    QVERIFY(std::isnan(value(*v->metrics, "dram__bytes.sum")));
  }
  void sumsOverLaunchesOnlyWhereTheyAddUp() {
    profile::CounterReport r;
    for (int i = 0; i < 2; ++i) {
      profile::KernelCounters k;
      k.values = {{"dram__bytes.sum", "byte", 100}, {"x.pct", "%", 50}, {"y.sum", "", i == 0 ? 1.0 : profile::unknown}};
      r.kernels.push_back(std::move(k));
    }
    const auto sums = plan_counters(r);
    QCOMPARE(sums.size(), std::size_t{2});
    QCOMPARE(sums[0].second, 200.0);
    QVERIFY(std::isnan(sums[1].second));
    r.kernels.resize(1);
    QCOMPARE(plan_counters(r).size(), std::size_t{3});
  }
  void aFaultThatTakesTheContextEndsTheVerdict() {
    device_->kernels["scale"] = [this](FakeExecution&, const candidate::PlannedLaunch&, const device::LaunchOptions&) {
      device_->context = false;
      Fault f;
      f.kind = FaultKind::out_of_bounds;
      f.message = "an illegal memory access";
      f.kernel = "scale";
      return std::optional(f);
    };
    const auto v = judge_it();
    QVERIFY(v.has_value());
    QVERIFY(!v->accepted);
    QCOMPARE(stage(v, Stage::smoke).failure->fault->kind, FaultKind::out_of_bounds);
    QCOMPARE(stage(v, Stage::cases).outcome, Outcome::skipped);
    QVERIFY(!device_->usable());
  }
  void aContextLostBetweenCallsEndsTheVerdict() {
    device_->kernels["scale"] = [this](FakeExecution&, const candidate::PlannedLaunch&,
                                       const device::LaunchOptions&) -> std::optional<Fault> {
      device_->context = false;  // seen only by the next call
      return {};
    };
    const char* two =
        "//@ candidate scale\n//@ launch scale grid(1) block(128) args(x, y, N, a)\n//@ launch scale grid(1) "
        "block(128) args(x, y, N, a)\n"
        "extern \"C\" __global__ void scale(const float* x, float* y, int n, float a) {}\n";
    const auto v = judge_it(scale_spec, two);
    QVERIFY2(v.has_value(), v ? "" : v.error().text().c_str());
    QCOMPARE(stage(v, Stage::smoke).failure->fault->kind, FaultKind::device_lost);
    QCOMPARE(v->ruling(), evidence::Ruling::not_judged);  // something else may have taken it away
  }
  void aContextLostBeforeTheLoadSaysNothingOfTheCandidate() {
    device_->context = false;
    device_->load_error = Error{Code::unavailable, "the context is gone", ""};
    const auto v = judge_it();
    QVERIFY2(v.has_value(), v ? "" : v.error().text().c_str());
    QCOMPARE(v->ruling(), evidence::Ruling::not_judged);
    QCOMPARE(v->last_fault(), FaultKind::device_lost);
    QCOMPARE(stage(v, Stage::compile).outcome, Outcome::not_judged);
  }
  void launchesHaveATimeLimit() {
    auto seconds = std::make_shared<double>(0);
    device_->kernels["scale"] = [seconds](FakeExecution& e, const candidate::PlannedLaunch& l,
                                          const device::LaunchOptions& o) {
      if (o.seconds > 0) *seconds = o.seconds;
      return good_scale(e, l, o);
    };
    QVERIFY(judge_it()->accepted);
    QVERIFY(*seconds >= 5 && *seconds < 6);
  }
  // A launch that does not end in time would lose the device.
  void aLongCaseThatGrowsTooFastIsLeftOut() {
    const char* one_warp =
        "//@ candidate scale\n//@ launch scale grid(1) block(32) args(x, y, N, a)\n"
        "extern \"C\" __global__ void scale(const float* x, float* y, int n, float a) {}\n";
    auto longest = std::make_shared<std::int64_t>(0);
    device_->kernels["scale"] = [longest](FakeExecution& e, const candidate::PlannedLaunch& l,
                                          const device::LaunchOptions& o) {
      *longest = std::max(*longest, l.args.at(2).integer);
      return good_scale(e, l, o);
    };
    const auto unproved = [](const Result<Verdict>& v) {
      return std::ranges::count_if(v->coverage, [](const CaseCoverage& c) { return c.claimed && c.seeds == 0; });
    };
    const double times[] = {1e-9, 1e-7};  // for each element, and for each pair of them
    device_->launch_seconds = [&](const candidate::PlannedLaunch& l) {
      return times[0] * static_cast<double>(l.args.at(2).integer);
    };
    const auto usual = judge_it(scale_spec, one_warp);
    QVERIFY2(usual && usual->accepted, usual ? usual->summary().c_str() : usual.error().text().c_str());
    QVERIFY(*longest >= 65537 && unproved(usual) == 0);
    *longest = 0;
    device_->launch_seconds = [&](const candidate::PlannedLaunch& l) {
      return times[1] * std::pow(static_cast<double>(l.args.at(2).integer), 2);
    };
    const auto grown = judge_it(scale_spec, one_warp);
    QVERIFY2(grown && grown->accepted, grown ? grown->summary().c_str() : grown.error().text().c_str());
    QVERIFY(*longest < 65537 && unproved(grown) == 1);
  }
  void rangesAreSpoken() {
    QCOMPARE(range_text({}), std::string());
    QCOMPARE(range_text({profile::unknown}), std::string());
    QCOMPARE(range_text({1980, profile::unknown, 1980}), std::string("1980"));
    QCOMPARE(range_text({1980, 1755}), std::string("1755 to 1980"));
  }
};

QTEST_GUILESS_MAIN(HardwareTest)
#include "hardware_test.moc"
