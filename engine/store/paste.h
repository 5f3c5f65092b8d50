// SPDX-License-Identifier: Apache-2.0
// Commands that a message offers to be pasted into a terminal.
#pragma once
#include <filesystem>
#include <string>

namespace ww::store {

// As one word of a shell: `my\ folder`; what is plain stays as it is.
std::string shell_word(const std::string& text);
// "warpwright-cli explore --resume 1 --workspace ws2": `command` on the workspace in this folder, which the default one
// is without being named.
std::string pasted(const std::filesystem::path& workspace, const std::string& command);

}  // namespace ww::store
