// SPDX-License-Identifier: Apache-2.0
// Runs that ask in batches, and the gathering of several threads' requests.
#include <QtTest>
#include <atomic>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include "llm/batching.h"
#include "llm/fake_provider.h"
#include "model_loop/scripted_model_runs.h"
#include "support/text_rows.h"

using namespace ww;
using namespace ww::explore;
using namespace ww::generator;
using namespace ww::testing;

namespace {

std::mutex sizes_mutex;
std::vector<std::size_t> sizes;                  // of the batches
std::atomic<int> alone{0};                       // requests that went without one
std::atomic<int> fetched{0};                     // answers to what was sent before
bool forgets = false;                            // the service has no earlier batch
std::function<Status(std::size_t batch)> taken;  // called when it has a new batch

class Batched final : public llm::Provider {
 public:
  explicit Batched(llm::Endpoint endpoint) : scripted_(std::move(endpoint)) {}
  Result<llm::Reply> complete(const llm::Request& request, llm::Observer& observer, std::stop_token stop) override {
    ++alone;
    return scripted_.complete(request, observer, std::move(stop));
  }
  Result<std::vector<Result<llm::Reply>>> complete_all(const std::vector<llm::BatchItem>& items,
                                                       std::stop_token stop) override {
    std::size_t sent = 0, batch = 0;
    const auto is_new = [](const llm::BatchItem& item) { return forgets || !item.observer->sent_in(); };
    for (const llm::BatchItem& item : items) sent += is_new(item);
    if (sent > 0) {
      const std::lock_guard lock(sizes_mutex);
      sizes.push_back(sent);
      batch = sizes.size();
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      llm::Observer& o = *items[i].observer;
      if (!is_new(items[i])) continue;
      WW_TRY(o.sending({"POST", "http://127.0.0.1:9/v1/batches", "127.0.0.1", "{}", 1}));
      if (o.sent_in()) o.asked_again("batch " + o.sent_in()->batch + " holds no answer to this request: it is gone");
      o.in_batch({"batch_" + std::to_string(batch), "request-" + std::to_string(i + 1)});
    }
    if (sent > 0 && taken) WW_TRY(taken(batch));
    std::vector<Result<llm::Reply>> replies;
    for (const llm::BatchItem& item : items)
      replies.push_back(is_new(item) ? scripted_.complete(*item.request, *item.observer, stop) : kept(*item.request));
    return replies;
  }
  Result<std::vector<std::string>> models(std::stop_token stop) override { return scripted_.models(std::move(stop)); }

 private:
  static Result<llm::Reply> kept(const llm::Request& request) {  // by the service, which is asked for nothing
    ++fetched;
    llm::Reply reply;
    reply.blocks = {{llm::Block::Kind::text, WW_TRY(sensible(request, {})), {}}};
    reply.usage.prompt = 20000;
    reply.usage.completion = 100;
    reply.usage.reported = true;
    return reply;
  }
  Scripted scripted_;
};

constexpr const char* with_batches =
    "{\"schema\": \"warpwright-models/1\", \"presets\": [{\"name\": \"many\", \"provider\": \"batched\", \"base_url\": "
    "\"http://127.0.0.1:9/v1\", \"seeds\": true, \"batches\": true}, {\"name\": \"few\", \"provider\": \"batched\", "
    "\"base_url\": \"http://127.0.0.1:9/v1\"}], \"models\": [{\"preset\": \"many\", \"name\": \"*\", \"price\": "
    "{\"prompt\": 2, \"completion\": 10, \"batch\": 0.5, \"source\": \"s\", \"date\": \"2026-11-01\"}}, {\"preset\": "
    "\"few\", \"name\": \"*\", \"free\": true}]}";

}  // namespace

class BatchRunsTest : public QObject, ScriptedModelRuns {
  Q_OBJECT

 private slots:
  void initTestCase() { offer<Batched>("batched", with_batches); }
  void init() {
    renew();
    sizes.clear();
    alone = fetched = 0;
    forgets = false;
    taken = {};
  }

  RunOptions options(const char* strategy, int candidates) {
    RunOptions o = options_with({strategy}, candidates);
    o.model.writer = "many:one";
    o.model.analyst = "none";
    o.model.batch = true;
    o.model.parallel = o.model.width = 8;
    return o;
  }

