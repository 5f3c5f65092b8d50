// SPDX-License-Identifier: Apache-2.0
#include "store/paste.h"
#include <string_view>
#include "store/default_workspace.h"

namespace ww::store {

std::string shell_word(const std::string& text) {
  constexpr std::string_view plain = "_-./+,:@%=";
  std::string out;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    const bool of_utf8 = static_cast<unsigned char>(c) >= 0x80;
    if (!letter && !of_utf8 && plain.find(c) == std::string_view::npos) out += '\\';
    out += c;
  }
  return out.empty() ? "''" : out;
}

std::string pasted(const std::filesystem::path& workspace, const std::string& command) {
  const std::string whole = "warpwright-cli " + command;
  return workspace.empty() || workspace == default_workspace()
             ? whole
             : whole + " --workspace " + shell_word(workspace.string());
}

}  // namespace ww::store
