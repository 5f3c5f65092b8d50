// SPDX-License-Identifier: GPL-3.0-or-later
// The window's type: two families and four sizes. All fonts come from here, and follow the zoom. GUI thread only.
#pragma once
#include <QFont>
#include <QStringList>
#include <QStyledItemDelegate>

class QWidget;

namespace ww::widgets {

// Factors of the body size, which is the system's at the window's zoom.
enum class Type { small, body, title, display };
double type_factor(Type size);
QFont type_font(Type size, QFont::Weight weight = QFont::Normal);
QFont resized(QFont font, Type size);       // another family or weight at that size
void set_type(QWidget* widget, Type size);  // now, and after each change of theme or zoom

// The user's choice if installed, else the window's family, else the system's. "system": the system's.
QString text_family();
QString code_family();
struct FontChoice {
  QString text, code;  // empty: the window's default
  bool operator==(const FontChoice&) const = default;
};
void choose_fonts(const FontChoice& choice);  // the caller then sets the application's font and refreshes the theme
QStringList families_of(bool fixed_width);

QFont code_font();          // without zoom, for editors, which have their own
QFont painted_code_font();  // at the window's zoom
// For columns of numbers: figures of equal width, from the text font if it has them, else the code font. (Qt can select
// a font's tabular figures only from 6.7 on.)
QFont figures_font(QFont font);

int wrapped_height(const QString& text, const QFont& font, int width);  // of its lines; empty text: 0

// Draws right-aligned cells of a table in that font.
class FiguresDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

}  // namespace ww::widgets
