// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/plots/pareto_panel.h"
#include <QComboBox>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QRegularExpression>
#include <QTableView>
#include <QToolButton>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>
#include "session/actions/registry.h"
#include "session/models/candidate_model.h"
#include "panels/plots/metrics.h"
#include "panels/plots/pareto.h"
#include "panels/plots/plot_style.h"
#include "panels/profile/series_style.h"
#include "session/selection.h"
#include "parts/theme/page_stack.h"
#include "parts/theme/facts_view.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/label.h"
#include "parts/theme/controls.h"
#include "parts/theme/empty_page.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {
constexpr std::size_t most_labels = 24, most_obstacles = 2000;
}

ParetoPanel::ParetoPanel(const Context& context)
    : context_(context),
      metrics_(new MetricTable(context, this)),
      refresher_(new LazyRefresh(this, 150, [this] { refresh(); })) {
  setProperty("role", "panel");
  setObjectName("pareto_panel");
  auto* outer = make_column(this, {}, 0);
  make_bar(outer);
  const ContentPages made = content_pages(outer, "columns");
  pages_ = made.pages;
  made.page->offer(tr("Describe an operation"), [this] { context_.registry->trigger("go.describe"); });
  empty_ = made.empty;
  auto* column = make_column(made.content, {}, 0);
  make_views(column);
  summary_ = with_id(new FactsView(made.content), "pareto_summary");
  name_it(summary_, tr("The front"));
  make_column(column, grid::bar)->addWidget(summary_);
  connect(summary_, &FactsView::link, this,
          [this](const QString&, const QString& id) { context_.selection->set_current(id.toLongLong()); });
  connect_data();
  connect_plot();
  setFocusProxy(plot_);
  refresher_->now();
}

void ParetoPanel::make_bar(QVBoxLayout* outer) {
  auto* bar = new QWidget(this);
  auto* row = new FlowLayout(bar, grid::step, FlowLayout::Before::shrinking);
  x_ = make_axis(row, "pareto_x", tr("X"));
  y_ = make_axis(row, "pareto_y", tr("Y"));
  auto* fit =
      make_tool(bar, "pareto_fit", tr("Fit"), tr("Show all points"), tr("Show all points (0, or a double click)"));
  toggle_ = make_tool(bar, "pareto_table", tr("Table"), tr("Points as a table"), tr("A table instead of the plot"));
  toggle_->setCheckable(true);
  for (QToolButton* b : {fit, toggle_}) {
    b->setFocusPolicy(Qt::TabFocus);
    row->addWidget(b);
  }
  make_column(outer, grid::bar)->addWidget(bar);
  for (Axis* axis : {&x_, &y_}) {
    connect(axis->metric, &QComboBox::activated, this, [this, axis] { choose(*axis); });
    for (QToolButton* b : {axis->logarithmic, axis->higher})
      connect(b, &QToolButton::clicked, this, [this] {
        zoomed_ = false;
        refresher_->now();
      });
  }
  connect(fit, &QToolButton::clicked, this, &ParetoPanel::fit);
  connect(toggle_, &QToolButton::toggled, this, [this](bool on) {
    views_->setCurrentIndex(on ? 1 : 0);
    if (on) fill_table();
  });
}

void ParetoPanel::make_views(QVBoxLayout* column) {
  auto* holder = new QWidget(column->parentWidget());
  views_ = new PageStack(holder);
  plot_ = new QCustomPlot(holder);
  plot_->setFocusPolicy(Qt::StrongFocus);
  plot_->setInteractions(QCP::iRangeZoom);
  plot_->setSelectionRectMode(QCP::srmZoom);
  plot_->setMinimumHeight(90);
  plot_->installEventFilter(this);
  name_it(plot_, tr("Proved candidates by two metrics"));
  views_->addWidget(plot_);
  model_ = new ParetoModel(this);
  table_ = make_records(holder, "pareto_rows", model_, tr("Proved candidates by two metrics, those on the front first"),
                        {240, 120, 230});
  table_->setFrameShape(QFrame::NoFrame);
  table_->horizontalHeader()->setStretchLastSection(true);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
    if (index.isValid()) context_.selection->set_current(model_->id_of(index));
  });
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) { open(model_->id_of(index)); });
  views_->addWidget(table_);
  column->addWidget(holder, 1);
}

