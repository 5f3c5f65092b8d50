// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/lens/lens_view.h"
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include "parts/theme/controls.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

LensView::LensView(QWidget* parent) : PaintedView(parent) {
  setObjectName("lens_view");
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  viewport()->setMouseTracking(true);
  name_it(this, tr("The buffer's elements"));
}

void LensView::show_lens(const sim::Lens& lens, picture::Shows shows, const picture::LensLook& look) {
  lens_ = lens;
  shows_ = shows;
  look_ = look;
  look_.scale = picture::scale_of(lens_, shows_);
  columns_ = picture::columns_of(lens_, look_);
  rows_ = std::max<std::int64_t>(1, (static_cast<std::int64_t>(lens_.reads.size()) + columns_ - 1) / columns_);
  marked_ = std::min(marked_, lens_.reads.empty() ? 0 : lens_.reads.size() - 1);
  show_frame(std::nullopt);
}

void LensView::show_frame(std::optional<std::size_t> frame) {
  colours_ = picture::lens_colours(lens_, shows_, look_, frame);
  viewport()->update();
}

QRectF LensView::cell(std::size_t element) const {
  const double across = static_cast<double>(viewport()->width() - 1) / static_cast<double>(columns_);
  const double down = static_cast<double>(viewport()->height() - 1) / static_cast<double>(rows_);
  const double side = std::max(1.0, std::min({across, down, 28.0}));  // pixels
  const auto at = static_cast<std::int64_t>(element);
  return {static_cast<double>(at % columns_) * side, static_cast<double>(at / columns_) * side, side, side};
}

void LensView::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  const Theme& theme = Theme::instance();
  painter.fillRect(viewport()->rect(), theme.color("base"));
  for (std::size_t i = 0; i < colours_.size(); ++i) {
    const picture::Colour c = colours_[i];
    const QRectF at = cell(i);
    painter.fillRect(at.width() >= 6 ? at.adjusted(0, 0, -1, -1) : at, QColor(c.red, c.green, c.blue));
  }
  if (colours_.empty()) return;
  painter.setPen(QPen(theme.color(hasFocus() ? "focus" : "text"), 2));
  painter.drawRect(cell(marked_).adjusted(1, 1, -1, -1));
}

QString LensView::element_text(std::size_t element) const {
  return tr("%1[%2]: %3").arg(qs(lens_.buffer)).arg(element).arg(qs(picture::element_words(lens_, element)));
}

std::optional<std::size_t> LensView::element_at(const QPointF& at) const {
  const double side = cell(0).width();
  const auto column = static_cast<std::int64_t>(at.x() / side), row = static_cast<std::int64_t>(at.y() / side);
  const std::int64_t element = row * columns_ + column;
  if (at.x() < 0 || at.y() < 0 || column >= columns_ || element >= static_cast<std::int64_t>(colours_.size()))
    return std::nullopt;
  return static_cast<std::size_t>(element);
}

void LensView::mark(std::size_t element) {
  marked_ = element;
  setAccessibleDescription(element_text(element));
  emit element_named(element_text(element));
  viewport()->update();
}

void LensView::mousePressEvent(QMouseEvent* event) {
  if (const auto element = element_at(event->position())) mark(*element);
}

void LensView::mouseMoveEvent(QMouseEvent* event) {
  if (const auto element = element_at(event->position())) emit element_named(element_text(*element));
}

void LensView::show_tip(const QHelpEvent& help) {
  if (const auto element = element_at(help.pos()))
    return QToolTip::showText(help.globalPos(), element_text(*element), this);
  QToolTip::hideText();
}

void LensView::keyPressEvent(QKeyEvent* event) {
  const std::int64_t by = event->key() == Qt::Key_Left    ? -1
                          : event->key() == Qt::Key_Right ? 1
                          : event->key() == Qt::Key_Up    ? -columns_
                          : event->key() == Qt::Key_Down  ? columns_
                                                          : 0;
  const std::int64_t to = static_cast<std::int64_t>(marked_) + by;
  if (by == 0 || colours_.empty()) return PaintedView::keyPressEvent(event);
  if (to >= 0 && to < static_cast<std::int64_t>(colours_.size())) mark(static_cast<std::size_t>(to));
}

}  // namespace ww::widgets
