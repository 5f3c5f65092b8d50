// SPDX-License-Identifier: Apache-2.0
// Writes the settings of roles into the user's models.json, whose other entries and comments stay as they are.
#pragma once
#include <string>
#include <vector>
#include "base/result.h"
#include "llm/roles.h"

namespace ww::llm {

// The file's text with these roles in place of its own. Code::parse: it is no such file.
Result<std::string> with_roles(const std::string& text, const std::vector<RoleSettings>& roles);
// Catalogue::own_file(), made if there is none. A file that cannot be read, or could not afterwards, is left as it is.
Status save_roles(const std::vector<RoleSettings>& roles);

}  // namespace ww::llm
