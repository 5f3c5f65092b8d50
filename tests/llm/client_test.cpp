// SPDX-License-Identifier: Apache-2.0
// The client of models: what it allows, admits, stores and tells.
#include <future>
#include "base/files.h"
#include "base/hash.h"
#include "llm/message_json.h"
#include "llm/client_fixture.h"

using namespace ww;
using namespace ww::llm;
using namespace ww::test;
namespace fs = std::filesystem;

class ClientTest : public QObject, ClientFixture {
  Q_OBJECT
 private slots:
  void init() { begin(); }

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
