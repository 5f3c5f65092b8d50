// SPDX-License-Identifier: Apache-2.0
#include "llm/model_terms.h"
#include <algorithm>
#include "llm/catalogue.h"

namespace ww::llm {

ModelTerms terms_of(const Model& m) {
  return {.model = m.facts.full_name(),
          .context = m.facts.context,
          .output = m.facts.output,
          .price = m.facts.price,
          .reasoning = m.facts.reasoning,
          .schemas = m.facts.schemas,
          .tools = m.endpoint.tools,
          .temperature = m.facts.temperature};
}

Model model_of(const ModelTerms& t) {
  Model m;
  const ModelName name = ModelName::read(t.model).value_or(ModelName{t.model, {}});
  m.facts.preset = m.endpoint.preset = name.preset;
  m.facts.name = name.model;
  m.facts.context = t.context;
  m.facts.output = t.output;
  m.facts.price = t.price;
  m.facts.reasoning = m.endpoint.effort = t.reasoning;
  m.facts.schemas = m.endpoint.schemas = t.schemas;
  m.facts.tools = m.endpoint.tools = t.tools;
  m.facts.temperature = t.temperature;
  return m;
}

const ModelTerms* find_terms(const std::vector<ModelTerms>& list, std::string_view model) {
  const auto at = std::ranges::find(list, model, &ModelTerms::model);
  return at == list.end() ? nullptr : &*at;
}

}  // namespace ww::llm
