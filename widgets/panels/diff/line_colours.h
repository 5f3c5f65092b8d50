// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of one line of code, for colouring it without a document. By lines: what spans several (block comments) is
// not followed. Pure.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace ww::widgets {

enum class CodeKind : std::uint8_t { source, ptx, sass };  // source: CUDA, or PTX where the candidate is written in it

enum class Ink : std::uint8_t { text, comment, directive, keyword, builtin, type, number, string, label, count };
const char* ink_token(Ink ink);  // the theme's colour

struct InkRun {
  int begin = 0, end = 0;  // bytes
  Ink ink = Ink::text;
};
std::vector<InkRun> colour_line(std::string_view line, CodeKind kind);  // all of the line, in order

}  // namespace ww::widgets
