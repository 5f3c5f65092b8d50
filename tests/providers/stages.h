// SPDX-License-Identifier: Apache-2.0
// Servers on loopback that play a case, the providers that ask them, and who watches.
#pragma once
#include <QtTest>
#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include "cases.h"
#include "providers/anthropic/anthropic.h"
#include "providers/openai/openai.h"

namespace ww::cases {

using namespace std::chrono_literals;
using llm::Delta;
using support::Answer;
using support::LoopbackServer;
using support::Received;

inline const Json none = Json::object();

// One server of each kind serves all cases.
struct Stage {
  std::mutex mutex;
  support::Handler handler;
  LoopbackServer server;
  std::size_t seen = 0;
  explicit Stage(bool secure)
      : server(
            [this](const Received& r) {
              const std::lock_guard lock(mutex);
              return handler(r);
            },
            {secure, secure, support::ServerOptions::Certificate::good}) {}
  void play(std::vector<Answer> answers) {
    const std::lock_guard lock(mutex);
    seen = server.received().size();
    handler = [answers, next = std::size_t{0}](const Received&) mutable {
      return answers[std::min(next++, answers.size() - 1)];
    };
  }
  std::vector<Received> received() const {
    auto all = server.received();
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(seen));
    return all;
  }
};

struct Watcher : llm::Observer {
  std::vector<llm::Outgoing> sent;
  std::string bytes, text, thinking, waits;
  std::vector<std::string> batches, again;
  llm::BatchPlace place, earlier;  // the last one; where it was sent before
  int restarts = 0, refuse_at = 0;
  bool whole = true;  // every delta was valid UTF-8
  std::function<void(const Delta&)> on_delta;
  bool patient = false;
  std::vector<std::chrono::milliseconds> awaited;
  Status sending(const llm::Outgoing& o) override {
    sent.push_back(o);
    if (o.attempt == refuse_at) return fail(Code::unavailable, "the budget is used up");
    return {};
  }
  void received(std::string_view b) override { bytes += b; }
  void in_batch(const llm::BatchPlace& p) override {
    batches.push_back(p.batch);
    place = p;
  }
  const llm::BatchPlace* sent_in() const override { return earlier.batch.empty() ? nullptr : &earlier; }
  void asked_again(const std::string& why) override { again.push_back(why); }
  bool awaits(std::chrono::milliseconds left) override {
    awaited.push_back(left);
    return patient;
  }
  void delta(const Delta& d) override {
    whole &= QString::fromStdString(d.text).toStdString() == d.text && !d.text.empty();
    if (d.kind == Delta::Kind::text) text += d.text;
    if (d.kind == Delta::Kind::thinking) thinking += d.text;
    if (d.kind == Delta::Kind::wait) waits += d.text + "\n";
    if (d.kind == Delta::Kind::restart) {
      ++restarts;
      text.clear();
      thinking.clear();
    }
    if (on_delta) on_delta(d);
  }
};

inline llm::Endpoint endpoint_of(const Json& settings, const std::string& dialect, const LoopbackServer& server) {
  llm::Endpoint e;
  e.preset = "testing";
  e.provider = dialect == "messages" ? "anthropic" : "openai";
  e.dialect = dialect == "messages" ? "" : dialect;
  e.base_url = server.url() + "/v1";
  e.ca_file = server.ca_file();
  e.key = Secret(settings.value("key", key));
  e.attempts = settings.value("attempts", 1);
  e.busy_attempts = settings.value("busy_attempts", e.attempts);
  const Json o = settings.value("endpoint", Json::object());
  e.seeds = o.value("seeds", false);
  e.schemas = o.value("schemas", false);
  e.effort = o.value("effort", false);
  e.cache_marks = o.value("cache_marks", false);
  e.usage_in_stream = o.value("usage_in_stream", true);
  e.legacy_max_tokens = o.value("legacy_max_tokens", false);
  e.resumable = o.value("resumable", false);
  e.key_header = o.value("key_header", "");
  if (o.contains("idle_ms")) e.idle_timeout = std::chrono::milliseconds(o["idle_ms"].get<int>());
  if (o.contains("first_byte_ms")) e.first_byte_timeout = std::chrono::milliseconds(o["first_byte_ms"].get<int>());
  for (const char* list : {"headers", "query"})
    if (o.contains(list))
      for (const auto& item : o[list].items())
        (list == std::string("query") ? e.query : e.headers).emplace_back(item.key(), item.value().get<std::string>());
  return e;
}

