// SPDX-License-Identifier: Apache-2.0
// Finds words outside comments in CUDA C++, and whether they are in the body of a loop, for the advice rules. Not a
// parser: macros and functions called from a loop are not followed.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ww::profile {

std::string without_comments(std::string_view text);  // of the same length, with blanks instead; line ends are kept
// For each character, whether it is in the body of a for, while or do loop. `code` must not contain comments.
std::vector<bool> loop_bodies(std::string_view code);
// Whole words only: no match within a longer word of letters, digits or underscores.
std::size_t find_word(std::string_view code, std::string_view word, std::size_t from = 0);  // npos: not found
int line_at(std::string_view text, std::size_t at);                                         // from 1

}  // namespace ww::profile
