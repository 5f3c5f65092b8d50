// SPDX-License-Identifier: GPL-3.0-or-later
// The table of candidates. Its name column takes the width left by the others, and stays visible together with the
// columns before it when the rest scrolls sideways. GUI thread only.
#pragma once
#include <QTableView>

namespace ww::widgets {

class FrozenColumns;
class HeaderView;

class CandidateTable : public QTableView {
 public:
  explicit CandidateTable(int name, QWidget* parent);  // name: the column of names
  HeaderView* header() const { return header_; }
  int name_width() const { return name_width_; }                 // in pixels, without the remaining width
  void set_name_width(int width);                                // 0: unchanged
  int least_name_width() const { return name_width_ * 3 / 5; }   // where they may shrink
  void let_names_shrink(bool shrink);                            // rather than scroll sideways
  QSize sizeHint() const override { return minimumSizeHint(); }  // in a low panel the table shrinks, not the texts
  // Also right after rows came: QTableView's scroll bar would still end where the rows before them did.
  void scrollTo(const QModelIndex& index, ScrollHint hint = EnsureVisible) override;

 protected:
  // The program's selections replace the selection, whatever keys are held at that moment (such as those of a
  // shortcut).
  QItemSelectionModel::SelectionFlags selectionCommand(const QModelIndex& index, const QEvent* event) const override;
  QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) override;  // Home, End: of the rows
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  friend class FrozenColumns;
  QList<int> frozen() const;  // columns, in order; empty: the names are too wide or too far right
  void paint_frozen(QPainter& painter, const QList<int>& columns);
  void stretch();
  HeaderView* header_;
  FrozenColumns* frozen_;
  int name_, name_width_ = 0;
  bool stretching_ = false, shrinks_ = false;
};

}  // namespace ww::widgets
