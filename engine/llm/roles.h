// SPDX-License-Identifier: Apache-2.0
// What the models of single roles are asked with, where it differs from what holds for all.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "base/describe.h"
#include "base/result.h"

namespace ww::llm {

struct Settings;  // agents.h

inline constexpr std::array<std::string_view, 5> role_names{"writer", "fixer", "analyst", "formulator", "reviewer"};

struct RoleSettings {
  std::string role;
  std::string model;                   // PRESET:MODEL; empty: as usual
  std::vector<std::string> fallbacks;  // that have the role in turn, from when the one before does not answer
  std::string effort;
  std::optional<double> temperature;
  std::int64_t output_tokens = 0, prompt_tokens = 0;  // at most; 0: as for the writer
  WW_FIELDS(RoleSettings, (role, "writer, fixer, analyst, formulator or reviewer"), (model, sparse),
            (fallbacks, sparse), (effort, sparse), (temperature, sparse), (output_tokens, sparse),
            (prompt_tokens, sparse))
};

// Adds one setting: "fixer:effort=low", "analyst:fallback=ollama:qwen3:8b" (any number of these). Settings: model,
// fallback, effort, temperature, output-tokens, prompt-tokens.
Status set_role(std::vector<RoleSettings>& roles, std::string_view text);
Status check_role(const RoleSettings& role);                                                 // names and ranges
const RoleSettings* role_of(const std::vector<RoleSettings>& roles, std::string_view role);  // null: nothing is set
// `over` wins; a fallback list of it replaces that of `under`.
std::vector<RoleSettings> merged(const std::vector<RoleSettings>& under, const std::vector<RoleSettings>& over);
void apply_role(const std::vector<RoleSettings>& roles, std::string_view role, Settings& settings);  // not the models

}  // namespace ww::llm
