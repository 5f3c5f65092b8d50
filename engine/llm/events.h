// SPDX-License-Identifier: Apache-2.0
// A run's model events, for its watchers. Plain data; all but Streaming are stored before they are reported.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include "llm/message.h"
#include "llm/provider.h"
#include "store/states.h"

namespace ww::llm {

struct Spend {  // of a run so far
  Usage usage;
  double money = 0;         // US dollars, as far as prices are known
  bool money_known = true;  // false: some of it has no known price
  int requests = 0, failed = 0;
  std::int64_t token_limit = 0;  // 0: none
  double money_limit = 0;
};

struct ExchangeStarted {
  std::int64_t exchange = 0;
  store::AgentRole role = store::AgentRole::unknown;
  std::string label, model, host;
};
struct Streaming {
  std::int64_t exchange = 0;
  Delta delta;
};  // not stored individually
struct ExchangeEnded {
  std::int64_t exchange = 0;
  store::ExchangeState state = store::ExchangeState::unknown;
  std::string why;
  Usage usage;
  std::optional<double> money;
  double seconds = 0;
};
struct SpendChanged {
  Spend spend;
};
struct Awaiting {  // the service asked for a wait that is longer than those between two attempts
  std::int64_t exchange = 0;
  std::string host;
  std::chrono::milliseconds left{0};  // reported each second; 0: it is over
};
struct PromptCut {  // a service says that it read far less than was sent; once for each model
  std::int64_t exchange = 0;
  std::string model;                     // "ollama:qwen3-coder:30b"
  std::int64_t read = 0, estimated = 0;  // tokens
};
struct AskedAgain {  // of a request that an earlier process sent: its batch holds no answer
  std::int64_t exchange = 0;
  std::string why;  // "batch msgbatch_1 holds no answer to this request: it says: expired"
};
std::string sentence(const PromptCut& cut);
std::string sentence(const AskedAgain& again);
using ModelEvent =
    std::variant<ExchangeStarted, Streaming, ExchangeEnded, SpendChanged, Awaiting, PromptCut, AskedAgain>;
using ModelEventHandler =
    std::function<void(const ModelEvent&)>;  // from any thread, one call at a time; must return quickly

}  // namespace ww::llm
