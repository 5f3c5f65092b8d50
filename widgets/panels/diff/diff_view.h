// SPDX-License-Identifier: GPL-3.0-or-later
// Two texts and their differences, painted row by row: only visible rows are processed, so the cost does not grow with
// the listing. The two sides scroll together; a band connects changed parts, and a bar at the right shows the positions
// of all changes. Keys: arrows, Page Up and Down, Home, End (Shift selects), Tab leaves, Ctrl+C copies the side that
// was clicked, Return opens a fold or adds a comment. A search goes through both sides, row by row.
#pragma once
#include <QCache>
#include <QColor>
#include <QMap>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include "panels/diff/diff_rows.h"
#include "panels/diff/line_colours.h"
#include "parts/editor/searchable.h"
#include "parts/painted_view.h"

class QPainter;

namespace ww::widgets {

class DiffView : public PaintedView, public Searchable {
  Q_OBJECT
 public:
  enum Side { left_side, right_side };
  explicit DiffView(QWidget* parent = nullptr);

  void show_diff(std::shared_ptr<const diff::TextDiff> diff, CodeKind left,
                 CodeKind right);  // goes to the first change
  void set_one_column(bool on);
  void set_folded(bool on);
  void set_notes(QMap<int, QString> notes);  // by the right side's line number
  void set_source_lines(std::vector<int> left,
                        std::vector<int> right);  // the source line of each line; empty: the text is the source
  void set_line(Side side, int line);             // a source line chosen elsewhere: marked if shown; 0: none
  const std::shared_ptr<const diff::TextDiff>& diff() const { return diff_; }
  const ViewRows& rows() const { return rows_; }
  int current_row() const { return row_; }
  int current_change() const;  // under the current row; -1: none
  int note_line(
      int change) const;    // its first line on the right side, or the line where it would be; 0: the side is empty
  void step(bool forward);  // to the next or previous change; wraps around
  void go_to_change(int change);
  void go_to_line(int line);  // of the right side
  QString selected_text(Side side) const;
  void copy(Side side) const;
  QString found_text() const;  // of the match that is shown

  bool find(const SearchText& what, bool forward, bool from_start) override;
  int mark_all(const SearchText& what) override;
  QString picked() const override { return {}; }  // whole lines are selected
  QWidget* widget() override { return this; }

 signals:
  void line_hovered(ww::widgets::DiffView::Side side, int line);  // of the source; 0: none
  void line_activated(ww::widgets::DiffView::Side side, int line);
  void comment_wanted(int change);
  void current_change_changed(int change);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void show_tip(const QHelpEvent& help) override;
  void pointer_left() override;
  void changeEvent(QEvent* event) override;

 private:
  struct Match {
    int row = -1;  // of the comparison; -1: none
    Side side = right_side;
    int begin = 0, end = 0;  // bytes of the line
  };
  struct Columns {  // x of the viewport
    int left_number = 0, left_text = 0, left_end = 0, right_number = 0, right_text = 0, right_end = 0, overview = 0;
  };
  Columns columns() const;
  void restyle();
  void relayout(bool keep_row);
  void measure();  // scroll bars
  int rows_on_screen() const;
  int row_at(int y) const;
  Side side_at(int x) const;
  void set_row(int row, bool extend);
  void show_row(int row, int above);
  void open_fold(int row);
  int number_of(Side side, int row) const;     // of the line in the text; 0: none
  int source_of(Side side, int number) const;  // line of the source of a line of the text
  void overview_to(int y);
  const diff::Words& words_of(int diff_row);
  // diff_search.cpp
  std::optional<std::string_view> searched(int row, Side side) const;  // equal lines on the right side alone
  void show_match();
  QColor ink(Ink ink, int paper) const { return inks_[static_cast<int>(ink)][paper]; }
  // Painting: diff_paint.cpp
  enum Paper { plain, removed_paper, added_paper, removed_word, added_word, selected_paper, search_paper, paper_count };
  void paint_row(QPainter& p, int row, int y, const Columns& c);
  void paint_line(QPainter& p, Side side, const ViewRow& row, int y, int x, int end, bool selected);
  void paint_number(QPainter& p, Side side, const ViewRow& row, int y, int x, int end);
  void paint_bands(QPainter& p, const Columns& c, int first, int last);
  void paint_overview(QPainter& p, const Columns& c);

  std::shared_ptr<const diff::TextDiff> diff_;
  CodeKind listings_[2] = {CodeKind::source, CodeKind::source};
  RowOptions row_options_;
  ViewRows rows_;
  QMap<int, QString> notes_;
  QCache<int, diff::Words> words_{4096};
  std::string needle_;  // marked, in lower case
  Match found_;
  QColor inks_[static_cast<int>(Ink::count)][paper_count], papers_[paper_count];
  int line_height_ = 16, widest_ = 0, digits_ = 3, row_ = 0, anchor_ = 0, change_ = -1, marked_line_ = 0;
  Side marked_side_ = right_side;
  std::vector<int> source_lines_[2];
  double char_width_ = 8;
  Side side_ = right_side;
  bool selecting_ = false, sliding_ = false;
};

}  // namespace ww::widgets
