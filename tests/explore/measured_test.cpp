// SPDX-License-Identifier: Apache-2.0
// Runs on a device that measures: what is ranked, what is said, and what becomes of a worker whose device is gone.
#include <QtTest>
#include "evidence/explain.h"
#include "generator/run_options.h"
#include "report/report.h"
#include "explore/run.h"
#include "script.h"
#include "store/workspace.h"
#include "support/workspaces.h"

using namespace ww;
using namespace ww::explore;
using namespace ww::appraisal;
using namespace ww::generator;
using namespace ww::report;

class MeasuredTest : public QObject, ww::support::WithWorkspace {
  Q_OBJECT
  std::string said_;
  int judging_ = 0, most_ = 0;

  RunOptions options(const std::vector<std::string>& fates) {
    RunOptions o;
    o.spec = script::spec;
    o.generator = "manual";
    o.device = "cuda:0";
    o.architecture.clear();
    qputenv("WARPWRIGHT_WORKER", SCRIPTED_WORKER);  // resumed runs use it, too
    for (const std::string& fate : fates)
      o.given.push_back(
          {script::candidate(std::to_string(o.given.size()), fate), candidate::Language::cuda, "", "plain", ""});
    return o;
  }
  Result<RunEnded> go(const RunOptions& o) {
    said_.clear();
    judging_ = most_ = 0;
    return explore::run(*workspace_, o, [this](const Event& e) {
      if (const auto* s = std::get_if<RunStarted>(&e)) run_ = s->run;
      if (const auto* m = std::get_if<RunMessage>(&e)) said_ += m->text + "\n";
      if (const auto* p = std::get_if<CandidateProgress>(&e); p && p->progress.message == "started")
        most_ = std::max(most_, ++judging_);
      if (std::holds_alternative<CandidateJudged>(e)) --judging_;
    });
  }
  std::vector<CandidateRow> rows() { return rows_of(*workspace_, run_).value(); }
  static int fresh_workers(const std::string& said) {
    return static_cast<int>(QString::fromStdString(said).count("fresh worker"));
  }

 private slots:
  void init() { renew(); }

  void times_rank_and_carry_their_spread() {
    const auto ended = go(options({"measured 30 20", "measured 10 8", "rejected", "measured 20 15"}));
    QVERIFY2(ended, ended ? "" : ended.error().text().c_str());
    QCOMPARE(ended->state, store::RunState::done);
    const auto list = rows();
    QCOMPARE(list.size(), std::size_t{4});
    QCOMPARE(list[0].rank, std::optional<int>(3));
    QCOMPARE(list[1].rank, std::optional<int>(1));
    QVERIFY(!list[2].rank && !list[2].score);
    QCOMPARE(list[3].rank, std::optional<int>(2));
    QCOMPARE(list[1].score->provenance, Provenance::measured);
    QCOMPARE(list[1].score->unit, std::string("µs"));
    QCOMPARE(list[1].score->value, 10.0);
    QCOMPARE(spread_text(*list[1].score), std::string(" (quartiles 9.8 to 10.3, 80 % of the roofline)"));
    QCOMPARE(spread_text(Score{5, Provenance::simulated, "slots"}), std::string());
  }

  void workers_take_turns_on_the_device() {
    const std::string alone = "alone " + workspace_->folder().string() + "/turn";
    RunOptions o = options(std::vector<std::string>(9, alone));
    o.workers = 8;
    const auto ended = go(o);
    QVERIFY(ended);
    QCOMPARE(ended->accepted, 9);
    QVERIFY2(most_ == 2 || most_ == 3, std::to_string(most_).c_str());
  }

  void the_device_says_what_to_compile_for() {
    RunOptions o = options({"measured 30 20", "measured 10 8", "measured 11 8", "measured 12 8"});
    o.workers = 1;
    QVERIFY(go(o));
    QCOMPARE(most_, 1);
    const store::RunRecord record = workspace_->run(run_).value();
    QCOMPARE(record.architecture, std::string("sm_90"));
    QCOMPARE(options_from_json(record.options)->architecture, std::string("sm_90"));
    QCOMPARE(fresh_workers(said_), 0);  // the one that was asked goes on to judge
    std::string environment;
    const auto messages = workspace_->messages(run_).value();
    for (const store::MessageRecord& m : messages)
      if (m.level == store::MessageLevel::environment) environment += m.text;
    QVERIFY2(environment.find("\"profile\": \"cuda\"") != std::string::npos, environment.c_str());
  }

  void an_architecture_that_is_given_stays() {
    RunOptions o = options({"measured 30 20"});
    o.architecture = "sm_80";
    QVERIFY(go(o));
    QCOMPARE(workspace_->run(run_)->architecture, std::string("sm_80"));
    o = options({"accepted 5"});
    o.device = "simt";
    o.architecture = "native";
    QVERIFY(go(o));
    QCOMPARE(workspace_->run(run_)->architecture, std::string("sm_80"));
  }

