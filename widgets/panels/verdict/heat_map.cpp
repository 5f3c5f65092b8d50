// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/verdict/heat_map.h"
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include "parts/theme/controls.h"
#include "parts/theme/theme.h"
#include "parts/theme/text.h"

namespace ww::widgets {

namespace {

constexpr double margin = 9;  // points, for the arrows
constexpr double widest_cell = 110, highest_cell = 44, readable_width = 44, readable_height = 17, lined = 7;

QColor blend(const QColor& from, const QColor& to, double share) {
  const auto mix = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
  return {mix(from.red(), to.red()), mix(from.green(), to.green()), mix(from.blue(), to.blue())};
}

bool dark(const QColor& c) { return 0.299 * c.red() + 0.587 * c.green() + 0.114 * c.blue() < 140; }

// What is wrong, and by how much, before what is right.
double badness_of(double ratio) { return std::isnan(ratio) ? -1 : ratio; }

}  // namespace

QString times_text(double ratio) {
  return ratio >= 100 && ratio < 1e6 ? count_text(std::round(ratio)) : QString::number(ratio, 'g', 3);
}

HeatRange range_of(const evidence::WrongMatrix& matrix) {
  HeatRange range{INFINITY, -INFINITY};
  for (const double v : matrix.expected)
    if (std::isfinite(v)) range.low = std::min(range.low, v), range.high = std::max(range.high, v);
  if (range.low > range.high) range.low = range.high = 0;
  const double room = 1e-6 * (range.high - range.low);
  for (const double v : matrix.actual) {
    range.infinite = range.infinite || !std::isfinite(v);
    range.outside = range.outside || v < range.low - room || v > range.high + room;
  }
  for (const double r : matrix.ratio) {
    range.unchecked = range.unchecked || std::isnan(r);
    if (std::isfinite(r)) range.worst = std::max(range.worst, r);
  }
  return range;
}

QColor heat_color(HeatColor what, double share) {
  const Theme& theme = Theme::instance();
  const QColor pale = theme.color("hover");
  switch (what) {
    case HeatColor::value: return blend(pale, theme.color("plot-a"), std::clamp(share, 0.0, 1.0));
    case HeatColor::right: return pale;
    case HeatColor::wrong: return blend(pale, theme.color("rejected"), 0.35 + 0.65 * std::clamp(share, 0.0, 1.0));
    case HeatColor::outside: return theme.color("plot-b");
    case HeatColor::infinite: return theme.color("plot-d");
    case HeatColor::unchecked: return theme.color("border-strong");
  }
  return {};
}

QColor cell_color(HeatOf what, const evidence::WrongMatrix& matrix, std::size_t cell, const HeatRange& range) {
  if (what == HeatOf::error) {
    const double ratio = matrix.ratio[cell];
    if (std::isnan(ratio)) return heat_color(HeatColor::unchecked);
    if (ratio <= 1) return heat_color(HeatColor::right);
    if (std::isinf(ratio)) return heat_color(HeatColor::infinite);
    return heat_color(HeatColor::wrong, range.worst > 1 ? std::log(ratio) / std::log(range.worst) : 1);
  }
  const double value = (what == HeatOf::expected ? matrix.expected : matrix.actual)[cell];
  if (!std::isfinite(value)) return heat_color(HeatColor::infinite);
  const double room = 1e-6 * (range.high - range.low);
  if (value < range.low - room || value > range.high + room) return heat_color(HeatColor::outside);
  return heat_color(HeatColor::value, range.high > range.low ? (value - range.low) / (range.high - range.low) : 0.5);
}

HeatMap::HeatMap(HeatOf what, const QString& title, QWidget* parent) : QWidget(parent), what_(what) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  name_it(this, title);
}

