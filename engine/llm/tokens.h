// SPDX-License-Identifier: Apache-2.0
// Estimates of token counts where a service does not report them, and for budgets of prompts: an upper estimate, from bytes and character classes.
#pragma once
#include <cstdint>
#include <string_view>
#include "llm/message.h"

namespace ww::llm {

std::int64_t estimate_tokens(std::string_view text);
std::int64_t estimate_tokens(const Request& request);   // the prompt of it

}  // namespace ww::llm
