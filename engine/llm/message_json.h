// SPDX-License-Identifier: Apache-2.0
// Parses stored requests and replies. Code::corrupt names the problem.
#pragma once
#include <string>
#include "base/result.h"
#include "llm/message.h"

namespace ww::llm {

Result<Request> request_from_json(const std::string& text);
Result<Reply> reply_from_json(const std::string& text);

}  // namespace ww::llm
