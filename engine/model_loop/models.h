// SPDX-License-Identifier: Apache-2.0
// Fixed state of a run that asks models: the models with their prompts, and the facts about op, device and workspace in
// every prompt.
#pragma once
#include <memory>
#include <optional>
#include "appraisal/advice.h"
#include "llm/agents.h"
#include "model_loop/recorded.h"

namespace ww::model_loop {

struct Models {
  llm::Mode mode = llm::Mode::cuda;
  llm::PromptLibrary prompts;
  llm::Settings writer;
  std::optional<llm::Settings> analyst;
  std::unique_ptr<llm::Client> client;
  Recorded recorded;  // of the run that this one replays

  static Result<Models> open(const generator::Host& host);
  bool budget_over() const { return client->budget_over(); }
};

struct Survey {
  appraisal::RunContext context;
  llm::Sheet sheet;
};
Result<Survey> survey(const generator::Host& host);

}  // namespace ww::model_loop
