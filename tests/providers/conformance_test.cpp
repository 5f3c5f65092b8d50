// SPDX-License-Identifier: Apache-2.0
// The provider plugins against servers on loopback that speak (and misspeak) each dialect. The tables of cases are in
// fixtures/*.txt (cases.h).
#include <QtTest>
#include <atomic>
#include <dlfcn.h>
#include <thread>
#include "llm/catalogue.h"
#include "stages.h"
#include "support/text_rows.h"

using namespace ww;
using namespace ww::cases;

namespace {

std::unique_ptr<providers::Dialect> dialect_of(const llm::Endpoint& e) {
  return e.provider == "anthropic"  ? providers::make_messages(e)
         : e.dialect == "responses" ? providers::make_responses(e)
                                    : providers::make_chat(e);
}

Json counts(const llm::Usage& u) {
  return Json::array({u.prompt, u.cached, u.cache_written, u.completion, u.reasoning});
}

// What is wrong with a reply; empty: nothing.
std::string wrong(const llm::Reply& r, const Json& expect) {
  Json got;
  got["text"] = r.text();
  got["thinking"] = r.thinking();
  got["stop"] = enum_string(r.stop);
  got["usage"] = counts(r.usage);
  got["model"] = r.model;
  got["id"] = r.id;
  got["structured"] = r.structured;
  got["attempts"] = r.attempts;
  got["kinds"] = got["raw"] = Json::array();
  for (const llm::Block& b : r.blocks) {
    got["kinds"].push_back(enum_string(b.kind));
    got["raw"].push_back(b.raw.empty() ? Json() : Json::parse(b.raw));
    if (b.kind == llm::Block::Kind::call) got["calls"].push_back(Json::array({b.id, b.tool, b.text}));
  }
  Json all = expect;
  if (!all.contains("stop")) all["stop"] = "end";
  for (const auto& item : all.items())
    if (got.contains(item.key()) && got[item.key()] != item.value())
      return item.key() + " is " + got[item.key()].dump() + " and not " + item.value().dump();
  if (expect.contains("usage") && !r.usage.reported) return "the usage is not said to be reported";
  if (expect.value("estimated", false) && (r.usage.reported || r.usage.prompt <= 0 || r.usage.completion <= 0))
    return "the usage is not an estimate: " + counts(r.usage).dump();
  return {};
}

// The key is in its one header, and nowhere else.
std::string leaked(const Json& settings, const std::vector<Received>& requests, const Watcher& w,
                   const std::string& error) {
  if (w.bytes.find(key) != std::string::npos) return "the key is in the received bytes";
  if (error.find(key) != std::string::npos) return "the key is in the error";
  for (const llm::Outgoing& o : w.sent)
    if ((o.method + o.url + o.host + o.body).find(key) != std::string::npos) return "the key is in Outgoing";
  for (const Received& r : requests) {
    int times = 0;
    for (const auto& [name, value] : r.headers) times += value.find(key) != std::string::npos;
    if (times != (settings.value("key", key).empty() ? 0 : 1))
      return "the key is in " + std::to_string(times) + " headers";
    if ((r.target + r.body).find(key) != std::string::npos) return "the key is in the target or the body";
  }
  return {};
}

}  // namespace

class Conformance : public QObject, cases::Stages {
  Q_OBJECT
  int count_ = 0;

  void rows(const char* file) {
    QTest::addColumn<Case>("c");
    for (const Case& c : cases::load(file)) QTest::newRow(c.name.c_str()) << c;
  }

