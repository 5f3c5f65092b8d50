// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <map>
#include <set>
#include "base/files.h"
#include "explore/observed_run.h"
#include "support/workspaces.h"

using namespace ww;
using namespace ww::explore;
using namespace ww::generator;
using namespace ww::testing;
namespace fs = std::filesystem;

class RunTest : public QObject, ww::support::WithWorkspace {
  Q_OBJECT
 private slots:
  void init() {
    renew();
    use(endless);
  }

  void keepsItsBudgetAndItsOrder() {
    Log log(*workspace_);
    const auto ended = explore::run(*workspace_, options_with(10, 3), log.handler());
    QVERIFY2(ended, ended ? "" : ended.error().text().c_str());
    QVERIFY2(log.complaints.empty(), log.complaints.empty() ? "" : log.complaints[0].c_str());
    QCOMPARE(ended->state, store::RunState::done);
    QVERIFY(ended->why.find("10") != std::string::npos);
    QVERIFY(std::holds_alternative<RunStarted>(log.events.front()));
    QVERIFY(std::holds_alternative<RunEnded>(log.events.back()));
    const store::RunRecord record = workspace_->run(log.run).value();
    QCOMPARE(record.state, store::RunState::done);
    QCOMPARE(record.judged, 10);
    QCOMPARE(log.all<CandidateJudged>().size(), std::size_t{10});
    QCOMPARE(ended->accepted, record.accepted);
    QCOMPARE(ended->proposed, record.proposed);
    QCOMPARE(ended->structures, 2);
    std::set<std::int64_t> proposed, judged;
    for (const Event& e : log.events) {
      if (const auto* p = std::get_if<CandidateProposed>(&e)) proposed.insert(p->row.id);
      if (const auto* j = std::get_if<CandidateJudged>(&e)) {
        QVERIFY(proposed.contains(j->row.id));
        QVERIFY(judged.insert(j->row.id).second);
      }
    }
  }

  void ranksAreThoseOfTheStore() {
    Log log(*workspace_);
    QVERIFY(explore::run(*workspace_, options_with(9), log.handler()));
    const auto rows = rows_of(*workspace_, log.run).value();
    std::map<std::int64_t, int> last;
    const auto changes = log.all<RanksChanged>();
    for (const auto& [id, rank] : changes.back().ranks) last[id] = rank;
    std::map<int, std::vector<double>> scores;  // by rank
    for (const CandidateRow& row : rows) {
      QCOMPARE(row.rank.has_value(), row.state == store::CandidateState::accepted);
      if (!row.rank) continue;
      QCOMPARE(last.at(row.id), *row.rank);
      QCOMPARE(row.score->provenance, Provenance::simulated);
      scores[*row.rank].push_back(row.score->value);
      QCOMPARE(row.resources.at(0).registers, 16);
    }
    std::size_t better = 0;
    double before = 0;
    for (const auto& [rank, shared] : scores) {
      QCOMPARE(static_cast<std::size_t>(rank), better + 1);
      better += shared.size();
      QVERIFY(*std::ranges::min_element(shared) >= before);
      before = *std::ranges::max_element(shared);
    }
  }

  void oneWorkerIsReproducible() {
    std::vector<std::string> hashes[2];
    for (auto& list : hashes) {
      workspace_ = store::Workspace::open(fresh()).value();
      Log log(*workspace_);
      QVERIFY(explore::run(*workspace_, options_with(13), log.handler()));
      for (const CandidateJudged& j : log.all<CandidateJudged>()) list.push_back(j.row.hash);
    }
    QCOMPARE(hashes[0].size(), std::size_t{13});
    QCOMPARE(hashes[0], hashes[1]);
  }

  void theGeneratorSeesWhatThePersonSees() {
    std::vector<Feedback> seen;
    op::Binding binding;
    use([&](const GeneratorRequest& r, int call) -> Result<std::vector<Proposal>> {
      seen = r.history;
      binding = r.binding;
      if (call > 0) return std::vector<Proposal>();
      return std::vector<Proposal>{proposal("a", "accepted 500"), proposal("b", "rejected"), proposal("c", "crash")};
    });
    Log log(*workspace_);
    const auto ended = explore::run(*workspace_, options_with(0), log.handler());
    QCOMPARE(ended->state, store::RunState::done);
    QVERIFY(ended->why.find("nothing more") != std::string::npos);
    QCOMPARE(seen.size(), std::size_t{3});
    QVERIFY(seen[0].accepted && seen[0].ranked);
    QCOMPARE(seen[0].score, 500.0);
    QVERIFY(!seen[1].accepted && !seen[1].ranked);
    QVERIFY(seen[1].failure.find("y[3]: expected 6, got 7") != std::string::npos);
    QVERIFY(seen[1].failure.find("case odd") != std::string::npos);
    QVERIFY(!seen[2].accepted && !seen[2].failure.empty());
    QCOMPARE(binding.symbols.at("N"), std::int64_t{64});
  }