void ParetoPanel::connect_data() {
  connect(context_.candidates, &QAbstractItemModel::rowsInserted, refresher_, &LazyRefresh::later);
  connect(context_.candidates, &QAbstractItemModel::dataChanged, this, [this](const QModelIndex& first) {
    if (first.column() <= CandidateModel::Occupancy) refresher_->later();
  });
  connect(context_.candidates, &QAbstractItemModel::modelReset, this, [this] {
    zoomed_ = false;
    refresher_->later();
  });
  connect(metrics_, &MetricTable::changed, refresher_, &LazyRefresh::later);
  connect(&Theme::instance(), &Theme::changed, refresher_, &LazyRefresh::later);
  connect(context_.selection, &Selection::current_changed, this, &ParetoPanel::mark);
  connect(context_.selection, &Selection::baseline_changed, this, &ParetoPanel::mark);
  connect(context_.selection, &Selection::compared_changed, this, &ParetoPanel::mark);
}

void ParetoPanel::connect_plot() {
  connect(plot_, &QCustomPlot::afterLayout, this, &ParetoPanel::place_labels);
  connect(plot_, &QCustomPlot::mousePress, this, [this](QMouseEvent* event) { pressed_ = event->pos(); });
  connect(plot_, &QCustomPlot::mouseRelease, this, &ParetoPanel::released);
  connect(plot_, &QCustomPlot::mouseWheel, this, [this] { zoomed_ = true; });
  connect(plot_, &QCustomPlot::mouseDoubleClick, this, [this](QMouseEvent* event) {
    if (const int at = nearest(event->pos()); at >= 0)
      open(points_[static_cast<std::size_t>(at)].id);
    else
      fit();
  });
  connect(plot_, &QCustomPlot::mouseMove, this, &ParetoPanel::hover);
}

void ParetoPanel::released(QMouseEvent* event) {
  if ((event->pos() - pressed_).manhattanLength() > 4) {
    zoomed_ = true;  // a box was drawn
    return;
  }
  const int at = nearest(event->pos());
  if (at < 0) return;
  const std::int64_t id = points_[static_cast<std::size_t>(at)].id;
  if (event->modifiers() & Qt::ControlModifier)
    context_.selection->compare(id, !context_.selection->compared().contains(id));
  else
    context_.selection->set_current(id);
}

ParetoPanel::Axis ParetoPanel::make_axis(QLayout* row, const char* name, const QString& title) {
  Axis axis{};
  auto* group = new QWidget(row->parentWidget());  // stays together where the row is broken
  auto* line = make_row(group, {}, grid::half);
  auto* caption = new Label(title, group);
  axis.metric = make_shrinking_combo(group, name, tr("Metric: %1").arg(title), {}, 10);
  axis.metric->setMaxVisibleItems(24);
  connect(axis.metric, &QComboBox::currentTextChanged, axis.metric, &QWidget::setToolTip);  // it may be cut
  caption->setBuddy(axis.metric);
  const auto toggle = [&](const char* what, const QString& text, const QString& accessible, const QString& tip) {
    QToolButton* b = make_tool(group, QString(name) + what, text, accessible + ": " + title, tip);
    b->setCheckable(true);
    b->setFocusPolicy(Qt::TabFocus);
    return b;
  };
  axis.logarithmic = toggle("_log", tr("Log"), tr("Logarithmic"), tr("A logarithmic axis; for numbers above 0"));
  axis.higher = toggle("_higher", {}, tr("Higher is better"),
                       tr("Whether lower or higher is better; decides which candidates are on the front"));
  const auto direction = [b = axis.higher](bool higher) {
    b->setText(higher ? tr("\u2191 better") : tr("\u2193 better"));
  };
  connect(axis.higher, &QToolButton::toggled, axis.higher, direction);
  direction(false);
  for (QWidget* w : std::initializer_list<QWidget*>{caption, axis.metric, axis.logarithmic, axis.higher})
    line->addWidget(w);
  row->addWidget(group);
  return axis;
}

void ParetoPanel::show_table(bool on) { toggle_->setChecked(on); }

void ParetoPanel::refresh() {
  if (isVisible()) metrics_->want();
  fill_metrics();
  gather();
  draw();
  describe();
  if (toggle_->isChecked()) fill_table();
}

void ParetoPanel::fill_metrics() {
  const auto& list = metrics_->metrics();
  if (list.size() == known_metrics_ && list.front().title == score_title_) return;
  known_metrics_ = list.size();
  score_title_ = list.front().title;
  for (Axis* axis : {&x_, &y_}) {
    const QString kept = axis->metric->currentData().toString();
    axis->metric->clear();
    for (const Metric& m : list) {
      axis->metric->addItem(m.title, m.key);
      axis->metric->setItemData(axis->metric->count() - 1, m.title, Qt::ToolTipRole);
    }
    const int at = axis->metric->findData(kept);
    axis->metric->setCurrentIndex(at >= 0 ? at : axis == &x_ ? 0 : 1);
    if (at < 0) axis->higher->setChecked(list[static_cast<std::size_t>(axis->metric->currentIndex())].higher_is_better);
  }
}

