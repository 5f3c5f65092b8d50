// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <QtTest>
#include <condition_variable>
#include <mutex>
#include <set>
#include "explore/generators.h"
#include "llm/message_json.h"
#include "model_loop/scripted_model_runs.h"
#include "store/standing.h"

using namespace ww;
using namespace ww::explore;
using namespace ww::generator;
using namespace ww::testing;

class ModelLoopTest : public QObject, ScriptedModelRuns {
  Q_OBJECT

 private slots:
  void initTestCase() { offer_model(); }
  void init() { renew(); }

  void refinesEndToEnd() {
    std::vector<std::string> prompts;
    use([&](const llm::Request& r, std::stop_token c) {
      prompts.push_back(said(r));
      return sensible(r, c);
    });
    RunOptions o = options_with({"refine"}, 5);
    const RunEnded ended = go(o);
    QCOMPARE(ended.state, store::RunState::done);
    QVERIFY2(ended.why.find("5 candidates") != std::string::npos, ended.why.c_str());
    const auto list = workspace_->candidates(ended.run).value();
    QCOMPARE(list.size(), std::size_t{5});
    QCOMPARE(list[0].state, store::CandidateState::rejected);
    QCOMPARE(list[1].state, store::CandidateState::accepted);
    QCOMPARE(list[1].parent, list[0].hash);
    QCOMPARE(list[2].parent, list[1].hash);
    for (const auto& c : list) {
      QCOMPARE(c.generator, std::string("model/refine"));
      QVERIFY(c.exchange > 0);
      const auto e = workspace_->exchange(c.exchange).value();
      QCOMPARE(e.candidate, c.hash);
      QCOMPARE(e.outcome, store::ExchangeOutcome::candidate);
      QCOMPARE(e.role, store::AgentRole::writer);
      QCOMPARE(e.origin.task, c.origin.task);
      QVERIFY(c.origin.task > 0 && c.origin.strategy == "refine" && e.origin.strategy == "refine");
    }
    // What failed, the diagnosis and the numbers reached the model.
    const auto told = [&](const std::string& what) {
      return std::any_of(prompts.begin(), prompts.end(),
                         [&](const std::string& p) { return p.find(what) != std::string::npos; });
    };
    QVERIFY(told("y[3]: expected 6, got 7"));
    QVERIFY(told("Bottleneck: loads are narrow"));
    QVERIFY(told("50000 simulated issue slots"));
    QVERIFY(told("the index was off by one"));
    QVERIFY(log(ended.run).find("Bottleneck: loads are narrow") != std::string::npos);
    // The memory of moves: exact, since simulated, and named by the diagnosis.
    const auto moves = workspace_->moves("map", "simt", 10).value();
    QVERIFY(!moves.empty());
    const auto first = std::find_if(moves.begin(), moves.end(),
                                    [&](const auto& m) { return m.from == list[1].hash && m.to == list[2].hash; });
    QVERIFY(first != moves.end());
    QCOMPARE(first->move, std::string("vectorise loads"));
    QCOMPARE(first->effect, *list[1].score / *list[2].score);
    QCOMPARE(first->low, first->effect);
    QCOMPARE(first->provenance, Provenance::simulated);
    // A later run is told of it, with the candidates that it came from.
    prompts.clear();
    QVERIFY(go(options_with({"refine"}, 1)).state == store::RunState::done);
    QVERIFY(told("times faster (simulated; "));
    QVERIFY(told(list[1].hash.substr(0, 12)) || told(list[2].hash.substr(0, 12)));
    // Watchers saw requests, text and spend.
    int started = 0, streamed = 0, spent = 0;
    for (const Event& e : events_)
      if (const auto* m = std::get_if<llm::ModelEvent>(&e)) {
        started += std::holds_alternative<llm::ExchangeStarted>(*m);
        streamed += std::holds_alternative<llm::Streaming>(*m);
        spent += std::holds_alternative<llm::SpendChanged>(*m);
      }
    QVERIFY(started > 0 && streamed > 0 && spent > 0);
  }

