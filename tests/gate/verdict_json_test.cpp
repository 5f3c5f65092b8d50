// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include "evidence/explain.h"
#include "evidence/verdict_json.h"

using namespace ww;
using namespace ww::gate;
using Json = nlohmann::ordered_json;

namespace {

Failure failure() {
  Failure f;
  f.case_name = "odd";
  f.binding.symbols = {{"N", 33}, {"Big", std::int64_t{1} << 60}};
  f.binding.constants = {{"eps", 1e-5}, {"limit", std::numeric_limits<double>::infinity()}};
  f.distribution = op::Distribution::ramp;
  f.seed = 18446744073709551615u;
  FailingElement e;
  e.tensor = "y";
  e.index = {1, 0, 7};
  e.expected = -std::numeric_limits<double>::infinity();
  e.actual = std::nan("");
  e.tolerance = 0.1;
  e.error_ulps = 1.8446744073709552e19;
  e.wrong = 5;
  e.total = 9;
  f.element = e;
  Fault t;
  t.kind = FaultKind::out_of_bounds;
  t.message = "read 4 bytes past x";
  t.kernel = "k";
  t.line = 12;
  t.block[1] = 3;
  t.thread[0] = 31;
  t.address = 0xFFFFFFFFFFFFFF00u;
  t.buffer = "x";
  t.offset = -4;
  f.fault = t;
  f.depends_on = DependsOn::warps;
  return f;
}

compile::KernelResources resources() {
  compile::KernelResources r;
  r.kernel = "k";
  r.registers = 40;
  r.static_shared = 4096;
  r.stack = 16;
  r.spill_stores = 1;
  r.spill_loads = 2;
  r.constant = 372;
  r.barriers = 1;
  return r;
}

Metrics metrics() {
  Metrics m;
  m.provenance = Provenance::simulated;
  m.device = "simt";
  m.case_name = "default";
  m.values = {{"zeta", 3}, {"alpha", 1e300}, {"beta", 0.1}};  // order is kept
  m.lines = {{7, 1, 2, 3, 4, 5, 6, 8, 9}};
  m.floor = Floor{8.5, Floor::Rates::measured, profile::Limit::memory};
  m.impossible = "less than any kernel can take";
  return m;
}

Verdict full() {
  Verdict v;
  v.candidate = "abc123";
  v.device = "simt";
  v.seconds = 1.25;
  StageResult ok;
  ok.stage = Stage::contract;
  ok.outcome = Outcome::passed;
  ok.message = "claims 3 of 4 cases";
  ok.seconds = 0.5;
  v.stages.push_back(ok);
  StageResult bad;
  bad.stage = Stage::cases;
  bad.outcome = Outcome::failed;
  bad.message = "y[1] is wrong";
  bad.detail = "tab\tquote\" newline\n";
  bad.failure = failure();
  v.stages.push_back(bad);
  StageResult skipped;
  skipped.stage = Stage::measure;
  skipped.message = "not reached";
  skipped.skipped = SkipReason::not_reached;
  v.stages.push_back(skipped);
  v.coverage = {{"default", failure().binding, true, 5}, {"odd", {}, false, 0}};
  v.resources.push_back(resources());
  v.ptx = ".version 8.7\n";
  v.proof = {"NVRTC 13.0",
             true,
             "",
             "tiny",
             "0123456789abcdef",
             ElementCounts{637, 3, 0},
             Reproducibility::within_bound,
             {{"y", 1, 64}},
             {CheckCoverage::yes, CheckCoverage::partly, CheckCoverage::unknown, CheckCoverage::no},
             Reached{{{ptx::Miss::line, 7}, {ptx::Miss::one_way, 9}}}};
  v.proof.unchecked = {{"y", 3, 640, {"ones"}, {{"ones", op::Distribution::large, 3, 3}}, 1}};
  v.proof.tried = Tried{61, 40, {{"R", 1, 65537, 44}}};
  v.proof.mutants = MutantCounts{50, 41, 2, 3, 1, 3, {{op::Mutation::moved, Survival::not_tried, "y", "2", "3"}}};
  v.proof.surroundings = Surroundings{148, Varied::yes, Varied::no, Varied::unknown, Varied::absent};
  v.proof.also = AlsoJudged{"simt", Ruling::not_judged, "not judged at smoke: wgmma", "fedcba9876543210", {}, {}};
  v.metrics = metrics();
  return v;
}

}  // namespace

