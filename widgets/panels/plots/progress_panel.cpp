// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/plots/progress_panel.h"
#include <QComboBox>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QStackedLayout>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include "session/actions/registry.h"
#include "panels/plots/plot_style.h"
#include "panels/plots/run_strip.h"
#include "session/run_facts.h"
#include "session/selection.h"
#include "parts/theme/controls.h"
#include "parts/theme/empty_page.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {

constexpr std::size_t progress_steps = 600;  // that a stacked curve is drawn with, at most

struct ProgressStyle {
  const char* token;
  Qt::BrushStyle fill;
};
ProgressStyle progress_style(const AttemptEnd& end) {
  if (end.stage) switch (*end.stage) {
      case evidence::Stage::contract: return {"plot-h", Qt::HorPattern};
      case evidence::Stage::compile: return {"plot-b", Qt::BDiagPattern};
      case evidence::Stage::smoke: return {"plot-f", Qt::Dense4Pattern};
      case evidence::Stage::cases: return {"plot-d", Qt::FDiagPattern};
      case evidence::Stage::determinism: return {"plot-e", Qt::CrossPattern};
      case evidence::Stage::measure: return {"plot-g", Qt::DiagCrossPattern};
    }
  switch (end.state) {
    case store::CandidateState::accepted: return {"accepted", Qt::SolidPattern};
    case store::CandidateState::rejected: return {"rejected", Qt::Dense5Pattern};
    case store::CandidateState::not_judged: return {"warning", Qt::VerPattern};
    default: return {"muted", Qt::Dense6Pattern};
  }
}

}  // namespace

ProgressPanel::ProgressPanel(const Context& context)
    : context_(context),
      facts_(RunFactsLoader::of(context)),
      refresher_(new LazyRefresh(this, 150, [this] { refresh(); })) {
  setProperty("role", "panel");
  setObjectName("progress_panel");
  auto* outer = make_column(this, {}, 0);
  strip_ = new RunStrip(context_, this);
  outer->addWidget(strip_);
  const ContentPages made = content_pages(outer, "run",
                                          tr("The run's attempts are drawn here, how each ended and the best so "
                                             "far. Describe an operation and press Run, or open a run."));
  pages_ = made.pages;
  made.page->offer(tr("Describe an operation"), [this] { context_.registry->trigger("go.describe"); });
  auto* column = make_column(made.content, {}, 0);
  auto* row = make_row(column, {grid::step, 0, grid::step, grid::half}, grid::wide);
  summary_ = make_selectable(made.content, "progress_summary");
  row->addWidget(summary_, 1);
  against_ = with_id(new QComboBox(made.content), "progress_against");
  against_->addItem(tr("by attempts"));
  against_->addItem(tr("by time"));
  name_it(against_, tr("Horizontal axis"),
          tr("Attempts in the order of proposal, or minutes since the run began, including pauses"));
  row->addWidget(against_, 0, Qt::AlignTop);
  make_plot(made.content);
  column->addWidget(plot_, 1);
  connect(context_.session, &Session::events, this, &ProgressPanel::on_events);
  connect(context_.candidates, &QAbstractItemModel::rowsInserted, refresher_, &LazyRefresh::later);
  connect(context_.candidates, &QAbstractItemModel::dataChanged, this, [this](const QModelIndex& first) {
    if (first.column() <= CandidateModel::Score) refresher_->later();
  });
  connect(context_.candidates, &QAbstractItemModel::modelReset, this, [this] {
    arrivals_.clear();
    refresher_->later();
  });
  connect(facts_, &RunFactsLoader::changed, refresher_, &LazyRefresh::later);
  connect(&Theme::instance(), &Theme::changed, refresher_, &LazyRefresh::later);
  connect(context_.selection, &Selection::current_changed, this, &ProgressPanel::mark);
  connect(against_, &QComboBox::currentIndexChanged, this, &ProgressPanel::draw);
  setFocusProxy(plot_);
  refresher_->now();
}