  void whoIsFasterDecidesNothing() {
    RunOptions o = options_with({"sample"}, 8);
    const RunEnded one = go(o);
    QCOMPARE(one.state, store::RunState::done);
    const std::vector<std::string> expected = texts(one.run);
    QCOMPARE(expected.size(), std::size_t{8});

    workspace_ = fresh();
    std::mutex mutex;
    std::condition_variable changed;
    int waiting = 0, served = 0;
    std::vector<std::int64_t> order, finished;
    use([&](const llm::Request& r, std::stop_token c) -> Result<std::string> {  // the last of four that came goes first
      std::unique_lock lock(mutex);
      const int mine = waiting++;
      order.push_back(r.seed.value_or(0));
      changed.notify_all();
      changed.wait(lock, [&] {
        return waiting % 4 == 0 && waiting > mine && served % 4 == 3 - mine % 4 && served / 4 == mine / 4;
      });
      ++served;
      finished.push_back(r.seed.value_or(0));
      changed.notify_all();
      return sensible(r, c);
    });
    o.model.parallel = 4;
    o.workers = 3;
    const RunEnded scrambled = go(o);
    QCOMPARE(scrambled.state, store::RunState::done);
    QCOMPARE(texts(scrambled.run), expected);
    QVERIFY(order != finished);
  }

  void theTokensOfTheBudgetEndIt() {
    RunOptions o = options_with({"sample"}, 0);
    o.budget.tokens = 90000;
    const RunEnded ended = go(o);
    QCOMPARE(ended.state, store::RunState::done);
    QVERIFY2(ended.why.find("the budget of 90000 tokens is used up") != std::string::npos, ended.why.c_str());
    std::int64_t spent = 0;
    for (const auto& e : exchanges(ended.run)) spent += e.prompt_tokens + e.completion_tokens;
    QVERIFY(spent > 40000);
    QVERIFY(ended.proposed >= 2);
    QCOMPARE(workspace_->run(ended.run)->judged, ended.proposed);  // what came before is judged

    // In a race each has half of it.
    o.model.strategies = {"sample", "refine"};
    o.budget.tokens = 200000;
    const RunEnded race = go(o);
    std::map<std::string, std::int64_t> tokens;
    for (const auto& e : exchanges(race.run)) tokens[e.origin.strategy] += e.prompt_tokens + e.completion_tokens;
    QVERIFY(tokens["sample"] > 50000 && tokens["sample"] <= 125000);
    QVERIFY(tokens["refine"] > 50000 && tokens["refine"] <= 145000);
  }

  void repliesThatDoNotParseAreFailedAttempts() {
    use([](const llm::Request&, std::stop_token) -> Result<std::string> {
      return std::string("I would rather talk about the weather.");
    });
    const RunEnded ended = go(options_with({"sample"}, 4));
    QCOMPARE(ended.state, store::RunState::done);
    QVERIFY(!ended.why.empty());
    QCOMPARE(ended.proposed, 0);
    const auto exchanges = workspace_->exchanges(ended.run).value();
    QVERIFY(exchanges.size() >= 2);
    for (const auto& e : exchanges) QCOMPARE(e.outcome, store::ExchangeOutcome::unparsable);
    QVERIFY(log(ended.run).find("gave no candidate: ") != std::string::npos);
  }

  void aServiceThatIsOutIsAskedOnce() {
    for (const Code code : {Code::unavailable, Code::denied, Code::untrusted}) {
      std::atomic<int> asked{0};
      use([&](const llm::Request&, std::stop_token) -> Result<std::string> {
        ++asked;
        return fail(code, "nobody answers at 127.0.0.1:9");
      });
      RunOptions o = options_with({"sample"}, 24);
      o.model.parallel = 1;
      const RunEnded down = go(o);
      QCOMPARE(down.state, store::RunState::failed);
      QCOMPARE(asked.load(), 1);
      QCOMPARE(down.why, std::string("the generator 'model' failed: nobody answers at 127.0.0.1:9"));
    }
  }

  void theSameTextTwiceIsAFailedAttempt() {
    use([](const llm::Request&, std::stop_token) -> Result<std::string> {
      return file(script::candidate("only", "accepted 10"), "the one I know");
    });
    const RunEnded ended = go(options_with({"sample"}, 6));
    QCOMPARE(ended.state, store::RunState::done);
    QCOMPARE(ended.proposed, 1);
    int duplicates = 0;
    for (const auto& e : exchanges(ended.run)) duplicates += e.outcome == store::ExchangeOutcome::duplicate;
    QVERIFY(duplicates >= 3);
  }

