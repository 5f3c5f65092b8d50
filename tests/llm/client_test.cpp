// SPDX-License-Identifier: Apache-2.0
// The client of models: what it allows, admits, stores, counts and tells.
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <future>
#include "base/files.h"
#include "base/hash.h"
#include "llm/client.h"
#include "llm/message_json.h"
#include "llm/tokens.h"
#include "llm/fake_provider.h"

using namespace ww;
using namespace ww::llm;
using namespace ww::test;
namespace fs = std::filesystem;

namespace {

Status announce(Observer& o, const std::string& url = "http://127.0.0.1:1/v1/chat", int attempt = 1) {
  return o.sending({"POST", url, host_of(url), "{}", attempt});
}

Result<Reply> streamed(Observer& o, const std::string& text, std::int64_t prompt = 0, std::int64_t completion = 0) {
  if (Status s = announce(o); !s) return fail(s.error());
  o.received("data: " + text);
  o.delta({Delta::Kind::text, text});
  return reply_of(text, prompt, completion);
}

struct Seen {
  std::mutex mutex;
  std::vector<ModelEvent> events;
  std::atomic<int> inside{0};
  bool overlapped = false;
  ModelEventHandler handler() {
    return [this](const ModelEvent& e) {
      if (++inside != 1) overlapped = true;
      {
        const std::lock_guard lock(mutex);
        events.push_back(e);
      }
      --inside;
    };
  }
  std::string kinds() const {
    std::string text;
    for (const ModelEvent& e : events) text += "Stsp"[e.index()];  // Started, streaming, ended (s), spend (p)
    return text;
  }
};

Price price_of(double prompt, double completion) {
  Price p;
  p.prompt = p.cached = p.cache_written = prompt;
  p.completion = completion;
  return p;
}

}  // namespace

class ClientTest : public QObject, support::WithWorkspace {
  Q_OBJECT
  std::unique_ptr<Client> client(SpendLimits limits = {}, ModelEventHandler handler = {}, Limits consent = {}) {
    auto c = Client::make(*workspace_, run_, limits, consent, std::move(handler));
    if (!c) qFatal("%s", c.error().text().c_str());
    return std::move(*c);
  }
  store::ExchangeRecord only() {
    const auto list = workspace_->exchanges(run_).value();
    if (list.size() != 1) qFatal("%zu exchanges", list.size());
    return workspace_->exchange(list[0].id).value();
  }

 private slots:
  void init() {
    qputenv("WARPWRIGHT_CONFIG", fresh().c_str());
    renew();
    run_ = new_run(*workspace_);
  }

  void aReplyIsStoredBeforeItIsSeen() {
    Seen seen;
    auto c = client({}, seen.handler());
    const Model m = model_of([&](const Request& r, Observer& o, std::stop_token) -> Result<Reply> {
      const store::ExchangeRecord e = only();  // the request is stored before the provider sees it
      if (e.state != store::ExchangeState::sent || e.request != request_to_json(r) ||
          e.prompt_tokens != estimate_tokens(r))
        return fail(Code::internal, "not stored");
      if (Status s = announce(o); !s) return fail(s.error());
      o.received("raw bytes");
      o.delta({Delta::Kind::thinking, "hm"});
      o.delta({Delta::Kind::text, "the "});
      o.delta({Delta::Kind::text, "answer"});
      Reply reply = reply_of("the answer", 120, 30);
      reply.usage.cached = 100;
      reply.usage.reasoning = 20;
      return reply;
    });
    const auto x = c->ask(m, request_of("write"), {store::AgentRole::writer, "fresh attempt", "writer 1 (abc)"}, {});
    QVERIFY2(x.has_value(), x ? "" : x.error().text().c_str());
    const store::ExchangeRecord e = only();
    QCOMPARE(e.id, x->id);
    QVERIFY(e.state == store::ExchangeState::replied && e.role == store::AgentRole::writer &&
            e.label == "fresh attempt" && e.prompt == "writer 1 (abc)" && e.model == "work:small-1" &&
            e.provider == "openai");
    QVERIFY(e.raw.empty() && e.why.empty() && e.host == "127.0.0.1:1" && e.request_hash == hash_hex(e.request));
    QCOMPARE(e.reply, reply_to_json(x->reply));
    QCOMPARE(request_from_json(e.request)->model, std::string("small-1"));
    QVERIFY(e.prompt_tokens == 120 && e.cached_tokens == 100 && e.completion_tokens == 30 && e.reasoning_tokens == 20 &&
            e.tokens_reported && !e.money);
    QVERIFY(x->reply.seconds > 0 && x->reply.first_token_seconds <= x->reply.seconds);
    QCOMPARE(QString::fromStdString(seen.kinds()), QString("Stttsp"));
    QVERIFY(!seen.overlapped);
    const Spend s = std::get<SpendChanged>(seen.events.back()).spend;
    QVERIFY(s.usage.prompt == 120 && s.usage.completion == 30 && s.requests == 1 && s.failed == 0 && !s.money_known &&
            s.usage.reported);
    QVERIFY(c->outcome(x->id, store::ExchangeOutcome::candidate, "abc"));
    QVERIFY(only().outcome == store::ExchangeOutcome::candidate && only().candidate == "abc");
    // A run that goes on starts from there.
    const Spend again = client()->spend();
    QVERIFY(again.usage.prompt == 120 && again.usage.completion == 30 && again.requests == 1);
    // Outside of runs each client counts for itself.
    QCOMPARE(Client::make(*workspace_, 0, {}, {}).value()->spend().requests, 0);
  }