void ParetoPanel::choose(Axis& axis) {
  if (const Metric* m = metrics_->find(axis.metric->currentData().toString()))
    axis.higher->setChecked(m->higher_is_better);
  axis.metric->setToolTip(axis.metric->currentText());
  zoomed_ = false;
  refresher_->now();
}

void ParetoPanel::gather() {
  points_.clear();
  lacking_ = 0;
  const QString xk = x_.metric->currentData().toString(), yk = y_.metric->currentData().toString();
  for (const CandidateModel::Row& row : context_.candidates->rows()) {
    if (row.data.state != store::CandidateState::accepted || row.trashed) continue;
    const double x = metrics_->value(row, xk), y = metrics_->value(row, yk);
    if (std::isfinite(x) && std::isfinite(y))
      points_.push_back({row.data.id, x, y, false, {}});
    else
      ++lacking_;
  }
  std::stable_sort(points_.begin(), points_.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
  std::vector<QPointF> places;
  for (const Point& p : points_) places.emplace_back(p.x, p.y);
  for (const int at : pareto_front(places, x_.higher->isChecked(), y_.higher->isChecked()))
    points_[static_cast<std::size_t>(at)].front = true;
  for (Point& p : points_) {
    const int at = context_.candidates->row_of(p.id);
    p.name = "#" + QString::number(p.id) + " " +
             CandidateModel::name_of(context_.candidates->rows()[static_cast<std::size_t>(at)].data);
  }
  pages_->setCurrentIndex(points_.empty() ? 0 : 1);
  const bool accepted = context_.candidates->accepted() + context_.candidates->imported() > 0;
  empty_->setText(!accepted
                      ? tr("Proved candidates are drawn here by two of their metrics. Run an operation, or open a run.")
                  : metrics_->unread() > 0
                      ? tr("The metrics of the candidates are being read.")
                      : tr("No candidate has both of these numbers: they were not measured. Choose other metrics."));
}

void ParetoPanel::fit() {
  zoomed_ = false;
  draw();
}

void ParetoPanel::draw() {
  if (points_.empty()) return;
  const Theme& theme = Theme::instance();
  style_plot(plot_);
  plot_->clearPlottables();
  plot_->clearItems();
  letters_.clear();
  QPen box(theme.color("accent"), 1, Qt::DashLine);
  plot_->selectionRect()->setPen(box);
  QColor veil = theme.color("accent");
  veil.setAlpha(40);
  plot_->selectionRect()->setBrush(veil);
  QVector<double> x, y, fx, fy;
  double x0 = points_.front().x, x1 = x0, y0 = points_.front().y, y1 = y0;
  for (const Point& p : points_) {
    (p.front ? fx : x).append(p.x);
    (p.front ? fy : y).append(p.y);
    x0 = std::min(x0, p.x);
    x1 = std::max(x1, p.x);
    y0 = std::min(y0, p.y);
    y1 = std::max(y1, p.y);
  }
  x_.logarithmic->setEnabled(x0 > 0);
  y_.logarithmic->setEnabled(y0 > 0);
  QCPGraph* others = plot_->addGraph();
  others->setName(tr("proved candidate"));
  others->setData(x, y);
  others->setLineStyle(QCPGraph::lsNone);
  others->setScatterStyle(disc_style(theme.color("muted"), 6, plot_->bufferDevicePixelRatio()));
  QCPGraph* front = plot_->addGraph();
  front->setName(tr("on the front"));
  front->setData(fx, fy);
  front->setLineStyle(x_.higher->isChecked() ? QCPGraph::lsStepRight : QCPGraph::lsStepLeft);
  front->setPen(QPen(theme.color("text"), 1.4));
  front->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssDiamond, QPen(theme.color("text"), 1.4), theme.color("text"), 10));
  labels_.clear();  // went with the plot's items
  for (const Point& p : points_) {
    if (!p.front || labels_.size() == most_labels) continue;
    auto* words = new QCPItemText(plot_);
    words->setText("#" + QString::number(p.id));
    words->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
    words->position->setType(QCPItemPosition::ptAbsolute);
    words->setPadding(QMargins(1, 0, 1, 0));
    words->setColor(theme.color("text"));
    words->setClipToAxisRect(true);
    words->setFont(plot_->xAxis->tickLabelFont());
    labels_.push_back({p.id, {p.x, p.y}, words});
  }
  const auto label = [](const Axis& axis) {
    return ParetoPanel::tr("%1 %2").arg(axis.metric->currentText(),
                                        axis.higher->isChecked() ? QStringLiteral("\u2191") : QStringLiteral("\u2193"));
  };
  label_axis(plot_->xAxis, label(x_));
  label_axis(plot_->yAxis, label(y_));
  const QCPRange kept_x = plot_->xAxis->range(), kept_y = plot_->yAxis->range();
  scale_axis(plot_->xAxis, x0, x1, x_.logarithmic->isChecked());
  scale_axis(plot_->yAxis, y0, y1, y_.logarithmic->isChecked());
  if (zoomed_) {
    plot_->xAxis->setRange(kept_x);
    plot_->yAxis->setRange(kept_y);
  }
  mark();
}