  void theSameProgramIsNotJudgedTwice() {
    use([](const llm::Request& r, std::stop_token) -> Result<std::string> {
      const std::string n = number(r);
      return file(script::candidate("number " + n, "accepted " + n) + "// ptx: the one program\n", "another name");
    });
    RunOptions o = options_with({"sample"}, 3);
    o.workers = 3;
    const RunEnded ended = go(o);
    QCOMPARE(ended.state, store::RunState::done);
    QVERIFY2(ended.why.find("budget") == std::string::npos, ended.why.c_str());
    const auto list = workspace_->candidates(ended.run).value();
    QCOMPARE(workspace_->run(ended.run)->judged, 1);
    QCOMPARE(list[0].state, store::CandidateState::accepted);
    QVERIFY(list.size() > 3);
    for (std::size_t i = 1; i < list.size(); ++i) {
      QCOMPARE(list[i].state, store::CandidateState::duplicate);
      QCOMPARE(list[i].duplicate_of, list[0].hash);
      QVERIFY(list[i].summary.find(list[0].hash.substr(0, 12)) != std::string::npos);
    }
    const auto rows = rows_of(*workspace_, ended.run).value();
    QCOMPARE(rows[0].rank, std::optional<int>(1));
    QVERIFY(!rows[1].rank && rows[1].state == store::CandidateState::duplicate);

    // A resumed run knows the programs of its first part.
    use([](const llm::Request& r, std::stop_token) -> Result<std::string> {
      return file(script::candidate("later " + number(r), "accepted 5") + "// ptx: the one program\n", "again");
    });
    const auto again = resume(*workspace_, ended.run, handler(), {}, Budget{4, 0, 0, 0});
    QCOMPARE(again->state, store::RunState::done);
    QCOMPARE(workspace_->run(ended.run)->judged, 1);
  }

  void openChoicesAreRemembered() {
    use([](const llm::Request& r, std::stop_token) -> Result<std::string> {
      std::string text = script::candidate("tuned " + number(r), "accepted 100");
      text.insert(text.find("//@ launch"), "//@ tune BLOCK = 64 | 32\n");
      return file(text, "leaves the block open");
    });
    const RunEnded ended = go(options_with({"sample"}, 1));
    const auto c = workspace_->candidates(ended.run)->at(0);
    QVERIFY(c.text.find("//@ tune BLOCK = 64\n") != std::string::npos);
    QVERIFY(c.draft.find("//@ tune BLOCK = 64 | 32\n") != std::string::npos);
  }

  void cancelledAndResumed() {
    std::stop_source stop;
    int judged = 0;
    also_ = [&](const Event& e) {
      if (std::holds_alternative<CandidateJudged>(e) && ++judged == 2) stop.request_stop();
    };
    const RunEnded first = go(options_with({"refine"}, 6), stop.get_token());
    QCOMPARE(first.state, store::RunState::cancelled);
    also_ = {};
    std::vector<std::string> prompts;
    use([&](const llm::Request& r, std::stop_token c) {
      prompts.push_back(said(r));
      return sensible(r, c);
    });
    const auto resumed = resume(*workspace_, first.run, handler());
    QVERIFY2(resumed, resumed ? "" : resumed.error().text().c_str());
    QCOMPARE(resumed->state, store::RunState::done);
    QCOMPARE(workspace_->run(first.run)->judged, 6);
    const auto list = workspace_->candidates(first.run).value();
    std::set<std::uint64_t> numbers;
    for (const auto& c : list) {
      QVERIFY(numbers.insert(c.origin.task).second);  // no task is given out twice
    }
    QCOMPARE(list[2].parent, list[1].hash);  // it goes on where it was, and says what was tried
    QVERIFY(std::any_of(prompts.begin(), prompts.end(), [](const std::string& p) {
      return p.find("- the index was off by one: proved, 50000") != std::string::npos;
    }));
  }

  void cancellationReachesAModelThatIsSilent() {
    std::stop_source stop;
    use([&](const llm::Request&, std::stop_token token) -> Result<std::string> {
      stop.request_stop();
      while (!token.stop_requested()) std::this_thread::yield();
      return fail(Code::cancelled, "cancelled");
    });
    const RunEnded ended = go(options_with({"sample"}, 4), stop.get_token());
    QCOMPARE(ended.state, store::RunState::cancelled);
    QCOMPARE(ended.proposed, 0);
  }

