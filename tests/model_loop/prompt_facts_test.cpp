// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <set>
#include "evidence/case_kind.h"
#include "evidence/explain.h"
#include "explore/script.h"
#include "gate/fake_device.h"
#include "gate/gate.h"
#include "device/work_limits.h"
#include "model_loop/prompt_facts.h"
#include "op/parse.h"
#include "support/timed_verdict.h"

using namespace ww;
using namespace ww::appraisal;
using namespace ww::model_loop;

class PromptFactsTest : public QObject {
  Q_OBJECT
 private slots:
  void numbersSayWhereTheyComeFrom() {
    RunContext g;
    g.spec = op::parse_spec(script::spec).value();
    g.binding.symbols = {{"N", 64}};
    g.device = "cuda:0";
    g.architecture = "sm_90";
    g.rules = RankRules::load().value();
    store::CandidateRecord c;
    c.text =
        "//@ candidate scale\n//@ launch k grid(ceildiv(N, 64)) block(64) args(x, y)\n"
        "extern \"C\" __global__ void k() {}\n";
    c.language = candidate::Language::cuda;
    c.resources.push_back({"k", 40, 128, 0, 16, 24, 0, 0});
    QVERIFY(numbers_text(g, c).whole.starts_with("Not measured."));
    c.verdict = ww::testing::timed(20, 19.8, 20.2, 100, "NVIDIA H200");
    c.verdict->metrics->floor = evidence::Floor{10};
    c.verdict->metrics->values.emplace_back("dram__bytes.sum", 4096);
    const llm::SheetText numbers = numbers_text(g, c);
    const std::string& text = numbers.whole;
    for (const char* part :
         {"measured, cold L2 cache: median 20 us, quartiles 19.8 to 20.2",
          "modelled: 10 us, so the kernel reaches 50 %", "counters, measured: dram__bytes.sum 4096",
          "modelled by ptxas for sm_90: 40 registers", "spills 16 bytes of stores and 24", "occupancy, modelled: "})
      QVERIFY2(text.find(part) != std::string::npos, (std::string(part) + "\n" + text).c_str());
    QVERIFY(text.find("simulated") == std::string::npos);
    QVERIFY(text.find("Launch k: 1 blocks") != std::string::npos);
    QVERIFY(numbers.without_sources && numbers.without_sources->find("Launch 1: 1 blocks") != std::string::npos);
    QVERIFY(numbers.without_sources->find("measured, cold L2 cache: median 20 us") != std::string::npos);
    c.verdict->metrics->lines = {{2, 90, 0, 0, 0, 0, 0}, {3, 10, 0, 7, 0, 0, 0}, {4, 0, 0, 0, 0, 0, 0}};
    QCOMPARE(lines_text(c), std::string("Share of the warp instructions by source line (measured):\nline 2: 90.0 %: "
                                        "//@ launch k grid(ceildiv(N, 64)) block(64) args(x, y)\n"
                                        "line 3: 10.0 %, 7 global sectors: extern \"C\" __global__ void k() {}\n"));
    c.verdict->metrics->lines = {{1, 40, 0, 0, 0, 0, 0}, {2, 20, 0, 0, 1, 1, 0}, {3, 40, 0, 1, 0, 0, 0}};
    QVERIFY(
        lines_text(c, 2).ends_with("\nline 3: 40.0 %, 1 global sector: extern \"C\" __global__ void k() {}\n"
                                   "line 1: 40.0 %: //@ candidate scale\n"));
    QVERIFY(case_facts(g).find("input x: f32 64\n") != std::string::npos);
    profile::DeviceDetails d;
    d.gpu = "NVIDIA H200";
    d.architecture = "sm_90";
    d.free_memory = 1234567;
    g.details = d;
    QVERIFY(device_facts(g).find("NVIDIA H200 (sm_90)") != std::string::npos);
    QVERIFY(device_facts(g).find("1234567") == std::string::npos);  // what changes from run to run is not told
    QVERIFY(context_sheet(g).at("reference").whole.find("Tolerance of y (f32)") != std::string::npos);
  }

