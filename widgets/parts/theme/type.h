// SPDX-License-Identifier: GPL-3.0-or-later
// The window's type: two families and four sizes. Every font comes from here, and follows the zoom. GUI thread only.
#pragma once
#include <QFont>
#include <QStringList>
#include <QStyledItemDelegate>

class QWidget;

namespace ww::widgets {

// Factors of the body's size, which is the system's at the window's zoom.
enum class Type { small, body, title, display };
double type_factor(Type size);
QFont type_font(Type size, QFont::Weight weight = QFont::Normal);
QFont resized(QFont font, Type size);       // another family or weight at that size
void set_type(QWidget* widget, Type size);  // now, and after each change of theme or zoom

// A family that a person chose and this machine has, else the window's own, else the system's. "system": that one.
QString text_family();
QString code_family();
struct FontChoice {
  QString text, code;  // empty: the window's own
  bool operator==(const FontChoice&) const = default;
};
void choose_fonts(const FontChoice& choice);  // who calls it sets the application's font and refreshes the theme
QStringList families_of(bool fixed_width);

QFont code_font();          // without zoom, for editors, which have a zoom of their own
QFont painted_code_font();  // at the window's zoom
// For numbers that are compared: digits of one width, the text's own where they are so, else the code's. (Qt can ask a
// font for its tabular figures from 6.7 only.)
QFont figures_font(QFont font);

// Writes what a table aligns to the right in that font.
class FiguresDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

}  // namespace ww::widgets
