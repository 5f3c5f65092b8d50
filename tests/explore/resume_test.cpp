// SPDX-License-Identifier: Apache-2.0
// Runs that are interrupted: cancelled, killed with their process, or led by another one; and how they go on.
#include <QtTest>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include "base/files.h"
#include "explore/observed_run.h"
#include "support/workspaces.h"

using namespace ww;
using namespace ww::explore;
using namespace ww::generator;
using namespace ww::testing;
namespace fs = std::filesystem;

class ResumeTest : public QObject, ww::support::WithWorkspace {
  Q_OBJECT
 private slots:
  void init() {
    renew();
    use(endless);
  }

  void cancelledAndResumed() {
    const std::string marker = (fresh().string() + "-marker");
    use([&](const GeneratorRequest& r, int call) -> Result<std::vector<Proposal>> {
      if (call > 0 || !r.history.empty()) return std::vector<Proposal>{proposal("later", "accepted 5")};
      return std::vector<Proposal>{proposal("a", "accepted 10"), proposal("b", "hang-unless " + marker),
                                   proposal("c", "accepted 20")};
    });
    Log log(*workspace_);
    std::stop_source stop;
    log.also = [&](const Event& e) {
      if (const auto* p = std::get_if<CandidateProgress>(&e); p && p->progress.stage == "cases" && p->candidate == 2)
        stop.request_stop();
    };
    const auto ended = explore::run(*workspace_, options_with(4), log.handler(), stop.get_token());
    QCOMPARE(ended->state, store::RunState::cancelled);
    QCOMPARE(workspace_->run(log.run)->state, store::RunState::cancelled);
    QCOMPARE(count(*workspace_, log.run, store::CandidateState::queued), 2);
    QVERIFY(!is_live(*workspace_, log.run));

    Log again(*workspace_);
    QVERIFY(write_file_atomic(marker, "go on"));
    const auto resumed = resume(*workspace_, log.run, again.handler());
    QVERIFY2(resumed, resumed ? "" : resumed.error().text().c_str());
    QCOMPARE(resumed->state, store::RunState::done);
    QCOMPARE(again.run, log.run);
    QCOMPARE(again.all<CandidateJudged>().size(), std::size_t{3});
    QCOMPARE(again.all<CandidateJudged>()[0].row.id, std::int64_t{2});  // queued ones first
    QCOMPARE(workspace_->run(log.run)->judged, 4);
    QVERIFY(workspace_->run(log.run)->ended > workspace_->run(log.run)->created);

    Log more(*workspace_);  // the budget is used up: nothing happens, until it is raised
    QCOMPARE(resume(*workspace_, log.run, more.handler())->state, store::RunState::done);
    QVERIFY(more.all<CandidateJudged>().empty());
    use(endless);
    QCOMPARE(resume(*workspace_, log.run, more.handler(), {}, Budget{6, 0})->state, store::RunState::done);
    QCOMPARE(workspace_->run(log.run)->judged, 6);
  }

  // What another program killed says nothing about the candidate; what reached a limit would reach it again.
  void whatFailedOutsideIsTriedAgain() {
    use([](const GeneratorRequest&, int call) -> Result<std::vector<Proposal>> {
      if (call > 0) return std::vector<Proposal>{};
      return std::vector<Proposal>{proposal("a", "accepted 10"), proposal("b", "accepted 20")};
    });
    Log log(*workspace_);
    QVERIFY(explore::run(*workspace_, options_with(2), log.handler()));
    const auto ended_by = [](FaultKind kind) {
      evidence::Verdict v;
      v.stages.resize(1);
      v.stages[0].outcome = evidence::Outcome::not_judged;
      v.stages[0].failure = evidence::Failure{};
      v.stages[0].failure->fault = Fault{};
      v.stages[0].failure->fault->kind = kind;
      return v;
    };
    QVERIFY(workspace_->set_verdict(1, ended_by(FaultKind::killed), {}, Provenance::unknown, ""));
    QVERIFY(workspace_->set_verdict(2, ended_by(FaultKind::memory_limit), {}, Provenance::unknown, ""));
    QCOMPARE(count(*workspace_, log.run, store::CandidateState::not_judged), 2);
    Log again(*workspace_);
    QVERIFY(resume(*workspace_, log.run, again.handler()));
    QCOMPARE(again.all<CandidateJudged>().size(), std::size_t{1});
    QCOMPARE(workspace_->candidate(1)->state, store::CandidateState::accepted);
    QCOMPARE(workspace_->candidate(2)->state, store::CandidateState::not_judged);
  }

