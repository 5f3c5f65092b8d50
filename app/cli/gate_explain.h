// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>
#include "answer.h"

namespace ww::cli {

// `what`: empty for the stages and kinds of cheats; one of them by name; or a subject, whose cases and inputs are
// shown.
Result<Answer> explained(const std::string& what, const std::string& device, const std::vector<std::string>& set);

}  // namespace ww::cli
