// SPDX-License-Identifier: GPL-3.0-or-later
// Plain search in bytes where the case of ASCII letters does not count.
#pragma once
#include <string>
#include <string_view>

namespace ww::widgets {

std::string folded(std::string_view text);  // ASCII letters in lower case
// Where `needle` (folded, not empty) begins at `from` or later / before `before`; npos: nowhere.
std::size_t find_folded(std::string_view text, std::string_view needle, std::size_t from);
std::size_t find_folded_back(std::string_view text, std::string_view needle, std::size_t before);

}  // namespace ww::widgets