  void play(const Case& c) {
    Stage& stage = this->stage(c.way);
    stage.play(c.answers);
    const llm::Endpoint endpoint = endpoint_of(c.settings, c.dialect, stage.server);
    const llm::Request request = request_of(c.settings);
    const auto provider = provider_of(endpoint);
    Watcher w;
    const auto reply = provider->complete(request, w, {});
    const auto requests = stage.received();
    const Json& e = c.expect;
    const std::string error = reply ? "" : reply.error().text();
    const std::string leak = leaked(c.settings, requests, w, error);
    QVERIFY2(leak.empty(), leak.c_str());
    QVERIFY2(w.whole, "a delta is empty or splits a character");
    QVERIFY2(reply.has_value() != e.contains("code"), error.c_str());
    QCOMPARE(w.sent.size(), requests.size());
    if (e.contains("requests")) QCOMPARE(static_cast<int>(requests.size()), e["requests"].get<int>());
    for (std::size_t i = 0; i < requests.size(); ++i) {
      QCOMPARE(w.sent[i].body, requests[i].body);
      QCOMPARE(w.sent[i].method, requests[i].method);
      QCOMPARE(w.sent[i].url, stage.server.url() + requests[i].target);
      QCOMPARE(w.sent[i].attempt, static_cast<int>(i) + 1);
      QCOMPARE(requests[i].version, c.way == "http2" ? 20 : 11);
      if (e.contains("methods")) QCOMPARE(requests[i].method, e["methods"][i].get<std::string>());
      if (e.contains("targets")) QCOMPARE(requests[i].target, e["targets"][i].get<std::string>());
    }
    if (e.contains("received")) QVERIFY(w.bytes.find(e["received"].get<std::string>()) != std::string::npos);
    if (e.contains("restarts")) QCOMPARE(w.restarts, e["restarts"].get<int>());
    if (e.contains("wait")) QVERIFY2(w.waits.find(e["wait"].get<std::string>()) != std::string::npos, w.waits.c_str());
    if (!reply) {
      QCOMPARE(std::string(code_name(reply.error().code)), e["code"].get<std::string>());
      for (const Json& words : e.value("says", Json::array()))
        QVERIFY2(error.find(words.get<std::string>()) != std::string::npos, error.c_str());
      QVERIFY2(!reply.error().message.empty() && reply.error().message.back() != '.' &&
                   reply.error().message.find('\n') == std::string::npos,
               error.c_str());
      if (e.contains("longest")) QVERIFY2(error.size() <= e["longest"].get<std::size_t>(), error.c_str());
      return;
    }
    const std::string problem = wrong(*reply, e);
    QVERIFY2(problem.empty(), problem.c_str());
    if (!c.settings.value("chatter", false))
      QCOMPARE(QString::fromStdString(w.text), QString::fromStdString(reply->text()));
    if (c.answers.size() == 1 && c.answers[0].headers[0].second == "text/event-stream" &&
        !c.settings.value("chatter", false))
      QCOMPARE(w.thinking, reply->thinking());
    QVERIFY(reply->first_token_seconds > 0 && reply->first_token_seconds <= reply->seconds);
    QVERIFY(!reply->model.empty());
    if (requests.empty()) return;
    if (e.contains("target")) QCOMPARE(requests[0].target, e["target"].get<std::string>());
    const Json headers = c.settings.value("headers", Json::object());
    for (const auto& h : headers.items()) {
      std::string value = h.value().get<std::string>();
      if (const std::size_t at = value.find("KEY"); at != std::string::npos) value.replace(at, 3, key);
      QCOMPARE(requests[0].header(h.key()), value);
    }
    if (e.contains("body")) {
      const Json sent = Json::parse(requests[0].body);
      const nlohmann::json a = nlohmann::json::parse(requests[0].body),
                           b = nlohmann::json::parse(e["body"].dump());  // without the order of members
      QVERIFY2(a == b, sent.dump().c_str());
    }
    if (c.answers.size() > 1 || c.answers[0].status != 200 || c.bodies[0].find(key) != std::string::npos) return;
    // The same, fed to the parser byte by byte, without a network.
    Watcher direct;
    const auto parser = dialect_of(endpoint)->parser(request, [&](Delta::Kind kind, std::string_view text) {
      direct.delta({kind, std::string(text)});
    });
    for (const char byte : c.bodies[0]) {
      const Status fed = parser->feed({&byte, 1});
      QVERIFY2(fed.has_value(), fed ? "" : fed.error().text().c_str());
    }
    QVERIFY(parser->end().has_value());
    QVERIFY(parser->complete());
    Json same = e;
    same.erase("attempts");
    const std::string other = wrong(parser->take(), same);
    QVERIFY2(other.empty(), other.c_str());
    QCOMPARE(direct.text, w.text);
    QVERIFY(direct.whole);
  }

 private slots:
  void initTestCase() { open(); }
  void cleanup() { ++count_; }

  void cleanupTestCase() { qInfo("%d cases", count_); }

  void chat_data() { rows("chat.txt"); }
  void chat() {
    QFETCH(Case, c);
    play(c);
  }

  void responses_data() { rows("responses.txt"); }
  void responses() {
    QFETCH(Case, c);
    play(c);
  }

  void messages_data() { rows("messages.txt"); }
  void messages() {
    QFETCH(Case, c);
    play(c);
  }

