// SPDX-License-Identifier: GPL-3.0-or-later
// Makers of the layouts and controls that panels consist of. Object names are what tests and style sheets look for.
// Parents own what is made. GUI thread only.
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
class QSplitter;
class QStackedLayout;
class QTableView;
class QTimer;
class QToolButton;

namespace ww::widgets {

class Label;
class ElideLabel;

void name_it(QWidget* widget, const QString& accessible_name, const QString& tooltip = {});
void set_role(QWidget* widget, const char* role);  // style sheet role; re-polishes
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
QSplitter* make_splitter(Qt::Orientation orientation, QWidget* parent);  // whose parts cannot be collapsed
void clear_layout(QLayout* layout, const QWidget* kept = nullptr);       // hides and deletes its widgets but that one

// A form of two columns of captions and fields; a caption is its field's label for keyboard and screen readers.
QGridLayout* form_grid(QWidget* form);
void add_caption(QGridLayout* grid, const QString& text, QWidget* field, int row, int column);
void add_field(QGridLayout* grid, const QString& caption, QWidget* field, int row, int column, int span = 1);

// Labels. Roles are the style sheet's: "muted", "warning", "error", "heading"; null: plain text.
Label* heading(const QString& text, QWidget* parent);
Label* make_label(QWidget* parent, const QString& id, const char* role = nullptr);        // one line
Label* make_paragraph(QWidget* parent, const QString& id, const char* role = nullptr);    // wrapped
Label* make_selectable(QWidget* parent, const QString& id, const char* role = nullptr);   // wrapped, may be copied
Label* empty_state(const QString& sentence, QWidget* parent);                             // centred, wrapped, muted
ElideLabel* make_elided(QWidget* parent, const QString& id, const char* role = nullptr);  // one line, cut with "…"

QToolButton* make_tool(QWidget* parent, const QString& id, const QString& text, const QString& name,
                       const QString& tooltip = {});
QToolButton* make_icon_tool(QWidget* parent, const char* icon, const QString& name, const QString& tooltip);
QPushButton* make_button(QWidget* parent, const QString& id, const QString& text, const QString& tooltip = {});
// A combo box that may be narrower than its items: `characters` always fit; 0: as wide as the widest item.
QComboBox* make_combo(QWidget* parent, const QString& id, const QString& name, const QString& tooltip,
                      int characters = 0);

// A line for words to look for, with a button that clears it.
QLineEdit* make_search(QWidget* parent, const QString& id, const QString& placeholder, const QString& name,
                       const QString& tooltip = {});

// Fills a layout with two pages: 0 an empty state, 1 a widget for the content.
struct ContentPages {
  QStackedLayout* pages;
  Label* empty;
  QWidget* content;
};
ContentPages content_pages(QBoxLayout* outer, const QString& empty_sentence = {});

// A read-only table of records: whole rows, one at a time, no wrapping, no row numbers.
QTableView* make_records(QWidget* parent, const QString& id, QAbstractItemModel* model, const QString& name,
                         std::initializer_list<int> widths);

// Calls `work` once, `ms` after each start().
QTimer* make_timer(QObject* owner, int ms, std::function<void()> work);

// Draws a panel anew at most once in `ms` milliseconds, and only while the panel can be seen.
class LazyRefresh : public QObject {
 public:
  LazyRefresh(QWidget* panel, int ms, std::function<void()> refresh);
  void later();  // something changed
  void now();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* panel_;
  std::function<void()> refresh_;
  QTimer* timer_;
  bool stale_ = true;
};

// Accepts drops on a widget; what it does not take goes on to the widget itself.
class DropTarget : public QObject {
 public:
  struct Handlers {
    std::function<bool(const QMimeData&)> takes;
    std::function<bool(const QMimeData&, const QPointF&)> drop;  // false: refused after all
    std::function<bool(const QPointF&)> hover = {};              // false: not at this place
    std::function<void()> leave = {};                            // the hovering has ended, also by a drop
  };
  DropTarget(QWidget* widget, Handlers handlers);
  static QStringList local_files(const QMimeData& data);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  Handlers handlers_;
};

}  // namespace ww::widgets
