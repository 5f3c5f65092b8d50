// SPDX-License-Identifier: Apache-2.0
// Runs that are led by a scripted model: a provider in this process, a worker that does what the candidates' comments
// say. No network, no compiler.
#pragma once
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <functional>
#include <mutex>
#include "base/files.h"
#include "explore/repeated.h"
#include "explore/run.h"
#include "explore/scripted_options.h"
#include "llm/providers.h"
#include "llm/tokens.h"
#include "store/workspace.h"

namespace ww::testing {

using namespace ww::explore;
using namespace ww::generator;
namespace fs = std::filesystem;

inline constexpr const char* catalogue =
    "{\"schema\": \"warpwright-models/1\", \"presets\": [{\"name\": \"test\", \"title\": \"Test\", \"about\": \"of "
    "this test\", \"local\": true, \"provider\": \"scripted\", \"base_url\": \"http://127.0.0.1:9/v1\", \"seeds\": "
    "true, \"tools\": true}, "
    "{\"name\": \"plain\", \"title\": \"Plain\", \"about\": \"takes no tools\", \"local\": true, \"provider\": "
    "\"scripted\", \"base_url\": \"http://127.0.0.1:9/v1\", \"seeds\": true}, "
    "{\"name\": \"unknown\", \"title\": \"Unknown\", \"about\": \"lists no models\", \"provider\": \"scripted\", "
    "\"base_url\": \"http://127.0.0.1:9/v1\", \"seeds\": true, \"tools\": true}], "
    "\"models\": [{\"preset\": \"test\", \"name\": \"*\", \"free\": true}, {\"preset\": \"plain\", \"name\": \"*\", "
    "\"free\": true}]}";

using Answer = std::function<Result<std::string>(const llm::Request&, std::stop_token)>;
inline std::mutex answer_mutex;
inline Answer answer;  // of the model
inline std::atomic<int> asked{0};
inline std::atomic<bool> counts_tokens{false};  // else each request takes 20,100
// For a test that needs more than text: called before the answer; a reply of it is the answer.
using Before = std::function<std::optional<Result<llm::Reply>>(const llm::Request&, llm::Observer&)>;
inline Before before;

class Scripted final : public llm::Provider {
 public:
  explicit Scripted(llm::Endpoint endpoint) : endpoint_(std::move(endpoint)) {}
  Result<llm::Reply> complete(const llm::Request& request, llm::Observer& observer, std::stop_token stop) override {
    ++asked;
    if (Status s =
            observer.sending({"POST", endpoint_.base_url + "/chat", "127.0.0.1", llm::request_to_json(request), 1});
        !s)
      return fail(s.error());
    Answer now;
    Before first;
    {
      const std::lock_guard lock(answer_mutex);
      now = answer;
      first = before;
    }
    if (first)
      if (std::optional<Result<llm::Reply>> reply = first(request, observer)) return *reply;
    const Result<std::string> text = now(request, stop);
    if (!text) return fail(text.error());
    observer.received(*text);
    observer.delta({llm::Delta::Kind::text, *text});
    llm::Reply reply;
    reply.blocks = {{llm::Block::Kind::text, *text, {}}};
    reply.usage.prompt = counts_tokens ? llm::estimate_tokens(request) : 20000;
    reply.usage.completion = counts_tokens ? llm::estimate_tokens(*text) : 100;
    reply.usage.reported = true;
    reply.model = request.model;
    return reply;
  }
  Result<std::vector<std::string>> models(std::stop_token) override { return std::vector<std::string>{"one"}; }

