// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "session/engine.h"

namespace ww::widgets {

class EngineModels : public Engine {  // the part of the local engine that speaks of language models
 public:
  ModelList models(bool ask) override;
  std::vector<Choice> strategies() override;
  Result<std::vector<std::string>> check_service(const std::string& service, CancelToken cancel) override;
  void add_key_reader(std::function<std::optional<Secret>(const std::string& service)> reader) override;
  Result<std::vector<ModelHost>> hosts(const std::vector<std::string>& models) override;
  std::vector<std::string> what_leaves(const llm::Limits& limits) override;
  Status allow(const std::string& host, const llm::Limits& limits) override;
  Status forget(const std::string& host) override;
  Result<std::vector<llm::Consent>> consents() override;
  ExchangeView read_exchange(store::ExchangeRecord record) override;
  Result<Formulated> formulate(store::Workspace& workspace, const std::string& model, const std::string& text,
                               const llm::Limits& limits, CancelToken cancel) override;
};

}  // namespace ww::widgets