  void nothingIsSentWhileTheRunIsPaused() {
    PauseSwitch pause;
    std::stop_source stop;
    pause.pause();
    std::atomic<int> sent{0};
    const Model m = model_of([&](const Request&, Observer& o, std::stop_token) {
      ++sent;
      return streamed(o, "yes");
    });
    auto c = Client::make(*workspace_, run_, {}, {}, {}, pause.token()).value();
    const auto ask = [&] { return c->ask(m, request_of("q"), {store::AgentRole::writer, ""}, stop.get_token()); };
    auto waiting = std::async(std::launch::async, ask);
    stop.request_stop();
    QCOMPARE(waiting.get().error().code, Code::cancelled);
    QVERIFY(sent == 0 && workspace_->exchanges(run_)->empty());
    stop = std::stop_source();
    waiting = std::async(std::launch::async, ask);
    pause.resume();
    QVERIFY(waiting.get().has_value());
    QCOMPARE(sent.load(), 1);
  }

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

  void cancellingReachesTheProvider_data() {
    QTest::addColumn<int>("limit");
    QTest::newRow("no budget") << 0;
    QTest::newRow("with a budget") << 100000;
  }
  void cancellingReachesTheProvider() {
    QFETCH(int, limit);
    std::stop_source caller;
    const Model m = model_of([&](const Request&, Observer& o, std::stop_token stop) -> Result<Reply> {
      if (Status s = announce(o); !s) return fail(s.error());
      o.delta({Delta::Kind::thinking, "let me see"});
      o.delta({Delta::Kind::text, "half an ans"});
      caller.request_stop();
      QElapsedTimer timer;
      timer.start();
      while (!stop.stop_requested() && timer.elapsed() < 10000) std::this_thread::yield();
      return fail(stop.stop_requested() ? Code::cancelled : Code::internal, "cancelled");
    });
    auto c = client({limit, 0});
    QCOMPARE(c->ask(m, request_of("q"), {store::AgentRole::writer, ""}, caller.get_token()).error().code,
             Code::cancelled);
    const store::ExchangeRecord e = only();
    QVERIFY(e.state == store::ExchangeState::cancelled && e.completion_tokens > 0 && e.prompt_tokens > 0 &&
            !e.tokens_reported);
    const Reply part = reply_from_json(e.reply).value();
    QVERIFY(part.text() == "half an ans" && part.thinking() == "let me see" && part.stop == Stop::other);
    QVERIFY(!c->budget_over());
  }