// Beside their points, where they cover neither a point nor each other; one without such a place is left out. The
// selected and the baseline candidate choose first. Places are known once the axes are laid out.
void ParetoPanel::place_labels() {
  const QRect room = plot_->axisRect()->rect();
  const auto pixel = [this](double x, double y) {
    return QPointF(plot_->xAxis->coordToPixel(x), plot_->yAxis->coordToPixel(y));
  };
  std::vector<QRectF> taken;
  for (const Point& p : points_) {
    if (taken.size() == most_obstacles) break;
    const double half = p.front ? 5 : 3;
    const QPointF at = pixel(p.x, p.y);
    if (room.contains(at.toPoint())) taken.emplace_back(at.x() - half, at.y() - half, 2 * half, 2 * half);
  }
  const Selection& s = *context_.selection;
  std::stable_partition(labels_.begin(), labels_.end(),
                        [&](const PointLabel& l) { return l.id == s.current() || l.id == s.baseline(); });
  for (const PointLabel& l : labels_) {
    const QPointF at = pixel(l.at.x(), l.at.y());
    const QRect words = QFontMetrics(l.words->font()).boundingRect(0, 0, 0, 0, Qt::TextDontClip, l.words->text());
    const QSizeF size = words.marginsAdded(l.words->padding() + 1).size();
    const QPointF places[] = {{7, -size.height() - 3},
                              {7, 3},
                              {-size.width() - 7, -size.height() - 3},
                              {-size.width() - 7, 3},
                              {-size.width() / 2, -size.height() - 9},
                              {-size.width() / 2, 9}};
    const auto free = std::find_if(std::begin(places), std::end(places), [&](const QPointF& offset) {
      const QRectF rect(at + offset, size);
      return QRectF(room).contains(rect) &&
             std::none_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(rect); });
    });
    l.words->setVisible(free != std::end(places));
    if (free == std::end(places)) continue;
    l.words->position->setPixelPosition(at + *free);
    taken.emplace_back(at + *free, size);
  }
}

