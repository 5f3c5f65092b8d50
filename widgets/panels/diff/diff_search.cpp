// SPDX-License-Identifier: GPL-3.0-or-later
// Find in the two texts of a comparison.
#include <QScrollBar>
#include <algorithm>
#include <utility>
#include "panels/diff/diff_view.h"
#include "parts/editor/text_search.h"

namespace ww::widgets {

namespace {
constexpr int sides = 2;
}

std::optional<std::string_view> DiffView::searched(int row, Side side) const {
  const diff::Row& r = diff_->rows[static_cast<std::size_t>(row)];
  if (side == right_side) return r.right < 0 ? std::nullopt : std::optional(diff_->right.line(r.right));
  return r.left < 0 || r.kind == diff::RowKind::same ? std::nullopt : std::optional(diff_->left.line(r.left));
}

bool DiffView::find(const SearchText& what, bool forward, bool from_start) {
  const std::string wanted = folded(what.words.toStdString());
  const Match last = from_start ? Match{} : std::exchange(found_, {});
  found_ = {};
  viewport()->update();
  if (!diff_ || wanted.empty() || rows_.rows.empty()) return false;
  const int count = sides * static_cast<int>(diff_->rows.size());
  const int start = from_start      ? 0
                    : last.row >= 0 ? sides * last.row + last.side
                                    : sides * rows_.rows[static_cast<std::size_t>(row_)].row;
  for (int i = 0; i <= count; ++i) {  // the first line twice: behind the last match, and round the end
    const int at = (start + (forward ? i : count - i)) % count, row = at / sides;
    const Side side = at % sides == 0 ? left_side : right_side;
    const auto line = searched(row, side);
    if (!line) continue;
    const bool rest = i == 0 && last.row >= 0;
    const std::size_t hit =
        forward ? find_folded(*line, wanted, rest ? static_cast<std::size_t>(last.end) : 0)
                : find_folded_back(*line, wanted, rest ? static_cast<std::size_t>(last.begin) : line->npos);
    if (hit == line->npos) continue;
    found_ = {row, side, static_cast<int>(hit), static_cast<int>(hit + wanted.size())};
    show_match();
    return true;
  }
  return false;
}

void DiffView::show_match() {
  const auto shows = [this](const ViewRow& r) {
    return r.kind == ViewRow::fold ? r.row <= found_.row && found_.row < r.row + r.hidden
                                   : r.row == found_.row && (found_.side == left_side ? r.left : r.right) >= 0;
  };
  auto at = std::ranges::find_if(rows_.rows, shows);
  if (at != rows_.rows.end() && at->kind == ViewRow::fold) {
    open_fold(static_cast<int>(at - rows_.rows.begin()));
    at = std::ranges::find_if(rows_.rows, shows);
  }
  if (at == rows_.rows.end()) return;
  side_ = found_.side;
  const int row = static_cast<int>(at - rows_.rows.begin()), top = verticalScrollBar()->value();
  if (row < top || row >= top + rows_on_screen())
    show_row(row, rows_on_screen() / 3);
  else
    set_row(row, false);
  const Columns c = columns();
  const int room = side_ == left_side ? c.left_end - c.left_text : c.right_end - c.right_text;
  const int from = static_cast<int>(found_.begin * char_width_), to = static_cast<int>(found_.end * char_width_);
  QScrollBar* const sideways = horizontalScrollBar();
  if (from < sideways->value() || to > sideways->value() + room) sideways->setValue(std::max(0, to - room / 2));
}

int DiffView::mark_all(const SearchText& what) {
  needle_ = folded(what.words.toStdString());
  if (needle_.empty()) found_ = {};
  viewport()->update();
  if (!diff_ || needle_.empty()) return 0;
  int count = 0;
  for (int row = 0; row < static_cast<int>(diff_->rows.size()); ++row)
    for (const Side side : {left_side, right_side})
      if (const auto line = searched(row, side))
        for (std::size_t at = find_folded(*line, needle_, 0); at != line->npos && count < most_marked;
             at = find_folded(*line, needle_, at + needle_.size()))
          ++count;
  return count;
}

QString DiffView::found_text() const {
  if (!diff_ || found_.row < 0) return {};
  const auto line = searched(found_.row, found_.side);
  return line ? QString::fromUtf8(line->data() + found_.begin, found_.end - found_.begin) : QString();
}

}  // namespace ww::widgets
