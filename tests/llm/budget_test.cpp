// SPDX-License-Identifier: Apache-2.0
// What requests to models cost, and how the client keeps them within a budget.
#include <condition_variable>
#include <thread>
#include "llm/message_json.h"
#include "llm/client_fixture.h"

using namespace ww;
using namespace ww::llm;
using namespace ww::test;

namespace {

Price price_of(double prompt, double completion) {
  Price p;
  p.prompt = p.cached = p.cache_written = prompt;
  p.completion = completion;
  return p;
}

}  // namespace

class BudgetTest : public QObject, ClientFixture {
  Q_OBJECT
 private slots:
  void init() { begin(); }

  void missingUsageIsEstimatedAndMarked() {
    auto c = client();
    const auto x =
        c->ask(model_of([](const Request&, Observer& o, std::stop_token) { return streamed(o, "int x = 5;"); }),
               request_of("q"), {store::AgentRole::writer, ""}, {});
    QVERIFY(x && !x->reply.usage.reported && x->reply.usage.completion == estimate_tokens("int x = 5;"));
    QVERIFY(!only().tokens_reported && !c->spend().usage.reported);
  }

  void countsBelowHalfOfTheEstimateAreNotBelieved_data() {
    QTest::addColumn<double>("prompt");  // reported, as a part of the estimates
    QTest::addColumn<double>("completion");
    QTest::addColumn<bool>("believed");
    QTest::newRow("as estimated") << 1.0 << 1.0 << true;
    QTest::newRow("as tokenizers count") << 0.67 << 0.67 << true;
    QTest::newRow("more") << 3.0 << 8.0 << true;
    QTest::newRow("a third of the completion") << 1.0 << 0.34 << false;
    QTest::newRow("no completion") << 1.0 << 0.0 << false;
    QTest::newRow("a third of the prompt") << 0.34 << 1.0 << false;
    QTest::newRow("next to nothing") << 0.01 << 0.01 << false;
    QTest::newRow("no prompt, many completions") << 0.0 << 4.0 << false;
  }

  void countsBelowHalfOfTheEstimateAreNotBelieved() {
    QFETCH(double, prompt);
    QFETCH(double, completion);
    QFETCH(bool, believed);
    std::string text;
    while (text.size() < 10000) text += "y[i] = fmaxf(x[i], 0.0f);\n";
    Request request = request_of(text, 16384);
    request.model = "small-1";
    const auto asked = static_cast<double>(estimate_tokens(request));
    const auto said = static_cast<double>(estimate_tokens(text));
    const auto p = static_cast<std::int64_t>(prompt * asked), a = static_cast<std::int64_t>(completion * said);
    auto c = client();
    const auto x =
        c->ask(model_of([&](const Request&, Observer& o, std::stop_token) { return streamed(o, text, p, a); }),
               request_of(text, 16384), {store::AgentRole::writer, ""}, {});
    QVERIFY(x);
    const Usage& counted = x->reply.usage;
    QCOMPARE(counted.reported, believed);
    QCOMPARE(counted.prompt, believed ? p : std::max(p, estimate_tokens(request)));
    QCOMPARE(counted.completion, believed ? a : std::max(a, estimate_tokens(text)));
    QCOMPARE(c->spend().usage.completion, counted.completion);
  }

  void anAbsurdCountIsCutToWhatAReplyCanTake() {
    constexpr std::int64_t absurd = 1'000'000'000'000'000;
    auto c = client({13000, 0});
    const Model m =
        model_of([&](const Request&, Observer& o, std::stop_token) { return streamed(o, "a", absurd, absurd); });
    QVERIFY(c->ask(m, request_of("q"), {store::AgentRole::writer, ""}, {}));
    QCOMPARE(c->spend().usage.completion, std::int64_t{4 * 1000 + 4096});  // as long as no reply may be
    Request asked = request_of("q");
    asked.model = "small-1";
    QCOMPARE(c->spend().usage.prompt, 4 * estimate_tokens(asked) + 4096);
    const auto x = c->ask(m, request_of("q"), {store::AgentRole::writer, ""}, {});
    QVERIFY(!x && x.error().code == Code::unavailable);
  }