  void survivesTheDeathOfItsProcess() {
    const fs::path folder = workspace_->folder();
    int ends[2];
    QVERIFY(::pipe(ends) == 0);
    workspace_.reset();
    const pid_t child = ::fork();
    if (child == 0) {
      auto w = store::Workspace::open(folder);
      if (!w) _exit(3);
      const EventHandler handler = [&](const Event& e) {
        if (const auto* j = std::get_if<CandidateJudged>(&e)) (void)!::write(ends[1], &j->row.id, sizeof j->row.id);
      };
      (void)explore::run(**w, options_with(100000, 2), handler);
      _exit(4);
    }
    ::close(ends[1]);
    std::vector<std::int64_t> reported;
    std::int64_t id = 0;
    while (reported.size() < 9 && ::read(ends[0], &id, sizeof id) == sizeof id) reported.push_back(id);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    while (::read(ends[0], &id, sizeof id) == sizeof id) reported.push_back(id);
    ::close(ends[0]);
    QVERIFY(reported.size() >= 9);

    workspace_ = store::Workspace::open(folder).value();
    const store::RunRecord before = workspace_->runs()->at(0);
    QCOMPARE(before.state, store::RunState::running);
    QVERIFY(!is_live(*workspace_, before.id));
    for (const std::int64_t r : reported) QVERIFY(workspace_->candidate(r)->verdict);
    std::size_t history = 0;
    use([&](const GeneratorRequest& r, int call) {
      if (call == 0) history = r.history.size();
      return endless(r, call + 1000);
    });
    Log log(*workspace_);
    const auto ended = resume(*workspace_, before.id, log.handler(), {}, Budget{before.proposed + 3, 0});
    QVERIFY2(ended, ended ? "" : ended.error().text().c_str());
    QCOMPARE(workspace_->run(before.id)->judged, before.proposed + 3);
    QVERIFY(history >= reported.size());
    const auto all = workspace_->candidates(before.id).value();
    for (const auto& c : all)
      QVERIFY(c.state != store::CandidateState::queued || c.id > before.proposed);  // the old ones first
  }

  void oneProcessAtATime() {
    use([](const GeneratorRequest&, int) -> Result<std::vector<Proposal>> {
      return std::vector<Proposal>{proposal("a", "hang")};
    });
    Log log(*workspace_);
    std::stop_source stop;
    std::mutex mutex;
    std::condition_variable started;
    std::int64_t run = 0;
    log.also = [&](const Event& e) {
      if (!std::holds_alternative<CandidateProgress>(e)) return;
      const std::lock_guard lock(mutex);
      run = log.run;
      started.notify_all();
    };
    std::thread thread([&] { (void)explore::run(*workspace_, options_with(4), log.handler(), stop.get_token()); });
    {
      std::unique_lock lock(mutex);
      started.wait(lock, [&] { return run != 0; });
    }
    const bool live = is_live(*workspace_, run);
    const auto second = resume(*workspace_, run, {});
    stop.request_stop();
    thread.join();
    QVERIFY(live);
    QVERIFY(!second);
    QCOMPARE(second.error().code, Code::unavailable);
    QCOMPARE(log.ended.state, store::RunState::cancelled);
  }

  // What a bundle or another program wrote into a run is held to the ranges of the command line, and to its own op.
  void changedOptionsAreNotResumed() {
    Log log(*workspace_);
    QVERIFY(explore::run(*workspace_, options_with(3), log.handler()));
    const std::string stored = workspace_->run(log.run)->options;
    const auto with = [&](const std::string& was, const std::string& is) {
      std::string text = stored;
      const std::size_t at = text.find(was);
      if (at == std::string::npos) qFatal("%s is not in %s", was.c_str(), stored.c_str());
      text.replace(at, was.size(), is);
      return workspace_->set_run_options(log.run, text);
    };
    for (const char* member : {"candidate_seconds", "launch_budget", "seeds", "workers", "candidates"}) {
      const std::string name = std::string("\"") + member + "\":";
      const std::size_t at = stored.find(name) + name.size();
      const std::string was = stored.substr(at, stored.find_first_of(",}", at) - at);
      QVERIFY(with(name + was, name + "2000000"));
      const auto resumed = resume(*workspace_, log.run, {});
      QVERIFY2(!resumed && resumed.error().code == Code::corrupt &&
                   resumed.error().cause.find(std::string("'") + member + "' is out of its range") != std::string::npos,
               member);
    }
    QVERIFY(with("2 * x[i]", "3 * x[i]"));
    const auto other = resume(*workspace_, log.run, {});
    QVERIFY(!other && other.error().code == Code::corrupt);
    QVERIFY2(other.error().message.find("and its options name different ops") != std::string::npos,
             other.error().message.c_str());
    QVERIFY(workspace_->set_run_options(log.run, stored) && resume(*workspace_, log.run, {}));
  }