inline llm::Request request_of(const Json& settings) {
  const Json o = settings.value("request", Json::object());
  llm::Request r;
  r.model = o.value("model", "m1");
  for (const Json& m : o.value("messages", Json::array({Json::array({"user", "U"})}))) {
    const std::string role = m[0].get<std::string>();
    llm::Message message;
    message.role = role == "system" ? llm::Role::system : role == "user" ? llm::Role::user : llm::Role::assistant;
    if (m[1].is_string())
      message.blocks.push_back({llm::Block::Kind::text, cases::expand(m[1].get<std::string>()), {}});
    else
      for (const Json& b : m[1]) {
        const std::string kind = b[0].get<std::string>();
        if (kind == "call" || kind == "result") {  // [KIND, id, tool, text]
          message.blocks.push_back({.kind = kind == "call" ? llm::Block::Kind::call : llm::Block::Kind::result,
                                    .text = b[3].get<std::string>(),
                                    .id = b[1].get<std::string>(),
                                    .tool = b[2].get<std::string>()});
          continue;
        }
        message.blocks.push_back({kind == "text"       ? llm::Block::Kind::text
                                  : kind == "thinking" ? llm::Block::Kind::thinking
                                                       : llm::Block::Kind::opaque,
                                  b[1].get<std::string>(),
                                  b.size() > 2 && b[2].is_string() ? b[2].get<std::string>() : ""});
        message.blocks.back().cache = b.size() > 2 && b[2].is_boolean() && b[2].get<bool>();
      }
    message.cache = m.size() > 2 && m[2].get<bool>();
    r.messages.push_back(std::move(message));
  }
  r.max_output_tokens = o.value("max", 8192);
  if (o.contains("temperature")) r.temperature = o["temperature"].get<double>();
  if (o.contains("seed")) r.seed = o["seed"].get<int>();
  r.effort = o.value("effort", "");
  if (o.contains("schema"))
    r.schema =
        llm::OutputSchema{o["schema"][0].get<std::string>(),
                          o["schema"][1].is_string() ? o["schema"][1].get<std::string>() : o["schema"][1].dump()};
  for (const Json& t : o.value("tools", Json::array()))
    r.tools.push_back({t.get<std::string>(), "about " + t.get<std::string>(),
                       R"({"type":"object","properties":{"candidate":{"type":"string"}},"required":["candidate"]})"});
  r.no_calls = o.value("no_calls", false);
  return r;
}

inline http::RetryOptions quick() {
  http::RetryOptions p;
  p.first = 1ms;
  p.longest = 4ms;
  p.jitter_seed = 1;
  return p;
}
inline std::unique_ptr<llm::Provider> provider_of(const llm::Endpoint& e) {
  return e.provider == "anthropic" ? providers::make_anthropic(e, quick()) : providers::make_openai(e, quick());
}

// For a test to derive from.
class Stages {
 protected:
  std::unique_ptr<Stage> plain_, secure_;

  Stage& stage(const std::string& way) { return way == "http2" ? *secure_ : *plain_; }
  void open() {
    for (const char* name : {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy",
                             "NO_PROXY", "SSL_CERT_FILE"})
      qunsetenv(name);
    plain_ = std::make_unique<Stage>(false);
    secure_ = std::make_unique<Stage>(true);
  }
};

}  // namespace ww::cases
