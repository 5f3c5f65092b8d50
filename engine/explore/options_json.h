// SPDX-License-Identifier: Apache-2.0
// A run's options as they are kept in the workspace (JSON, with a version), so that any later process can go on with
// it.
#pragma once
#include <string>
#include "explore/run.h"

namespace ww::explore {

std::string options_to_json(const RunOptions& options);
Result<RunOptions> options_from_json(const std::string& text);  // Code::corrupt, Code::unsupported

}  // namespace ww::explore
