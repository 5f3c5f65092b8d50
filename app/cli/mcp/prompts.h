// SPDX-License-Identifier: Apache-2.0
// Prompts: requests to an agent that users can select by name.
#pragma once
#include "mcp/wire.h"

namespace ww::cli::mcp {

Json prompts_json();
Reply<Json> prompt(const Json& params);  // prompts/get

}  // namespace ww::cli::mcp
