// SPDX-License-Identifier: Apache-2.0
// Replies that a worker under foreign control might give: each is one genuine verdict with one lie in it.
#include <QtTest>
#include <functional>
#include <limits>
#include "../explore/script.h"
#include "../support/genuine_verdict.h"

using namespace ww;
using namespace ww::evidence;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

rpc::GateRequest asked() {
  rpc::GateRequest r;
  r.spec = script::spec;
  r.candidate = script::candidate("one", "accepted");
  return r;
}

using Lie = std::function<void(Verdict&)>;
struct Forgery {
  const char* name;
  Lie lie;
};

StageResult& at(Verdict& v, Stage s) { return v.stages.at(static_cast<std::size_t>(s)); }

void end(Verdict& v, Outcome outcome, FaultKind kind) {  // at the stage cases
  at(v, Stage::cases).outcome = outcome;
  at(v, Stage::cases).failure.emplace().fault.emplace().kind = kind;
}

std::vector<Forgery> of_stages() {  // what was judged, where, and through which stages
  return {
      {"another candidate", [](Verdict& v) { v.candidate = hash_hex("another"); }},
      {"no candidate", [](Verdict& v) { v.candidate.clear(); }},
      {"the candidate's hash in capitals", [](Verdict& v) { v.candidate[0] = 'A'; }},
      {"another spec", [](Verdict& v) { v.spec = hash_hex("op other"); }},
      {"no spec", [](Verdict& v) { v.spec.clear(); }},
      {"another device", [](Verdict& v) { v.device = "cuda:0"; }},
      {"no device", [](Verdict& v) { v.device.clear(); }},
      {"negative seconds", [](Verdict& v) { v.seconds = -1; }},
      {"endless seconds", [](Verdict& v) { v.seconds = infinity; }},
      {"no number of seconds", [](Verdict& v) { v.seconds = nan; }},
      {"no stages", [](Verdict& v) { v.stages.clear(); }},
      {"one stage", [](Verdict& v) { v.stages.resize(1); }},
      {"a stage less", [](Verdict& v) { v.stages.pop_back(); }},
      {"a stage twice", [](Verdict& v) { v.stages.push_back(v.stages.back()); }},
      {"the first stage in place of the second", [](Verdict& v) { v.stages[1] = v.stages[0]; }},
      {"stages in another order", [](Verdict& v) { std::swap(v.stages[2], v.stages[3]); }},
      {"the first stage is missing", [](Verdict& v) { v.stages.erase(v.stages.begin()); }},
      {"not accepted after all", [](Verdict& v) { v.accepted = false; }},
      {"a failure in a stage that passed", [](Verdict& v) { at(v, Stage::cases).failure = Failure{}; }},
      {"measured, then skipped", [](Verdict& v) { at(v, Stage::measure).outcome = Outcome::skipped; }},
      {"skipped since nobody asked, who did",
       [](Verdict& v) {
         at(v, Stage::measure).outcome = Outcome::skipped;
         at(v, Stage::measure).skipped = SkipReason::not_requested;
         v.metrics.reset();
       }},
      {"metrics of a stage that was skipped",
       [](Verdict& v) {
         at(v, Stage::measure).outcome = Outcome::skipped;
         at(v, Stage::measure).skipped = SkipReason::not_measurable;
       }},
  };
}

