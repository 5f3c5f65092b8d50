// SPDX-License-Identifier: Apache-2.0
// The one way from a run to a model. Each request is checked for consent (consent.h), admitted (budget), stored, then
// sent; each reply is stored as received before it is parsed; spend is counted; watchers are notified. Thread-safe:
// several requests may be in flight.
#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include "base/pause.h"
#include "base/result.h"
#include "llm/catalogue.h"
#include "llm/consent.h"
#include "llm/events.h"
#include "store/origin.h"

namespace ww::store {
class Workspace;
struct ExchangeRecord;
}  // namespace ww::store

namespace ww::llm {

struct Label {       // the purpose of an exchange
  std::string text;  // for a list: "fix of candidate 12", "fresh attempt 3"
  store::Origin origin;
  Label() = default;
  Label(std::string words, store::Origin from = {}) : text(std::move(words)), origin(std::move(from)) {}
  Label(const char* words) : text(words) {}
};
struct Purpose {
  store::AgentRole role = store::AgentRole::unknown;
  Label label;
  std::string prompt;  // versions and hash of the prompt files, for the store: "writer 3 (1a2b3c4d5e6f)"; may be empty
  // Waits as long as the service asks, up to `longest_wait`, and reports it (Awaiting); else a wait that exceeds the
  // endpoint's retry_budget is Code::unavailable.
  bool patient = false;
  // An exchange of an earlier process that was sent as part of a batch, taken up in place of a new one: its answer is
  // fetched from there, and where there is none, it is asked again.
  std::int64_t taken_up = 0;
};
// Whether a batch may still hold its answer.
bool waits_in_batch(const store::ExchangeRecord& exchange);
inline constexpr std::chrono::hours longest_wait{25};  // in total, of one request
struct Exchange {
  std::int64_t id = 0;  // in the workspace
  Reply reply;
};
struct SpendLimits {
  std::int64_t tokens = 0;
  double money = 0;
};  // 0: none. money: US dollars

class Client {
 public:
  // `run` 0: outside runs. A resumed run starts from the stored spend.
  // While `pause` is paused nothing is sent: callers wait.
  static Result<std::unique_ptr<Client>> make(store::Workspace& workspace, std::int64_t run, SpendLimits limits,
                                              Limits consent, ModelEventHandler handler = {}, PauseToken pause = {});
  virtual ~Client() = default;
  // The hard limit: Code::unavailable, and budget_over() from then on, if the prompt's estimate and one token of answer
  // exceed the rest of the budget; else max_output_tokens is lowered to fit. A money limit with a model of unknown
  // price is refused (Code::invalid_argument). Requests in flight reserve their worst case: another request that would
  // fit without them waits, in order of arrival. A stream that exceeds the budget is cut off (Code::unavailable). An
  // empty Request::model is replaced by the model's name. Known keys are redacted in request and reply. A host without
  // permission: Code::unavailable with a sentence; nothing is sent. With a replay (replay.h) nothing leaves the machine
  // and no consent is needed.
  virtual Result<Exchange> ask(const Model& model, Request request, const Purpose& purpose, std::stop_token stop) = 0;
  // Stores the outcome of the reply. `candidate`: hash of the candidate it produced, or empty.
  virtual Status outcome(std::int64_t exchange, store::ExchangeOutcome outcome, const std::string& candidate) = 0;
  virtual Spend spend() const = 0;
  virtual bool budget_over() const = 0;
};

}  // namespace ww::llm