void ProgressPanel::make_plot(QWidget* parent) {
  plot_ = with_id(new QCustomPlot(parent), "progress_plot");
  plot_->setFocusPolicy(Qt::StrongFocus);
  plot_->setMinimumHeight(120);
  plot_->installEventFilter(this);
  name_it(plot_, tr("Progress of the run"));
  lower_ = new QCPAxisRect(plot_);
  plot_->plotLayout()->addElement(1, 0, lower_);
  plot_->plotLayout()->setRowSpacing(0);
  plot_->axisRect()->setMinimumMargins(QMargins(15, 10, 15, 4));
  lower_->setMinimumMargins(QMargins(15, 6, 15, 15));
  auto* margins = new QCPMarginGroup(plot_);
  plot_->axisRect()->setMarginGroup(QCP::msLeft | QCP::msRight, margins);
  lower_->setMarginGroup(QCP::msLeft | QCP::msRight, margins);
  for (QCPAxis* axis : lower_->axes()) {
    axis->setLayer("axes");
    axis->grid()->setLayer("grid");
  }
  auto* legend = new QCPLegend;
  lower_->insetLayout()->addElement(legend, Qt::AlignLeft | Qt::AlignTop);
  legend->setLayer("legend");
  plot_->setAutoAddPlottableToLegend(false);
  plot_->legend = legend;
  connect(plot_, &QCustomPlot::mouseMove, this, &ProgressPanel::hover);
  connect(plot_, &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
    if (const int at = nearest(event->pos()); at >= 0) context_.selection->set_current(points_[at].id);
  });
}

void ProgressPanel::on_events(const std::vector<explore::Event>& batch, bool shown) {
  if (!shown) return;
  const auto facts = facts_->facts();
  if (facts && facts->record.ended.size() > 0)
    return;  // a run that was taken up again: the store knows when its candidates came
  for (const explore::Event& event : batch)
    if (const auto* proposed = std::get_if<explore::CandidateProposed>(&event))
      arrivals_.insert(proposed->row.id, strip_->minutes());
}

void ProgressPanel::refresh() {
  const auto facts = facts_->facts();
  data_ = make_progress(context_.candidates->rows(), facts.get(), arrivals_);
  strip_->refresh();
  pages_->setCurrentIndex(data_.attempts.empty() ? 0 : 1);
  draw();
}

void ProgressPanel::draw() {
  points_.clear();
  if (data_.attempts.empty()) return;
  style_plot(plot_);
  plot_->clearPlottables();
  plot_->legend->clearItems();
  ring_ = nullptr;
  const bool by_time = against_->currentIndex() == 1;
  const auto unknown = std::count_if(data_.attempts.begin(), data_.attempts.end(),
                                     [](const Attempt& a) { return std::isnan(a.minutes); });
  QString summary = data_.summary;
  if (by_time && unknown > 0)
    summary += " " + tr("The time of %1 is unknown, so it is not drawn.")
                         .arg(counted(static_cast<int>(unknown), tr("of them"), tr("of them")));
  summary_->setText(summary);
  plot_->setAccessibleDescription(summary);
  draw_scores(by_time);
  draw_ends(by_time);
  plot_->legend->setVisible(plot_->height() >=
                            270);  // else it would cover what it explains; the summary and the pointer say it
  mark();
}