  void optionsComeBack() {
    RunOptions o = options_with(7, 3);
    o.binding.symbols["N"] = 12;
    o.binding.constants["eps"] = 0.5;
    o.sentence = "a \"sentence\"\n";
    o.budget.minutes = 1.5;
    o.given = {proposal("a", "hang")};
    o.given[0].language = candidate::Language::ptx;
    const RunOptions back = options_from_json(options_to_json(o)).value();
    QCOMPARE(options_to_json(back), options_to_json(o));
    QVERIFY(back.binding == o.binding);
    QCOMPARE(back.given.at(0).text, o.given[0].text);
    QVERIFY(back.given.at(0).language == candidate::Language::ptx);
    o.budget.tokens = 123456789012;
    o.budget.money = 2.5;
    o.given[0].generator = "somebody";
    o.model.strategies = {"beam", "evolve"};
    o.model.writer = "ollama:qwen3-coder:30b";
    o.model.analyst = "none";
    o.model.mode = "ptx";
    o.model.temperature = 0.25;
    o.model.seed = 18446744073709551615u;
    o.model.effort = "high";
    o.model.output_tokens = 1000;
    o.model.prompt_tokens = 2000;
    o.model.parallel = 9;
    o.model.width = 7;
    o.model.children = 5;
    o.model.patience = 3;
    o.model.fixes = 0;
    o.model.limits = {false, true, false};
    o.model.replay_of = 12;
    o.model.terms = {{.model = "ollama:qwen3-coder:30b",
                      .context = 32768,
                      .price = llm::Price{.prompt = 2, .batch = 0.5},
                      .schemas = true,
                      .temperature = false},
                     {.model = "test:one"}};
    const RunOptions models = options_from_json(options_to_json(o)).value();
    QCOMPARE(options_to_json(models), options_to_json(o));
    QVERIFY(same(models, o));
    QCOMPARE(models.budget.tokens, o.budget.tokens);
    QCOMPARE(models.model.seed, o.model.seed);
    QCOMPARE(models.model.temperature, o.model.temperature);
    QVERIFY(models.model.limits == o.model.limits);
    QCOMPARE(models.model.strategies, o.model.strategies);
    // As runs before models were stored.
    const auto old = options_from_json(
        "{\"schema\": \"warpwright/run-options/1\", \"spec\": \"op\", \"binding\": {\"symbols\": {\"N\": 12}}, "
        "\"sentence\": \"\", \"generator\": \"search\","
        " \"device\": \"simt\", \"architecture\": \"sm_80\", \"budget\": {\"candidates\": 7, \"minutes\": 1.5}, "
        "\"seeds\": 5, \"workers\": 3, \"given\": [],"
        " \"worker\": {\"program\": \"\", \"compile_cache\": \"\", \"start_deadline_ms\": 10000, \"memory_limit\": "
        "1}}");
    QVERIFY2(old, old ? "" : old.error().text().c_str());
    QCOMPARE(old->budget.candidates, 7);
    QCOMPARE(old->budget.tokens, std::int64_t{0});
    QCOMPARE(old->model.strategies, ModelOptions().strategies);
    for (const char* bad :
         {"", "{}", "[]", "{\"schema\": \"warpwright/run-options/2\"}", "{\"schema\": \"warpwright/run-options/1\"}"})
      QVERIFY(!options_from_json(bad));
    std::string wrong = options_to_json(o);
    wrong.replace(wrong.find("\"patience\":3"), 12, "\"patience\":\"3\"");
    const auto named = options_from_json(wrong);
    QCOMPARE(named.error().code, Code::corrupt);
    QVERIFY2(named.error().cause.find("'model.patience'") != std::string::npos, named.error().cause.c_str());
  }
};

QTEST_GUILESS_MAIN(ResumeTest)
#include "resume_test.moc"
