// SPDX-License-Identifier: GPL-3.0-or-later
// Plain byte search that ignores the case of ASCII letters.
#pragma once
#include <string>
#include <string_view>

namespace ww::widgets {

std::string folded(std::string_view text);  // ASCII letters in lower case
// First / last position of `needle` (folded, not empty) from `from` / before `before`; npos: none.
std::size_t find_folded(std::string_view text, std::string_view needle, std::size_t from);
std::size_t find_folded_back(std::string_view text, std::string_view needle, std::size_t before);

}  // namespace ww::widgets
