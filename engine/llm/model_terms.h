// SPDX-License-Identifier: Apache-2.0
// What was known of a model when a run asked it. A replay goes by it, whatever the catalogue says by then.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "base/describe.h"
#include "llm/price.h"

namespace ww::llm {

struct Model;  // catalogue.h

struct ModelTerms {
  std::string model;                     // "PRESET:MODEL"
  std::int64_t context = 0, output = 0;  // tokens; 0: unknown
  std::optional<Price> price;
  bool reasoning = false, schemas = false, tools = false;  // what the service and the model take
  std::optional<bool> temperature;                         // whether it accepts one; empty: unknown
  WW_FIELDS(ModelTerms, (model, "PRESET:MODEL"), (context, "tokens; 0: unknown"), (output, "tokens; 0: unknown"),
            (price, "without it: unknown", sparse), (reasoning, "what the service and the model take, as the next two"),
            schemas, tools, (temperature, "whether it accepts one; without it: unknown", sparse))
};

ModelTerms terms_of(const Model& model);
Model model_of(const ModelTerms& terms);                                                    // without a provider
const ModelTerms* find_terms(const std::vector<ModelTerms>& list, std::string_view model);  // null: not recorded

}  // namespace ww::llm
