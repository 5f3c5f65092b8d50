// SPDX-License-Identifier: Apache-2.0
// A provider inside the test: answers by a function, and a model and a run to ask it with.
#pragma once
#include <functional>
#include <memory>
#include <utility>
#include "llm/catalogue.h"
#include "store/workspace.h"
#include "support/workspaces.h"

namespace ww::test {

class FakeProvider : public llm::Provider {
 public:
  using Answer = std::function<Result<llm::Reply>(const llm::Request&, llm::Observer&, std::stop_token)>;
  explicit FakeProvider(Answer answer) : answer_(std::move(answer)) {}
  Result<llm::Reply> complete(const llm::Request& request, llm::Observer& observer, std::stop_token stop) override {
    return answer_(request, observer, stop);
  }
  Result<std::vector<std::string>> models(std::stop_token) override { return std::vector<std::string>{}; }

 private:
  Answer answer_;
};

inline llm::Model model_of(FakeProvider::Answer answer, const std::string& url = "http://127.0.0.1:1/v1") {
  llm::Model m;
  m.endpoint.preset = "work";
  m.endpoint.provider = "openai";
  m.endpoint.base_url = url;
  m.facts.preset = "work";
  m.facts.name = "small-1";
  m.provider = std::make_shared<FakeProvider>(std::move(answer));
  return m;
}

inline llm::Reply reply_of(const std::string& text, std::int64_t prompt = 0, std::int64_t completion = 0) {
  llm::Reply r;
  r.blocks.push_back({llm::Block::Kind::text, text, {}});
  r.model = "small-1-2026";
  r.id = "id-1";
  r.usage = {prompt, 0, 0, completion, 0, prompt + completion > 0};
  return r;
}

inline llm::Request request_of(const std::string& user, std::int64_t output = 1000) {
  llm::Request r;
  r.messages = {llm::message(llm::Role::system, "You write kernels.", true), llm::message(llm::Role::user, user)};
  r.max_output_tokens = output;
  return r;
}

inline std::int64_t new_run(store::Workspace& w) { return support::new_run(w, "model"); }

}  // namespace ww::test