  void aReplayGivesTheSameCandidates() {
    RunOptions o = options_with({"beam", "refine"}, 9);
    o.model.parallel = 3;
    const RunEnded ended = go(o);
    QCOMPARE(ended.state, store::RunState::done);
    const std::vector<std::string> expected = texts(ended.run);
    use([](const llm::Request&, std::stop_token) -> Result<std::string> {
      return fail(Code::internal, "a replay asks nobody");
    });
    const int before = asked;
    o.model.replay_of = ended.run;
    o.model.parallel = 2;
    const RunEnded replayed = go(o);
    QVERIFY2(replayed.state == store::RunState::done, replayed.why.c_str());
    QCOMPARE(texts(replayed.run), expected);
    QCOMPARE(asked.load(), before);
    std::vector<std::string> notes[2];
    for (const auto& c : candidates(ended.run)) notes[0].push_back(c.note);
    for (const auto& c : candidates(replayed.run)) notes[1].push_back(c.note);
    QCOMPARE(notes[0], notes[1]);
  }

  // A process that takes a run up begins with what is stored: new strategies, numbers after those that were given out.
  // Wherever the run was stopped, its replay asks the same, to the seed.
  void aReplayOfAResumedRunGivesTheSameCandidates_data() {
    QTest::addColumn<QStringList>("strategies");
    QTest::addColumn<int>("parallel");
    for (const char* name : {"refine", "sample", "beam", "keep", "evolve"})
      QTest::addRow("%s, one by one", name) << QStringList{name} << 1;
    for (const char* name : {"sample", "beam", "evolve"})
      QTest::addRow("%s, three at a time", name) << QStringList{name} << 3;
    QTest::addRow("race") << QStringList{"beam", "refine"} << 2;
  }
  void aReplayOfAResumedRunGivesTheSameCandidates() {
    QFETCH(QStringList, strategies);
    QFETCH(int, parallel);
    std::vector<std::string> names;
    for (const QString& s : strategies) names.push_back(s.toStdString());
    const auto seeds = [&](std::int64_t of) {  // of all requests; which of several at a time came first is open
      std::multiset<std::int64_t> all;
      for (const auto& e : exchanges(of))
        all.insert(llm::request_from_json(workspace_->exchange(e.id)->request)->seed.value_or(-1));
      return all;
    };
    for (const int at : {1, 2, 3, 4}) {  // in the middle of a round, too: what was not asked then is not asked again
      workspace_ = fresh();
      std::int64_t run = 0;
      for (const int part : {0, 1, 2}) {  // stopped twice while a model answers, then to the end
        std::stop_source stop;
        std::atomic<int> asked{0};
        use([&](const llm::Request& r, std::stop_token token) -> Result<std::string> {
          if (++asked != at || part == 2) return sensible(r, token);
          stop.request_stop();
          while (!token.stop_requested()) std::this_thread::yield();
          return fail(Code::cancelled, "cancelled");
        });
        RunOptions o = options_with(names, 10);
        o.model.parallel = parallel;
        if (part == 0) {
          const RunEnded first = go(o, stop.get_token());
          QCOMPARE(first.state, store::RunState::cancelled);
          run = first.run;
        } else {
          const auto resumed = resume(*workspace_, run, handler(), stop.get_token());
          QVERIFY2(resumed, resumed ? "" : resumed.error().text().c_str());
        }
      }
      const RunEnded again = replay(run);
      QVERIFY2(again.state == store::RunState::done, (std::to_string(at) + ": " + again.why).c_str());
      QCOMPARE(texts(again.run), texts(run));
      QCOMPARE(seeds(again.run), seeds(run));
    }
  }
  void aReplayOfARunThatGotMoreBudgetGivesTheSameCandidates() {
    RunOptions o = options_with({"beam"}, 5);
    const RunEnded ended = go(o);
    QCOMPARE(ended.state, store::RunState::done);
    QVERIFY(resume(*workspace_, ended.run, handler(), {}, Budget{8, 0, 0, 0}));
    QCOMPARE(texts(ended.run).size(), std::size_t{8});
    const RunEnded again = replay(ended.run);
    QVERIFY2(again.state == store::RunState::done, again.why.c_str());
    QCOMPARE(texts(again.run), texts(ended.run));
  }
  void aReplayOfARunThatAnOutageStoppedGivesTheSameCandidates() {
    std::atomic<int> count{0};
    use([&](const llm::Request& r, std::stop_token token) -> Result<std::string> {
      if (++count >= 4) return fail(Code::unavailable, "nobody answers at 127.0.0.1:9");
      return sensible(r, token);
    });
    const RunEnded ended = go(options_with({"refine"}, 8));
    QCOMPARE(ended.state, store::RunState::failed);
    use(sensible);
    QVERIFY(resume(*workspace_, ended.run, handler()));
    const RunEnded again = replay(ended.run);
    QVERIFY2(again.state == store::RunState::done, again.why.c_str());
    QCOMPARE(texts(again.run), texts(ended.run));
  }
  void aReplayEndsWhereTheRunWasStopped() {
    std::stop_source stop;
    std::atomic<int> count{0};
    use([&](const llm::Request& r, std::stop_token token) -> Result<std::string> {
      if (++count != 3) return sensible(r, token);
      stop.request_stop();
      while (!token.stop_requested()) std::this_thread::yield();
      return fail(Code::cancelled, "cancelled");
    });
    const RunEnded ended = go(options_with({"sample"}, 8), stop.get_token());
    const RunEnded again = replay(ended.run);
    QCOMPARE(again.state, store::RunState::failed);
    QVERIFY2(again.why.find("it was interrupted") != std::string::npos, again.why.c_str());
    QCOMPARE(texts(again.run), texts(ended.run));
  }