  void a_device_that_is_not_there_is_an_error_before_the_run() {
    RunOptions o = options({"measured 30 20"});
    o.device = "cuda:7";
    const auto ended = go(o);
    QVERIFY(!ended);
    QCOMPARE(ended.error().code, Code::unavailable);
    QVERIFY(workspace_->runs()->empty());
  }

  void impossible_times_are_accepted_and_not_ranked() {
    QVERIFY(go(options({"measured 30 20", "measured 3 8", "measured 2 8"})));
    const auto list = rows();
    QCOMPARE(list[0].rank, std::optional<int>(1));
    for (const std::size_t i : {1, 2}) {
      QCOMPARE(list[i].state, store::CandidateState::accepted);
      QVERIFY(!list[i].score && !list[i].rank);
    }
    QVERIFY2(
        said_.find(
            "candidate 2 is proved, but has no rank: its time of 3 µs is shorter than any right kernel can take") !=
            std::string::npos,
        said_.c_str());
    QVERIFY(said_.find("candidate 3") != std::string::npos);
  }

  void simulated_and_measured_are_never_ranked_together() {
    QVERIFY(go(options({"measured 30 20", "accepted 5", "measured 40 20"})));
    const auto list = rows();
    QCOMPARE(list[0].rank, std::optional<int>(1));
    QVERIFY(!list[1].rank && !list[1].score);
    QCOMPARE(list[2].rank, std::optional<int>(2));
    QVERIFY2(said_.find("never compared") != std::string::npos, said_.c_str());
  }

  void scores_of_two_kinds_in_the_store_rank_by_the_first() {
    QVERIFY(go(options({"measured 30 20", "measured 20 15"})));
    store::CandidateRecord odd;
    odd.run = run_;
    odd.text = odd.hash = "odd";
    const std::int64_t id = workspace_->add_candidate(odd).value();
    evidence::Verdict v;
    v.accepted = true;
    QVERIFY(workspace_->set_verdict(id, v, 1.0, Provenance::simulated, "simulated issue slots"));
    const auto list = rows();
    QCOMPARE(list.size(), std::size_t{3});
    QVERIFY(!list[2].rank && list[2].score);
    QCOMPARE(list[1].rank, std::optional<int>(1));
  }

  void workers_that_end_are_replaced_and_nothing_is_lost() {
    const auto ended =
        go(options({"measured 30 20", "leaves", "measured 10 8", "crash", "crash", "measured 20 15", "leaves"}));
    QVERIFY2(ended, ended ? "" : ended.error().text().c_str());
    QCOMPARE(ended->state, store::RunState::done);
    const auto list = rows();
    const char* states[] = {"accepted", "rejected", "accepted", "rejected", "rejected", "accepted", "rejected"};
    QCOMPARE(list.size(), std::size_t{7});  // the two that crash differ in their titles
    for (std::size_t i = 0; i < list.size(); ++i) {
      QCOMPARE(enum_string(list[i].state), std::string(states[i]));
      QVERIFY(workspace_->candidate(list[i].id)->verdict.has_value());
    }
    QCOMPARE(fresh_workers(said_), 3);  // after the first that left and after both crashes
    QVERIFY2(said_.find("candidate 3 was judged by a fresh worker (process ") != std::string::npos, said_.c_str());
  }

  void a_candidate_has_its_own_deadline() {
    RunOptions o = options({"hang", "measured 10 8"});
    o.candidate_seconds = 0.2;
    QVERIFY(go(o));
    const auto list = rows();
    QCOMPARE(list[0].state, store::CandidateState::not_judged);
    QCOMPARE(workspace_->candidate(list[0].id)->verdict->last_fault(), FaultKind::timeout);
    QVERIFY2(list[0].verdict.find("deadline") != std::string::npos, list[0].verdict.c_str());
    QCOMPARE(list[1].rank, std::optional<int>(1));
    QCOMPARE(options_from_json(options_to_json(o))->candidate_seconds, 0.2);
  }

  void options_of_older_runs_are_read() {
    std::string text = options_to_json(options({"rejected"}));
    const std::string key = "\"candidate_seconds\":60.0,";
    const std::size_t at = text.find(key);
    QVERIFY2(at != std::string::npos, text.c_str());
    text.erase(at, key.size());
    QCOMPARE(options_from_json(text)->candidate_seconds, 60.0);
  }

  void the_report_shows_times() {
    QVERIFY(go(options({"measured 30 20", "measured 10 8", "measured 3 8"})));
    const std::string html = html_report(*workspace_, run_).value();
    const auto has = [&](const char* text) { return html.find(text) != std::string::npos; };
    QVERIFY(has("Time, µs") && has("Quartiles, µs") && has("Of the roofline"));
    QVERIFY(has("9.8 to 10.3") && has("80 %"));
    QVERIFY(has("Measured with: gpu") && has("NVIDIA H200"));
    QVERIFY(has("not ranked: see the log"));
    QVERIFY(has("Time of each proved candidate"));
    QVERIFY(!has("Composition of the cost") && !has("Weights of the simulated cost"));
  }
};

QTEST_GUILESS_MAIN(MeasuredTest)
#include "measured_test.moc"