  void aRoundIsOneBatch_data() { support::text_rows({"strategy"}, {{"sample", "sample"}, {"evolve", "evolve"}}); }
  void aRoundIsOneBatch() {
    QFETCH(QString, strategy);
    const RunEnded ended = go(options(strategy.toUtf8(), 16));
    QVERIFY2(ended.state == store::RunState::done, (ended.why + log(ended.run)).c_str());
    QCOMPARE(alone.load(), 0);
    QVERIFY2(!sizes.empty() && *std::max_element(sizes.begin(), sizes.end()) == 8,
             std::to_string(sizes.size()).c_str());
    std::size_t all = 0;
    for (const std::size_t n : sizes) all += n;
    QCOMPARE(all, exchanges(ended.run).size());
    // Half of the price: 20,000 tokens of prompt and 100 of answer are $0.041 otherwise.
    for (const store::ExchangeRecord& e : exchanges(ended.run)) QCOMPARE(e.money.value_or(-1), 0.0205);
    const RunEnded again = replay(ended.run);
    QVERIFY2(again.state == store::RunState::done, (again.why + log(again.run)).c_str());
    QCOMPARE(texts(again.run), texts(ended.run));
    for (const store::ExchangeRecord& e : exchanges(again.run)) QCOMPARE(e.money.value_or(-1), 0.0205);
  }

  // The replay's budget ends where the run's did: it counts the share of the price that a batch costs.
  void aReplayCountsThePriceOfABatch() {
    RunOptions o = options("sample", 8);
    o.model.parallel = o.model.width = 2;
    o.model.output_tokens = 600;
    o.model.prompt_tokens = 20000;
    o.budget.money = 0.1;  // at full price, two requests would cost $0.082
    const RunEnded ended = go(o);
    QVERIFY2(ended.state == store::RunState::done, (ended.why + log(ended.run)).c_str());
    QVERIFY2(candidates(ended.run).size() >= 4, log(ended.run).c_str());
    replays_the_same(ended.run);
  }

  void aReplyThatIsRepairedIsAskedInANextBatch() {
    std::atomic<int> number{0};
    use([&](const llm::Request& r, std::stop_token stop) -> Result<std::string> {
      if (number++ == 3) return std::string("I would rather not.");
      return sensible(r, stop);
    });
    const RunEnded ended = go(options("sample", 8));
    QVERIFY2(ended.state == store::RunState::done, (ended.why + log(ended.run)).c_str());
    QCOMPARE(sizes, (std::vector<std::size_t>{8, 1}));
    QCOMPARE(candidates(ended.run).size(), std::size_t{8});
  }

  void nearTheEndOfTheBudgetTheyGoOneByOne() {
    RunOptions o = options("sample", 8);
    o.budget.tokens = 150000;  // seven requests
    const RunEnded ended = go(o);
    QCOMPARE(ended.state, store::RunState::done);
    QVERIFY(!sizes.empty() && *std::max_element(sizes.begin(), sizes.end()) == 1);
  }

  void otherStrategiesAndServicesAreRefused() {
    RunOptions o = options("beam", 4);
    const RunEnded beam = go(o);
    QVERIFY2(beam.why.find("'--batch' is for the strategies sample and evolve") != std::string::npos &&
                 beam.why.find("not for 'beam'") != std::string::npos,
             beam.why.c_str());
    o = options("sample", 4);
    o.model.writer = "few:one";
    const RunEnded few = go(o);
    QVERIFY2(few.why.find("'few' is not known to take batches") != std::string::npos, few.why.c_str());
    QVERIFY(sizes.empty() && alone == 0);
  }

  void aLostBatchIsAnOutage() {
    use([](const llm::Request&, std::stop_token) -> Result<std::string> {
      return fail(Code::unavailable, "the service has no batches today");
    });
    const RunEnded ended = go(options("sample", 8));
    QVERIFY2(ended.state != store::RunState::done && ended.why.find("no batches today") != std::string::npos,
             ended.why.c_str());
    QCOMPARE(sizes.size(), std::size_t{1});
  }

  // A process that dies while its second batch is under way. Returns its run.
  std::int64_t dies(const RunOptions& o) {
    const fs::path folder = workspace_->folder();
    int ends[2];
    if (::pipe(ends) != 0) return 0;
    workspace_.reset();
    const pid_t child = ::fork();
    if (child == 0) {
      taken = [&](std::size_t batch) -> Status {
        if (batch < 2) return {};
        (void)!::write(ends[1], "x", 1);
        for (;;) ::pause();
      };
      auto w = store::Workspace::open(folder);
      if (w) (void)explore::run(**w, o, {});
      _exit(3);
    }
    ::close(ends[1]);
    char read = 0;
    (void)!::read(ends[0], &read, 1);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(ends[0]);
    workspace_ = store::Workspace::open(folder).value();
    return read == 'x' ? workspace_->runs()->at(0).id : 0;
  }

