// SPDX-License-Identifier: Apache-2.0
// Line differences of two texts, as hunks with three lines of context (the unified format).
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ww::diff {

struct DiffLine {
  char mark = ' ';   // ' ': both, '-': only before, '+': only after, '@': a hunk header
  std::string text;  // without the mark and the line end; a complete header: "@@ -3,7 +3,9 @@"
};

std::vector<DiffLine> diff_lines(std::string_view before, std::string_view after);  // empty if they are equal

}  // namespace ww::diff