void ProgressPanel::draw_scores(bool by_time) {
  const Theme& theme = Theme::instance();
  QCPAxis *x_axis = plot_->xAxis, *y_axis = plot_->yAxis;
  QVector<double> x, y, best_x, best_y;
  double low = 0, high = 0, last = 0;
  for (std::size_t i = 0; i < data_.attempts.size(); ++i) {
    const Attempt& a = data_.attempts[i];
    const double at = by_time ? a.minutes : static_cast<double>(i) + 1;
    if (std::isnan(at)) continue;
    last = std::max(last, at);
    if (std::isnan(a.score)) continue;
    points_.append({a.id, at, a.score});
    x.append(at);
    y.append(a.score);
    if (best_y.isEmpty() || a.best != best_y.last()) {
      best_x.append(at);
      best_y.append(a.best);
    }
    low = low > 0 ? std::min(low, a.score) : a.score;
    high = std::max(high, a.score);
  }
  if (!best_x.isEmpty()) {  // up to the last attempt
    best_x.append(last);
    best_y.append(best_y.last());
  }
  QCPGraph* line = plot_->addGraph(x_axis, y_axis);
  line->setName(tr("best so far"));
  line->setData(best_x, best_y);
  line->setLineStyle(QCPGraph::lsStepLeft);
  line->setPen(QPen(theme.color("plot-b"), 1.8));
  QCPGraph* dots = plot_->addGraph(x_axis, y_axis);
  dots->setName(tr("proved candidate"));
  dots->setData(x, y);
  dots->setLineStyle(QCPGraph::lsNone);
  dots->setScatterStyle(disc_style(theme.color("plot-a"), 7, plot_->bufferDevicePixelRatio()));
  label_axis(y_axis, data_.axis.isEmpty() ? tr("no cost yet") : data_.axis);
  if (points_.isEmpty())
    y_axis->setRange(0, 1);
  else if (reads_better_logarithmic(low, high))
    scale_axis(y_axis, low, high, true);
  else
    scale_axis(y_axis, 0, high, false);
}

void ProgressPanel::draw_ends(bool by_time) {
  const Theme& theme = Theme::instance();
  QCPAxis *x_axis = lower_->axis(QCPAxis::atBottom), *y_axis = lower_->axis(QCPAxis::atLeft);
  const std::size_t n = data_.attempts.size(), every = n / progress_steps + 1;
  std::vector<QVector<double>> sums(data_.ends.size());
  std::vector<double> counts(data_.ends.size(), 0);
  QVector<double> x;
  double top = 0, last = by_time ? 0 : static_cast<double>(n) + 0.5, now = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Attempt& a = data_.attempts[i];
    if (a.end >= 0) ++counts[static_cast<std::size_t>(a.end)];
    const double at = by_time ? a.minutes : static_cast<double>(i) + 1;
    if (std::isnan(at)) continue;
    now = std::max(now, at);  // never back
    if (i % every != 0 && i + 1 != n) continue;
    x.append(now);
    double sum = 0;
    for (std::size_t e = 0; e < counts.size(); ++e) sums[e].append(sum += counts[e]);
    top = std::max(top, sum);
    last = std::max(last, now);
  }
  QCPGraph* below = nullptr;
  for (std::size_t e = 0; e < sums.size(); ++e) {
    const ProgressStyle style = progress_style(data_.ends[e]);
    QCPGraph* g = plot_->addGraph(x_axis, y_axis);
    g->setName(tr("%1: %2").arg(data_.ends[e].title).arg(data_.ends[e].count));
    g->setData(x, sums[e], true);
    g->setPen(QPen(theme.color(style.token), 1.2));
    g->setBrush(style.fill == Qt::SolidPattern ? QBrush(theme.color("accepted-soft"))
                                               : QBrush(theme.color(style.token), style.fill));
    if (below) g->setChannelFillGraph(below);
    below = g;
    g->setAntialiasedFill(n < 300);
    g->addToLegend();
  }
  label_axis(x_axis, by_time ? tr("minutes since the run began") : tr("attempt, in order of proposal"));
  label_axis(y_axis, tr("attempts"));
  scale_axis(y_axis, 0, std::max(top, 1.0), false);
  y_axis->setRangeLower(0);
  const auto whole = [] {  // ticks only at integers
    auto ticker = QSharedPointer<QCPAxisTickerFixed>::create();
    ticker->setTickStep(1);
    ticker->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    return ticker;
  };
  y_axis->setTicker(whole());
  x_axis->setTicker(by_time ? QSharedPointer<QCPAxisTicker>::create() : whole().staticCast<QCPAxisTicker>());
  plot_->xAxis->setTicker(x_axis->ticker());
  x_axis->setRange(by_time ? 0 : 0.5, std::max(last * (by_time ? 1.02 : 1), by_time ? 0.01 : 2.0));
  plot_->xAxis->setRange(x_axis->range());
  plot_->xAxis->setTickLabels(false);
}