  void requests_data() { rows("requests.txt"); }
  void requests() {
    QFETCH(Case, c);
    play(c);
  }

  void calls_data() { rows("calls.txt"); }
  void calls() {
    QFETCH(Case, c);
    play(c);
  }

  void refusals_data() { rows("refusals.txt"); }
  void refusals() {
    QFETCH(Case, c);
    play(c);
  }

  void network_data() { rows("network.txt"); }
  void network() {
    QFETCH(Case, c);
    play(c);
  }

  void noPartOfAKeyIsLeftWhereAMessageIsCut() {
    const Secret secret("qry-VERYSECRETQUERY-0123456789");
    const std::string text(secret.reveal());
    const auto clean = [](const std::string& said) {
      return said.find("qry-") == std::string::npos && said.find("VERY") == std::string::npos;
    };
    for (std::size_t before = 0; before < 320; ++before) {
      const std::string words = std::string(before, 'a') + " " + text + " and more of it";
      for (const std::string& body : {words, Json({{"error", {{"message", words}, {"code", words}}}}).dump(),
                                      "<html><title>" + words + "</title></html>"}) {
        const providers::Fault f = providers::read_fault(400, body);
        QVERIFY2(clean(f.message) && clean(f.kind), (f.message + f.kind).c_str());
      }
      QVERIFY(clean(providers::cut_text(words, 80)));
    }
    const providers::Fault f = providers::read_fault(400, std::string((64 << 10) - 10, ' ') + text);
    QVERIFY2(clean(f.message), f.message.c_str());
  }

  void presets_data() {  // those that are shipped, each with all that a request can hold
    QTest::addColumn<QString>("name");
    qputenv("WARPWRIGHT_CONFIG", "/nonexistent");
    const auto catalogue = llm::Catalogue::load();
    QVERIFY2(catalogue.has_value(), catalogue ? "" : catalogue.error().text().c_str());
    for (const llm::Preset& p : catalogue->presets())
      QTest::newRow(p.endpoint.preset.c_str()) << QString::fromStdString(p.endpoint.preset);
  }
  void presets() {
    QFETCH(QString, name);
    const auto catalogue = llm::Catalogue::load();
    QVERIFY(catalogue.has_value());
    llm::Endpoint e = catalogue->preset(name.toStdString())->endpoint;
    const std::string dialect = e.provider == "anthropic" ? "messages" : e.dialect;
    e.base_url = plain_->server.url() + "/v1/";
    e.key = Secret(key);
    Answer a;
    a.pieces = {{cases::usual(dialect, true), 0ms}};
    plain_->play({a});
    Watcher w;
    const auto reply = provider_of(e)->complete(request_of({{"request",
                                                             {{"max", 99},
                                                              {"seed", 7},
                                                              {"temperature", 0.5},
                                                              {"effort", "low"},
                                                              {"schema", {"a", {{"type", "object"}}}}}}}),
                                                w, {});
    QVERIFY2(reply && reply->text() == "Grüße, 世界 😀!", reply ? reply->text().c_str() : reply.error().text().c_str());
    const auto requests = plain_->received();
    QCOMPARE(requests.size(), std::size_t{1});
    const std::string leak = leaked(none, requests, w, {});
    QVERIFY2(leak.empty(), leak.c_str());
    QCOMPARE(requests[0].target, std::string(dialect == "chat"        ? "/v1/chat/completions"
                                             : dialect == "responses" ? "/v1/responses"
                                                                      : "/v1/messages"));
    const Json body = Json::parse(requests[0].body);
    QCOMPARE(body.contains("seed"), dialect == "chat" && e.seeds);
    QCOMPARE(body.contains("stream_options"), dialect == "chat" && e.usage_in_stream);
    QCOMPARE(body.contains("reasoning_effort"), dialect == "chat" && e.effort);
    QCOMPARE(body.contains("reasoning"), dialect == "responses" && e.effort);
    QCOMPARE(body.contains(dialect == "chat"        ? "response_format"
                           : dialect == "responses" ? "text"
                                                    : "tools"),
             e.schemas);
    QCOMPARE(body.contains("max_tokens"), dialect == "messages" || (dialect == "chat" && e.legacy_max_tokens));
    QCOMPARE(body.contains("max_completion_tokens"), dialect == "chat" && !e.legacy_max_tokens);
    QCOMPARE(reply->structured, dialect != "messages" && e.schemas);  // the usual reply does not use the tool
  }