  void aCrashIsTheCandidatesVerdict() {
    use([](const GeneratorRequest&, int call) -> Result<std::vector<Proposal>> {
      if (call > 0) return std::vector<Proposal>();
      return std::vector<Proposal>{proposal("a", "crash"), proposal("b", "accepted 10"), proposal("c", "crash"),
                                   proposal("d", "accepted 20")};
    });
    Log log(*workspace_);
    const auto ended = explore::run(*workspace_, options_with(0), log.handler());
    QCOMPARE(ended->state, store::RunState::done);
    QCOMPARE(count(*workspace_, log.run, store::CandidateState::accepted), 2);
    QCOMPARE(count(*workspace_, log.run, store::CandidateState::rejected), 2);
    QVERIFY(workspace_->candidates(log.run)->at(0).summary.find("rejected") != std::string::npos);
  }

  void knownTextsAreSkipped() {
    use([](const GeneratorRequest&, int) -> Result<std::vector<Proposal>> {
      return std::vector<Proposal>{proposal("same", "accepted 10"), proposal("same", "accepted 10"), {}};
    });
    Log log(*workspace_);
    const auto ended = explore::run(*workspace_, options_with(50), log.handler());
    QCOMPARE(ended->state, store::RunState::done);
    QVERIFY(ended->why.find("known") != std::string::npos);
    QCOMPARE(workspace_->run(log.run)->proposed, 1);
    QVERIFY(log.says().find("already known and are skipped") != std::string::npos);
    QVERIFY(log.says().find("empty text") != std::string::npos);
    QVERIFY(workspace_->messages(log.run)->size() >= 2);
  }

  void aGeneratorThatFailsOnceIsAskedAgain() {
    use([](const GeneratorRequest& r, int call) -> Result<std::vector<Proposal>> {
      if (call == 1) return fail(Code::timeout, "the model did not answer");
      return endless(r, call);
    });
    Log log(*workspace_);
    const auto ended = explore::run(*workspace_, options_with(9), log.handler());
    QCOMPARE(ended->state, store::RunState::done);
    QCOMPARE(workspace_->run(log.run)->judged, 9);
    QVERIFY(log.says().find("the model did not answer") != std::string::npos);
  }

  void aGeneratorThatKeepsFailingEndsTheRunAndLosesNothing() {
    use([](const GeneratorRequest& r, int call) -> Result<std::vector<Proposal>> {
      if (call == 0) return endless(r, call);
      if (call == 1) throw std::runtime_error("thrown");
      return fail(Code::unavailable, "no key");
    });
    Log log(*workspace_);
    const auto ended = explore::run(*workspace_, options_with(50, 2), log.handler());
    QVERIFY(ended);
    QCOMPARE(ended->state, store::RunState::failed);
    QVERIFY(ended->why.find("no key") != std::string::npos);
    QVERIFY(ended->outage);
    QVERIFY(log.says().find("thrown") != std::string::npos);
    QCOMPARE(workspace_->run(log.run)->judged, 4);
    QCOMPARE(count(*workspace_, log.run, store::CandidateState::queued), 0);
  }

  void thePersonsCandidatesComeFirstWithTheirTunings() {
    RunOptions o = options_with(5);
    Proposal tuned = proposal("tuned", "accepted 70");
    tuned.text.insert(tuned.text.find("//@ launch"), "//@ tune BLOCK = 32 | 64\n");
    o.given = {tuned, {"not a candidate at all", candidate::Language::cuda, "", "", ""}};
    Log log(*workspace_);
    QVERIFY(explore::run(*workspace_, o, log.handler()));
    const auto list = workspace_->candidates(log.run).value();
    QCOMPARE(list[0].generator, std::string("manual"));
    QVERIFY(list[0].text.find("BLOCK = 32\n") != std::string::npos);
    QVERIFY(list[1].text.find("BLOCK = 64\n") != std::string::npos);
    QCOMPARE(list[2].state, store::CandidateState::rejected);  // judged as well, and its verdict kept
    QCOMPARE(list[3].generator, std::string("lambda"));
    QCOMPARE(log.all<CandidateJudged>()[0].row.id, list[0].id);
  }

