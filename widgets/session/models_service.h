// SPDX-License-Identifier: GPL-3.0-or-later
// The services of language models, and consent for what is sent to them; tests replace this. Not on the GUI thread;
// thread-safe.
#pragma once
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>
#include <stop_token>
#include "base/result.h"
#include "base/secret.h"
#include "llm/consent.h"
#include "llm/message.h"
#include "session/model_list.h"
#include "store/workspace.h"

namespace ww::widgets {

struct ModelHost {                     // the destination of a run's requests
  std::string host, service;           // "api.openai.com", "OpenAI"
  bool this_machine = false;           // no permission is needed
  std::optional<llm::Limits> allowed;  // granted earlier
};
struct Formulated {  // a spec made from the user's text; nothing runs before the user has confirmed it
  enum class By : std::uint8_t { model, import };
  By by = By::model;
  std::string text, explanation;         // text: a spec accepted by the checker
  std::vector<std::string> assumptions;  // of the model, or facts of the import; sentences
  std::int64_t exchange = 0;             // with the model; 0: none
  std::string compared = {};             // of the model's spec with its source or a second answer; empty: it was not
  std::vector<std::string> doubts = {};  // sentences
  std::string passed_on = {};            // which model took over from one that did not answer; empty: none did
};
struct ExchangeView {  // one request to a model with its reply, from the store
  store::ExchangeRecord record;
  std::optional<llm::Request> request;
  std::optional<llm::Reply> reply;  // of a failed one: the part that arrived
  std::string problem;              // why it cannot be read
};
ExchangeView read_exchange(store::ExchangeRecord record);

class Models {
 public:
  virtual ~Models() = default;
  using Check = Result<std::vector<ModelEntry>>;  // the models listed by a service
  // Services and models, those of checks included. `ask`: queries the servers on this machine for their models, but no
  // others, nor proxies that the user has not allowed.
  ModelList models(bool ask);
  // Sends only the key; the answer is kept. The user has agreed (Service::asks_first).
  Check check_service(const std::string& service, std::stop_token cancel);
  std::optional<Check> last_check(const std::string& service) const;
  void forget_check(const std::string& service);  // its key is another one
  // The first reader that has a key is used. Thread-safe.
  virtual void add_key_reader(std::function<std::optional<Secret>(const std::string& service)> reader, KeyFrom from);
  virtual Result<std::vector<ModelHost>> hosts(const std::vector<std::string>& models);  // each once
  virtual Status allow(const std::string& host, const llm::Limits& limits);
  virtual Status forget(const std::string& host);
  virtual Result<std::vector<llm::Consent>> consents();
  // What is set for roles, in the user's models.json.
  virtual Status set_roles(const std::vector<llm::RoleSettings>& roles);
  // By `model`, then by the formulator's fallbacks.
  virtual Result<Formulated> formulate(store::Workspace& workspace, const std::string& model, const std::string& text,
                                       const llm::Limits& limits, std::stop_token cancel);

 protected:
  virtual ModelList list_models(bool ask);
  virtual Check ask_service(const std::string& service, std::stop_token cancel);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Check> checks_;  // by service
};

}  // namespace ww::widgets
