// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace ww::op {

// What is wrong with the brackets of a sentence: one is not closed, or something is missing in them.
std::optional<std::string> brackets_problem(std::string_view sentence);

}  // namespace ww::op