  // Whatever a service counts: a limit is no less hard for it.
  void noCountExceedsTheBudget_data() {
    QTest::addColumn<qint64>("tokens");
    QTest::addColumn<double>("money");
    QTest::addColumn<qint64>("up_to");  // of the price
    QTest::newRow("tokens") << qint64{30000} << 0.0 << qint64{0};
    QTest::newRow("money") << qint64{0} << 5.0 << qint64{0};
    QTest::newRow("beyond what the price is for") << qint64{0} << 5.0 << qint64{3000};
  }
  void noCountExceedsTheBudget() {
    QFETCH(qint64, tokens);
    QFETCH(double, money);
    QFETCH(qint64, up_to);
    constexpr std::int64_t absurd = 1'000'000'000'000'000'000;
    Model m = model_of([](const Request&, Observer& o, std::stop_token) -> Result<Reply> {
      Reply reply = WW_TRY(streamed(o, "a", absurd, absurd));
      reply.usage.cached = reply.usage.cache_written = reply.usage.reasoning = absurd;
      return reply;
    });
    m.facts.price = price_of(100, 300);
    m.facts.price->up_to = up_to;
    auto c = client({tokens, money});
    int asked = 0;
    while (asked < 100 && c->ask(m, request_of("q"), {store::AgentRole::writer, ""}, {})) ++asked;
    const Spend s = c->spend();
    QVERIFY2(asked > 1 && asked < 100, std::to_string(asked).c_str());
    QVERIFY(c->budget_over());
    QVERIFY(s.money_known);
    if (tokens > 0) QVERIFY(s.usage.prompt + s.usage.completion <= tokens);
    if (money > 0) QVERIFY2(s.money <= money, std::to_string(s.money).c_str());
    QVERIFY(s.usage.cached + s.usage.cache_written <= s.usage.prompt && s.usage.reasoning <= s.usage.completion);
  }

  void moneyIsCounted() {
    Model m = model_of([](const Request&, Observer& o, std::stop_token) { return streamed(o, "a", 4000, 1000); });
    m.facts.price = price_of(500, 1000);
    auto c = client();
    QVERIFY(c->ask(m, request_of("q"), {store::AgentRole::writer, ""}, {}));
    QCOMPARE(only().money, std::optional<double>(3.0));
    QVERIFY(c->spend().money == 3.0 && c->spend().money_known);
    m.facts.price->free = true;
    QVERIFY(c->ask(m, request_of("q"), {store::AgentRole::writer, ""}, {}));
    QVERIFY(c->spend().money == 3.0 && c->spend().money_known);
    m.facts.price.reset();
    QVERIFY(c->ask(m, request_of("q"), {store::AgentRole::writer, ""}, {}));
    QVERIFY(c->spend().money == 3.0 && !c->spend().money_known);
  }

  void moneyNeedsAPrice() {
    int calls = 0;
    const Model m = model_of([&](const Request&, Observer& o, std::stop_token) { return ++calls, streamed(o, "a"); });
    const auto x = client({0, 1.0})->ask(m, request_of("q"), {store::AgentRole::writer, ""}, {});
    QVERIFY(!x && x.error().code == Code::invalid_argument &&
            x.error().message.find("work:small-1") != std::string::npos);
    QVERIFY(calls == 0 && workspace_->exchanges(run_)->empty());
    QCOMPARE(Client::make(*workspace_, run_, {-1, 0}, {}).error().code, Code::invalid_argument);
    QCOMPARE(Client::make(*workspace_, run_, {0, NAN}, {}).error().code, Code::invalid_argument);
  }

  void aReplyWithoutEndIsCut() {
    std::int64_t sent = 0;
    const Model m = model_of([&](const Request&, Observer& o, std::stop_token stop) -> Result<Reply> {
      if (Status s = announce(o); !s) return fail(s.error());
      while (!stop.stop_requested() && sent < (std::int64_t{64} << 20)) {
        o.delta({Delta::Kind::text, std::string(4096, 'w')});
        sent += 4096;
      }
      return fail(Code::cancelled, "The request was cancelled");
    });
    const auto x = client()->ask(m, request_of("q", 1000), {store::AgentRole::writer, ""}, {});
    QVERIFY(!x && x.error().code == Code::corrupt);
    QVERIFY2(x.error().message.find("1000 tokens asked for") != std::string::npos, x.error().message.c_str());
    QVERIFY2(sent < 200000, std::to_string(sent).c_str());
    QCOMPARE(only().state, store::ExchangeState::failed);
    QVERIFY(only().reply.size() < 400000);
  }