void ProgressPanel::mark() {
  if (data_.attempts.empty()) return;
  if (ring_) plot_->removeGraph(ring_);
  ring_ = nullptr;
  for (const Point& p : points_) {
    if (p.id != context_.selection->current()) continue;
    ring_ = plot_->addGraph();
    ring_->setName(tr("selected"));
    ring_->addData(p.x, p.score);
    ring_->setLineStyle(QCPGraph::lsNone);
    ring_->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(Theme::instance().color("text"), 1.6), Qt::NoBrush, 13));
  }
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

int ProgressPanel::nearest(const QPoint& at) const {
  int found = -1;
  double reach = 14;
  for (int i = 0; i < points_.size(); ++i) {
    const double d = std::hypot(plot_->xAxis->coordToPixel(points_[i].x) - at.x(),
                                plot_->yAxis->coordToPixel(points_[i].score) - at.y());
    if (d < reach) {
      reach = d;
      found = i;
    }
  }
  return found;
}

QString ProgressPanel::ends_until(double x) const {
  const bool by_time = against_->currentIndex() == 1;
  std::vector<int> counts(data_.ends.size(), 0);
  int attempts = 0;
  for (std::size_t i = 0; i < data_.attempts.size(); ++i) {
    const Attempt& a = data_.attempts[i];
    if (!((by_time ? a.minutes : static_cast<double>(i) + 0.5) <= x)) continue;
    ++attempts;
    if (a.end >= 0) ++counts[static_cast<std::size_t>(a.end)];
  }
  if (attempts == 0) return {};
  QStringList lines = {tr("After %1:").arg(counted(attempts, tr("attempt"), tr("attempts")))};
  for (std::size_t e = 0; e < counts.size(); ++e)
    if (counts[e] > 0) lines += tr("%1: %2").arg(data_.ends[e].title).arg(counts[e]);
  return lines.join('\n');
}

void ProgressPanel::step(int by) {
  if (points_.isEmpty()) return;
  int at = -1;
  for (int i = 0; i < points_.size(); ++i)
    if (points_[i].id == context_.selection->current()) at = i;
  context_.selection->set_current(
      points_[at < 0 ? 0 : std::clamp<int>(at + by, 0, static_cast<int>(points_.size()) - 1)].id);
}

bool ProgressPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == plot_ && event->type() == QEvent::Resize) refresher_->later();  // labels fit again
  if (watched == plot_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Left || key == Qt::Key_Right) return step(key == Qt::Key_Left ? -1 : 1), true;
    if (key == Qt::Key_Return || key == Qt::Key_Enter) {
      context_.registry->trigger("go.code");
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

void ProgressPanel::hover(QMouseEvent* event) {
  const int at = nearest(event->pos());
  plot_->setCursor(at >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (at < 0) {
    const QString until = lower_->rect().contains(event->pos())
                              ? ends_until(lower_->axis(QCPAxis::atBottom)->pixelToCoord(event->pos().x()))
                              : QString();
    return until.isEmpty() ? QToolTip::hideText() : QToolTip::showText(event->globalPosition().toPoint(), until, plot_);
  }
  const int row = context_.candidates->row_of(points_[at].id);
  if (row < 0) return;
  const QString name = CandidateModel::name_of(context_.candidates->rows()[static_cast<std::size_t>(row)].data);
  QToolTip::showText(event->globalPosition().toPoint(),
                     tr("#%1 %2\n%3 %4").arg(points_[at].id).arg(name, count_text(points_[at].score), data_.unit),
                     plot_);
}

}  // namespace ww::widgets
