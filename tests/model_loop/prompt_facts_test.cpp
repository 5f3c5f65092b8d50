// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include "explore/script.h"
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
    QVERIFY(numbers_text(g, c).starts_with("Not measured."));
    c.verdict = ww::testing::timed(20, 19.8, 20.2, 100, "NVIDIA H200");
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
    QVERIFY(context_sheet(g).at("reference").whole.find("Tolerance of y (f32)") != std::string::npos);
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
    c.verdict->stages = {{evidence::Stage::smoke, evidence::Outcome::failed, "y[3] is wrong"}};
    QCOMPARE(verdict_text(c).without_sources, std::optional<std::string>("rejected at smoke: y[3] is wrong"));
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