  void theAnswerIsCutToTheBudget() {
    const std::int64_t prompt = [] {
      Request r = request_of("q");
      r.model = "small-1";
      return estimate_tokens(r);
    }();
    std::int64_t given = 0;
    Model m = model_of([&](const Request& r, Observer& o, std::stop_token) {
      return given = r.max_output_tokens, streamed(o, "a", prompt, 900);
    });
    auto c = client({prompt + 1500, 0});
    QVERIFY(c->ask(m, request_of("q", 4000), {store::AgentRole::writer, ""}, {}));
    QCOMPARE(given, std::int64_t{1500});
    QVERIFY(!c->budget_over());
    const auto x =
        c->ask(m, request_of("q", 4000), {store::AgentRole::writer, ""}, {});  // the rest is too small for a reply
    QVERIFY(!x && x.error().code == Code::unavailable && x.error().message.find("budget") != std::string::npos);
    QVERIFY(c->budget_over());
    QCOMPARE(workspace_->exchanges(run_)->size(), std::size_t{1});
    QVERIFY(
        !client({prompt + 1500, 0})->ask(m, request_of("q", 4000), {store::AgentRole::writer, ""}, {}));  // nor later
    QVERIFY(client({prompt + 1500, 0})->ask(m, request_of("q", 300), {store::AgentRole::writer, ""}, {}));
    // The same in money: 1 dollar a token of answer, nothing for the prompt.
    workspace_->add_run(workspace_->run(run_).value()).value();
    run_ = new_run(*workspace_);
    m.facts.price = price_of(0, 1e6);
    auto d = client({0, 2000.5});
    QVERIFY(d->ask(m, request_of("q", 4000), {store::AgentRole::writer, ""}, {}));
    QCOMPARE(given, std::int64_t{2000});
    QVERIFY(d->ask(m, request_of("q", 4000), {store::AgentRole::writer, ""}, {}));
    QCOMPARE(given, std::int64_t{1100});
    QVERIFY(!d->budget_over());
  }

