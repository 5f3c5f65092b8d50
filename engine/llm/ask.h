// SPDX-License-Identifier: Apache-2.0
// The loop that the four agents share: fill the prompt within its budget, ask, read the reply, and when it does not
// parse send it back once with the reason.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include "llm/agents.h"

namespace ww::llm {

struct Question {
  std::string role;    // of the agent
  std::string prompt;  // the role of the prompt file
  Label label;
  Sheet sheet;
  std::optional<OutputSchema> schema;  // sent where the model is known to take one
};
struct Made {
  store::ExchangeOutcome outcome = store::ExchangeOutcome::unknown;
  std::string candidate;
};  // what the reply came to; the candidate's hash
// Takes a reply apart. Code::parse: the message and its cause go back to the model; any other error ends the question.
using Reader = std::function<Result<Made>(const Reply& reply)>;
struct Answered {
  std::int64_t exchange = 0;  // the one whose reply was taken
  bool repaired = false;
};

// What its prompt will take, estimated.
Result<std::int64_t> prompt_tokens(const Desk& desk, const Settings& settings, Question question);

// Failed attempts are Code::parse: the reply did not parse twice, or the model refused. Other errors are the client's,
// or Code::invalid_argument: the prompt does not fit.
Result<Answered> ask(const Desk& desk, const Settings& settings, Question question, const Reader& reader,
                     std::stop_token stop);

}  // namespace ww::llm
