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
  const QBrush waiting(theme.color("muted"), Qt::BDiagPattern);
  for (std::size_t w = 0; w < time_.warps.size(); ++w) {
    const sim::WarpTime& row = time_.warps[w];
    const double width =
        static_cast<double>(viewport()->width() - 2) / std::max<double>(1, static_cast<double>(row.steps.size()));
    for (std::size_t i = 0; i < row.steps.size(); ++i) {
      const QRectF part(static_cast<double>(i) * width, static_cast<double>(w) * h + 1, std::max(1.0, width),
                        std::max(1.0, h - 2));
      if (row.steps[i] == 0) {
        if (i < row.waits.size() && row.waits[i] > 0) painter.fillRect(part, waiting);
        continue;
      }
      QColor colour = theme.color(row.lanes[i] == 32 ? "accent" : "plot-b");
      colour.setAlphaF(static_cast<float>(0.35 + 0.65 * row.lanes[i] / 32.0));
      painter.fillRect(part, colour);
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

void WarpTimeline::show_tip(const QHelpEvent& help) { QToolTip::showText(help.globalPos(), tip_at(help.pos()), this); }

QString WarpTimeline::tip_at(const QPoint& at) const {
  const auto warp = static_cast<std::size_t>(std::max(0.0, at.y() / std::max(1.0, row_height())));
  return tr("Step %1, warp %2%3. Orange: not all lanes take part; hatched: it waits at a barrier; dashed: a barrier "
            "lets threads go on; red: a check finds something")
      .arg(position_at(at.x()))
      .arg(warp)
      .arg(waits_at(warp, at.x()) ? tr(", waiting at a barrier") : QString());
}

bool WarpTimeline::waits_at(std::size_t warp, int x) const {
  if (warp >= time_.warps.size()) return false;
  const sim::WarpTime& row = time_.warps[warp];
  const double share = std::clamp(x / std::max(1.0, viewport()->width() - 2.0), 0.0, 1.0);
  const auto part = static_cast<std::size_t>(share * static_cast<double>(row.steps.size()));
  return part < row.waits.size() && row.steps[part] == 0 && row.waits[part] > 0;
}

}  // namespace ww::widgets
