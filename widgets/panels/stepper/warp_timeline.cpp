// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/stepper/warp_timeline.h"
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include "parts/theme/controls.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"

namespace ww::widgets {

namespace {
constexpr int time_least = 24, time_most = 96;  // pixels, of all rows
constexpr int time_row = 12;                    // of one row
}  // namespace

WarpTimeline::WarpTimeline(QWidget* parent) : PaintedView(parent) {
  setObjectName("stepper_time");
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setCursor(Qt::PointingHandCursor);
  setFocusPolicy(Qt::NoFocus);
  name_it(this, tr("Steps of the block over time, by warp"));
}

void WarpTimeline::show_time(const sim::Timeline& time, std::int64_t position, std::vector<std::int64_t> found) {
  time_ = time;
  position_ = position;
  found_ = std::move(found);
  setAccessibleDescription(tr("Step %1 of %2").arg(position_ - time_.first).arg(time_.end - time_.first));
  updateGeometry();
  viewport()->update();
}

QSize WarpTimeline::sizeHint() const {
  const int rows = std::max<int>(1, static_cast<int>(time_.warps.size()));
  return {300, std::clamp(rows * time_row, time_least, time_most)};
}

double WarpTimeline::row_height() const {
  return static_cast<double>(viewport()->height()) / std::max<double>(1, static_cast<double>(time_.warps.size()));
}

double WarpTimeline::x_of(std::int64_t position) const {
  const double steps = static_cast<double>(std::max<std::int64_t>(1, time_.end - time_.first));
  return (viewport()->width() - 2) * static_cast<double>(position - time_.first) / steps;
}

std::int64_t WarpTimeline::position_at(int x) const {
  const double share = std::clamp(x / std::max(1.0, viewport()->width() - 2.0), 0.0, 1.0);
  return time_.first + static_cast<std::int64_t>(share * static_cast<double>(time_.end - time_.first) + 0.5);
}

void WarpTimeline::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  const Theme& theme = Theme::instance();
  painter.fillRect(viewport()->rect(), theme.color("base"));
  const double h = row_height();
  for (std::size_t w = 0; w < time_.warps.size(); ++w) {
    const sim::WarpTime& row = time_.warps[w];
    const double width =
        static_cast<double>(viewport()->width() - 2) / std::max<double>(1, static_cast<double>(row.steps.size()));
    for (std::size_t i = 0; i < row.steps.size(); ++i) {
      if (row.steps[i] == 0) continue;
      QColor colour = theme.color(row.lanes[i] == 32 ? "accent" : "plot-b");
      colour.setAlphaF(static_cast<float>(0.35 + 0.65 * row.lanes[i] / 32.0));
      painter.fillRect(QRectF(static_cast<double>(i) * width, static_cast<double>(w) * h + 1, std::max(1.0, width),
                              std::max(1.0, h - 2)),
                       colour);
    }
  }
  painter.setPen(QPen(theme.color("border-strong"), 1, Qt::DashLine));
  for (const std::int64_t step : time_.releases)
    painter.drawLine(QLineF(x_of(step + 1), 0, x_of(step + 1), viewport()->height()));
  painter.setPen(QPen(theme.color("rejected"), 2));
  for (const std::int64_t step : found_)
    painter.drawLine(QLineF(x_of(step + 1), 0, x_of(step + 1), viewport()->height()));
  painter.setPen(QPen(theme.color("text"), 2));
  const double x = std::max(1.0, x_of(position_));
  painter.drawLine(QLineF(x, 0, x, viewport()->height()));
}

void WarpTimeline::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) emit position_chosen(position_at(event->pos().x()));
}

void WarpTimeline::mouseMoveEvent(QMouseEvent* event) {
  if ((event->buttons() & Qt::LeftButton) != 0) emit position_chosen(position_at(event->pos().x()));
}

void WarpTimeline::show_tip(const QHelpEvent& help) {
  const auto warp = static_cast<int>(help.pos().y() / std::max(1.0, row_height()));
  QToolTip::showText(help.globalPos(),
                     tr("Step %1, warp %2. Orange: not all lanes take part; dashed: a barrier lets threads go on; red: "
                        "a check finds something")
                         .arg(position_at(help.pos().x()))
                         .arg(warp),
                     this);
}

}  // namespace ww::widgets