  void failuresKeepWhatCame() {
    auto c = client();
    const auto x = c->ask(model_of([](const Request&, Observer& o, std::stop_token) -> Result<Reply> {
                            if (Status s = announce(o); !s) return fail(s.error());
                            o.received("{\"error\":\"slow down\"}");
                            return fail(Code::unavailable, "the service asks to wait", "429");
                          }),
                          request_of("q"), {store::AgentRole::writer, ""}, {});
    QVERIFY(!x && x.error().code == Code::unavailable && x.error().message == "the service asks to wait");
    store::ExchangeRecord e = only();
    QVERIFY(e.state == store::ExchangeState::failed && e.raw == "{\"error\":\"slow down\"}" &&
            e.why == "the service asks to wait: 429" && e.code == "unavailable" && e.reply.empty());
    QVERIFY(e.prompt_tokens == 0 && e.attempts == 1);  // a refusal costs nothing
    // A stream that broke twice, then for good: all that came is paid for.
    run_ = new_run(*workspace_);
    auto d = client();
    QVERIFY(!d->ask(model_of([](const Request&, Observer& o, std::stop_token) -> Result<Reply> {
                      for (int i = 1; i <= 3; ++i) {
                        if (Status s = announce(o, "http://127.0.0.1:1/v1", i); !s) return fail(s.error());
                        o.delta({Delta::Kind::text, "aaaa bbbb"});
                        if (i < 3) o.delta({Delta::Kind::restart, "the stream broke"});
                      }
                      return fail(Code::io, "the stream broke");
                    }),
                    request_of("q"), {store::AgentRole::writer, ""}, {}));
    e = only();
    const std::int64_t prompt = estimate_tokens(request_from_json(e.request).value());
    QVERIFY(e.prompt_tokens == 3 * prompt && e.completion_tokens == 3 * estimate_tokens("aaaa bbbb") &&
            !e.tokens_reported && e.attempts == 3);
    QCOMPARE(reply_from_json(e.reply)->text(), std::string("aaaa bbbb"));
    // A break and then a whole reply: the broken attempt is counted with it.
    run_ = new_run(*workspace_);
    const auto y = client()->ask(model_of([](const Request&, Observer& o, std::stop_token) -> Result<Reply> {
                                   if (Status s = announce(o); !s) return fail(s.error());
                                   o.delta({Delta::Kind::text, "aaaa"});
                                   o.delta({Delta::Kind::restart, "the stream broke"});
                                   o.delta({Delta::Kind::text, "whole"});
                                   return reply_of("whole", 50, 5);
                                 }),
                                 request_of("q"), {store::AgentRole::writer, ""}, {});
    QVERIFY(y && y->reply.text() == "whole" && y->reply.usage.prompt == 50 + prompt &&
            y->reply.usage.completion == 5 + estimate_tokens("aaaa") && !y->reply.usage.reported);
    QVERIFY(only().raw.empty());
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

  void aProviderThatThrowsIsAFailure() {
    const auto x = client()->ask(
        model_of([](const Request&, Observer&, std::stop_token) -> Result<Reply> { throw std::runtime_error("oops"); }),
        request_of("q"), {store::AgentRole::writer, ""}, {});
    QVERIFY(!x && x.error().code == Code::internal);
    QCOMPARE(only().state, store::ExchangeState::failed);
    QVERIFY(!client()->ask(Model{}, request_of("q"), {store::AgentRole::writer, ""}, {}));
  }

  void whatWasOnItsWayWhenTheProgramDied() {
    store::ExchangeRecord e;
    e.run = run_;
    e.request = request_to_json(request_of("q"));
    e.prompt_tokens = 700;
    workspace_->add_exchange(e).value();
    QCOMPARE(only().state, store::ExchangeState::sent);
    const Spend s = client()->spend();
    QVERIFY(s.usage.prompt == 700 && s.requests == 1 && s.failed == 1 && !s.usage.reported);
    auto c = client({705, 0});
    QVERIFY(!c->ask(model_of([](const Request&, Observer& o, std::stop_token) { return streamed(o, "a"); }),
                    request_of("q"), {store::AgentRole::writer, ""}, {}));
  }

  void nothingLeavesBeforeItWasAllowed() {
    int calls = 0;
    const std::string host = "models.example.org";
    const auto answer = [&](const std::string& sent_to) {
      return [&calls, sent_to](const Request&, Observer& o, std::stop_token) -> Result<Reply> {
        ++calls;
        if (Status s = announce(o, sent_to); !s) return fail(s.error());
        return reply_of("a", 1, 1);
      };
    };
    const Model m = model_of(answer("https://models.example.org/v1/chat"), "https://models.example.org/v1");
    const auto refused = client()->ask(m, request_of("q"), {store::AgentRole::writer, ""}, {});
    QVERIFY(!refused && refused.error().code == Code::unavailable &&
            refused.error().message.find(host) != std::string::npos);
    QVERIFY(calls == 0 && workspace_->exchanges(run_)->empty());
    // What was allowed is less than what would go.
    QVERIFY(allow(host, {false, false, false}));
    QVERIFY(!client()->ask(m, request_of("q"), {store::AgentRole::writer, ""}, {}) && calls == 0);
    QVERIFY(client({}, {}, {false, false, false})->ask(m, request_of("q"), {store::AgentRole::writer, ""}, {}));
    QVERIFY(allow(host, {}));
    QVERIFY(client()->ask(m, request_of("q"), {store::AgentRole::writer, ""}, {}));
    QCOMPARE(calls, 2);
    // Where it is sent to is what counts, not what the endpoint says.
    const Model elsewhere = model_of(answer("https://elsewhere.example.org/v1"), "https://models.example.org/v1");
    const auto x = client()->ask(elsewhere, request_of("q"), {store::AgentRole::writer, ""}, {});
    QVERIFY(!x && x.error().code == Code::unavailable &&
            x.error().message.find("elsewhere.example.org") != std::string::npos);
    QVERIFY(!client()->ask(model_of(answer("http://localhost/"), "no address"), request_of("q"),
                           {store::AgentRole::writer, ""}, {}));
    QVERIFY(forget(host));
    QVERIFY(!client()->ask(m, request_of("q"), {store::AgentRole::writer, ""}, {}));
  }

  void whatAProxyForwardsIsAskedAbout() {
    int calls = 0;
    Model m = model_of([&](const Request&, Observer& o, std::stop_token) {
      ++calls;
      return streamed(o, "a", 1, 1);
    });
    QVERIFY(client()->ask(m, request_of("q"), {store::AgentRole::writer, ""}, {}));
    m.forwarded = true;
    const auto refused = client()->ask(m, request_of("q"), {store::AgentRole::writer, ""}, {});
    QVERIFY(!refused && refused.error().message.find("127.0.0.1:1") != std::string::npos && calls == 1);
    QVERIFY(allow("127.0.0.1:1", {}));
    QVERIFY(client()->ask(m, request_of("q"), {store::AgentRole::writer, ""}, {}) && calls == 2);
    QVERIFY(forget("127.0.0.1:1"));
  }

  void aBrokenEchoOfTheKeyIsTakenOut_data() {
    QTest::addColumn<int>("sent");
    QTest::addColumn<bool>("pieces");
    for (const int sent : {6, 13, 26, 27})
      for (const bool pieces : {false, true})
        QTest::addRow("%d characters%s", sent, pieces ? " in pieces" : "") << sent << pieces;
  }
  void aBrokenEchoOfTheKeyIsTakenOut() {
    QFETCH(int, sent);
    QFETCH(bool, pieces);
    const Secret key("sk-planted-0123456789abcdef");
    const std::string echo(key.reveal().substr(0, static_cast<std::size_t>(sent)));
    Seen seen;
    Model m = model_of([&](const Request&, Observer& o, std::stop_token) -> Result<Reply> {
      if (Status s = announce(o); !s) return fail(s.error());
      o.delta({Delta::Kind::text, "your key is "});
      for (std::size_t at = 0, step = pieces ? 1 : echo.size(); at < echo.size(); at += step) {
        o.received("data: {\"text\":\"" + echo.substr(at, step) + (pieces ? "\"}\n" : ""));
        o.delta({Delta::Kind::text, echo.substr(at, step)});
      }
      return fail(Code::io, "the stream broke", "after " + echo);
    });
    m.endpoint.key = key;
    auto c = client({}, seen.handler());
    QVERIFY(!c->ask(m, request_of("q"), {store::AgentRole::writer, ""}, {}));
    const store::ExchangeRecord e = only();
    QCOMPARE(reply_from_json(e.reply)->text(), std::string("your key is [key]"));
    QVERIFY2(e.why.find(echo) == std::string::npos && e.raw.find(echo) == std::string::npos, e.raw.c_str());
    QVERIFY2(!pieces || e.raw.find('{') == std::string::npos, e.raw.c_str());
    std::string shown;
    for (const ModelEvent& event : seen.events)
      if (const auto* s = std::get_if<Streaming>(&event)) shown += s->delta.text;
    QCOMPARE(shown, std::string("your key is [key]"));
  }

  // As a service quotes it that puts the error of another one into its own.
  void anEscapedEchoOfTheKeyIsTakenOut() {
    const Secret key("sk-\"quo\\te-KEY99");
    const std::string once = "sk-\\\"quo\\\\te-KEY99", twice = "sk-\\\\\\\"quo\\\\\\\\te-KEY99";
    Model m = model_of([&](const Request&, Observer& o, std::stop_token) -> Result<Reply> {
      if (Status s = announce(o); !s) return fail(s.error());
      o.received("{\"error\":{\"message\":\"{\\\"error\\\":\\\"" + twice + "\\\"}\"}}");
      return fail(Code::invalid_argument, "it says " + once, "it says " + twice);
    });
    m.endpoint.key = key;
    const auto x = client()->ask(m, request_of("q"), {store::AgentRole::writer, ""}, {});
    QVERIFY(!x && x.error().text().find("KEY99") == std::string::npos);
    const store::ExchangeRecord e = only();
    QVERIFY2(e.why.find("KEY99") == std::string::npos && e.why.find("[key]") != std::string::npos, e.why.c_str());
    QCOMPARE(e.raw, std::string("{\"error\":{\"message\":\"{\\\"error\\\":\\\"[key]\\\"}\"}}"));
  }
  void noAttemptThatBrokeLeavesAPartOfTheKey() {
    const Secret key("sk-planted-0123456789abcdef");
    Model m = model_of([&](const Request&, Observer& o, std::stop_token) -> Result<Reply> {
      for (int attempt = 1; attempt <= 3; ++attempt) {
        if (Status s = announce(o, "http://127.0.0.1:1/v1/chat", attempt); !s) return fail(s.error());
        o.received("your key is " + std::string(key.reveal().substr(0, 10)));
      }
      return fail(Code::io, "the stream broke");
    });
    m.endpoint.key = key;
    QVERIFY(!client()->ask(m, request_of("q"), {store::AgentRole::writer, ""}, {}));
    QCOMPARE(only().raw, std::string("your key is [key]your key is [key]your key is [key]"));
  }
  void aCallIsNoPlaceForAKey() {
    const Secret key("sk-planted-0123456789abcdef");
    const std::string text(key.reveal());
    const auto x =
        client()->ask(model_of([&](const Request&, Observer& o, std::stop_token) -> Result<Reply> {
                        Reply reply = WW_TRY(streamed(o, "a", 1, 1));
                        reply.blocks.push_back({.kind = Block::Kind::call, .text = "{}", .id = text, .tool = text});
                        return reply;
                      }),
                      request_of("q"), {store::AgentRole::writer, ""}, {});
    QVERIFY(x && x->reply.blocks.back().id == "[key]" && x->reply.blocks.back().tool == "[key]");
    QVERIFY(only().reply.find(text) == std::string::npos);
  }

  void keysAreTakenOut() {
    const Secret key("sk-planted-0123456789abcdef");
    const std::string text(key.reveal());
    Seen seen;
    auto c = client({}, seen.handler());
    const auto x = c->ask(model_of([&](const Request& r, Observer& o, std::stop_token) -> Result<Reply> {
                            if (r.messages[1].text().find(text) != std::string::npos)
                              return fail(Code::internal, "the key would leave");
                            auto reply = streamed(o, "your key is " + text + ", is it not?", 1, 1);
                            reply->blocks.push_back({Block::Kind::thinking, text, "{\"signature\":\"" + text + "\"}"});
                            reply->id = text;
                            return reply;
                          }),
                          request_of("here is " + text), {store::AgentRole::writer, ""}, {});
    QVERIFY2(x.has_value(), x ? "" : x.error().text().c_str());
    QCOMPARE(x->reply.text(), std::string("your key is [key], is it not?"));
    const auto bad = c->ask(model_of([&](const Request&, Observer& o, std::stop_token) -> Result<Reply> {
                              (void)streamed(o, "echo " + text);
                              return fail(Code::corrupt, "the reply is damaged", text);
                            }),
                            request_of("q"), {store::AgentRole::writer, ""}, {});
    QVERIFY(!bad && bad.error().text().find(text) == std::string::npos);
    // In pieces, as a stream may bring it.
    Model pieces = model_of([&](const Request&, Observer& o, std::stop_token) -> Result<Reply> {
      if (Status s = announce(o); !s) return fail(s.error());
      for (const char* before : {"key ", "s", "sk-not it, sk-"}) o.delta({Delta::Kind::text, before});
      o.delta({Delta::Kind::thinking, "now: "});
      for (const char letter : text) o.delta({Delta::Kind::thinking, std::string(1, letter)});
      for (const char letter : text.substr(0, 9)) o.delta({Delta::Kind::text, std::string(1, letter)});
      return reply_of("done", 1, 1);
    });
    pieces.endpoint.key = key;
    QVERIFY(c->ask(pieces, request_of("q"), {store::AgentRole::writer, ""}, {}));
    std::string shown;
    for (const ModelEvent& e : seen.events)
      if (const auto* s = std::get_if<Streaming>(&e)) shown += s->delta.text;
    QVERIFY(shown.find(text) == std::string::npos);
    QVERIFY2(shown.ends_with("key ssk-not it, sk-now: [key]sk-plante"), shown.c_str());
    const fs::path folder = workspace_->folder();
    workspace_.reset();
    int files = 0;
    for (const auto& f : fs::recursive_directory_iterator(folder)) {
      if (!f.is_regular_file()) continue;
      ++files;
      QVERIFY2(read_file(f.path())->find(text) == std::string::npos, f.path().c_str());
    }
    QVERIFY(files > 0);
  }
};

QTEST_GUILESS_MAIN(ClientTest)
#include "client_test.moc"