  void parallelAsksStayWithinTheBudgetTogether() {
    constexpr std::int64_t limit = 3000;
    std::atomic<std::int64_t> held{0}, most{0}, spent{0};
    std::atomic<int> inside{0}, widest{0};
    std::mutex mutex;
    std::condition_variable two;
    const Model m = model_of([&](const Request& r, Observer& o, std::stop_token) -> Result<Reply> {
      const std::int64_t worst = estimate_tokens(r) + r.max_output_tokens;
      const std::int64_t now = held += worst;
      for (std::int64_t seen = most; now + spent > seen && !most.compare_exchange_weak(seen, now + spent);) {}
      {
        std::unique_lock lock(mutex);
        if (++inside == 2) widest = 2;
        two.notify_all();
        if (widest < 2)
          two.wait_for(lock, std::chrono::seconds(10), [&] { return widest == 2; });  // the first two meet
      }
      if (Status s = announce(o); !s) return fail(s.error());
      o.delta({Delta::Kind::text, "a"});
      const std::int64_t prompt = estimate_tokens(r), answer = std::min<std::int64_t>(150, r.max_output_tokens);
      held -= worst;
      spent += prompt + answer;
      --inside;
      return reply_of("a", prompt, answer);
    });
    auto c = client({limit, 0});
    std::vector<std::thread> threads;
    std::atomic<int> fine{0}, refused{0};
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 5; ++i) {
          const auto x = c->ask(m, request_of("question", 1000), {store::AgentRole::writer, ""}, {});
          if (x)
            ++fine;
          else if (x.error().code == Code::unavailable)
            ++refused;
        }
      });
    for (std::thread& t : threads) t.join();
    QCOMPARE(fine + refused, 40);
    QVERIFY(fine >= 10 && refused > 0);
    QCOMPARE(widest.load(), 2);  // two at a time fit, and so they ran
    QVERIFY(most <= limit);
    const Spend s = c->spend();
    QVERIFY(s.usage.prompt + s.usage.completion <= limit && s.usage.prompt + s.usage.completion == spent);
    QVERIFY(c->budget_over());
  }

  void aWaitForTheBudgetCanBeCancelled() {
    std::stop_source stop;
    std::mutex mutex;
    std::condition_variable changed;
    bool started = false, go = false;
    const Model m = model_of([&](const Request&, Observer& o, std::stop_token) {
      std::unique_lock lock(mutex);
      started = true;
      changed.notify_all();
      changed.wait_for(lock, std::chrono::seconds(10), [&] { return go; });
      return streamed(o, "a", 10, 10);
    });
    auto c = client({1500, 0});
    std::thread first([&] { (void)c->ask(m, request_of("q", 1000), {store::AgentRole::writer, ""}, {}); });
    {
      std::unique_lock lock(mutex);
      QVERIFY(changed.wait_for(lock, std::chrono::seconds(10), [&] { return started; }));
    }
    std::thread second([&] {
      QCOMPARE(c->ask(m, request_of("q", 1000), {store::AgentRole::writer, ""}, stop.get_token()).error().code,
               Code::cancelled);
    });
    stop.request_stop();
    second.join();
    {
      const std::lock_guard lock(mutex);
      go = true;
    }
    changed.notify_all();
    first.join();
    QCOMPARE(workspace_->exchanges(run_)->size(), std::size_t{1});
  }

  void aStreamThatOutgrowsTheBudgetIsStopped() {
    int chunks = 0;
    const Model m = model_of([&](const Request&, Observer& o, std::stop_token stop) -> Result<Reply> {
      if (Status s = announce(o); !s) return fail(s.error());
      for (; chunks < 100000; ++chunks) {  // a server that does not keep to max_output_tokens
        if (stop.stop_requested()) return fail(Code::cancelled, "cancelled");
        o.received("data: word\n");
        o.delta({Delta::Kind::text, "word "});
      }
      return reply_of("never");
    });
    Seen seen;
    auto c = client({300, 0}, seen.handler());
    const auto x = c->ask(m, request_of("q", 200), {store::AgentRole::writer, ""}, {});
    QVERIFY(!x && x.error().code == Code::unavailable && x.error().message.find("budget") != std::string::npos);
    QVERIFY(chunks > 100 && chunks < 300);
    QVERIFY(c->budget_over());
    const store::ExchangeRecord e = only();
    QVERIFY(e.state == store::ExchangeState::failed && e.code == "unavailable" && !e.tokens_reported &&
            e.completion_tokens >= chunks && e.raw.find("data: word") == 0);
    QCOMPARE(reply_from_json(e.reply)->text().size(), static_cast<std::size_t>(5 * chunks));  // what came is kept
    const Spend s = c->spend();
    QVERIFY(s.failed == 1 && s.usage.prompt + s.usage.completion <= 302 && !s.usage.reported);
    QVERIFY(!client({300, 0})->ask(m, request_of("q"), {store::AgentRole::writer, ""}, {}));
  }

  void aStreamOfEmptyEventsIsStopped() {
    std::int64_t events = 0;
    const Model m = model_of([&](const Request&, Observer& o, std::stop_token stop) -> Result<Reply> {
      if (Status s = announce(o); !s) return fail(s.error());
      const std::string event(std::size_t{1} << 16, ':');
      for (; events < 100000; ++events) {
        if (stop.stop_requested()) return fail(Code::cancelled, "cancelled");
        o.received(event);
        o.delta({Delta::Kind::text, ""});
      }
      return reply_of("never");
    });
    auto c = client({}, {});
    const auto x = c->ask(m, request_of("q", 100), {store::AgentRole::writer, ""}, {});
    QVERIFY2(!x && x.error().message.find("ran far beyond") != std::string::npos, x ? "" : x.error().text().c_str());
    QVERIFY(events < 1000);
  }

  void whatWasNotAnsweredCostsNothing() {
    // Refused, and cancelled while it waits for the next attempt.
    const auto refused = client()->ask(model_of([](const Request&, Observer& o, std::stop_token) -> Result<Reply> {
                                         if (Status s = announce(o); !s) return fail(s.error());
                                         o.delta({Delta::Kind::wait, "429: the service asks to wait 12 s"});
                                         return fail(Code::cancelled, "the request was cancelled");
                                       }),
                                       request_of("q"), {store::AgentRole::writer, ""}, {});
    QVERIFY(!refused && only().state == store::ExchangeState::cancelled);
    QCOMPARE(only().prompt_tokens, std::int64_t{0});
    // Taken as part of a batch that does not come to it.
    run_ = new_run(*workspace_);
    const auto lost = client()->ask(model_of([](const Request&, Observer& o, std::stop_token) -> Result<Reply> {
                                      if (Status s = announce(o); !s) return fail(s.error());
                                      o.in_batch({"batch-1", "request-1"});
                                      o.not_charged();
                                      return fail(Code::timeout, "the batch expired");
                                    }),
                                    request_of("q"), {store::AgentRole::writer, ""}, {});
    QVERIFY(!lost && only().state == store::ExchangeState::failed);
    QCOMPARE(only().prompt_tokens, std::int64_t{0});
    // Sent, and cancelled before it was answered: the service may have read it.
    run_ = new_run(*workspace_);
    const auto cancelled = client()->ask(model_of([](const Request&, Observer& o, std::stop_token) -> Result<Reply> {
                                           if (Status s = announce(o); !s) return fail(s.error());
                                           return fail(Code::cancelled, "the request was cancelled");
                                         }),
                                         request_of("q"), {store::AgentRole::writer, ""}, {});
    QVERIFY(!cancelled && only().prompt_tokens > 0);
  }
};

QTEST_GUILESS_MAIN(BudgetTest)
#include "budget_test.moc"