std::vector<Forgery> of_cases() {
  return {
      {"no case", [](Verdict& v) { v.coverage.clear(); }},
      {"a case without a name", [](Verdict& v) { v.coverage[0].case_name.clear(); }},
      {"the default case twice", [](Verdict& v) { v.coverage.push_back(v.coverage[0]); }},
      {"the default case is not claimed", [](Verdict& v) { v.coverage[0].claimed = false; }},
      {"the default case was not tried", [](Verdict& v) { v.coverage[0].seeds = 0; }},
      {"input sets below zero", [](Verdict& v) { v.coverage[0].seeds = -5; }},
      {"more input sets than were asked for", [](Verdict& v) { v.coverage[0].seeds = 6; }},
      {"a smaller default case", [](Verdict& v) { v.coverage[0].binding.symbols["N"] = 1; }},
      {"a default case without sizes", [](Verdict& v) { v.coverage[0].binding.symbols.clear(); }},
      {"a size that the op does not have", [](Verdict& v) { v.coverage[0].binding.symbols["M"] = 3; }},
      {"a negative size", [](Verdict& v) { v.coverage[0].binding.symbols["N"] = -64; }},
      {"a constant that nobody gave", [](Verdict& v) { v.coverage[0].binding.constants["eps"] = 0; }},
      {"a case under the default's name", [](Verdict& v) { v.coverage[0].case_name = "odd"; }},
      {"an odd case that is not tried",
       [](Verdict& v) {
         v.coverage.push_back(v.coverage[0]);
         v.coverage[1].case_name = "odd";
         v.coverage[1].seeds = 0;
       }},
      {"an odd case that is not claimed",
       [](Verdict& v) {
         v.coverage.push_back(v.coverage[0]);
         v.coverage[1].case_name = "odd";
         v.coverage[1].claimed = false;
       }},
  };
}

std::vector<Forgery> of_proofs() {  // and of the kernels
  return {
      {"no elements", [](Verdict& v) { v.proof.elements.reset(); }},
      {"no element compared",
       [](Verdict& v) {
         v.proof.elements = ElementCounts{0, 640, 0};
       }},
      {"elements compared below zero", [](Verdict& v) { v.proof.elements->compared = -640; }},
      {"elements unproved below zero", [](Verdict& v) { v.proof.elements->unproved = -1; }},
      {"elements not compared below zero", [](Verdict& v) { v.proof.elements->not_compared = -1; }},
      {"a line before the first was not executed",
       [](Verdict& v) {
         v.proof.reach = evidence::Reached{{{ptx::Miss::line, 0}}};
       }},
      {"varying, and names nothing",
       [](Verdict& v) {
         v.proof.reproducibility = Reproducibility::within_bound;
         v.proof.varying.clear();
       }},
      {"bitwise equal, but varying",
       [](Verdict& v) {
         v.proof.varying = {{"y", 3, 64}};
       }},
      {"more elements varying than there are",
       [](Verdict& v) {
         v.proof.reproducibility = Reproducibility::within_bound;
         v.proof.varying = {{"y", 65, 64}};
       }},
      {"varying elements below zero",
       [](Verdict& v) {
         v.proof.reproducibility = Reproducibility::within_bound;
         v.proof.varying = {{"y", -1, 64}};
       }},
      {"more mutants than there are",
       [](Verdict& v) { v.proof.mutants = evidence::MutantCounts{5, 3, 1, 0, 0, 2, {}}; }},
      {"mutants not tried below zero",
       [](Verdict& v) { v.proof.mutants = evidence::MutantCounts{5, 6, 0, 0, 0, -1, {}}; }},
      {"more survivors than there are",
       [](Verdict& v) { v.proof.mutants = evidence::MutantCounts{1, 1, 0, 0, 0, 0, {{}}}; }},
      {"unchecked where nothing is",
       [](Verdict& v) {
         v.proof.unchecked = {{"y", 1, 640, {}, {{"odd", {}, 0, 9}}, 0}};
       }},
      {"fewer shapes than those that are not listed",
       [](Verdict& v) {
         v.proof.tried = evidence::Tried{3, 4, {}};
       }},
      {"no size of a symbol",
       [](Verdict& v) {
         v.proof.tried = evidence::Tried{4, 3, {{"N", 5, 4, 1}}};
       }},
      {"registers below zero", [](Verdict& v) { v.resources[0].registers = -1; }},
      {"shared memory below zero", [](Verdict& v) { v.resources[0].static_shared = -1; }},
      {"a stack below zero", [](Verdict& v) { v.resources[0].stack = -1; }},
      {"spills below zero", [](Verdict& v) { v.resources[0].spill_stores = -1; }},
      {"reloads below zero", [](Verdict& v) { v.resources[0].spill_loads = -1; }},
      {"constants below zero", [](Verdict& v) { v.resources[0].constant = -1; }},
      {"barriers below zero", [](Verdict& v) { v.resources[0].barriers = -1; }},
      {"another kernel", [](Verdict& v) { v.resources[0].kernel = "other"; }},
      {"no PTX", [](Verdict& v) { v.ptx.clear(); }},
  };
}

