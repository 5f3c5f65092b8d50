// SPDX-License-Identifier: Apache-2.0
// Which statement of a function gives a register its value.
#pragma once
#include <map>
#include <string_view>
#include "ptx/syntax.h"

namespace ww::ptx {

// By register: the only statement of the function that writes it; null: several do.
std::map<std::string_view, const Statement*> only_definitions(const File& file, const Function& function);

}  // namespace ww::ptx
