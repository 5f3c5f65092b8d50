// SPDX-License-Identifier: Apache-2.0
// The name of a model, as people give it: "PRESET:MODEL".
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace ww::llm {

struct ModelName {
  std::string preset;
  std::string model;  // the service's own name; may be empty
  std::string text() const { return preset + ':' + model; }
  bool operator==(const ModelName&) const = default;
  // At the first colon: a model's own name may have more of them. Empty: there is none.
  static std::optional<ModelName> read(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == text.npos) return std::nullopt;
    return ModelName{std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
  }
};

}  // namespace ww::llm