  void aKernelWithoutATitleIsCalledByItsFunction() {
    RunOptions o = options_with(2);
    Proposal bare = proposal("bare", "accepted 70", "");
    for (const char* line : {"//@ title ", "//@ structure "})
      if (const std::size_t at = bare.text.find(line); at != std::string::npos)
        bare.text.erase(at, bare.text.find('\n', at) + 1 - at);
    const std::size_t kernel = bare.text.find("//@ launch ") + 11;
    o.given = {bare};
    Log log(*workspace_);
    QVERIFY(explore::run(*workspace_, o, log.handler()));
    const std::string title = workspace_->candidates(log.run).value()[0].title;
    QVERIFY(!title.empty());
    QCOMPARE(title, bare.text.substr(kernel, bare.text.find(' ', kernel) - kernel));
  }

  void theFaultOfASpecIsTheSpecs() {
    RunOptions o = options_with(4);
    o.spec = "op half(p: i32[N]) -> h: i32[N]\n  default N = 64\n{\n  h[i] = p[i] / 0\n}\n";
    o.worker.program = "/nowhere/worker";  // none is asked
    Log log(*workspace_);
    const auto ended = explore::run(*workspace_, o, log.handler());
    QVERIFY(!ended);
    QCOMPARE(ended.error().code, Code::invalid_argument);
    const std::string why = ended.error().text();
    QVERIFY2(
        why.find("op 'half' cannot be computed: in the equation of 'h': integer division by zero in p[i] / 0 at") == 0,
        why.c_str());
    QCOMPARE(log.run, std::int64_t{0});  // there is no run
    // Where only workers find it, the third in a row ends the run, and nothing else is blamed.
    use([](const GeneratorRequest&, int) -> Result<std::vector<Proposal>> {
      return std::vector<Proposal>{proposal("a", "incomputable"), proposal("b", "incomputable"),
                                   proposal("c", "incomputable")};
    });
    Log second(*workspace_);
    const auto found = explore::run(*workspace_, options_with(4), second.handler());
    QVERIFY(!found);
    QCOMPARE(found.error().code, Code::invalid_argument);
    QVERIFY2(found.error().text().find("cannot be computed") != std::string::npos &&
                 found.error().text().find("outside the candidates") == std::string::npos,
             found.error().text().c_str());
    QVERIFY(second.says().find("fresh worker") == std::string::npos);
    QCOMPARE(count(*workspace_, second.run, store::CandidateState::not_judged), 3);
    // One that says so is not believed.
    use([](const GeneratorRequest&, int call) -> Result<std::vector<Proposal>> {
      if (call > 0) return std::vector<Proposal>{};
      return std::vector<Proposal>{proposal("d", "incomputable"), proposal("e", "accepted")};
    });
    Log third(*workspace_);
    QVERIFY(explore::run(*workspace_, options_with(2), third.handler()));
    QCOMPARE(count(*workspace_, third.run, store::CandidateState::accepted), 1);
  }

  void theEnvironmentsFailuresEndTheRunNotTheCandidate() {
    RunOptions o = options_with(4);
    o.worker.program = "/nowhere/worker";
    Log log(*workspace_);
    const auto ended = explore::run(*workspace_, o, log.handler());
    QVERIFY(!ended);
    QCOMPARE(log.ended.state, store::RunState::failed);
    QVERIFY(!log.ended.why.empty());
    QCOMPARE(workspace_->run(log.run)->state, store::RunState::failed);
    QCOMPARE(workspace_->run(log.run)->judged, 0);
    QCOMPARE(count(*workspace_, log.run, store::CandidateState::queued), 4);

    use([](const GeneratorRequest&, int) -> Result<std::vector<Proposal>> {
      return std::vector<Proposal>{proposal("a", "unavailable")};
    });
    Log second(*workspace_);
    QVERIFY(!explore::run(*workspace_, options_with(4), second.handler()));
    QCOMPARE(count(*workspace_, second.run, store::CandidateState::queued), 1);
  }