class VerdictJsonTest : public QObject {
  Q_OBJECT
 private slots:
  void everythingRoundTrips() {
    const Verdict v = full();
    const std::string text = verdict_to_json(v);
    const auto back = verdict_from_json(text);
    QVERIFY2(back.has_value(), back ? "" : back.error().text().c_str());
    QCOMPARE(verdict_to_json(*back), text);
    QCOMPARE(verdict_to_json(*verdict_from_json(verdict_to_json(v, 2))), text);
    const Failure& f = *back->stages.at(1).failure;
    QCOMPARE(f.seed, std::uint64_t{18446744073709551615u});
    QCOMPARE(f.binding.symbols.at("Big"), std::int64_t{1} << 60);
    QVERIFY(std::isinf(f.binding.constants.at("limit")));
    QVERIFY(std::isnan(f.element->actual));
    QCOMPARE(f.element->expected, -std::numeric_limits<double>::infinity());
    QCOMPARE(f.element->index, (std::vector<std::int64_t>{1, 0, 7}));
    QCOMPARE(f.fault->address, std::uint64_t{0xFFFFFFFFFFFFFF00u});
    QCOMPARE(f.fault->offset, std::int64_t{-4});
    QCOMPARE(f.fault->block[1], 3u);
    QCOMPARE(f.distribution, op::Distribution::ramp);
    QCOMPARE(back->metrics->values.at(0).first, std::string("zeta"));
    QCOMPARE(back->metrics->lines.at(0).divergent_branches, std::uint64_t{6});
    QCOMPARE(back->metrics->lines.at(0).global_bytes, std::uint64_t{9});
    QCOMPARE(back->resources.at(0).constant, std::int64_t{372});
    QCOMPARE(back->coverage.at(1).claimed, false);
    QCOMPARE(back->stages.at(2).outcome, Outcome::skipped);
    QVERIFY(back->proof.reach == v.proof.reach);
  }
  // What no case missed is known; of what is not written down, nothing is.
  void whatRanIsKnownOrNot() {
    Verdict v = full();
    v.proof.reach = Reached{};
    QVERIFY(verdict_from_json(verdict_to_json(v))->proof.reach.has_value());
    v.proof.reach.reset();
    QVERIFY(!verdict_from_json(verdict_to_json(v))->proof.reach.has_value());
  }

  void noDistanceToNan() {
    FailingElement e = *failure().element;
    QCOMPARE(element_text(e),
             std::string("y[1, 0, 7]: expected -inf, got NaN (tolerance 0.1); 5 of 9 elements are wrong"));
    e.expected = e.actual;
    e.actual = 2;
    QCOMPARE(element_text(e),
             std::string("y[1, 0, 7]: expected NaN, got 2 (tolerance 0.1); 5 of 9 elements are wrong"));
    e.expected = 1;
    e.error_ulps = 3;
    QCOMPARE(element_text(e),
             std::string("y[1, 0, 7]: expected 1, got 2 (tolerance 0.1, error 3 ulp); 5 of 9 elements are wrong"));
  }