void HeatMap::show_matrix(int across, int down, const evidence::WrongMatrix& matrix, const HeatRange& range) {
  across_ = across;
  down_ = down;
  cell_ = first_ = -1;
  values_ = what_ == HeatOf::expected ? matrix.expected : what_ == HeatOf::actual ? matrix.actual : matrix.ratio;
  badness_.clear();
  for (const double r : matrix.ratio) badness_.push_back(badness_of(r));
  image_ = QImage(across, down, QImage::Format_RGB32);
  for (int y = 0; y < down; ++y)
    for (int x = 0; x < across; ++x)
      image_.setPixelColor(x, y, cell_color(what_, matrix, static_cast<std::size_t>(y * across + x), range));
  limit_height();
  update();
}

void HeatMap::set_first(int cell) {
  first_ = cell;
  update();
}

void HeatMap::set_cell(int cell) {
  if (cell == cell_) return;
  cell_ = cell;
  update();
}

// Square, where they are small and that leaves no side narrow.
QSizeF HeatMap::cell_size(double room_x, double room_y) const {
  const double w = std::min(room_x / across_, widest_cell), h = std::min(room_y / down_, highest_cell);
  const bool readable = w >= readable_width && h >= readable_height;
  if (readable || across_ > 4 * down_ || down_ > 4 * across_) return {w, h};
  const double square = std::min(w, h);
  return {square, square};
}

QRectF HeatMap::picture() const {
  if (image_.isNull()) return {};
  const QSizeF cell = cell_size(width() - margin - 2, height() - margin - 2);
  return {QPointF(margin, margin), QSizeF(cell.width() * across_, cell.height() * down_)};
}

// No higher than the picture can become at this width: what is below it stays near.
void HeatMap::limit_height() {
  if (image_.isNull()) return;
  const double cell = cell_size(width() - margin - 2, 1e6).height();
  setMaximumHeight(std::max(minimumSizeHint().height(), static_cast<int>(std::ceil(cell * down_ + margin + 3))));
}

void HeatMap::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  limit_height();
}

int HeatMap::cell_at(const QPointF& point) const {
  const QRectF at = picture();
  if (!at.contains(point)) return -1;
  const int x = std::min(across_ - 1, static_cast<int>((point.x() - at.left()) / at.width() * across_));
  const int y = std::min(down_ - 1, static_cast<int>((point.y() - at.top()) / at.height() * down_));
  return y * across_ + x;
}

QRectF HeatMap::cell_rect(int cell) const {
  const QRectF at = picture();
  const double w = at.width() / across_, h = at.height() / down_;
  return {at.left() + cell % across_ * w, at.top() + static_cast<int>(cell / across_) * h, w, h};
}

QPointF HeatMap::middle_of(int cell) const { return cell_rect(cell).center(); }

QImage HeatMap::shown(const QSize& pixels) const {
  const QSize size = pixels.boundedTo(image_.size()).expandedTo({1, 1});
  if (size == image_.size()) return image_;
  QImage small(size, QImage::Format_RGB32);
  std::vector<double> worst(static_cast<std::size_t>(size.width()) * static_cast<std::size_t>(size.height()), -2);
  for (int y = 0; y < down_; ++y)
    for (int x = 0; x < across_; ++x) {
      const int to_x = x * size.width() / across_, to_y = y * size.height() / down_;
      double& seen = worst[static_cast<std::size_t>(to_y * size.width() + to_x)];
      const double now = badness_[static_cast<std::size_t>(y * across_ + x)];
      if (now <= seen) continue;
      seen = now;
      small.setPixel(to_x, to_y, image_.pixel(x, y));
    }
  return small;
}

QString HeatMap::cell_text(std::size_t cell) const {
  const double v = values_[cell];
  if (what_ != HeatOf::error)
    return std::isnan(v) ? "NaN" : std::isinf(v) ? (v < 0 ? "-inf" : "inf") : QString::number(v, 'g', 3);
  return std::isinf(v) ? "\u221e" : v > 1 ? times_text(v) + "\u00d7" : QString();
}

