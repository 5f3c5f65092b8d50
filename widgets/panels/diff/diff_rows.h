// SPDX-License-Identifier: GPL-3.0-or-later
// The painted rows: the comparison side by side or in one column, with unchanged stretches optionally folded. Pure.
#pragma once
#include <set>
#include <vector>
#include "diff/texts.h"

namespace ww::widgets {

struct ViewRow {
  enum Kind : std::uint8_t { same, changed, replaced, removed, added, fold } kind = same;
  int left = -1, right = -1;  // lines; -1: none
  int change = -1;            // the change it belongs to
  int row = 0;                // of the comparison; for a fold, its first hidden row
  int hidden = 0;             // of a fold: rows
};
struct RowOptions {
  bool one_column = false;  // removed lines above added ones
  bool folded = false;      // unchanged lines further than `context` from a change are hidden
  std::set<int> opened;     // folds (their ViewRow::row) that are open
  static constexpr int context = 3;
};
struct ViewRows {
  std::vector<ViewRow> rows;
  std::vector<std::pair<int, int>> changes;  // of each change: its rows, [first, end)
};
ViewRows lay_out(const diff::TextDiff& diff, const RowOptions& options);

}  // namespace ww::widgets