  // Whatever device judges, the prompt names each fixed case that a judgement runs, and no other.
  void theCasesAreThoseThatAJudgementRuns_data() {
    QTest::addColumn<QString>("device");
    QTest::addColumn<qint64>("rows");
    QTest::newRow("simulated") << "simt" << qint64{64};
    QTest::newRow("simulated, too large") << "simt" << qint64{1 << 20};
    QTest::newRow("hardware") << "cuda:0" << qint64{64};
  }
  void theCasesAreThoseThatAJudgementRuns() {
    QFETCH(QString, device);
    QFETCH(qint64, rows);
    RunContext g;
    g.spec = op::parse_spec(
                 "op scale(x: f32[R, C]; a = 2.5, n = 3) -> y: f32[R, C]\n  default R = 64, C = 256\n{\n"
                 "  y[i, j] = a * x[i, j] + n\n}\n")
                 .value();
    g.binding.symbols = {{"R", rows}, {"C", 256}};
    g.device = device.toStdString();
    const std::string text = case_facts(g);

    test::FakeDevice fake;
    fake.what = device::open_simt()->facts();
    fake.what.name = g.device;
    const device::WorkLimits limits = device::work_limits(g.device);
    if (g.device == "simt") QCOMPARE(fake.what.default_work_limit, limits.default_case);
    fake.what.default_work_limit = limits.default_case;
    fake.what.case_work_limit = limits.further_case;
    test::FakeCompiler compiler;
    gate::ReferenceCache references;
    gate::Request request;
    request.spec = g.spec.text;
    request.binding = g.binding;
    request.candidate =
        "//@ candidate scale\n//@ launch k grid(1) block(32) args(x, y, R, C, a, n)\nextern \"C\" __global__ void "
        "k(const float* x, float* y, int r, int c, float a, int n) {}\n";
    const auto verdict = gate::judge(request, {&compiler, &fake, &references, 1});
    QVERIFY2(verdict, verdict ? "" : verdict.error().text().c_str());
    std::set<std::string> names;
    bool reduced = false;
    for (const evidence::CaseCoverage& c : verdict->coverage) {
      const std::string shown = c.case_name + " (" + evidence::binding_text(c.binding) + ")";
      switch (evidence::case_kind(c.case_name)) {
        case evidence::CaseKind::asked: break;
        case evidence::CaseKind::reduced:
          reduced = true;
          QVERIFY2(text.find("\"reduced\" (" + evidence::binding_text(c.binding) + ") is run") != std::string::npos,
                   text.c_str());
          break;
        case evidence::CaseKind::random:
        case evidence::CaseKind::constants:
        case evidence::CaseKind::compared:  // secret
          QVERIFY2(text.find(shown) == std::string::npos, text.c_str());
          break;
        default: names.insert(shown); QVERIFY2(text.find(shown) != std::string::npos, (shown + "\n" + text).c_str());
      }
    }
    QVERIFY(names.size() > 8);
    QCOMPARE(reduced, text.find("is too large") != std::string::npos);
    const std::string line = text.substr(text.find("unless a \"require\""));
    QCOMPARE(static_cast<std::size_t>(std::count(line.begin(), line.begin() + static_cast<long>(line.find('\n')), ';')),
             names.size() - 1);
    for (const char* kind : {"3 of random shapes", "10 with other constants", "6 in which a symbol is a number"})
      QVERIFY2(text.find(kind) != std::string::npos, text.c_str());
  }

  void whatAVerdictSaysWithoutSources() {
    store::CandidateRecord c;
    c.state = store::CandidateState::rejected;
    c.summary = "rejected at compile: SECRET is undefined";
    QCOMPARE(verdict_text(c).without_sources,
             std::optional<std::string>("rejected"));  // no verdict: of unknown content
    c.verdict.emplace();
    c.verdict->stages.push_back({evidence::Stage::compile, evidence::Outcome::failed, "SECRET is undefined"});
    QVERIFY(verdict_text(c).whole.find("SECRET") != std::string::npos);
    QCOMPARE(verdict_text(c).without_sources, std::optional<std::string>("rejected at compile"));
    c.verdict->stages = {{evidence::Stage::contract, evidence::Outcome::failed, "argument 5 of 'SECRET' is unknown"}};
    QCOMPARE(verdict_text(c).without_sources, std::optional<std::string>("rejected at contract"));
  }

  void theReviewerIsToldWhatWasNotChecked() {
    store::CandidateRecord c;
    QCOMPARE(checked_text(c), std::string());
    c.verdict.emplace();
    evidence::Unchecked u;
    u.tensor = "y";
    u.count = 64;
    u.total = 1314713;
    c.verdict->proof.unchecked.push_back(u);
    QCOMPARE(checked_text(c), std::string("\nUnchecked: 64 of 1314713 elements of y have no finite error bound, so any "
                                          "value passes\n"));
  }