  void whatReviewersAskForLeadsTheNextAttempt() {
    const RunEnded ended = go(options_with({"refine"}, 4));
    const std::vector<std::string> before = texts(ended.run);
    const store::CandidateRecord second = candidates(ended.run)[1];
    QCOMPARE(second.state, store::CandidateState::accepted);
    const auto write = [&](store::ReviewKind kind, int line, const std::string& text) {
      return workspace_->add_review({0, second.id, kind, "Ada", line, text, "", "", ""}).value();
    };
    write(store::ReviewKind::note, 3, "why one by one?");
    write(store::ReviewKind::changes, 0, "use float4, please");
    // A replay of what was recorded before is not changed by it.
    RunOptions again = options_with({"refine"}, 4);
    again.model.replay_of = ended.run;
    const RunEnded replayed = go(again);
    QVERIFY2(replayed.state == store::RunState::done, replayed.why.c_str());
    QCOMPARE(texts(replayed.run), before);
    std::vector<std::string> prompts;
    use([&](const llm::Request& r, std::stop_token c) {
      if (!asks_analyst(r)) prompts.push_back(said(r));
      return sensible(r, c);
    });
    const std::string words = "asks for these changes of it:\nLine 3: why one by one?\nuse float4, please\n";
    const auto revisions = [&] {
      const auto list = exchanges(ended.run);
      return std::count_if(list.begin(), list.end(),
                           [](const store::ExchangeRecord& e) { return e.origin.step == store::Step::revise; });
    };
    Budget budget;
    budget.candidates = 5;
    QVERIFY(resume(*workspace_, ended.run, handler(), {}, budget));
    QVERIFY(!prompts.empty() && prompts[0].find(words) != std::string::npos &&
            prompts[0].find(second.text) != std::string::npos);
    QCOMPARE(candidates(ended.run).at(4).parent, second.hash);
    QCOMPARE(revisions(), 1);
    budget.candidates = 6;  // it was asked; nothing new was said
    QVERIFY(resume(*workspace_, ended.run, handler(), {}, budget));
    QCOMPARE(revisions(), 1);
    const RunEnded whole = replay(ended.run);  // with the revision, where it was asked for
    QVERIFY2(whole.state == store::RunState::done, whole.why.c_str());
    QCOMPARE(texts(whole.run), texts(ended.run));
    use([&](const llm::Request& r, std::stop_token c) {
      if (!asks_analyst(r)) prompts.push_back(said(r));
      return sensible(r, c);
    });
    // A run that begins with the candidate hears it, too, and so does its replay; what was taken back is not said.
    prompts.clear();
    RunOptions from = options_with({"refine"}, 2);
    from.given = {{second.text, candidate::Language::cuda, "", "", "", "", 0}};
    const RunEnded next = go(from);
    QVERIFY2(next.state == store::RunState::done, next.why.c_str());
    QVERIFY(prompts.at(0).find(words) != std::string::npos);
    const std::vector<std::string> expected = texts(next.run);
    const std::vector<store::ReviewRecord> said_so_far = workspace_->reviews(second.id).value();
    for (const store::ReviewRecord& r : said_so_far) write(store::ReviewKind::withdrawn, 0, store::review_hash(r));
    from.model.replay_of = next.run;
    const RunEnded same = go(from);
    QVERIFY2(same.state == store::RunState::done, same.why.c_str());
    QCOMPARE(texts(same.run), expected);
    prompts.clear();
    from.model.replay_of = 0;
    QVERIFY(go(from).state == store::RunState::done);
    QVERIFY(!prompts.empty() && prompts[0].find("asks for these changes") == std::string::npos);
  }

