// SPDX-License-Identifier: Apache-2.0
// A client that answers from a script, and a candidate for it to say, for tests of agents.
#pragma once
#include <QtTest>
#include <deque>
#include <map>
#include <string>
#include <vector>
#include "llm/agents.h"

namespace ww::test {

using namespace ww::llm;

inline bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

struct Say {
  std::string text;
  Stop stop = Stop::end;
  std::vector<Block> before = {};  // thinking and the like
};

class Scripted : public Client {
 public:
  explicit Scripted(std::vector<Say> script) : script_(script.begin(), script.end()) {}
  Result<Exchange> ask(const Model&, Request request, const Purpose& purpose, std::stop_token) override {
    requests.push_back(request);
    purposes.push_back(purpose);
    if (script_.empty()) return fail(Code::unavailable, "the budget of tokens is used up");
    Exchange e;
    e.id = 100 + static_cast<std::int64_t>(requests.size());
    e.reply.blocks = script_.front().before;
    if (!script_.front().text.empty()) e.reply.blocks.push_back({Block::Kind::text, script_.front().text, {}});
    e.reply.stop = script_.front().stop;
    script_.pop_front();
    return e;
  }
  Status outcome(std::int64_t exchange, store::ExchangeOutcome what, const std::string& candidate) override {
    outcomes[exchange] = enum_string(what);
    if (!candidate.empty()) candidates[exchange] = candidate;
    return {};
  }
  Spend spend() const override { return {}; }
  bool budget_over() const override { return script_.empty(); }

  std::string prompt(std::size_t i = 0) const {
    std::string out;
    for (const Message& m : requests.at(i).messages) out += m.text() + "\n";
    return out;
  }
  std::vector<Request> requests;
  std::vector<Purpose> purposes;
  std::map<std::int64_t, std::string> outcomes, candidates;

 private:
  std::deque<Say> script_;
};

inline const char* const relu_spec =
    "op relu(x: f32[R, C]) -> y: f32[R, C]\n  default R = 8, C = 16\n{\n  y[r, c] = max(x[r, c], 0)\n}\n";
inline const std::string relu =
    "//@ candidate relu\n//@ structure plain\n//@ launch k grid(R) block(32) args(x, y, C)\n"
    "extern \"C\" __global__ void k(const float* x, float* y, int C) {\n  for (int c = threadIdx.x; c < C; c += 32) "
    "y[blockIdx.x * C + c] = fmaxf(x[blockIdx.x * C + c], 0.0f);\n}\n";
inline const std::string good = "Here it is.\n\n```cuda\n" + relu + "```\n\nNote: one warp a row.\n";
inline const std::string broken = "```cuda\n//@ candidate relu\n//@ launch k gird(R) block(32) args(x, y, C)\n```\n";

inline Settings settings() {
  Settings s;
  s.model.facts.preset = "fake";
  s.model.facts.name = "model-1";
  s.seed = 7;
  s.temperature = 0.5;
  return s;
}

// The shipped prompts, and what an agent asks with. For a test to derive from.
class WithPrompts {
 protected:
  void load_prompts() {  // in initTestCase()
    auto library = PromptLibrary::load();
    QVERIFY2(library.has_value(), library ? "" : library.error().text().c_str());
    prompts_ = std::move(*library);
  }
  Desk desk(Client& client) { return {client, prompts_, open_}; }
  PromptLibrary prompts_;
  Limits open_;  // the defaults
};

}  // namespace ww::test