std::vector<Forgery> of_metrics() {
  return {
      {"metrics of another device", [](Verdict& v) { v.metrics->device = "cuda:0"; }},
      {"metrics of an unknown kind", [](Verdict& v) { v.metrics->provenance = Provenance::unknown; }},
      {"modelled metrics", [](Verdict& v) { v.metrics->provenance = Provenance::modelled; }},
      {"metrics that the SIMT machine measured", [](Verdict& v) { v.metrics->provenance = Provenance::measured; }},
      {"metrics of another case", [](Verdict& v) { v.metrics->case_name = "tiny"; }},
      {"metrics of no case", [](Verdict& v) { v.metrics->case_name.clear(); }},
      {"a negative metric", [](Verdict& v) { v.metrics->values[0].second = -1; }},
      {"a metric just below zero", [](Verdict& v) { v.metrics->values[1].second = -1e-300; }},
      {"an infinite metric", [](Verdict& v) { v.metrics->values[0].second = infinity; }},
      {"a metric below everything", [](Verdict& v) { v.metrics->values[0].second = -infinity; }},
      {"a metric that is no number", [](Verdict& v) { v.metrics->values[0].second = nan; }},
      {"a metric twice", [](Verdict& v) { v.metrics->values.emplace_back("warps", 1); }},
      {"a line below zero", [](Verdict& v) { v.metrics->lines = {{-1}}; }},
      {"a negative floor", [](Verdict& v) { v.metrics->floor = Floor{-1}; }},
      {"a floor that is no number", [](Verdict& v) { v.metrics->floor = Floor{nan}; }},
      {"an infinite floor", [](Verdict& v) { v.metrics->floor = Floor{infinity}; }},
  };
}

const std::vector<Forgery>& of_acceptances() {
  static const std::vector<Forgery> all = [] {
    std::vector<Forgery> list;
    for (const auto& part : {of_stages(), of_cases(), of_proofs(), of_metrics()})
      list.insert(list.end(), part.begin(), part.end());
    return list;
  }();
  return all;
}

const std::vector<Forgery>& of_rejections() {  // at the stage cases
  static const std::vector<Forgery> all = {
      {"accepted after all", [](Verdict& v) { v.accepted = true; }},
      {"passed after the failure", [](Verdict& v) { at(v, Stage::determinism).outcome = Outcome::passed; }},
      {"measured after the failure", [](Verdict& v) { at(v, Stage::measure).outcome = Outcome::passed; }},
      {"failed twice", [](Verdict& v) { at(v, Stage::determinism).outcome = Outcome::failed; }},
      {"no reason for the rest", [](Verdict& v) { at(v, Stage::determinism).skipped = SkipReason::unknown; }},
      {"metrics", [](Verdict& v) { v.metrics = support::genuine_verdict(asked()).metrics; }},
      {"elements of cases that failed",
       [](Verdict& v) {
         v.proof.elements = ElementCounts{640, 0, 0};
       }},
      {"fewer elements than wrong ones",
       [](Verdict& v) {
         at(v, Stage::cases).failure = Failure{};
         at(v, Stage::cases).failure->element = FailingElement{"y", {3}, 6, 7, 1e-6, 4, 34, 33};
       }},
      {"wrong elements below zero",
       [](Verdict& v) {
         at(v, Stage::cases).failure = Failure{};
         at(v, Stage::cases).failure->element = FailingElement{"y", {3}, 6, 7, 1e-6, 4, -1, 33};
       }},
      {"failed for a reason that proves nothing", [](Verdict& v) { end(v, Outcome::failed, FaultKind::unsupported); }},
      {"failed by its budget", [](Verdict& v) { end(v, Outcome::failed, FaultKind::budget_exceeded); }},
      {"not judged, though proved wrong", [](Verdict& v) { end(v, Outcome::not_judged, FaultKind::trap); }},
      {"not judged without a reason", [](Verdict& v) { at(v, Stage::cases).outcome = Outcome::not_judged; }},
      {"the end of its own worker", [](Verdict& v) { end(v, Outcome::not_judged, FaultKind::killed); }},
      {"its own deadline", [](Verdict& v) { end(v, Outcome::not_judged, FaultKind::timeout); }},
      {"its own crash", [](Verdict& v) { end(v, Outcome::failed, FaultKind::crash); }},
      {"a fault at a negative line",
       [](Verdict& v) {
         at(v, Stage::cases).failure = Failure{};
         at(v, Stage::cases).failure->fault = Fault{};
         at(v, Stage::cases).failure->fault->line = -3;
       }},
  };
  return all;
}

}  // namespace