  void withoutSourcesTheClassOfFailureIsSaid() {
    store::CandidateRecord c;
    c.state = store::CandidateState::rejected;
    c.text = "SECRET text\nSECRET\n// error: none\n";
    c.verdict.emplace();
    c.verdict->stages.push_back({evidence::Stage::compile, evidence::Outcome::failed, "SECRET is undefined",
                                 "candidate.cu(1): error: SECRET\n  SECRET text // error: no message\n\n"
                                 "candidate.cu(2): error: SECRET\ncandidate.cu(3): warning: SECRET\n"});
    QVERIFY(failure_text(c).whole.find("candidate.cu(1): error") != std::string::npos);
    QCOMPARE(
        failure_text(c).without_sources,
        std::optional<std::string>("rejected at compile, errors of the compiler: 2\nThe code, and the messages that "
                                   "quote it, are withheld: the person sends no code to models."));
    QCOMPARE(ended_text(c), std::string("rejected at compile"));  // failure_text() says the rest
    QCOMPARE(code_text(c.text).whole, c.text);
    QVERIFY(code_text(c.text).without_sources->find("Withheld") == 0);
    QVERIFY(code_text(c.text).without_sources->find("SECRET") == std::string::npos);
  }

  // One number for the shared memory of a block: that of the target.
  void theLimitsAreThoseOfTheTarget() {
    RunContext g;
    g.spec = op::parse_spec(script::spec).value();
    g.device = "simt";
    g.rules = RankRules::load().value();
    for (const auto& [architecture, bytes] : {std::pair("sm_80", "166912"), {"sm_90", "232448"}}) {
      g.architecture = architecture;
      llm::Sheet sheet = context_sheet(g);
      QVERIFY(sheet.at("device").whole.find(std::string(bytes) + " a block") != std::string::npos);
      QVERIFY(sheet.at("device").without_device_name->find(std::string(bytes) + " a block") != std::string::npos);
      const auto prompt = llm::PromptLibrary::load().value().make("writer", sheet, 0);
      QVERIFY2(prompt, prompt ? "" : prompt.error().text().c_str());
      std::string all;
      for (const llm::Message& m : prompt->messages) all += m.text() + "\n";
      QVERIFY(all.find("227 KB") == std::string::npos);
      QVERIFY(all.find(std::string(bytes) + " a block") != std::string::npos);
    }
  }

  void theHistoryKeepsTheBestAndMergesWhatFailedAlike() {
    std::vector<generator::Feedback> all(20);
    std::vector<std::string> notes;
    for (std::size_t i = 0; i < all.size(); ++i) {
      generator::Feedback& f = all[i];
      f.hash = std::string(1, static_cast<char>('a' + i)) + "0123456789abcdef";
      f.accepted = f.ranked = i < 15;
      f.score = i == 1 ? 50 : 100 + static_cast<double>(i);
      f.parent = i == 2 ? all[0].hash : "";
      f.verdict = i < 15   ? "proved"
                  : i < 18 ? "rejected at smoke: y[" + std::to_string(i) + "] is wrong\nmore"
                           : "rejected at compile: error " + std::string(i == 18 ? "one" : "two");
      notes.push_back("change " + std::to_string(i));
    }
    std::vector<const generator::Feedback*> list;
    for (const generator::Feedback& f : all) list.push_back(&f);
    const std::string text = attempts_text(list, notes, "slots", all[0].hash, 6);
    QCOMPARE(text, std::string("(12 earlier ones are left out)\n"
                               "- change 0: proved, 100 slots (a0123456789a, the candidate to start from)\n"
                               "- change 1: proved, 50 slots (b0123456789a, the best so far)\n"
                               "- change 14: proved, 114 slots (o0123456789a)\n"
                               "- 3 x change 15; change 16; change 17: rejected at smoke: y[17] is wrong "
                               "(r0123456789a)\n"
                               "- change 18: rejected at compile: error one (s0123456789a)\n"
                               "- change 19: rejected at compile: error two (t0123456789a)\n"));
    const std::string whole = attempts_text(list, notes, "slots", all[0].hash, 100);
    QVERIFY2(whole.find("change 2: proved, 102 slots (c0123456789a, made from the candidate to start from)") !=
                     std::string::npos &&
                 whole.find("left out") == std::string::npos,
             whole.c_str());
    QCOMPARE(attempts_text({}, {}, "slots"), std::string());
    all.resize(4);  // repeats of one program, and faults at two addresses
    for (std::size_t i = 0; i < 2; ++i) all[i].duplicate_of = all[3].hash, all[i].ranked = false;
    for (std::size_t i = 0; i < 2; ++i) all[i].verdict = "the same program";
    all[2].accepted = false, all[2].verdict = "rejected: reads 0x7ff0a1";
    all[3] = all[2], all[3].hash = "w0123456789abcdef", all[3].verdict = "rejected: reads 0xbeef";
    list = {&all[0], &all[1], &all[2], &all[3]};
    QCOMPARE(attempts_text(list, notes, "slots"),
             std::string("- 2 x change 0; change 1: the same program (b0123456789a)\n"
                         "- 2 x change 2; change 3: rejected: reads 0xbeef "
                         "(w0123456789a)\n"));
  }

