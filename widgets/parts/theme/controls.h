// SPDX-License-Identifier: GPL-3.0-or-later
// Functions that make the layouts and controls of panels. Tests and style sheets use the object names. Parents own the
// results. GUI thread only.
#pragma once
#include <QBoxLayout>
#include <QObject>
#include <functional>
#include <initializer_list>
#include "parts/theme/grid.h"
#include "parts/theme/text.h"

class QAbstractItemModel;
class QComboBox;
class QGridLayout;
class QLayout;
class QLineEdit;
class QMimeData;
class QPointF;
class QPushButton;
class QScrollArea;
class QSplitter;
class QStackedLayout;
class QTableView;
class QTimer;
class QToolButton;

namespace ww::widgets {

class Label;
class ElideLabel;
class EmptyPage;

void name_it(QWidget* widget, const QString& accessible_name, const QString& tooltip = {});
void set_role(QWidget* widget, const char* role);  // style sheet role
void repolish(QWidget* widget);                    // call after a change of a property used in the style sheet
template <class W>
W* with_id(W* object, const QString& id) {
  object->setObjectName(id);
  return object;
}

// Layouts of a widget, or inside another one.
QVBoxLayout* make_column(QWidget* widget, const QMargins& margins = {}, int spacing = grid::step);
QVBoxLayout* make_column(QBoxLayout* outer, const QMargins& margins = {}, int spacing = grid::step);
QHBoxLayout* make_row(QWidget* widget, const QMargins& margins = {}, int spacing = grid::step);
QHBoxLayout* make_row(QBoxLayout* outer, const QMargins& margins = {}, int spacing = grid::step);
QGridLayout* make_grid(QWidget* widget, const QMargins& margins = {});
// Scrolls its page downwards only, without a frame; Tab goes to what is on the page.
QScrollArea* make_scroll_area(QWidget* parent, const QString& id = {});
QSplitter* make_splitter(Qt::Orientation orientation, QWidget* parent);  // its parts cannot be collapsed
void clear_layout(QLayout* layout, const QWidget* kept = nullptr);       // hides and deletes all of its widgets but one

// A form of two columns of captions and fields; a caption is its field's label for keyboard and screen readers.
QGridLayout* form_grid(QWidget* form);
void add_caption(QGridLayout* grid, const QString& text, QWidget* field, int row, int column);
void add_field(QGridLayout* grid, const QString& caption, QWidget* field, int row, int column, int span = 1);

// Labels. Roles are the style sheet's: "muted", "warning", "error", "heading"; null: plain text.
Label* heading(const QString& text, QWidget* parent);
Label* make_label(QWidget* parent, const QString& id, const char* role = nullptr);        // one line
Label* make_paragraph(QWidget* parent, const QString& id, const char* role = nullptr);    // wrapped
Label* make_selectable(QWidget* parent, const QString& id, const char* role = nullptr);   // wrapped, selectable
Label* empty_state(const QString& sentence, QWidget* parent);                             // centred, wrapped, muted
ElideLabel* make_elided(QWidget* parent, const QString& id, const char* role = nullptr);  // one line, elided with "…"

QToolButton* make_tool(QWidget* parent, const QString& id, const QString& text, const QString& name,
                       const QString& tooltip = {});
QToolButton* make_icon_tool(QWidget* parent, const char* icon, const QString& name, const QString& tooltip);
QPushButton* make_button(QWidget* parent, const QString& id, const QString& text, const QString& tooltip = {});
// A combo box that may be narrower than its items: `characters` always fit; 0: as wide as the widest item.
QComboBox* make_combo(QWidget* parent, const QString& id, const QString& name, const QString& tooltip,
                      int characters = 0);
// As wide as its widest item where there is room for that, else at least `characters` wide (FlowLayout::shrinking).
QComboBox* make_shrinking_combo(QWidget* parent, const QString& id, const QString& name, const QString& tooltip,
                                int characters);

// A search field with a clear button.
QLineEdit* make_search(QWidget* parent, const QString& id, const QString& placeholder, const QString& name,
                       const QString& tooltip = {});

// Fills a layout with two pages: 0 an empty state, 1 the content.
struct ContentPages {
  QStackedLayout* pages;
  EmptyPage* page;
  QWidget* content;
  Label* empty;  // the page's sentence
};
ContentPages content_pages(QBoxLayout* outer, const char* icon, const QString& empty_sentence = {});

// A read-only table of records: selects whole rows, one at a time; no wrapping, no row numbers.
QTableView* make_records(QWidget* parent, const QString& id, QAbstractItemModel* model, const QString& name,
                         std::initializer_list<int> widths);

// Rows as high as the table's font needs: again after each change of the font, where they were made so.
void fit_rows(QTableView& table);
bool has_rows_of_font(const QTableView& table);

// Calls `work` once, `ms` after each start().
QTimer* make_timer(QObject* owner, int ms, std::function<void()> work);

// Redraws a panel at most once in `ms` milliseconds, and only while it is visible.
class LazyRefresh : public QObject {
 public:
  LazyRefresh(QWidget* panel, int ms, std::function<void()> refresh);
  void later();  // after a change
  void now();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* panel_;
  std::function<void()> refresh_;
  QTimer* timer_;
  bool stale_ = true;
};

// Redraws a panel for another theme or font; a hidden one when it is shown again.
void refresh_with_theme(QWidget* panel, std::function<void()> refresh);

// Accepts drops on a widget; other drops are passed on to the widget.
class DropTarget : public QObject {
 public:
  struct Handlers {
    std::function<bool(const QMimeData&)> takes;
    std::function<bool(const QMimeData&, const QPointF&)> drop;  // false: refused
    std::function<bool(const QPointF&)> hover = {};              // false: not at this position
    std::function<void()> leave = {};                            // the drag has left or ended, including with a drop
  };
  DropTarget(QWidget* widget, Handlers handlers);
  static QStringList local_files(const QMimeData& data);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  Handlers handlers_;
};

}  // namespace ww::widgets