class RepliesTest : public QObject {
  Q_OBJECT
 private slots:
  void forgeriesAreCorrupt_data() {
    QTest::addColumn<bool>("accepted");
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < of_acceptances().size(); ++i)
      QTest::newRow(of_acceptances()[i].name) << true << static_cast<int>(i);
    for (std::size_t i = 0; i < of_rejections().size(); ++i)
      QTest::addRow("rejected: %s", of_rejections()[i].name) << false << static_cast<int>(i);
  }
  void forgeriesAreCorrupt() {
    QFETCH(bool, accepted);
    QFETCH(int, index);
    Verdict v = accepted ? support::genuine_verdict(asked()) : support::genuine_rejection(asked(), Stage::cases);
    const Status before = rpc::check_verdict(asked(), v);
    QVERIFY2(before, before ? "" : before.error().text().c_str());
    (accepted ? of_acceptances() : of_rejections()).at(static_cast<std::size_t>(index)).lie(v);
    const Status s = rpc::check_verdict(asked(), v);
    QVERIFY(!s);
    QCOMPARE(s.error().code, Code::corrupt);
    QVERIFY(!s.error().cause.empty());
  }
  void genuineOnesPass() {
    for (const Stage stage : all_stages) {
      Verdict v = support::genuine_rejection(asked(), stage);
      if (stage == Stage::contract) v.ptx.clear(), v.resources.clear();
      const Status s = rpc::check_verdict(asked(), v);
      QCOMPARE(s ? std::string() : s.error().text(), std::string());
    }
    rpc::GateRequest r = asked();
    r.measure = false;
    QVERIFY(rpc::check_verdict(r, support::genuine_verdict(r)));
    QVERIFY(!rpc::check_verdict(r, support::genuine_verdict(asked())));  // measured, which was not asked for
    r = asked();
    r.binding.symbols["N"] = 7;
    QVERIFY(rpc::check_verdict(r, support::genuine_verdict(r)));
    QVERIFY(!rpc::check_verdict(r, support::genuine_verdict(asked())));  // another default case
  }
  // What the candidate's own text forbids can have no acceptance, whatever the worker says.
  void candidatesThatCannotBeTriedAreNotAccepted() {
    const std::vector<std::string> texts = {
        "no candidate at all", "//@ candidate other\n" + script::candidate("x", "accepted"),
        "//@ candidate scale\n//@ launch k grid(1) block(32) args(x)\nextern \"C\" __global__ void k() {}\n",
        "//@ require N % 7 == 0\n" + script::candidate("x", "accepted"),
        script::candidate("x", "accepted") + "//@ require N % 7 == 0\n"};
    for (const std::string& text : texts) {
      rpc::GateRequest r = asked();
      r.candidate = text;
      const Status s = rpc::check_verdict(r, support::genuine_verdict(r));
      QVERIFY2(!s && s.error().code == Code::corrupt, text.c_str());
    }
  }
};

QTEST_GUILESS_MAIN(RepliesTest)
#include "replies_test.moc"
