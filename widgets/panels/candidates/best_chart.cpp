// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/candidates/best_chart.h"
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include "panels/candidates/result_text.h"
#include "parts/theme/controls.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {
constexpr int chart_width = 96, edge = 4;
}  // namespace

std::vector<double> best_so_far(const std::vector<CandidateModel::Row>& rows) {
  std::vector<double> out;
  const explore::CandidateRow* best = result_of(rows).best;
  if (!best) return out;
  for (const CandidateModel::Row& row : rows) {
    const bool counts = !row.trashed && row.data.state == store::CandidateState::accepted && row.data.score &&
                        row.data.score->unit == best->score->unit &&
                        row.data.score->provenance == best->score->provenance && row.data.score->value > 0;
    if (counts)
      out.push_back(out.empty() ? row.data.score->value : std::min(out.back(), row.data.score->value));
    else if (!out.empty())
      out.push_back(out.back());
  }
  return out;
}

BestChart::BestChart(QWidget* parent) : QAbstractButton(parent) {
  setObjectName("best_chart");
  setFocusPolicy(Qt::TabFocus);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
  hide();
}

QSize BestChart::sizeHint() const { return {chart_width, 2 * fontMetrics().lineSpacing()}; }

void BestChart::show_rows(const std::vector<CandidateModel::Row>& rows) {
  std::vector<double> best = best_so_far(rows);
  const bool improved = !best.empty() && best.back() < best.front();
  setVisible(improved);
  if (!improved || best == best_) return;
  best_ = std::move(best);
  name_it(this,
          tr("Best so far: %1 times better after %2 attempts")
              .arg(best_.front() / best_.back(), 0, 'g', 3)
              .arg(best_.size()),
          tr("The best result after each attempt: from %1 to %2. Press to see the progress")
              .arg(count_text(best_.front()), count_text(best_.back())));
  update();
}

void BestChart::paintEvent(QPaintEvent*) {
  if (best_.size() < 2) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF room = QRectF(rect()).adjusted(edge, edge, -edge, -edge);
  const double low = std::log(best_.back()), high = std::log(best_.front());
  const auto at = [&](std::size_t i) {
    return QPointF(room.left() + room.width() * static_cast<double>(i) / static_cast<double>(best_.size() - 1),
                   room.bottom() - room.height() * (std::log(best_[i]) - low) / (high - low));
  };
  QPainterPath line(at(0));
  for (std::size_t i = 1; i < best_.size(); ++i) {
    line.lineTo(at(i).x(), at(i - 1).y());
    line.lineTo(at(i));
  }
  painter.setPen(QPen(Theme::instance().color("plot-a"), 1.5));
  painter.drawPath(line);
  painter.setBrush(Theme::instance().color("plot-a"));
  painter.drawEllipse(at(best_.size() - 1), 2.5, 2.5);
  if (hasFocus()) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(Theme::instance().color("focus"), 2));
    painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
  }
}

}  // namespace ww::widgets
