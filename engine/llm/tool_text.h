// SPDX-License-Identifier: Apache-2.0
// Calls of tools in a reply's text, for services that take no tools: a fenced block "tool: NAME" with the value of the
// tool's one argument.
#pragma once
#include <string>
#include <string_view>
#include <vector>
#include "llm/message.h"

namespace ww::llm {

// For a prompt: how each is called, and what for.
std::string tool_forms(const std::vector<Tool>& tools);
// The calls of a reply, in order, as blocks without an id; `text`: the arguments as a JSON object. A block that the
// reply does not close is none. A name that is none of the tools' is a call, too: the toolbox says so.
std::vector<Block> calls_in(std::string_view reply, const std::vector<Tool>& tools);
// What a tool said, for the next message: a block without an id, which providers send as text.
Block text_result(const std::string& tool, const std::string& said);

}  // namespace ww::llm
