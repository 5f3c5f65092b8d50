// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include "base/files.h"
#include "explore/generators.h"
#include "generator/run_options.h"
#include "explore/run.h"
#include "script.h"
#include "store/workspace.h"
#include "support/workspaces.h"

using namespace ww;
using namespace ww::explore;
namespace fs = std::filesystem;

namespace {

using Propose = std::function<Result<std::vector<Proposal>>(const GeneratorRequest&, int call)>;

class Lambda final : public Generator {
 public:
  explicit Lambda(Propose propose) : propose_(std::move(propose)) {}
  std::string name() const override { return "lambda"; }
  Result<std::vector<Proposal>> propose(const GeneratorRequest& request, std::stop_token) override {
    return propose_(request, calls_++);
  }

 private:
  Propose propose_;
  int calls_ = 0;
};

void use(Propose propose) {
  add_generator("lambda", [propose] { return std::make_unique<Lambda>(propose); });
}

Proposal proposal(const std::string& name, const std::string& becomes, const std::string& structure = "plain") {
  return {script::candidate(name, becomes, structure), candidate::Language::cuda, "", structure, "why"};
}

// Endless, with falling costs; each fourth is wrong.
Result<std::vector<Proposal>> endless(const GeneratorRequest& request, int call) {
  std::vector<Proposal> list;
  for (std::size_t i = 0; i < request.wanted; ++i) {
    const std::string name =
        std::to_string(call) + "/" + std::to_string(i) + "/" + std::to_string(request.history.size());
    list.push_back(
        proposal(name, i % 4 == 3 ? "rejected" : "accepted " + std::to_string(9000 - 10 * call - static_cast<int>(i)),
                 i % 2 ? "odd" : "even"));
  }
  return list;
}

RunOptions options_with(int budget, int workers = 1) {
  RunOptions o;
  o.spec = script::spec;
  o.generator = "lambda";
  o.budget.candidates = budget;
  o.workers = workers;
  qputenv("WARPWRIGHT_WORKER", SCRIPTED_WORKER);  // resumed runs use it, too
  return o;
}

struct Log {  // what a run reported, checked against the store as it comes
  store::Workspace& workspace;
  std::vector<Event> events;
  std::atomic<int> inside{0};
  std::vector<std::string> complaints;
  std::int64_t run = 0;
  RunEnded ended;
  std::function<void(const Event&)> also;

  explicit Log(store::Workspace& w) : workspace(w) {}
  void complain(const std::string& what) { complaints.push_back(what); }
  EventHandler handler() {
    return [this](const Event& e) {
      if (++inside != 1) complain("two events at once");
      if (const auto* s = std::get_if<RunStarted>(&e)) run = s->run;
      if (const auto* p = std::get_if<CandidateProposed>(&e))
        if (!workspace.candidate(p->row.id)) complain("reported before it was stored");
      if (const auto* j = std::get_if<CandidateJudged>(&e)) {
        const auto c = workspace.candidate(j->row.id);
        if (!c || c->state != j->row.state || (c->state != store::CandidateState::not_judged && !c->verdict))
          complain("verdict reported before it was stored");
      }
      if (const auto* end = std::get_if<RunEnded>(&e)) ended = *end;
      events.push_back(e);
      if (also) also(e);
      --inside;
    };
  }
  template <class T>
  std::vector<T> all() const {
    std::vector<T> list;
    for (const Event& e : events)
      if (const auto* t = std::get_if<T>(&e)) list.push_back(*t);
    return list;
  }
  std::string says() const {
    std::string text;
    for (const RunMessage& m : all<RunMessage>()) text += m.text + "\n";
    return text;
  }
};

int count(store::Workspace& w, std::int64_t run, store::CandidateState state) {
  int n = 0;
  const auto list = w.candidates(run).value();
  for (const auto& c : list) n += c.state == state;
  return n;
}

}  // namespace

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
    std::map<int, double> score_of_rank;
    for (const CandidateRow& row : rows) {
      QCOMPARE(row.rank.has_value(), row.state == store::CandidateState::accepted);
      if (!row.rank) continue;
      QCOMPARE(last.at(row.id), *row.rank);
      QCOMPARE(row.score->provenance, Provenance::simulated);
      score_of_rank[*row.rank] = row.score->value;
      QCOMPARE(row.resources.at(0).registers, 16);
    }
    QCOMPARE(static_cast<int>(score_of_rank.size()), score_of_rank.rbegin()->first);
    double before = 0;
    for (const auto& [rank, score] : score_of_rank) {
      QVERIFY(score >= before);
      before = score;
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
    QVERIFY(log.says().find("known already") != std::string::npos);
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
    const RunOptions models = options_from_json(options_to_json(o)).value();
    QCOMPARE(options_to_json(models), options_to_json(o));
    QCOMPARE(differing(models, o), std::vector<std::string>{});
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
    QVERIFY2(log.says().find("did not confirm") != std::string::npos, log.says().c_str());
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
