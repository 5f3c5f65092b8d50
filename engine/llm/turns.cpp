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

std::string name_of(const Settings& settings) { return settings.model.facts.full_name(); }

std::string passed_on(const std::string& from, const Error& why, const Settings& to, const std::string& does) {
  return from + " does not answer (" + why.message + "); " + name_of(to) + ' ' + does + " from now on";
}

}  // namespace ww::llm