  void whatCannotStartSaysSo() {
    const auto refused = [&](RunOptions o, Code code) {
      Log log(*workspace_);
      const auto ended = explore::run(*workspace_, o, log.handler());
      return !ended && ended.error().code == code && log.events.size() == 1 &&
             log.ended.state == store::RunState::failed && !log.ended.why.empty();
    };
    RunOptions o = options_with(4);
    o.spec = "op broken(";
    QVERIFY(refused(o, Code::parse));
    o = options_with(4);
    o.generator = "nobody";
    QVERIFY(refused(o, Code::not_found));
    o = options_with(4);
    o.binding.symbols["Z"] = 4;
    QVERIFY(refused(o, Code::invalid_argument));
    for (const char* none : {"foo", "sm_", "sm_8", "sm_90b", "sm_80x", "compute_80"}) {
      o = options_with(4);
      o.architecture = none;
      QVERIFY2(refused(o, Code::invalid_argument), none);
    }
    QVERIFY(workspace_->runs()->empty());
    QVERIFY(!resume(*workspace_, 77, {}));
  }

  void aWorkspaceThatIsDeletedEndsIt() {
    std::atomic<bool> deleted{false};
    const auto ended = explore::run(*workspace_, options_with(40), [&](const Event& e) {
      if (std::holds_alternative<CandidateJudged>(e) && !deleted.exchange(true)) fs::remove_all(workspace_->folder());
    });
    QVERIFY(deleted);
    QVERIFY(!ended || ended->state == store::RunState::failed);
    QVERIFY(!fs::exists(workspace_->folder() / "workspace.sqlite"));
  }

  void theClockEndsIt() {
    RunOptions o = options_with(0, 2);
    o.budget.minutes = 0.005;  // 0.3 s; the generator would never end
    Log log(*workspace_);
    const auto ended = explore::run(*workspace_, o, log.handler());
    QCOMPARE(ended->state, store::RunState::done);
    QVERIFY(ended->why.find("time") != std::string::npos);
  }

  // What uses up its worker's memory is not judged, and says nothing of the environment.
  void exhaustedWorkersDoNotEndTheRun() {
    use([](const GeneratorRequest&, int call) -> Result<std::vector<Proposal>> {
      std::vector<Proposal> list;
      for (int i = 0; call == 0 && i < 5; ++i)
        list.push_back(proposal(std::to_string(i), i < 4 ? "exhausted" : "accepted 10"));
      return list;
    });
    Log log(*workspace_);
    const auto ended = explore::run(*workspace_, options_with(5), log.handler());
    QVERIFY2(ended && ended->state == store::RunState::done, ended ? ended->why.c_str() : "");
    QCOMPARE(count(*workspace_, log.run, store::CandidateState::not_judged), 4);
    QCOMPARE(count(*workspace_, log.run, store::CandidateState::rejected), 0);
    QCOMPARE(ended->accepted, 1);
    const std::string why = workspace_->candidates(log.run)->front().summary;
    QVERIFY2(why.find("memory") != std::string::npos && why.find("not judged") != std::string::npos, why.c_str());
    QCOMPARE(workspace_->candidate(1)->verdict->last_fault(), FaultKind::memory_limit);
  }

  // The first takes the worker over, which then calls the second by the first one's program.
  void aWorkersWordAloneMakesNoDuplicate() {
    use([](const GeneratorRequest&, int call) -> Result<std::vector<Proposal>> {
      if (call > 0) return std::vector<Proposal>();
      Proposal first = proposal("first", "accepted 50");
      first.text += "// takes its worker over\n";
      return std::vector<Proposal>{first, proposal("second", "accepted 40")};
    });
    Log log(*workspace_);
    QVERIFY(explore::run(*workspace_, options_with(2), log.handler()));
    QCOMPARE(count(*workspace_, log.run, store::CandidateState::accepted), 2);
    QVERIFY2(log.says().find("a fresh worker did not") != std::string::npos, log.says().c_str());
  }

  // It may have lied about which program it is.
  void whatIsRejectedHidesNothing() {
    use([](const GeneratorRequest&, int call) -> Result<std::vector<Proposal>> {
      if (call > 0) return std::vector<Proposal>();
      std::vector<Proposal> list{proposal("first", "rejected"), proposal("second", "accepted 40"),
                                 proposal("third", "accepted 30")};
      for (Proposal& p : list) p.text += "// ptx: the one program\n";
      return list;
    });
    Log log(*workspace_);
    QVERIFY(explore::run(*workspace_, options_with(3), log.handler()));
    const auto list = workspace_->candidates(log.run).value();
    QCOMPARE(list[0].state, store::CandidateState::rejected);
    QCOMPARE(list[1].state, store::CandidateState::accepted);
    QCOMPARE(list[2].state, store::CandidateState::duplicate);
    QCOMPARE(list[2].duplicate_of, list[1].hash);
  }
};

QTEST_GUILESS_MAIN(RunTest)
#include "run_test.moc"