  void theAnswersOfACrashedProcessAreFetched_data() {
    QTest::addColumn<QString>("strategy");
    QTest::addColumn<bool>("gone");
    for (const char* strategy : {"sample", "evolve"})
      for (const bool gone : {false, true})
        QTest::newRow(qPrintable(QString(strategy) + (gone ? ", its batch is gone" : ""))) << strategy << gone;
  }
  void theAnswersOfACrashedProcessAreFetched() {
    QFETCH(QString, strategy);
    QFETCH(bool, gone);
    const std::int64_t run = dies(options(strategy.toUtf8(), 16));
    QVERIFY(run > 0);
    std::size_t waiting = 0;
    for (const store::ExchangeRecord& e : exchanges(run)) {
      waiting += e.state == store::ExchangeState::sent;
      QCOMPARE(e.batch, std::string(e.state == store::ExchangeState::sent ? "batch_2" : "batch_1"));
    }
    QVERIFY(waiting > 0);
    const std::size_t before = exchanges(run).size();
    forgets = gone;
    RunOptions o = options_from_json(workspace_->run(run)->options).value();
    o.budget.candidates = static_cast<int>(before);
    const Result<RunEnded> resumed = explore::resume(*workspace_, run, handler(), {}, o.budget);
    const std::string said = log(run);
    QVERIFY2(resumed && resumed->state == store::RunState::done, said.c_str());
    QCOMPARE(std::size_t(fetched), gone ? 0 : waiting);
    QCOMPARE(sizes, gone ? std::vector<std::size_t>{waiting} : std::vector<std::size_t>{});
    QCOMPARE(exchanges(run).size(), before);  // none is asked or counted twice
    QCOMPARE(candidates(run).size(), before);
    for (const store::ExchangeRecord& e : exchanges(run)) {
      QCOMPARE(e.state, store::ExchangeState::replied);
      QCOMPARE(e.money.value_or(-1), 0.0205);
      QVERIFY(!e.candidate.empty() && e.why.empty());
    }
    QVERIFY2(said.find(std::to_string(waiting) + " requests of an earlier part of this run waited for an answer in "
                                                 "batch batch_2 at 127.0.0.1") != std::string::npos,
             said.c_str());
    QVERIFY2(said.find("lost") == std::string::npos, said.c_str());
    QCOMPARE(said.find("is asked again: batch batch_2 holds no answer to this request: it is gone") != said.npos, gone);
    const RunEnded again = replay(run);
    QVERIFY2(again.state == store::RunState::done, (again.why + log(again.run)).c_str());
    QCOMPARE(texts(again.run), texts(run));
    RunOptions whole = options(strategy.toUtf8(), static_cast<int>(before));
    use(sensible);
    taken = {};
    QCOMPARE(texts(go(whole).run), texts(run));  // as if nothing had happened
  }

  // A person stopped it, or its service could not be reached: what the batch holds then is fetched, too.
  void aStoppedRunFetchesWhatItsBatchHolds_data() {
    QTest::addColumn<bool>("stopped");
    QTest::newRow("stopped") << true;
    QTest::newRow("not reached") << false;
  }
  void aStoppedRunFetchesWhatItsBatchHolds() {
    QFETCH(bool, stopped);
    std::stop_source stop;
    taken = [&](std::size_t) -> Status {
      if (stopped) stop.request_stop();
      return fail(stopped ? Code::cancelled : Code::unavailable, "the batch is not waited for");
    };
    const RunEnded ended = go(options("sample", 8), stop.get_token());
    QVERIFY(ended.state != store::RunState::done);
    QCOMPARE(sizes, std::vector<std::size_t>{8});
    const std::int64_t spent = exchanges(ended.run).front().prompt_tokens;
    QVERIFY(spent > 0);  // an estimate, until it is known
    const Result<RunEnded> resumed = explore::resume(*workspace_, ended.run, handler());
    QVERIFY2(resumed && resumed->state == store::RunState::done, log(ended.run).c_str());
    QCOMPARE(fetched.load(), 8);
    QCOMPARE(sizes, std::vector<std::size_t>{8});
    QCOMPARE(candidates(ended.run).size(), std::size_t{8});
    double last = 0;
    for (const Event& e : events_)
      if (const auto* of_model = std::get_if<llm::ModelEvent>(&e))
        if (const auto* spend = std::get_if<llm::SpendChanged>(of_model)) last = spend->spend.money;
    QVERIFY2(std::abs(last - 8 * 0.0205) < 1e-9, std::to_string(last).c_str());
  }

