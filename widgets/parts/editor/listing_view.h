// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a listing of any length: only visible rows are read, highlighted and drawn. Rows can be searched, folded,
// selected and copied; beside them are their numbers, their source lines, a count per line and the live registers.
#pragma once
#include <QHash>
#include <memory>
#include <set>
#include "parts/editor/assembly_tokens.h"
#include "parts/editor/listing.h"
#include "parts/editor/listing_folds.h"
#include "parts/editor/searchable.h"
#include "parts/painted_view.h"
#include "parts/theme/text.h"

namespace ww::widgets {

struct LineHeat {  // one metric by source line
  struct Cell {
    QString text, tip;
    double share = 0;  // of the largest, for the shade
  };
  QString title, provenance;
  QHash<int, Cell> cells;  // by line
};

class ListingView : public PaintedView, public Searchable {
  Q_OBJECT
 public:
  explicit ListingView(QWidget* parent = nullptr);
  void set_listing(std::shared_ptr<const Listing> listing);  // null: nothing
  const std::shared_ptr<const Listing>& listing() const { return listing_; }
  int rows() const { return listing_ ? listing_->rows() : 0; }
  QString text() const { return listing_ ? exact(listing_->text) : QString(); }
  QString row_text(int row) const;

  void set_heat(std::shared_ptr<const LineHeat> heat);  // null: no column
  void set_hints(bool on);                              // shows the column of live registers
  void set_linked(std::vector<int> rows);               // ascending; marked
  const std::vector<int>& linked() const { return linked_; }
  void reveal_linked();  // scrolls to the first if none is visible
  void go_to(int row);   // moves the caret there, in the middle of the view
  int current_row() const { return caret_.row; }
  bool in_sight(int row) const;
  QString instruction_help(const QPoint& point) const;  // for PTX, at a point of the viewport; empty: unknown

  void fold_at(int row, bool shut);  // the smallest fold around the row, of the kind chosen last
  void fold_all(FoldBy by);
  void unfold_all();
  int shown_rows() const { return folds_.shown(); }
  QString selected_text() const;
  void select_all();
  void copy() const;

  bool find(const SearchText& what, bool forward, bool from_start) override;
  int mark_all(const SearchText& what) override;
  QString picked() const override;
  QWidget* widget() override { return this; }

 signals:
  void row_hovered(int row);  // -1: none
  void row_chosen(int row);   // by a click or Return
  void row_reached(int row);  // by the caret

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
  void scrollContentsBy(int dx, int dy) override;

 private:
  struct Position {
    int row = 0;
    int byte = 0;  // offset in the row
    bool operator==(const Position&) const = default;
    auto operator<=>(const Position&) const = default;
  };
  struct Columns {  // left edges of the columns before the text, in pixels; a width of 0: absent
    int fold = 0, number = 0, line = 0, heat = 0, live = 0, text = 0;
  };
  void restyle();
  void lay_out();                                                 // columns and scroll bars
  void moved(Position to, bool keep_anchor, bool across = true);  // across: also scrolls sideways to it
  void show_caret(bool across = true);
  int row_at(int y) const;
  Position position_at(const QPoint& point) const;
  int column_of(int row, int byte) const;
  int byte_at_column(int row, int column) const;
  bool has_selection() const { return !(anchor_ == caret_); }
  Position previous_position(Position at) const;
  Position next_position(Position at) const;
  const Fold* fold_around(int row, FoldBy by) const;
  const Fold* fold_beginning(int row) const;
  void paint_header(QPainter& painter);
  void paint_gutter(QPainter& painter, int row, int before, int y);
  void paint_text(QPainter& painter, int row, int y);

  std::shared_ptr<const Listing> listing_;
  std::shared_ptr<const LineHeat> heat_;
  ListingFolds folds_;
  std::vector<int> linked_;
  FoldBy fold_by_ = FoldBy::blocks;
  bool hints_ = true;
  Position caret_, anchor_;
  int wanted_column_ = -1;
  int hovered_ = -1;
  std::string needle_;                 // marked, in lower case
  std::vector<AssemblyToken> tokens_;  // of the row being painted
  std::vector<const char*> over_;
  Columns columns_;
  int most_live_ = 0;
  double character_ = 8;  // width
  int line_height_ = 16, ascent_ = 12;
};

}  // namespace ww::widgets
