// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/cost_panel.h"
#include <QLabel>
#include <QMouseEvent>
#include <QStackedLayout>
#include <QTimer>
#include <QToolTip>
#include <cmath>
#include "plots/plot_style.h"
#include "theme/text.h"
#include "theme/theme.h"

namespace ww::widgets {

CostPanel::CostPanel(const CandidateModel* model, QWidget* parent) : QWidget(parent), model_(model), timer_(new QTimer(this)) {
  setProperty("role", "panel");
  pages_ = new QStackedLayout(this);
  pages_->addWidget(empty_state(tr("The cost of each accepted candidate is drawn here, in the order in which they were proposed."), this));
  plot_ = new QCustomPlot(this);
  plot_->setMouseTracking(true);
  name_it(plot_, tr("Cost of the accepted candidates"));
  pages_->addWidget(plot_);
  timer_->setSingleShot(true);
  timer_->setInterval(150);  // a run may change many rows a second
  connect(timer_, &QTimer::timeout, this, &CostPanel::replot);
  const auto later = [this] {
    if (!timer_->isActive()) timer_->start();
  };
  connect(model_, &QAbstractItemModel::dataChanged, this, later);
  connect(model_, &QAbstractItemModel::rowsInserted, this, later);
  connect(model_, &QAbstractItemModel::modelReset, this, later);
  connect(&Theme::instance(), &Theme::changed, this, later);
  connect(plot_, &QCustomPlot::mouseMove, this, &CostPanel::hover);
  connect(plot_, &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
    if (const int at = nearest(event->pos()); at >= 0) emit candidate_chosen(points_[at].id);
  });
}

void CostPanel::show_selected(std::int64_t candidate) {
  selected_ = candidate;
  if (!timer_->isActive()) timer_->start();
}

void CostPanel::replot() {
  points_.clear();
  QString unit, provenance;
  int number = 0;
  for (const CandidateModel::Row& row : model_->rows()) {
    ++number;
    if (row.data.state != "accepted" || !row.data.score) continue;
    points_.append({row.data.id, double(number), row.data.score->value, CandidateModel::name_of(row.data)});
    unit = qs(row.data.score->unit);
    provenance = qs(row.data.score->provenance);
  }
  pages_->setCurrentIndex(points_.isEmpty() ? 0 : 1);
  if (points_.isEmpty()) return;
  style_plot(plot_);
  plot_->clearPlottables();
  QVector<double> x, y, best_x, best_y, sx, sy;
  double best = points_.first().cost, low = best, high = best;
  for (const Point& p : points_) {
    x.append(p.number);
    y.append(p.cost);
    best = std::min(best, p.cost);
    best_x.append(p.number);
    best_y.append(best);
    low = std::min(low, p.cost);
    high = std::max(high, p.cost);
    if (p.id == selected_) {
      sx.append(p.number);
      sy.append(p.cost);
    }
  }
  best_x.append(number + 0.5);
  best_y.append(best);
  const Theme& theme = Theme::instance();
  QCPGraph* line = plot_->addGraph();
  line->setName(tr("best so far"));
  line->setData(best_x, best_y, true);
  line->setLineStyle(QCPGraph::lsStepLeft);
  line->setPen(QPen(theme.color("plot-b"), 1.6));
  QCPGraph* dots = plot_->addGraph();
  dots->setName(tr("accepted candidate"));
  dots->setData(x, y, true);
  dots->setLineStyle(QCPGraph::lsNone);
  dots->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, theme.color("plot-a"), theme.color("plot-a"), 7));
  if (!sx.isEmpty()) {
    QCPGraph* ring = plot_->addGraph();
    ring->setName(tr("selected"));
    ring->setData(sx, sy);
    ring->setLineStyle(QCPGraph::lsNone);
    ring->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(theme.color("text"), 1.6), Qt::NoBrush, 13));
  }
  plot_->xAxis->setLabel(tr("candidate, in order of proposal"));
  plot_->yAxis->setLabel(unit.contains(provenance) ? unit : tr("%1 (%2)").arg(unit, provenance));
  plot_->xAxis->setRange(0.5, std::max(number + 0.5, 2.0));
  // Costs that differ by a factor of many are read on a logarithmic axis.
  if (low > 0 && high / low > 20) {
    plot_->yAxis->setScaleType(QCPAxis::stLogarithmic);
    plot_->yAxis->setTicker(QSharedPointer<QCPAxisTickerLog>(new QCPAxisTickerLog));
    plot_->yAxis->setNumberFormat("eb");
    plot_->yAxis->setNumberPrecision(0);
    plot_->yAxis->setRange(low / 1.5, high * 1.5);
  } else {
    plot_->yAxis->setScaleType(QCPAxis::stLinear);
    plot_->yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new QCPAxisTicker));
    plot_->yAxis->setNumberFormat("gb");
    plot_->yAxis->setNumberPrecision(3);
    plot_->yAxis->setRange(0, high * 1.1);
  }
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

int CostPanel::nearest(const QPoint& at) const {
  int found = -1;
  double reach = 14;
  for (int i = 0; i < points_.size(); ++i) {
    const double d = std::hypot(plot_->xAxis->coordToPixel(points_[i].number) - at.x(), plot_->yAxis->coordToPixel(points_[i].cost) - at.y());
    if (d < reach) {
      reach = d;
      found = i;
    }
  }
  return found;
}

void CostPanel::hover(QMouseEvent* event) {
  const int at = nearest(event->pos());
  plot_->setCursor(at >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (at >= 0)
    QToolTip::showText(event->globalPosition().toPoint(), tr("#%1 %2\ncost %3").arg(points_[at].id).arg(points_[at].name, count_text(points_[at].cost)), plot_);
  else
    QToolTip::hideText();
}

}  // namespace ww::widgets