  // What went alone, or to a model that has no part in the run any more, is lost.
  void whatCannotBeFetchedIsSaid() {
    RunOptions o = options("sample", 16);
    std::atomic<int> number{0};
    std::stop_source stop;
    use([&](const llm::Request& r, std::stop_token token) -> Result<std::string> {
      if (number++ == 8) stop.request_stop();
      return sensible(r, token);
    });
    const RunEnded ended = go(o, stop.get_token());
    QCOMPARE(ended.state, store::RunState::cancelled);
    for (const char* batch : {"msgbatch_1", ""}) {
      store::ExchangeRecord e = exchanges(ended.run).back();
      e.state = store::ExchangeState::sent;
      e.model = "many:another";
      e.label = "fresh attempt";
      e.why.clear();
      e.prompt_tokens = 700;
      e.id = workspace_->add_exchange(e).value();
      if (*batch) QVERIFY(workspace_->set_batch(e.id, batch, "request-1"));
      QVERIFY(!workspace_->set_batch(exchanges(ended.run).front().id, "x", "y"));  // it is answered
    }
    use(sensible);
    const Result<RunEnded> resumed = explore::resume(*workspace_, ended.run, handler());
    QVERIFY2(resumed && resumed->state == store::RunState::done, resumed ? resumed->why.c_str() : "");
    const std::string said = log(ended.run);
    QVERIFY2(
        said.find("warning: 2 requests were under way when this run was interrupted: their answers are lost, and the "
                  "service may charge for them; the budget counts 1400 tokens for their prompts. Sent in batch "
                  "msgbatch_1 at ") != std::string::npos,
        said.c_str());
  }

  // ---- the gathering itself

  void membersThatDoNotAskAreNotWaitedForLong() {
    llm::Batches batches(std::chrono::milliseconds(1));
    batches.expect(2);  // nobody comes as the second
    std::size_t size = 0;
    Batched provider{llm::Endpoint{}};
    use([](const llm::Request&, std::stop_token) -> Result<std::string> { return std::string("yes"); });
    const llm::Batches::Member self(batches);
    struct Quiet : llm::Observer {
      Status sending(const llm::Outgoing&) override { return {}; }
      void received(std::string_view) override {}
      void delta(const llm::Delta&) override {}
    } quiet;
    const Result<llm::Reply> reply = batches.ask(provider, test::request_of("q"), quiet, {});
    QVERIFY(reply && reply->text() == "yes");
    size = sizes.size();
    QCOMPARE(size, std::size_t{1});
    std::stop_source stop;
    stop.request_stop();
    const Result<llm::Reply> stopped = batches.ask(provider, test::request_of("q"), quiet, stop.get_token());
    QVERIFY(!stopped && stopped.error().code == Code::cancelled);
    QCOMPARE(sizes.size(), size);
  }

  void whatSeveralThreadsAskArrivesAtEach() {
    llm::Batches batches(std::chrono::hours(1));
    use([](const llm::Request& r, std::stop_token) -> Result<std::string> { return r.messages.back().text(); });
    constexpr int threads = 6, turns = 20;
    batches.expect(threads);
    Batched one{llm::Endpoint{}}, other{llm::Endpoint{}};
    std::atomic<int> right{0};
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
      all.emplace_back([&, t] {
        struct Quiet : llm::Observer {
          Status sending(const llm::Outgoing&) override { return {}; }
          void received(std::string_view) override {}
          void delta(const llm::Delta&) override {}
        } quiet;
        const llm::Batches::Member self(batches);
        for (int i = 0; i < turns - t; ++i) {  // they leave one after another
          const std::string words = std::to_string(t) + "." + std::to_string(i);
          const Result<llm::Reply> r = batches.ask(t % 2 == 0 ? one : other, test::request_of(words), quiet, {});
          right += r && r->text() == words;
        }
      });
    for (std::thread& t : all) t.join();
    QCOMPARE(right.load(), 20 + 19 + 18 + 17 + 16 + 15);
    std::size_t asked_for = 0;
    for (const std::size_t n : sizes) asked_for += n;
    QCOMPARE(asked_for, std::size_t{105});
  }
};

QTEST_GUILESS_MAIN(BatchRunsTest)
#include "batch_test.moc"
