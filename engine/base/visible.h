// SPDX-License-Identifier: Apache-2.0
// Text from outside, made safe for a terminal: what would steer it, reorder its lines or hide is shown as an escape.
#pragma once
#include <string>
#include <string_view>

namespace ww {

enum class Escapes {
  text,  // "\u{202e}"; "\x{ff}" for a byte that is not UTF-8
  json,  // "\u202e", within the strings of a JSON text; its control characters are escaped already
};

// Escaped are control characters (C0 but line feed and tab, DEL, C1), bidirectional controls, other characters without
// a shape (zero-width, joiners, variation selectors, tags, line and paragraph separators) and invalid UTF-8.
std::string visible(std::string_view text, Escapes escapes = Escapes::text);
std::string one_line(std::string_view text);  // with "\n" and "\t" for line feeds and tabs
bool is_invisible(char32_t c);                // one of these; line feed and tab are not

std::u32string code_points(std::string_view utf8);  // U+FFFD for a byte that is not UTF-8
std::string utf8(std::u32string_view code_points);

}  // namespace ww
