// SPDX-License-Identifier: Apache-2.0
// Makes outside text safe for a terminal: characters that would control it, reorder its lines or hide are escaped.
#pragma once
#include <string>
#include <string_view>

namespace ww {

enum class Escapes {
  text,  // "\u{202e}"; "\x{ff}" for a byte that is not UTF-8
  json,  // "\u202e", within the strings of a JSON text, whose control characters are escaped already
};

// Escapes control characters (C0 except line feed and tab, DEL, C1), bidirectional controls, other invisible characters
// (zero-width, joiners, variation selectors, tags, line and paragraph separators) and invalid UTF-8.
std::string visible(std::string_view text, Escapes escapes = Escapes::text);
std::string one_line(std::string_view text);  // with "\n" and "\t" for line feeds and tabs
bool is_invisible(char32_t c);                // one of those above; line feed and tab are not

std::u32string code_points(std::string_view utf8);  // U+FFFD for a byte that is not UTF-8
std::string utf8(std::u32string_view code_points);

}  // namespace ww
