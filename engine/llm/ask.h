// SPDX-License-Identifier: Apache-2.0
// The loop shared by the four agents: fill the prompt within its budget, ask, parse the reply, and if that fails send
// it back once with the reason.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include "llm/agents.h"

namespace ww::llm {

struct Question {
  store::AgentRole role = store::AgentRole::unknown;
  std::string prompt;  // the role of the prompt file
  Label label;
  Sheet sheet;
  std::optional<OutputSchema> schema;  // sent if the model is known to accept one
  bool tools = false;                  // the desk's may be called, if the model's service takes them
  const Earlier* earlier = nullptr;    // its request is the first, in place of one that is made from the sheet
  bool* only_called = nullptr;         // set where the model called tools to the end, and never answered
};
struct Made {
  store::ExchangeOutcome outcome = store::ExchangeOutcome::unknown;
  std::string candidate;
};  // the outcome of the reply; the candidate's hash
// Parses a reply. Code::parse: the message and its cause go back to the model; any other error ends the question.
using Reader = std::function<Result<Made>(const Reply& reply)>;
struct Answered {
  std::int64_t exchange = 0;  // the one whose reply was used
  bool repaired = false;
};

// The estimated size of its prompt.
Result<std::int64_t> prompt_tokens(const Desk& desk, const Settings& settings, Question question);

// Failed attempts are Code::parse: the reply could not be parsed twice, or the model refused. Other errors are the
// client's, or Code::invalid_argument: the prompt does not fit.
Result<Answered> ask(const Desk& desk, const Settings& settings, Question question, const Reader& reader,
                     std::stop_token stop);

}  // namespace ww::llm
