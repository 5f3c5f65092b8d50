// SPDX-License-Identifier: GPL-3.0-or-later
// Two texts side by side: rows of aligned lines, with the changed stretches of lines that were replaced. Pure; may run on any thread.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ww::widgets {

enum class DiffKind { same, changed, removed, added };

struct DiffRow {
  DiffKind kind = DiffKind::same;
  int left = 0, right = 0;                          // line numbers from 1; 0: nothing on that side
  std::string left_text, right_text;
  std::vector<std::pair<int, int>> left_words, right_words;  // changed byte ranges [begin, end) of a changed row
};

struct SideBySide {
  std::vector<DiffRow> rows;
  std::vector<int> changes;                         // first row of each run of changes
  int added = 0, removed = 0;                       // lines
};

SideBySide side_by_side(std::string_view left, std::string_view right);

}  // namespace ww::widgets