  // Times differ from day to day, and with them what a prompt holds and which candidate is the best: a replay goes by
  // those that were recorded.
  void aReplayOfMeasuredTimesGivesTheSameCandidates() {
    use([](const llm::Request& r, std::stop_token) -> Result<std::string> {
      if (asks_analyst(r)) return diagnosis();
      return file(script::candidate("one " + number(r),
                                    "measured " + std::to_string(10000 + r.seed.value_or(0) % 10000) + " 100"),
                  "another way");
    });
    RunOptions o = options_with({"evolve"}, 12);
    o.device = "cuda:0";
    const RunEnded ended = go(o);
    QVERIFY2(ended.state == store::RunState::done, ended.why.c_str());
    const std::vector<std::string> expected = texts(ended.run);
    use([](const llm::Request&, std::stop_token) -> Result<std::string> {
      return fail(Code::internal, "a replay asks nobody");
    });
    o.model.replay_of = ended.run;
    qputenv("WARPWRIGHT_SCRIPT_REVERSED", "1");
    const RunEnded replayed = go(o);
    qunsetenv("WARPWRIGHT_SCRIPT_REVERSED");
    QVERIFY2(replayed.state == store::RunState::done, replayed.why.c_str());
    QCOMPARE(texts(replayed.run), expected);
    QVERIFY(*candidates(ended.run)[0].score != *candidates(replayed.run)[0].score);
  }

  // The text of the parent comes back again and again: the prompts say so, and the analyst is asked once for two moves.
  void whatCameToNothingIsSaid() {
    std::vector<std::string> prompts;
    int analyses = 0;
    use([&](const llm::Request& r, std::stop_token) -> Result<std::string> {
      if (asks_analyst(r)) {
        ++analyses;
        return R"({"bottleneck": "loads are narrow", "evidence": "4 bytes", "moves": ["vectorise", "unroll"]})";
      }
      prompts.push_back(r.messages.back().text());
      return file(script::candidate("one", "accepted 5000"), "the same");
    });
    const RunEnded ended = go(options_with({"keep"}, 8));
    QCOMPARE(candidates(ended.run).size(), std::size_t{1});
    QVERIFY(prompts.size() >= 5);
    QVERIFY2(prompts[2].find("1 x the text of the candidate to start from came back unchanged") != std::string::npos,
             prompts[2].c_str());
    QVERIFY(prompts[3].find("2 x the text of the candidate to start from") != std::string::npos);
    QVERIFY2(prompts[2].find("take move 2") != std::string::npos, prompts[2].c_str());
    QCOMPARE(analyses, 1);  // nothing new could be said
  }

  // A candidate that a move made keeps the moves behind it; when they are used up, the analyst is asked again.
  void anAnalysisServesUntilItsMovesAreUsedUp() {
    std::vector<std::string> prompts;
    int analyses = 0, made = 0;
    use([&](const llm::Request& r, std::stop_token) -> Result<std::string> {
      if (asks_analyst(r)) {
        ++analyses;
        return R"({"bottleneck": "loads are narrow", "evidence": "4 bytes", "moves": ["vectorise", "unroll"]})";
      }
      prompts.push_back(r.messages.back().text());
      ++made;
      return file(script::candidate("one " + number(r), "accepted " + std::to_string(90000 - 9000 * made)), "faster");
    });
    const RunEnded ended = go(options_with({"refine"}, 4));
    QVERIFY2(ended.state == store::RunState::done && prompts.size() == 4, ended.why.c_str());
    QCOMPARE(analyses, 2);
    const auto says = [&](std::size_t i, const char* words) { return prompts[i].find(words) != std::string::npos; };
    QVERIFY(says(1, "1. vectorise") && !says(1, "take move") && !says(1, "It is of the candidate that"));
    QVERIFY2(says(2, "take move 2") && says(2, "It is of the candidate that the one to start from was made of"),
             prompts[2].c_str());
    QVERIFY(says(3, "1. vectorise") && !says(3, "take move") && !says(3, "It is of the candidate that"));
    replays_the_same(ended.run);
    // A process that resumes it knows what is left.
    generator::Budget more;
    more.candidates = 5;
    use([&](const llm::Request& r, std::stop_token) -> Result<std::string> {
      if (asks_analyst(r)) return ++analyses, diagnosis();
      prompts.push_back(r.messages.back().text());
      return file(script::candidate("last", "accepted 10"), "faster");
    });
    const auto resumed = explore::resume(*workspace_, ended.run, handler(), {}, more);
    QVERIFY2(resumed && resumed->state == store::RunState::done, resumed ? resumed->why.c_str() : "");
    QVERIFY(prompts.size() == 5 && analyses == 2);
    QVERIFY2(says(4, "take move 2") && says(4, "It is of the candidate that"), prompts[4].c_str());
  }

