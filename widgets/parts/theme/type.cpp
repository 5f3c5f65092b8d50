// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/type.h"
#include <QApplication>
#include <QFontDatabase>
#include <QFontMetrics>
#include <QWidget>
#include <algorithm>
#include <cmath>
#include "parts/theme/theme.h"
#include "parts/theme/unligated_font.h"

namespace ww::widgets {

namespace {

constexpr double least_points = 6.5;

QFont system_font(QFontDatabase::SystemFont kind) { return QFontDatabase::systemFont(kind); }

bool digits_of_one_width(const QString& family) {
  const QFontMetricsF metrics{QFont(family)};
  const double zero = metrics.horizontalAdvance('0');
  for (char digit = '1'; digit <= '9'; ++digit)
    if (std::abs(metrics.horizontalAdvance(QLatin1Char(digit)) - zero) > 0.01) return false;
  return true;
}

struct Families {
  QString text, code, figures;
};

QString first_of(const QString& chosen, const QString& own, QFontDatabase::SystemFont kind) {
  if (chosen != "system")
    for (const QString& family : {chosen, own})
      if (!family.isEmpty() && QFontDatabase::hasFamily(family)) return family;
  return system_font(kind).family();
}

Families found_for(const FontChoice& choice) {
  Families found{first_of(choice.text, QStringLiteral("Inter"), QFontDatabase::GeneralFont),
                 unligated(first_of(choice.code, QStringLiteral("JetBrains Mono"), QFontDatabase::FixedFont)),
                 {}};
  found.figures = digits_of_one_width(found.text) ? found.text : found.code;
  return found;
}

Families& families() {
  static Families found = found_for({});
  return found;
}

}  // namespace

double type_factor(Type size) {
  switch (size) {
    case Type::small: return 0.88;
    case Type::body: return 1;
    case Type::title: return 1.2;
    case Type::display: return 1.7;
  }
  return 1;
}

QFont resized(QFont font, Type size) {
  const double body = QApplication::font().pointSizeF();
  if (body > 0) font.setPointSizeF(std::max(least_points, body * type_factor(size)));
  return font;
}

QFont type_font(Type size, QFont::Weight weight) {
  QFont font = resized(QApplication::font(), size);
  font.setWeight(weight);
  return font;
}

void set_type(QWidget* widget, Type size) {
  const auto restyle = [widget, size] { widget->setFont(type_font(size, QFont::Weight(widget->font().weight()))); };
  restyle();
  QObject::connect(&Theme::instance(), &Theme::changed, widget, restyle);
}

QString text_family() { return families().text; }
QString code_family() { return families().code; }
void choose_fonts(const FontChoice& choice) { families() = found_for(choice); }

QStringList families_of(bool fixed_width) {
  QStringList all;
  for (const QString& family : QFontDatabase::families(QFontDatabase::Latin))
    if (QFontDatabase::isSmoothlyScalable(family) && !QFontDatabase::isPrivateFamily(family) && !is_unligated(family) &&
        (!fixed_width || QFontDatabase::isFixedPitch(family)))
      all += family;
  return all;
}

QFont code_font() {
  QFont font = system_font(QFontDatabase::FixedFont);
  font.setFamily(code_family());
  font.setStyleHint(QFont::Monospace);
  font.setStyleStrategy(QFont::PreferNoShaping);  // "<=" is two characters, whatever the font would draw for them
  const qreal size = system_font(QFontDatabase::GeneralFont).pointSizeF();
  if (size > 0) font.setPointSizeF(size);
  return font;
}

QFont painted_code_font() { return resized(code_font(), Type::body); }

QFont figures_font(QFont font) {
  font.setFamily(families().figures);
  return font;
}

void FiguresDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  QStyledItemDelegate::initStyleOption(option, index);
  if (option->displayAlignment & Qt::AlignRight) option->font = figures_font(option->font);
}

int wrapped_height(const QString& text, const QFont& font, int width) {
  return text.isEmpty() ? 0
                        : QFontMetrics(font).boundingRect(QRect(0, 0, width, 10000), Qt::TextWordWrap, text).height();
}

}  // namespace ww::widgets
