// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/diff/diff_rows.h"

namespace ww::widgets {

namespace {

void lay_out_same(ViewRows& out, const diff::TextDiff& diff, int begin, int end, const RowOptions& options) {
  const auto put = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      const diff::Row& r = diff.rows[static_cast<std::size_t>(i)];
      out.rows.push_back({ViewRow::same, r.left, r.right, -1, i, 0});
    }
  };
  const int first = begin == 0 ? begin : std::min(end, begin + RowOptions::context);
  const int last = end == static_cast<int>(diff.rows.size()) ? end : std::max(first, end - RowOptions::context);
  if (!options.folded || last - first < 3 || options.opened.contains(first)) return put(begin, end);
  put(begin, first);
  out.rows.push_back({ViewRow::fold, -1, -1, -1, first, last - first});
  put(last, end);
}

void lay_out_change(ViewRows& out, const diff::TextDiff& diff, int index, bool one_column) {
  const diff::Change& change = diff.changes[static_cast<std::size_t>(index)];
  const int begin = static_cast<int>(out.rows.size());
  const auto row = [&](int i) -> const diff::Row& { return diff.rows[static_cast<std::size_t>(i)]; };
  if (!one_column) {
    for (int i = change.first; i < change.end; ++i)
      out.rows.push_back({static_cast<ViewRow::Kind>(row(i).kind), row(i).left, row(i).right, index, i, 0});
  } else {
    for (int i = change.first; i < change.end; ++i)
      if (row(i).left >= 0)
        out.rows.push_back({row(i).kind == diff::RowKind::changed ? ViewRow::changed : ViewRow::removed, row(i).left,
                            -1, index, i, 0});
    for (int i = change.first; i < change.end; ++i)
      if (row(i).right >= 0)
        out.rows.push_back(
            {row(i).kind == diff::RowKind::changed ? ViewRow::changed : ViewRow::added, -1, row(i).right, index, i, 0});
  }
  out.changes.emplace_back(begin, static_cast<int>(out.rows.size()));
}

}  // namespace

ViewRows lay_out(const diff::TextDiff& diff, const RowOptions& options) {
  static_assert(static_cast<int>(ViewRow::added) == static_cast<int>(diff::RowKind::added) &&
                static_cast<int>(ViewRow::changed) == static_cast<int>(diff::RowKind::changed));
  ViewRows out;
  int at = 0;
  for (int i = 0; i < static_cast<int>(diff.changes.size()); ++i) {
    lay_out_same(out, diff, at, diff.changes[static_cast<std::size_t>(i)].first, options);
    lay_out_change(out, diff, i, options.one_column);
    at = diff.changes[static_cast<std::size_t>(i)].end;
  }
  lay_out_same(out, diff, at, static_cast<int>(diff.rows.size()), options);
  return out;
}

}  // namespace ww::widgets