void HeatMap::paint_cells(QPainter& painter, const QRectF& at) const {
  const double w = at.width() / across_, h = at.height() / down_;
  const Theme& theme = Theme::instance();
  if (std::min(w, h) >= lined) {
    painter.setPen(QPen(theme.color("base"), 1));
    for (int x = 1; x < across_; ++x)
      painter.drawLine(QLineF(at.left() + x * w, at.top(), at.left() + x * w, at.bottom()));
    for (int y = 1; y < down_; ++y) painter.drawLine(QLineF(at.left(), at.top() + y * h, at.right(), at.top() + y * h));
  }
  if (w < readable_width || h < readable_height) return;
  for (int cell = 0; cell < across_ * down_; ++cell) {
    const QColor below = image_.pixelColor(cell % across_, cell / across_);
    painter.setPen(dark(below) ? QColor(Qt::white) : QColor(Qt::black));
    painter.drawText(cell_rect(cell), Qt::AlignCenter, cell_text(static_cast<std::size_t>(cell)));
  }
}

void HeatMap::paint_first(QPainter& painter, const QRectF& at) const {
  const QPointF to = middle_of(first_);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(Theme::instance().color("rejected"));
  const double x = at.left() - 2, y = at.top() - 2;
  painter.drawPolygon(QPolygonF({{to.x(), y}, {to.x() - 4, y - 6}, {to.x() + 4, y - 6}}));
  painter.drawPolygon(QPolygonF({{x, to.y()}, {x - 6, to.y() - 4}, {x - 6, to.y() + 4}}));
  painter.setBrush(Qt::NoBrush);
  painter.setRenderHint(QPainter::Antialiasing, false);
}

void HeatMap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const QRectF at = picture();
  if (at.isEmpty()) return;
  const Theme& theme = Theme::instance();
  painter.drawImage(at, shown((at.size() * devicePixelRatioF()).toSize()));
  paint_cells(painter, at);
  painter.setPen(QPen(theme.color(hasFocus() ? "focus" : "border-strong"), hasFocus() ? 2 : 1));
  painter.drawRect(at.adjusted(-0.5, -0.5, 0.5, 0.5));
  if (first_ >= 0) paint_first(painter, at);
  if (cell_ < 0) return;
  QRectF mark = cell_rect(cell_);
  const double more_x = std::max(0.0, 7 - mark.width()) / 2, more_y = std::max(0.0, 7 - mark.height()) / 2;
  mark.adjust(-more_x, -more_y, more_x, more_y);
  painter.setPen(QPen(theme.color("base"), 4));  // seen on any colour
  painter.drawRect(mark);
  painter.setPen(QPen(theme.color("text"), 2));
  painter.drawRect(mark);
}

void HeatMap::mouseMoveEvent(QMouseEvent* event) { emit hovered(cell_at(event->position())); }
void HeatMap::leaveEvent(QEvent*) { emit hovered(-1); }

void HeatMap::mousePressEvent(QMouseEvent* event) {
  if (const int cell = cell_at(event->position()); cell >= 0) emit chosen(cell);
}

void HeatMap::keyPressEvent(QKeyEvent* event) {
  int x = std::max(0, cell_) % std::max(1, across_), y = std::max(0, cell_) / std::max(1, across_);
  switch (event->key()) {
    case Qt::Key_Left: --x; break;
    case Qt::Key_Right: ++x; break;
    case Qt::Key_Up: --y; break;
    case Qt::Key_Down: ++y; break;
    case Qt::Key_Home: x = 0; break;
    case Qt::Key_End: x = across_ - 1; break;
    case Qt::Key_PageUp: y = 0; break;
    case Qt::Key_PageDown: y = down_ - 1; break;
    default: QWidget::keyPressEvent(event); return;
  }
  if (image_.isNull()) return;
  emit chosen(std::clamp(y, 0, down_ - 1) * across_ + std::clamp(x, 0, across_ - 1));
}

}  // namespace ww::widgets
