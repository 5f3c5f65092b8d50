// SPDX-License-Identifier: Apache-2.0
// Commands in messages, for pasting into a terminal.
#pragma once
#include <filesystem>
#include <string>

namespace ww::store {

// As one shell word: `my\ folder`; unchanged if no quoting is needed.
std::string shell_word(const std::string& text);
// "warpwright-cli explore --resume 1 --workspace ws2": `command` with the workspace in this folder; the default one is
// left out.
std::string pasted(const std::filesystem::path& workspace, const std::string& command);

}  // namespace ww::store
