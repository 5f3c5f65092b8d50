// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens of PTX and SASS, line by line: only block comments, which the compilers do not emit, span lines. PTX ISA,
// chapter "Syntax".
#pragma once
#include <string_view>
#include <vector>

namespace ww::widgets {

enum class AssemblyWord : unsigned char { text, comment, directive, instruction, reg, number, label, string };
struct AssemblyToken {
  int begin, end;  // bytes of the line
  AssemblyWord word;
};
// Every byte of the line is in one token, in order.
void tokenize_ptx(std::string_view line, std::vector<AssemblyToken>& tokens);
void tokenize_sass(std::string_view line, std::vector<AssemblyToken>& tokens);
const char* token_colour(AssemblyWord word);  // of the theme

}  // namespace ww::widgets