  // Children of one parent are told of each other, and what came back is sampled more widely the next time.
  void siblingsAndRepeatsAreAskedForAnotherChange() {
    std::vector<std::pair<std::string, std::optional<double>>> improvements;
    const Answer repeating = [&](const llm::Request& r, std::stop_token) -> Result<std::string> {
      const std::string prompt = r.messages.back().text();
      if (prompt.find("# The candidate to start from") == std::string::npos)
        return file(script::candidate("fresh " + number(r), "accepted 50000"), "from nothing");
      improvements.emplace_back(prompt, r.temperature);
      return file(
          prompt.substr(prompt.find("//@ candidate"), prompt.find("```\n\nIts verdict") - prompt.find("//@ candidate")),
          "the same");
    };
    use(repeating);
    RunOptions o = options_with({"beam"}, 12);
    o.model.analyst = "none";
    o.model.width = 1;
    o.budget.tokens = 200000;
    (void)go(o);
    QVERIFY(improvements.size() >= 4);
    const auto says = [&](std::size_t i, const char* words) {
      return improvements[i].first.find(words) != std::string::npos;
    };
    QVERIFY(says(0, "yours is number 1: make the first change you think of") && !improvements[0].second);
    QVERIFY2(says(1, "yours is number 2: make the second change you think of"), improvements[1].first.c_str());
    QVERIFY2(says(2, "2 attempts started from the candidate below already. Make a change that they did not make."),
             improvements[2].first.c_str());
    QCOMPARE(improvements[2].second, std::optional<double>(1));
    improvements.clear();
    renew();
    o.model.writer = "unknown:one";  // nobody knows whether it takes a temperature
    use(repeating);
    (void)go(o);
    QVERIFY(improvements.size() >= 4 && says(2, "Make a change that they did not make."));
    for (const auto& [prompt, temperature] : improvements) QVERIFY(!temperature);
    o.model.writer = "test:one";
    improvements.clear();
    renew();
    use([&](const llm::Request& r, std::stop_token) -> Result<std::string> {
      improvements.emplace_back("", r.temperature);
      return file(script::candidate("one", "accepted 50000"), "the same");
    });
    o.model.temperature = 0.25;  // what a person says holds
    (void)go(o);
    QVERIFY(improvements.size() >= 4);
    for (const auto& [prompt, temperature] : improvements) QCOMPARE(temperature, std::optional<double>(0.25));
  }

  void anAnalystThatCannotBeReadIsLeftOut() {
    int asked = 0, improved = 0;
    use([&](const llm::Request& r, std::stop_token) -> Result<std::string> {
      if (asks_analyst(r)) return ++asked, "I would rather not say.";
      ++improved;
      return file(script::candidate("one " + number(r), "accepted " + std::to_string(9000 - 10 * improved)), "faster");
    });
    const RunEnded ended = go(options_with({"keep"}, 12));
    QVERIFY2(ended.state == store::RunState::done, ended.why.c_str());
    QCOMPARE(candidates(ended.run).size(), std::size_t{12});
    QCOMPARE(asked, 6);  // three times, each with a repair
  }

  void whatIsMissingIsSaid() {
    RunOptions o = options_with({"refine"}, 2);
    o.model.writer.clear();
    QVERIFY(go(o).why.find("PRESET:MODEL") != std::string::npos);
    o = options_with({"refine"}, 2);
    o.model.writer = "nowhere:one";
    const RunEnded ended = go(o);
    QCOMPARE(ended.state, store::RunState::failed);
    QVERIFY(ended.why.find("nowhere") != std::string::npos);
    o = options_with({"refine"}, 2);
    o.model.mode = "prose";
    QVERIFY(go(o).why.find("prose") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(ModelLoopTest)
#include "model_loop_test.moc"
