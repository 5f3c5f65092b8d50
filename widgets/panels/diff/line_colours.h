// SPDX-License-Identifier: GPL-3.0-or-later
// Splits one line of code into coloured parts, without a document. Line by line: constructs over several lines (block
// comments) are not tracked. Pure.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace ww::widgets {

enum class CodeKind : std::uint8_t { source, ptx, sass };  // source: CUDA, or PTX for a PTX candidate

enum class Ink : std::uint8_t { text, comment, directive, keyword, builtin, type, number, string, label, count };
const char* ink_token(Ink ink);  // the theme's colour

struct InkRun {
  int begin = 0, end = 0;  // bytes
  Ink ink = Ink::text;
};
std::vector<InkRun> colour_line(std::string_view line, CodeKind kind);  // covers the whole line, in order

}  // namespace ww::widgets
