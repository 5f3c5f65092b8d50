// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/wrap_button.h"
#include <QStyleOptionButton>
#include <QStylePainter>

namespace ww::widgets {

namespace {
constexpr int alignment = Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap;
constexpr int widest = 60, narrowest = 12;  // average characters
}  // namespace

WrapButton::WrapButton(const QString& text, QWidget* parent) : QPushButton(text, parent) {
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

QRect WrapButton::contents(const QSize& size) const {
  QStyleOptionButton option;
  initStyleOption(&option);
  option.rect = QRect({}, size);
  return style()->subElementRect(QStyle::SE_PushButtonContents, &option, this);
}

int WrapButton::heightForWidth(int width) const {
  const QSize whole(width, 400);
  const int frame = whole.height() - contents(whole).height();
  const QRect room(0, 0, contents(whole).width(), QWIDGETSIZE_MAX);
  return std::max(QPushButton::sizeHint().height(),
                  fontMetrics().boundingRect(room, alignment, text()).height() + frame);
}

QSize WrapButton::sizeHint() const {
  const int width = std::min(QPushButton::sizeHint().width(), widest * fontMetrics().averageCharWidth());
  return {width, heightForWidth(width)};
}

QSize WrapButton::minimumSizeHint() const {
  return {std::min(sizeHint().width(), narrowest * fontMetrics().averageCharWidth()), QPushButton::sizeHint().height()};
}

void WrapButton::paintEvent(QPaintEvent*) {
  QStylePainter painter(this);
  QStyleOptionButton option;
  initStyleOption(&option);
  option.text.clear();
  painter.drawControl(QStyle::CE_PushButton, option);
  painter.drawItemText(contents(size()), alignment, option.palette, isEnabled(), text(), QPalette::ButtonText);
}

}  // namespace ww::widgets