  void theSchemaIsWhatTheHeaderSays() {
    const Json j = Json::parse(verdict_to_json(full()));
    QCOMPARE(j["version"].get<int>(), 3);
    QCOMPARE(j["proof"]["reproducibility"].get<std::string>(), std::string("within bound"));
    QCOMPARE(j["proof"]["checks"]["races"].get<std::string>(), std::string("no"));
    QCOMPARE(j["stages"][1]["failure"]["element"]["actual"].get<std::string>(), std::string("nan"));
    QCOMPARE(j["stages"][1]["failure"]["element"]["expected"].get<std::string>(), std::string("-inf"));
    QCOMPARE(j["stages"][1]["failure"]["distribution"].get<std::string>(), std::string("ramp"));
    QVERIFY(!j["stages"][0].contains("failure"));
    QVERIFY(!j["stages"][0].contains("detail"));
    QCOMPARE(j["summary"].get<std::string>(), full().summary());
    QVERIFY(j["metrics"]["values"].is_object());
  }
  void whatWasTriedRoundTrips() {
    const Verdict back = verdict_from_json(verdict_to_json(full())).value();
    QVERIFY(same(back.proof, full().proof));
    QCOMPARE(back.stages.at(2).skipped, SkipReason::not_reached);
    QVERIFY(back.metrics->floor && back.metrics->floor->us == 8.5);
    QCOMPARE(back.metrics->floor->rates, Floor::Rates::measured);
    QCOMPARE(back.metrics->floor->limit, profile::Limit::memory);
    QCOMPARE(back.metrics->impossible, full().metrics->impossible);
  }
  void versionOneSaysNothingOfWhatWasTried() {
    Json old = Json::parse(verdict_to_json(full()));
    old["version"] = 1;
    old.erase("proof");
    old["stages"][1]["failure"]["fault"]["kind"] = "a word of long ago";
    old["metrics"].erase("floor");
    old["metrics"].erase("impossible");
    old["metrics"]["values"]["floor_us"] = 8.5;
    old["metrics"]["values"]["impossible"] = 1;
    old["metrics"]["conditions"]["impossible"] = "too fast";
    const Result<Verdict> v = verdict_from_json(old.dump());
    QVERIFY2(v, v ? "" : v.error().text().c_str());
    QVERIFY(!v->proof.elements);
    QCOMPARE(v->proof.reproducibility, Reproducibility::unknown);
    QCOMPARE(v->proof.checks, Checks());
    QCOMPARE(v->stages.at(1).failure->fault->kind, FaultKind::unknown);
    QCOMPARE(v->stages.at(2).skipped, SkipReason::unknown);
    QVERIFY(v->metrics->floor && v->metrics->floor->us == 8.5);
    QCOMPARE(v->metrics->floor->rates, Floor::Rates::unknown);
    QCOMPARE(v->metrics->impossible, std::string("too fast"));
    QCOMPARE(v->metrics->values.size(), full().metrics->values.size());
  }
  void versionOneHadTheFloorInWords() {
    const auto metrics_with = [](const std::string& floor, bool value) {
      Json old = Json::parse(verdict_to_json(full()));
      old["version"] = 1;
      old.erase("proof");
      old["metrics"].erase("floor");
      if (value) old["metrics"]["values"]["floor_us"] = 8.5;
      old["metrics"]["conditions"]["floor"] = floor;
      return *verdict_from_json(old.dump())->metrics;
    };
    const Metrics measured = metrics_with("modelled: memory, at measured rates", true);
    QCOMPARE(measured.floor->rates, Floor::Rates::measured);
    QCOMPARE(measured.floor->limit, profile::Limit::memory);
    const Metrics datasheet = metrics_with("modelled: compute, at the datasheet's rates", true);
    QCOMPARE(datasheet.floor->rates, Floor::Rates::datasheet);
    QCOMPARE(datasheet.floor->limit, profile::Limit::compute);
    const Metrics none = metrics_with("not known: no rates", false);
    QVERIFY(!none.floor);
    QCOMPARE(none.floor_why_not, std::string("no rates"));
  }
  // Older verdicts called a failure what had only run out of something.
  void whatNothingProvedWasNotJudged_data() {
    QTest::addColumn<int>("version");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("ruling");
    QTest::newRow("a deadline") << 2 << "timeout"
                                << "not judged";
    QTest::newRow("a budget") << 2 << "infinite loop"
                              << "not judged";
    QTest::newRow("a budget of long ago") << 1 << "infinite loop"
                                          << "not judged";
    QTest::newRow("unsupported") << 2 << "unsupported"
                                 << "not judged";
    QTest::newRow("out of bounds") << 2 << "out of bounds"
                                   << "rejected";
    QTest::newRow("a crash") << 2 << "crash"
                             << "rejected";
  }
  void whatNothingProvedWasNotJudged() {
    QFETCH(int, version);
    QFETCH(QString, kind);
    QFETCH(QString, ruling);
    Json old = Json::parse(verdict_to_json(full()));
    old["version"] = version;
    old["accepted"] = false;
    old["stages"][1]["failure"]["fault"]["kind"] = kind.toStdString();
    const Result<Verdict> v = verdict_from_json(old.dump());
    QVERIFY2(v, v ? "" : v.error().text().c_str());
    QCOMPARE(QString::fromStdString(enum_string(v->ruling())), ruling);
    QVERIFY2(v->summary().starts_with(ruling.toStdString() + " at cases"), v->summary().c_str());
    QCOMPARE(verdict_from_json(verdict_to_json(*v))->ruling(), v->ruling());
  }
  void onlyWhatProvesSomethingDecides() {
    for (const Enumerator<FaultKind>& kind : names_of(FaultKind())) {
      Verdict v;
      v.device = "simt";
      StageResult last{Stage::smoke, decides(kind.value) ? Outcome::failed : Outcome::not_judged, "it ended"};
      last.failure.emplace().fault.emplace().kind = kind.value;
      v.stages = {last};
      QCOMPARE(v.ruling() == Ruling::rejected, decides(kind.value));
      QCOMPARE(remedy_of(v).sentence.empty(), decides(kind.value));
      QCOMPARE(failure_text(v).find("Not judged") == std::string::npos, decides(kind.value));
    }
  }
  void anEmptyVerdictRoundTrips() {
    const auto back = verdict_from_json(verdict_to_json({}));
    QVERIFY(back.has_value());
    QVERIFY(!back->metrics);
    QVERIFY(back->ptx.empty());
  }
  void textThatIsNoUtf8IsStillWritten() {
    Verdict v = full();
    v.stages[1].detail = "bad \xff\xfe bytes";
    QVERIFY(verdict_from_json(verdict_to_json(v)).has_value());
  }
  void everyMissingOrWrongMemberIsNamed() {
    const Json whole = Json::parse(verdict_to_json(full()));
    for (const auto& [name, value] : whole.items()) {
      if (name == "summary" || name == "ruling") continue;  // written for readers, not read
      Json wrong = whole;
      wrong[name] = Json::object({{"no", Json(nullptr)}});
      const auto r = verdict_from_json(wrong.dump());
      QVERIFY2(!r, name.c_str());
      QCOMPARE(r.error().code, Code::corrupt);
      if (name == "ptx" || name == "metrics") continue;
      Json missing = whole;
      missing.erase(name);
      const auto m = verdict_from_json(missing.dump());
      QVERIFY2(!m, name.c_str());
      QVERIFY2(m.error().cause.find("'" + name + "'") != std::string::npos, m.error().cause.c_str());
    }
    Json unknown = whole;
    unknown["stages"][0]["stage"] = "guess";
    QVERIFY(!verdict_from_json(unknown.dump()));
    Json newer = whole;
    newer["version"] = 4;
    QVERIFY(!verdict_from_json(newer.dump()));
    for (const char* text : {"", "[]", "null", "3", "{", "{}", "\"x\""}) QVERIFY2(!verdict_from_json(text), text);
  }
  void summaries() {
    Verdict v = full();
    QCOMPARE(v.summary(), std::string("rejected at cases: y[1] is wrong"));
    v.stages.erase(v.stages.begin() + 1);
    v.accepted = true;
    QCOMPARE(v.summary(), std::string("proved: 1 case x 5 seeds, 1 not claimed"));
    v.coverage = {{"default", {}, true, 2}, {"a", {}, true, 5}, {"b", {}, true, 5}};
    QCOMPARE(v.summary(), std::string("proved: 3 cases x 2 to 5 seeds"));
    v.coverage[0].seeds = 5;
    QCOMPARE(v.summary(), std::string("proved: 3 cases x 5 seeds"));
  }
};

QTEST_GUILESS_MAIN(VerdictJsonTest)
#include "verdict_json_test.moc"