  void models_data() {
    QTest::addColumn<QString>("dialect");
    QTest::addColumn<QStringList>("bodies");
    QTest::addColumn<QStringList>("names");
    QTest::newRow("OpenAI") << "chat"
                            << QStringList{
                                   R"({"object":"list","data":[{"id":"b","object":"model"},{"id":"a","object":"model"},
         {"id":"b"}]})"} << QStringList{"a", "b"};
    QTest::newRow("Ollama")
        << "chat"
        << QStringList{R"({"object":"list","data":[{"id":"qwen3:8b","object":"model","owned_by":"library"}]})"}
        << QStringList{"qwen3:8b"};
    QTest::newRow("Ollama without models")
        << "chat" << QStringList{R"({"object":"list","data":null})"} << QStringList{};
    QTest::newRow("something else") << "chat" << QStringList{R"({"hello":"world"})"} << QStringList{"no list"};
    QTest::newRow("llama.cpp, both forms")
        << "chat" << QStringList{R"({"models":[{"name":"x","model":"x"}],"object":"list","data":[{"id":"/models/x.gguf",
         "meta":{}}]})"}
        << QStringList{"/models/x.gguf"};
    QTest::newRow("a bare list") << "chat" << QStringList{R"([{"id":"t/m"}])"} << QStringList{"t/m"};
    QTest::newRow("Anthropic, in pages")
        << "messages"
        << QStringList{R"({"data":[{"type":"model","id":"claude-a"}],"has_more":true,"first_id":"claude-a",
         "last_id":"claude-a"})",
                       R"({"data":[{"type":"model","id":"claude-b"}],"has_more":false,"last_id":"claude-b"})"}
        << QStringList{"claude-a", "claude-b"};
  }
  void models() {
    QFETCH(QString, dialect);
    QFETCH(QStringList, bodies);
    QFETCH(QStringList, names);
    std::vector<Answer> answers(1);
    answers[0].status = 503;  // is repeated
    for (const QString& body : bodies) {
      Answer a;
      a.headers = {{"content-type", "application/json"}};
      a.pieces = {{body.toStdString(), 0ms}};
      answers.push_back(a);
    }
    plain_->play(answers);
    const auto provider = provider_of(endpoint_of(
        {{"attempts", 2}, {"endpoint", {{"query", {{"api-version", "v 1"}}}}}}, dialect.toStdString(), plain_->server));
    const auto list = provider->models({});
    if (names == QStringList{"no list"}) {
      QVERIFY(!list && list.error().code == Code::corrupt);
      return;
    }
    QVERIFY2(list.has_value(), list ? "" : list.error().text().c_str());
    QStringList got;
    for (const std::string& name : *list) got << QString::fromStdString(name);
    QCOMPARE(got, names);
    const auto requests = plain_->received();
    QCOMPARE(requests.size(), answers.size());
    QCOMPARE(requests[1].method, std::string("GET"));
    QCOMPARE(requests[1].target, std::string(dialect == "chat" ? "/v1/models?api-version=v%201"
                                                               : "/v1/models?limit=1000&api-version=v%201"));
    if (dialect == "messages")
      QCOMPARE(requests[2].target, std::string("/v1/models?limit=1000&after_id=claude-a&api-version=v%201"));
  }

  void models_refused() {
    Answer a;
    a.status = 401;
    a.pieces = {{"{\"error\":{\"message\":\"no: " + key + "\"}}", 0ms}};
    plain_->play({a});
    const auto list = provider_of(endpoint_of({{"attempts", 3}}, "chat", plain_->server))->models({});
    QVERIFY(!list && list.error().code == Code::denied);
    QVERIFY(list.error().text().find(key) == std::string::npos);
    QVERIFY(list.error().text().find("does not accept the key") != std::string::npos);
    QCOMPARE(plain_->received().size(), std::size_t{1});
  }

  void models_not_listed() {  // by a server that accepts the request and never answers: it is not asked again
    Answer a;
    a.end = Answer::End::hang;
    plain_->play({a});
    llm::Endpoint endpoint = endpoint_of({{"attempts", 3}}, "chat", plain_->server);
    endpoint.first_byte_timeout = 50ms;
    const auto list = provider_of(endpoint)->models({});
    QVERIFY(!list && list.error().code == Code::timeout);
    QCOMPARE(plain_->received().size(), std::size_t{1});
  }

  void not_trusted_data() {
    QTest::addColumn<int>("certificate");
    QTest::newRow("an authority that is not known") << -1;
    QTest::newRow("expired") << static_cast<int>(support::ServerOptions::Certificate::expired);
    QTest::newRow("for another name") << static_cast<int>(support::ServerOptions::Certificate::other_name);
  }
  void not_trusted() {
    QFETCH(int, certificate);
    support::ServerOptions options;
    options.tls = true;
    if (certificate >= 0) options.certificate = static_cast<support::ServerOptions::Certificate>(certificate);
    LoopbackServer server([](const Received&) { return Answer{}; }, options);
    llm::Endpoint e = endpoint_of({{"attempts", 3}}, "chat", server);
    if (certificate < 0) e.ca_file.clear();
    Watcher w;
    const auto reply = provider_of(e)->complete(request_of(none), w, {});
    QVERIFY(!reply && reply.error().code == Code::untrusted);
    QVERIFY2(reply.error().message.find("certificate") != std::string::npos, reply.error().text().c_str());
    QCOMPARE(w.sent.size(), std::size_t{1});
    QVERIFY(server.received().empty());
  }

  void not_reached_data() {
    support::text_rows({"url", "words"},
                       {{"nobody listens", "http://127.0.0.1:1/v1", "refuses connections"},
                        {"a name that does not exist", "http://nowhere.invalid/v1", "nowhere.invalid"},
                        {"no URL", "localhost and more", "address"}});
  }
  void not_reached() {
    QFETCH(QString, url);
    QFETCH(QString, words);
    llm::Endpoint e = endpoint_of({{"attempts", 2}}, "responses", plain_->server);
    e.base_url = url.toStdString();
    Watcher w;
    const auto reply = provider_of(e)->complete(request_of(none), w, {});
    QVERIFY(!reply);
    QVERIFY2(reply.error().message.find(words.toStdString()) != std::string::npos, reply.error().text().c_str());
    QVERIFY(reply.error().code == Code::unavailable || reply.error().code == Code::invalid_argument);
  }

  void several_at_a_time() {
    Answer a;
    a.pieces = {{cases::usual("messages", true), 0ms}};
    secure_->play({a});
    const std::size_t before = secure_->server.connections();
    const auto provider = provider_of(endpoint_of(none, "messages", secure_->server));
    std::atomic<int> good{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] {
        Watcher w;
        for (int k = 0; k < 5; ++k)
          if (const auto reply = provider->complete(request_of(none), w, {});
              reply && reply->text() == "Grüße, 世界 😀!")
            ++good;
      });
    for (std::thread& t : threads) t.join();
    QCOMPARE(good.load(), 40);
    QVERIFY2(secure_->server.connections() - before <= 8, "HTTP/2 connections are not kept");
  }

  void plugins_data() {
    support::text_rows({"name", "dialect"},
                       {{"openai.so", "openai", "chat"}, {"anthropic.so", "anthropic", "messages"}});
  }
  void plugins() {  // the modules as the program loads them
    QFETCH(QString, name);
    QFETCH(QString, dialect);
    void* module =
        dlopen((std::string(WW_PLUGINS "/providers/lib") + name.toStdString() + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    QVERIFY2(module, module ? "" : dlerror());
    const auto abi = reinterpret_cast<int (*)()>(dlsym(module, "ww_provider_abi"));
    const auto make = reinterpret_cast<llm::Provider* (*)(const llm::Endpoint&)>(dlsym(module, "ww_make_provider"));
    QVERIFY(abi && make);
    QCOMPARE(abi(), llm::provider_abi);
    Answer refusal, a;
    refusal.status = 401;
    refusal.pieces = {{"not with " + key, 0ms}};
    a.pieces = {{cases::usual(dialect.toStdString(), true), 0ms}};
    plain_->play({refusal, a});
    const std::unique_ptr<llm::Provider> provider(make(endpoint_of(none, dialect.toStdString(), plain_->server)));
    Watcher w;
    const auto refused = provider->complete(request_of(none), w, {});
    QVERIFY(!refused && refused.error().text().find(key) == std::string::npos);
    const auto reply = provider->complete(request_of(none), w, {});
    QVERIFY(reply && reply->text() == "Grüße, 世界 😀!");
  }
};
QTEST_GUILESS_MAIN(Conformance)
#include "conformance_test.moc"
