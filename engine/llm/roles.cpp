// SPDX-License-Identifier: Apache-2.0
#include "llm/roles.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include "llm/agents.h"

namespace ww::llm {
namespace {

constexpr std::array<std::string_view, 6> settings{"model",       "fallback",      "effort",
                                                   "temperature", "output-tokens", "prompt-tokens"};
constexpr std::int64_t least_output = 256, least_prompt = 1000, most_tokens = 1000000;

template <std::size_t N>
std::string listed(const std::array<std::string_view, N>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

template <class T>
Result<T> number(std::string_view text, std::string_view what) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return fail(Code::invalid_argument, fmt::format("'{}' is no {}", text, what));
  return value;
}

Status check_output(std::string_view role, std::int64_t tokens) {
  if (tokens >= least_output && tokens <= most_tokens) return {};
  return fail(Code::invalid_argument,
              fmt::format("the {}'s output-tokens, the largest answer, are {}, and not from {} to {}", role, tokens,
                          least_output, most_tokens));
}

Status check_prompt(std::string_view role, std::int64_t tokens) {
  if (tokens >= least_prompt && tokens <= most_tokens) return {};
  return fail(Code::invalid_argument,
              fmt::format("the {}'s prompt-tokens, the largest prompt, are {}, and not from {} to {}", role, tokens,
                          least_prompt, most_tokens));
}

RoleSettings& entry(std::vector<RoleSettings>& roles, std::string_view role) {
  const auto at = std::find_if(roles.begin(), roles.end(), [&](const RoleSettings& r) { return r.role == role; });
  if (at != roles.end()) return *at;
  roles.emplace_back().role = role;
  return roles.back();
}

}  // namespace

Status check_role(const RoleSettings& r) {
  if (std::ranges::find(role_names, r.role) == role_names.end())
    return fail(Code::invalid_argument, fmt::format("'{}' is no role; there are {}", r.role, listed(role_names)));
  if (!r.effort.empty() && std::ranges::find(efforts, r.effort) == efforts.end())
    return fail(Code::invalid_argument,
                fmt::format("'{}' is no effort of the {}; there are {}", r.effort, r.role, listed(efforts)));
  if (r.temperature && !(*r.temperature >= 0 && *r.temperature <= 2))
    return fail(Code::invalid_argument, fmt::format("the {}'s temperature is not from 0 to 2", r.role));
  if (r.output_tokens != 0) WW_TRY(check_output(r.role, r.output_tokens));
  if (r.prompt_tokens != 0) WW_TRY(check_prompt(r.role, r.prompt_tokens));
  return {};
}

Status set_role(std::vector<RoleSettings>& roles, std::string_view text) {
  const std::size_t colon = text.find(':'), equals = text.find('=', colon == text.npos ? 0 : colon);
  if (colon == text.npos || equals == text.npos || equals + 1 == text.size())
    return fail(Code::invalid_argument,
                fmt::format("'{}' is no setting of a role: write ROLE:SETTING=VALUE, such as fixer:effort=low", text));
  const std::string_view role = text.substr(0, colon), setting = text.substr(colon + 1, equals - colon - 1),
                         value = text.substr(equals + 1);
  if (std::ranges::find(role_names, role) == role_names.end())
    return fail(Code::invalid_argument, fmt::format("'{}' is no role; there are {}", role, listed(role_names)));
  RoleSettings& r = entry(roles, role);
  if (setting == "model")
    r.model = value;
  else if (setting == "fallback")
    r.fallbacks.emplace_back(value);
  else if (setting == "effort")
    r.effort = value;
  else if (setting == "temperature")
    r.temperature = WW_TRY(number<double>(value, "temperature"));
  else if (setting == "output-tokens") {
    r.output_tokens = WW_TRY(number<std::int64_t>(value, "number of tokens"));
    WW_TRY(check_output(role, r.output_tokens));
  } else if (setting == "prompt-tokens") {
    r.prompt_tokens = WW_TRY(number<std::int64_t>(value, "number of tokens"));
    WW_TRY(check_prompt(role, r.prompt_tokens));
  } else
    return fail(Code::invalid_argument,
                fmt::format("'{}' is no setting of a role; there are {}", setting, listed(settings)));
  return check_role(r);
}

const RoleSettings* role_of(const std::vector<RoleSettings>& roles, std::string_view role) {
  const auto at = std::find_if(roles.begin(), roles.end(), [&](const RoleSettings& r) { return r.role == role; });
  return at == roles.end() ? nullptr : &*at;
}

std::vector<RoleSettings> merged(const std::vector<RoleSettings>& under, const std::vector<RoleSettings>& over) {
  std::vector<RoleSettings> out = under;
  for (const RoleSettings& o : over) {
    RoleSettings& r = entry(out, o.role);
    if (!o.model.empty()) r.model = o.model;
    if (!o.fallbacks.empty()) r.fallbacks = o.fallbacks;
    if (!o.effort.empty()) r.effort = o.effort;
    if (o.temperature) r.temperature = o.temperature;
    if (o.output_tokens != 0) r.output_tokens = o.output_tokens;
    if (o.prompt_tokens != 0) r.prompt_tokens = o.prompt_tokens;
  }
  return out;
}

void apply_role(const std::vector<RoleSettings>& roles, std::string_view role, Settings& settings) {
  const RoleSettings* r = role_of(roles, role);
  if (!r) return;
  if (!r->effort.empty()) settings.effort = r->effort;
  if (r->temperature) settings.temperature = r->temperature;
  if (r->output_tokens != 0) settings.output_tokens = r->output_tokens;
  if (r->prompt_tokens != 0) settings.prompt_tokens = r->prompt_tokens;
}

}  // namespace ww::llm
