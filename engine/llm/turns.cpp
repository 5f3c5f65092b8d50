// SPDX-License-Identifier: Apache-2.0
#include "llm/turns.h"
#include <algorithm>

namespace ww::llm {

std::vector<std::string> models_of(const std::vector<RoleSettings>& roles, std::string_view role,
                                   const std::string& chosen) {
  const RoleSettings* r = role_of(roles, role);
  std::vector<std::string> names;
  if (!chosen.empty() || (r && !r->model.empty())) names.push_back(chosen.empty() ? r->model : chosen);
  if (r)
    for (const std::string& name : r->fallbacks)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

std::string passed_on(const Settings& from, const Error& why, const Settings& to) {
  const auto name = [](const Settings& s) { return s.model.facts.preset + ":" + s.model.facts.name; };
  return name(from) + " does not answer (" + why.message + "); " + name(to) + " is asked from now on";
}

}  // namespace ww::llm
