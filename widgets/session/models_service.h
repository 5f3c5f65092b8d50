// SPDX-License-Identifier: GPL-3.0-or-later
// The services of language models, and consent for what is sent to them; tests replace this. Any thread but the GUI
// thread, several at a time.
#pragma once
#include <functional>
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

struct ModelHost {                     // where requests of a run would go
  std::string host, service;           // "api.openai.com", "OpenAI"
  bool this_machine = false;           // no permission is needed
  std::optional<llm::Limits> allowed;  // what was allowed earlier
};
struct Formulated {  // what a model made of a person's words; nothing runs before the person has confirmed it
  std::string text, explanation;  // text: a spec that the checker took
  std::vector<std::string> assumptions;
  std::int64_t exchange = 0;
};
struct ExchangeView {  // one request to a model and its reply, read from the store
  store::ExchangeRecord record;
  std::optional<llm::Request> request;
  std::optional<llm::Reply> reply;  // of a failed one: the part that came
  std::string problem;              // it cannot be read, and why
};
ExchangeView read_exchange(store::ExchangeRecord record);

class Models {
 public:
  virtual ~Models() = default;
  // Services and models. `ask`: asks the servers on this machine, and no others, for their models.
  virtual ModelList models(bool ask);
  // The models that the service lists. It sends the key, and nothing else.
  virtual Result<std::vector<std::string>> check_service(const std::string& service, std::stop_token cancel);
  // The first one added that has a key is asked. From any thread.
  virtual void add_key_reader(std::function<std::optional<Secret>(const std::string& service)> reader, KeyFrom from);
  virtual Result<std::vector<ModelHost>> hosts(const std::vector<std::string>& models);  // each once
  virtual Status allow(const std::string& host, const llm::Limits& limits);
  virtual Status forget(const std::string& host);
  virtual Result<std::vector<llm::Consent>> consents();
  virtual Result<Formulated> formulate(store::Workspace& workspace, const std::string& model, const std::string& text,
                                       const llm::Limits& limits, std::stop_token cancel);
};

}  // namespace ww::widgets