 private:
  llm::Endpoint endpoint_;
};

inline bool asks_analyst(const llm::Request& r) {
  return r.messages.at(1).text().find("Answer with the JSON object.") != std::string::npos;
}
inline std::string said(const llm::Request& r) {
  std::string all;
  for (const llm::Message& m : r.messages) all += m.text() + "\n";
  return all;
}
inline std::string file(const std::string& text, const std::string& note) {
  return "Here it is.\n```cuda\n" + text + "```\nNote: " + note + "\n";
}
inline std::string diagnosis() {
  return "{\"bottleneck\": \"loads are narrow\", \"evidence\": \"4 bytes a request\", \"moves\": [{\"name\": "
         "\"vectorise loads\", \"why\": \"wider requests\", \"gain\": 1.5}]}";
}
inline std::string number(const llm::Request& r) { return std::to_string(r.seed.value_or(0) % 100000); }

// Fresh attempts are wrong, fixes are right, each improvement is a little faster than what its seed says.
inline Result<std::string> sensible(const llm::Request& r, std::stop_token) {
  const std::string prompt = r.messages.back().text();
  if (asks_analyst(r)) return diagnosis();
  if (prompt.find("Its verdict: rejected") != std::string::npos)
    return file(script::candidate("fixed " + number(r), "accepted 50000"), "the index was off by one");
  if (prompt.find("loads are narrow") != std::string::npos)
    return file(
        script::candidate("wide " + number(r), "accepted " + std::to_string(10000 + r.seed.value_or(0) % 10000)),
        "vectorise loads, four at a time");
  return file(script::candidate("fresh " + number(r), "rejected"), "the plain way");
}

inline void use(Answer a) {
  const std::lock_guard lock(answer_mutex);
  answer = std::move(a);
}

inline RunOptions options_with(const std::vector<std::string>& strategies, int candidates) {
  RunOptions o = script::options("model", candidates);
  o.model.strategies = strategies;
  o.model.writer = "test:one";
  o.model.parallel = 1;
  o.model.seed = 7;
  return o;
}

// For a test to derive from.
class ScriptedModelRuns {
 protected:
  QTemporaryDir dir_;
  int folders_ = 0;
  std::unique_ptr<store::Workspace> workspace_;
  std::vector<Event> events_;
  std::mutex events_mutex_;
  std::function<void(const Event&)> also_;

  std::unique_ptr<store::Workspace> fresh() {
    return store::Workspace::open(fs::path(dir_.path().toStdString()) / std::to_string(++folders_)).value();
  }
  EventHandler handler() {
    return [this](const Event& e) {
      const std::lock_guard lock(events_mutex_);
      events_.push_back(e);
      if (also_) also_(e);
    };
  }
  RunEnded go(const RunOptions& o, std::stop_token stop = {}) {
    events_.clear();
    const auto ended = explore::run(*workspace_, o, handler(), stop);
    return ended ? *ended : RunEnded{0, store::RunState::failed, ended.error().text(), 0, 0, 0};
  }
  RunEnded replay(std::int64_t run) {  // as the command does
    use([](const llm::Request&, std::stop_token) -> Result<std::string> {
      return fail(Code::internal, "a replay asks nobody");
    });
    const auto repeated = explore::repeated(*workspace_, run);
    if (!repeated) return RunEnded{0, store::RunState::failed, repeated.error().text(), 0, 0, 0};
    RunOptions o = repeated->options;
    o.worker = options_from_json(workspace_->run(run)->options)->worker;
    return go(o);
  }
  std::vector<store::CandidateRecord> candidates(std::int64_t run) { return workspace_->candidates(run).value(); }
  std::vector<store::ExchangeRecord> exchanges(std::int64_t run) { return workspace_->exchanges(run).value(); }
  std::vector<std::string> texts(std::int64_t run) {
    std::vector<std::string> list;
    for (const auto& c : candidates(run)) list.push_back(c.text);
    return list;
  }
  void replays_the_same(std::int64_t run) {
    const RunEnded again = replay(run);
    QVERIFY2(again.state == store::RunState::done, (again.why + log(again.run)).c_str());
    QCOMPARE(texts(again.run), texts(run));
  }
  std::string log(std::int64_t run) {
    std::string text;
    const auto messages = workspace_->messages(run).value();
    for (const auto& m : messages) text += enum_string(m.level) + ": " + m.text + "\n";
    return text;
  }
  void offer_model() { offer<Scripted>("scripted", catalogue); }
  template <class Provider>
  void offer(const char* name, const char* models) {
    const fs::path config = fs::path(dir_.path().toStdString()) / "config";
    fs::create_directories(config);
    QVERIFY(write_file_atomic(config / "models.json", models));
    qputenv("WARPWRIGHT_CONFIG", QByteArray::fromStdString(config.string()));
    llm::add_provider(name, [](const llm::Endpoint& e) { return std::make_unique<Provider>(e); });
  }

  void renew() {
    workspace_ = fresh();
    also_ = {};
    before = {};
    use(sensible);
  }
};

}  // namespace ww::testing