void ParetoPanel::mark() {
  while (plot_->graphCount() > 2) plot_->removeGraph(plot_->graphCount() - 1);
  if (plot_->graphCount() < 2) return;
  const Theme& theme = Theme::instance();
  const Selection& s = *context_.selection;
  const auto ring = [&](std::int64_t id, QCPScatterStyle::ScatterShape shape, const char* token, double size,
                        const QString& name) {
    for (const Point& p : points_) {
      if (p.id != id) continue;
      QCPGraph* g = plot_->addGraph();
      g->setName(name);
      g->addData(p.x, p.y);
      g->setLineStyle(QCPGraph::lsNone);
      g->setScatterStyle(QCPScatterStyle(shape, QPen(theme.color(token), 1.8), Qt::NoBrush, size));
    }
  };
  for (QCPItemText* letter : std::exchange(letters_, {})) plot_->removeItem(letter);
  for (const Point& p : points_) {
    if (const int place = s.place(p.id); place >= 0) mark_compared(p, place);
  }
  ring(s.baseline(), QCPScatterStyle::ssSquare, "warning", 15, tr("baseline"));
  ring(s.current(), QCPScatterStyle::ssCircle, "text", 15, tr("selected"));
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

// By the letter and the style that it has everywhere.
void ParetoPanel::mark_compared(const Point& p, int place) {
  const SeriesStyle style = series_style(place);
  QCPGraph* g = plot_->addGraph();
  g->setName(tr("compared as %1").arg(Selection::letter(place)));
  g->addData(p.x, p.y);
  g->setLineStyle(QCPGraph::lsNone);
  QCPScatterStyle marker = style.marker;
  marker.setSize(11);
  g->setScatterStyle(marker);
  auto* letter = new QCPItemText(plot_);
  letter->setText(Selection::letter(place));
  QFont bold = plot_->xAxis->tickLabelFont();
  bold.setBold(true);
  letter->setFont(bold);
  letter->setColor(style.color);
  letter->position->setCoords(p.x, p.y);
  letter->setPositionAlignment(Qt::AlignHCenter | Qt::AlignBottom);
  letter->setPadding(QMargins(0, 0, 0, 7));
  letters_.append(letter);
}

QList<std::int64_t> ParetoPanel::front() const {
  QList<std::int64_t> ids;
  for (const Point& p : points_)
    if (p.front) ids.append(p.id);
  return ids;
}

QString ParetoPanel::summary() const { return summary_->toPlainText(); }

void ParetoPanel::describe() {
  TrustedHtml listed;
  int count = 0;
  const QList<std::int64_t> ids = front();
  for (const Point& p : points_) {
    if (!p.front || count == 6) continue;
    listed += text_html(count++ ? tr(", %1 (%2; %3)") : tr("%1 (%2; %3)"),
                        html("<a href='candidate:%1' style='color:%2'>#%1</a>", p.id, TrustedHtml::ink("accent")),
                        count_text(p.x), count_text(p.y));
  }
  TrustedHtml text = text_html(tr("%1 of %2 on the front (no other candidate is better in both): %3"), ids.size(),
                               counted(static_cast<int>(points_.size()), tr("candidate"), tr("candidates")), listed);
  text += text_html(ids.size() > count ? tr(" and %1 more.").arg(ids.size() - count) : QStringLiteral("."));
  const int unread = metrics_->unread();
  if (unread > 0)
    text += text_html(
        " " + tr("The metrics of %1 are still being read.").arg(counted(unread, tr("candidate"), tr("candidates"))));
  else if (lacking_ > 0)
    text += text_html(" " + tr("%1 without one of the two numbers: not measured.")
                                .arg(counted(lacking_, tr("candidate is"), tr("candidates are"))));
  summary_->show_html(text);
  plot_->setAccessibleDescription(summary());
}

void ParetoPanel::fill_table() {
  model_->set_points(points_, x_.metric->currentText(), y_.metric->currentText());
  table_->setCurrentIndex(model_->index_of(context_.selection->current()));
}

void ParetoPanel::zoom(double factor) {
  zoomed_ = true;
  for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) axis->scaleRange(1 / factor, axis->range().center());
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

void ParetoPanel::step(int by) {
  if (points_.empty()) return;
  int at = -1;
  for (std::size_t i = 0; i < points_.size(); ++i)
    if (points_[i].id == context_.selection->current()) at = static_cast<int>(i);
  at = at < 0 ? 0 : std::clamp(at + by, 0, static_cast<int>(points_.size()) - 1);
  context_.selection->set_current(points_[static_cast<std::size_t>(at)].id);
}

bool ParetoPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == plot_ && event->type() == QEvent::Resize) refresher_->later();  // labels fit again
  if (watched == plot_ && event->type() == QEvent::KeyPress) {
    switch (static_cast<QKeyEvent*>(event)->key()) {
      case Qt::Key_Left: step(-1); return true;
      case Qt::Key_Right: step(1); return true;
      case Qt::Key_Plus:
      case Qt::Key_Equal: zoom(1.3); return true;
      case Qt::Key_Minus: zoom(1 / 1.3); return true;
      case Qt::Key_0: fit(); return true;
      case Qt::Key_Return:
      case Qt::Key_Enter:
        if (context_.selection->current() != 0) open(context_.selection->current());
        return true;
      default: break;
    }
  }
  return QWidget::eventFilter(watched, event);
}

int ParetoPanel::nearest(const QPoint& at) const {
  int found = -1;
  double reach = 14;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const double d = std::hypot(plot_->xAxis->coordToPixel(points_[i].x) - at.x(),
                                plot_->yAxis->coordToPixel(points_[i].y) - at.y());
    if (d < reach) {
      reach = d;
      found = static_cast<int>(i);
    }
  }
  return found;
}

void ParetoPanel::hover(QMouseEvent* event) {
  const int at = event->buttons() == Qt::NoButton ? nearest(event->pos()) : -1;
  plot_->setCursor(at >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (at < 0) return QToolTip::hideText();
  const Point& p = points_[static_cast<std::size_t>(at)];
  QString tip = p.name + "\n" + x_.metric->currentText() + ": " + count_text(p.x) + "\n" + y_.metric->currentText() +
                ": " + count_text(p.y);
  if (p.front) tip += "\n" + tr("On the front: no other candidate is better in both.");
  QToolTip::showText(event->globalPosition().toPoint(), tip, plot_);
}

void ParetoPanel::open(std::int64_t candidate) {
  context_.selection->set_current(candidate);
  context_.registry->trigger("go.code");
}

}  // namespace ww::widgets