  void wrongElementsAreShownWithTheirPattern() {
    evidence::WrongMap map;
    map.tensor = "y";
    map.shape = {2, 16};
    map.rows = 2;
    map.columns = 16;
    map.wrong_matrices = 1;
    map.failure.element = evidence::FailingElement{"y", {1, 0}, 1, 2, 1e-6, 4, 16, 32};
    map.wrong_elements = {evidence::WrongPattern::rows, {1, 0, 1}, {0, 1, 16}, {}, 1};
    map.wrong_values = {evidence::WrongRule::scaled, 2, 0, 0};
    evidence::WrongMatrix m;
    m.wrong = 16;
    for (std::int64_t i = 0; i < 32; ++i) {
      m.element.push_back(i);
      m.expected.push_back(static_cast<double>(i));
      m.actual.push_back(i < 16 ? static_cast<double>(i) : 2.0 * static_cast<double>(i));
      m.ratio.push_back(i < 16 ? 0.5 : 100);
    }
    m.unwritten = {31};
    map.maps = {m};
    const llm::SheetText text = wrong_elements_text(map);
    QVERIFY2(text.whole.starts_with("16 of 32 elements are wrong: the last row. They are 2 times the right values.\n"
                                    "y[1, 0]: expected 16, got 32\ny[1, 2]: expected 18, got 36\n"),
             text.whole.c_str());
    QVERIFY2(text.whole.ends_with("\ny[1, 15]: expected 31, never written\n"), text.whole.c_str());
    QCOMPARE(std::count(text.whole.begin(), text.whole.end(), '\n'), 9);
    QCOMPARE(text.without_sources.value_or(""),
             std::string("16 of 32 elements are wrong: the last row. They are 2 times the right values."));
    map.maps.clear();
    QCOMPARE(wrong_elements_text(map).whole, *text.without_sources + "\n");
  }

  void theMachineIsDescribedAsItCounts() {
    RunContext g;
    g.spec = op::parse_spec(script::spec).value();
    g.device = "simt";
    g.architecture = "sm_90a";
    g.rules = RankRules::load().value();
    const std::string text = device_facts(g);
    QVERIFY2(text.find("a launch of fewer than 16 warps in all is charged") != std::string::npos, text.c_str());
    QVERIFY2(text.find("has 132 multiprocessors") != std::string::npos, text.c_str());
  }

  void oneMoveIsAsked() {
    llm::Diagnosis d;
    d.bottleneck = "loads";
    QVERIFY(diagnosis_text(d, 0, false).find("Take") == std::string::npos);  // at the wall
    d.moves = {{"one", "", 0}, {"two", "", 0}};
    QVERIFY(diagnosis_text(d, 0, false).ends_with("\nTake the first move that you can carry out well."));
    const std::string second = diagnosis_text(d, 1, false);
    QVERIFY(second.ends_with("take move 2.") && second.find("Take the first") == std::string::npos);
  }

  void anotherChangeIsAskedFor() {
    QCOMPARE(other_change_text(0, 0, 1), std::string());
    QCOMPARE(other_change_text(1, 0, 1),
             std::string("One attempt started from the candidate below already. Make a change that it did not make."));
    const std::string third = other_change_text(2, 2, 3);
    QVERIFY2(third.find("2 attempts started from the candidate below already. Make a change that they did not make. 3 "
                        "attempts start from it at the same time, and yours is number 3: make the third change you "
                        "think of.") == 0,
             third.c_str());
    QVERIFY(other_change_text(0, 0, 2).ends_with("yours is number 1: make the first change you think of."));
    QVERIFY(other_change_text(0, 1, 2).ends_with("make the second change you think of."));
    QVERIFY(other_structure_text(6, 9).ends_with("yours is number 7: take the 7th one you think of."));
    QVERIFY(other_structure_text(20, 64).ends_with("take the 21st one you think of."));
    QVERIFY(other_structure_text(11, 64).ends_with("take the 12th one you think of."));
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

QTEST_GUILESS_MAIN(PromptFactsTest)
#include "prompt_facts_test.moc"
