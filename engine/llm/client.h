// SPDX-License-Identifier: Apache-2.0
// The one way from a run to a model. Each request is allowed (consent.h), admitted (budget), stored, then sent; each
// reply is stored as received before it is read; spend is counted; watchers are notified. Thread-safe: several asks at
// a time.
#pragma once
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
}

namespace ww::llm {

struct Label {       // what an exchange is for
  std::string text;  // for a list: "fix of candidate 12", "fresh attempt 3"
  store::Origin origin;
  Label() = default;
  Label(std::string words, store::Origin from = {}) : text(std::move(words)), origin(std::move(from)) {}
  Label(const char* words) : text(words) {}
};
struct Purpose {
  std::string role;  // "formulator", "writer", "analyst", "reviewer"
  Label label;
  std::string prompt;  // versions and hash of the prompt files, for the store: "writer 3 (1a2b3c4d5e6f)"; may be empty
};
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
  // `run` 0: outside of runs. A resumed run starts from the spend in the store.
  // While `pause` is paused nothing is sent: who asks waits.
  static Result<std::unique_ptr<Client>> make(store::Workspace& workspace, std::int64_t run, SpendLimits limits,
                                              Limits consent, ModelEventHandler handler = {}, PauseToken pause = {});
  virtual ~Client() = default;
  // The hard stop: Code::unavailable, and budget_over() from then on, when the prompt's estimate and one token of
  // answer do not fit into what is left of the budget; else max_output_tokens is lowered to what fits. A limit in money
  // with a model of unknown price is refused (Code::invalid_argument). Asks in flight hold their worst case of the
  // budget: another one that would fit without them waits, in the order of asking. A stream that outgrows the budget is
  // cut (Code::unavailable). An empty Request::model is the model's own name. Known keys are taken out of the request
  // and of the reply. A host that was not allowed: Code::unavailable with a sentence; nothing is sent. With a replay
  // (replay.h) nothing leaves the machine and no consent is needed.
  virtual Result<Exchange> ask(const Model& model, Request request, const Purpose& purpose, std::stop_token stop) = 0;
  // Stores what became of the reply. `candidate`: the hash of the one that it gave, or empty.
  virtual Status outcome(std::int64_t exchange, store::ExchangeOutcome outcome, const std::string& candidate) = 0;
  virtual Spend spend() const = 0;
  virtual bool budget_over() const = 0;
};

}  // namespace ww::llm
