// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/roofline_panel.h"
#include <QCheckBox>
#include <QComboBox>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QSignalBlocker>
#include <QToolTip>
#include <cmath>
#include "panels/plots/plot_style.h"
#include "panels/profile/series_style.h"
#include "session/selection.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"

namespace ww::widgets {

using measure::roof_share;
using measure::roof_ceilings;
using measure::roof_points;
using measure::RoofCeiling;
using measure::RoofLevel;
using measure::RoofPoint;

namespace {

constexpr double roof_reach = 14;     // pixels
constexpr double label_merge = 1.35;  // ceilings that are nearer share one label
constexpr int level_rank = 4;         // of the labels of memory levels
constexpr double marker_half = 7;     // pixels
constexpr double label_gap = 2;       // pixels, between a line and the label along it

// Those of this op: memory, and the element type that it computes in.
std::vector<RoofCeiling> own_ceilings(const ProfileView& view, const profile::Datasheet* sheet) {
  std::vector<RoofCeiling> list = roof_ceilings(view, sheet);
  std::erase_if(list, [](const RoofCeiling& c) { return !c.own && !c.memory; });
  return list;
}

// Points below a roof: caches have none that is known.
// Device memory always has one; a cache, where its bandwidth was measured.
bool has_roof(RoofLevel level, const std::vector<RoofCeiling>& ceilings) {
  return (level != RoofLevel::l1 && level != RoofLevel::l2) ||
         std::ranges::any_of(ceilings, [&](const RoofCeiling& c) { return c.memory == level; });
}

// Of the op's element type: floating point or not.
QString roof_unit(const ProfileView& view) {
  return measure::computes_integers(view) ? RooflinePanel::tr("OP/s") : RooflinePanel::tr("FLOP/s");
}

QString intensity_origin(RoofLevel level) {
  const Provenance bytes = level_provenance(level);
  return bytes == Provenance::modelled ? RooflinePanel::tr("modelled work")
                                       : RooflinePanel::tr("modelled work, %1 bytes").arg(enum_text(bytes));
}

QString rate_text(double per_second, const QString& unit) {  // "51.1 TFLOP/s"
  if (!std::isfinite(per_second)) return dash();
  QString number = per_second >= 1e15 ? QString::number(per_second / 1e15, 'g', 3) + " P" : short_count(per_second);
  return QString(number.contains(' ') ? number + unit : number + " " + unit).replace(' ', QChar(0xa0));
}

// Why it has no place on a roofline; empty: it has one.
QString roof_why_not(const ProfileView& view) {
  using measure::NoPoints;
  const NoPoints why = why_no_points(view);
  if (why == NoPoints::none) return {};
  if (why == NoPoints::unknown)
    return view.roofline_why_not.empty() ? RooflinePanel::tr("The op's work is not known.") : qs(view.roofline_why_not);
  QString text = why == NoPoints::no_arithmetic
                     ? RooflinePanel::tr("This op does no arithmetic, so it has no place on a roofline.")
                     : RooflinePanel::tr(
                           "Elements of this op can share operations, so their number says nothing about "
                           "a kernel, and it has no place on a roofline.");
  if (const double bandwidth = useful_bandwidth(view); std::isfinite(bandwidth))
    text += " " + RooflinePanel::tr("Effective bandwidth: %1 (measured).").arg(rate_text(bandwidth, "B/s"));
  return text;
}

// Beside a point of a memory level: its candidate's letter is at the point of the op.
QString level_label(RoofLevel level) {
  switch (level) {
    case RoofLevel::op: break;
    case RoofLevel::dram: return RooflinePanel::tr("DRAM");
    case RoofLevel::l2: return RooflinePanel::tr("L2");
    case RoofLevel::l1: return RooflinePanel::tr("L1");
    case RoofLevel::counted: return RooflinePanel::tr("sectors");
  }
  return {};
}

QSharedPointer<QCPAxisTickerLog> decades() {
  auto ticker = QSharedPointer<QCPAxisTickerLog>::create();
  ticker->setLogBase(10);
  ticker->setSubTickCount(8);
  return ticker;
}

}  // namespace

RooflinePanel::RooflinePanel(const Context& context)
    : ProfilePanel(
          context, "roofline_panel", tr("Roofline"),
          tr("Select a candidate to see how close it gets to the limits of the GPU's memory and arithmetic.")) {
  cache_ = add_choice("roofline_cache", tr("Times"), tr("The measured times used for the rates"));
  cache_->addItem(tr("Cold L2 cache"), static_cast<int>(profile::Cache::cold));
  cache_->addItem(tr("Warm L2 cache"), static_cast<int>(profile::Cache::warm));
  levels_ = with_id(new QCheckBox(tr("Memory levels"), page()), "roofline_levels");
  levels_->setChecked(true);
  name_it(levels_, tr("Memory levels"),
          tr("Also show the operations for each byte that device memory and the caches moved, where that was counted, "
             "and the roofs of the caches"));
  add_tool(levels_);
  auto* chart = new QWidget(page());
  auto* column = make_column(chart, {}, grid::half);
  plot_ = new QCustomPlot(chart);
  plot_->setMinimumHeight(150);
  plot_->setFocusPolicy(Qt::StrongFocus);
  plot_->setMouseTracking(true);
  plot_->installEventFilter(this);
  name_it(plot_, tr("Roofline"), {});
  column->addWidget(plot_, 1);
  details_ = make_paragraph(chart, "roofline_details", "muted");
  column->addWidget(details_);
  set_chart(chart);
  connect(plot_, &QCustomPlot::afterLayout, this, &RooflinePanel::place_labels);
  connect(cache_, &QComboBox::activated, this, &RooflinePanel::refresh);
  connect(levels_, &QCheckBox::toggled, this, &RooflinePanel::refresh);
}

profile::Cache RooflinePanel::cache() const { return static_cast<profile::Cache>(cache_->currentData().toInt()); }

const profile::Datasheet* RooflinePanel::sheet() const {
  return profiles().empty() || !profiles().front()->modelled_gpu ? nullptr : &*profiles().front()->modelled_gpu;
}

void RooflinePanel::take_profiles() {
  bool warm = false, levels = false;
  for (const auto& v : profiles()) {
    warm |= v->warm.has_value();
    levels |= roof_points(*v, cache()).size() > 1;
  }
  if (!warm) cache_->setCurrentIndex(0);
  cache_->setVisible(warm);
  levels_->setVisible(levels);
}

QString RooflinePanel::why_no_data() const {
  const QString why = roof_why_not(*profiles().front());
  return why.isEmpty() ? QString() : tr("%1: %2").arg(qs(profiles().front()->name), why);
}

void RooflinePanel::update_chart() {
  std::optional<Shown> kept;  // the chosen one stays chosen
  if (chosen_ >= 0 && chosen_ < static_cast<int>(points_.size())) kept = points_[static_cast<std::size_t>(chosen_)];
  points_.clear();
  chosen_ = -1;
  plot_->clearPlottables();
  plot_->clearItems();
  labels_.clear();
  along_.clear();
  std::vector<RoofCeiling> ceilings = own_ceilings(*profiles().front(), sheet());
  if (!levels_->isChecked())
    std::erase_if(ceilings, [](const RoofCeiling& c) { return c.memory && c.memory != RoofLevel::dram; });
  for (int i = 0; i < static_cast<int>(profiles().size()); ++i) {
    const ProfileView& view = *profiles()[static_cast<std::size_t>(i)];
    for (const RoofPoint& p : roof_points(view, cache()))
      if (p.level == RoofLevel::op || (levels_->isChecked() && has_roof(p.level, ceilings))) {
        if (kept && kept->candidate == view.record.id && kept->point.level == p.level)
          chosen_ = static_cast<int>(points_.size());
        points_.push_back({i, view.record.id, p});
      }
  }
  double x_low = 1e300, x_high = 0, y_low = 1e300, y_high = 0;
  for (const Shown& p : points_) {
    x_low = std::min(x_low, p.point.intensity);
    x_high = std::max(x_high, p.point.intensity);
    if (!std::isfinite(p.point.rate)) continue;
    y_low = std::min(y_low, p.point.rate);
    y_high = std::max(y_high, p.point.rate);
  }
  double bandwidth = profile::unknown;
  for (const RoofCeiling& c : ceilings) {
    if (c.memory == RoofLevel::dram)
      bandwidth = std::isfinite(bandwidth) ? bandwidth : c.value;
    else if (!c.memory)
      y_high = std::max(y_high, c.value);
  }
  for (const RoofCeiling& rate : ceilings)
    for (const RoofCeiling& memory : ceilings)
      if (!rate.memory && memory.memory) {  // the ridges, and a piece of each roof beside them
        x_high = std::max(x_high, rate.value / memory.value);
        x_low = std::min(x_low, rate.value / memory.value);
      }
  x_low /= 4;
  x_high *= 4;
  if (std::isfinite(bandwidth)) y_low = std::min(y_low, bandwidth * x_low * 2);
  if (y_high <= 0) y_low = 1, y_high = 10;
  style_plot(plot_);
  for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) {
    axis->setScaleType(QCPAxis::stLogarithmic);
    axis->setTicker(decades());
    axis->setNumberFormat("eb");
    axis->setNumberPrecision(0);
  }
  label_axis(plot_->xAxis, tr("operations per byte (modelled work)"));
  label_axis(plot_->yAxis, roof_unit(*profiles().front()));
  plot_->xAxis->setRange(x_low, x_high);
  plot_->yAxis->setRange(y_low / 2, y_high * 3);
  draw_ceilings(ceilings, x_low, x_high);
  draw_points();
  const bool timed = std::ranges::any_of(points_, [](const Shown& p) { return std::isfinite(p.point.rate); });
  details_->setText(chosen_ >= 0 ? point_text(points_[static_cast<std::size_t>(chosen_)])
                    : timed      ? tr("Choose a point with the pointer or the arrow keys to read its numbers.")
                            : tr("A vertical line is a candidate without a time: its operations per byte, by the bytes "
                                 "that its label names. Choose one to read its numbers."));
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

QCPItemText* RooflinePanel::add_label(double x, double y, const QString& text, Qt::Alignment at, const QColor& color,
                                      int rank) {
  auto* label = new QCPItemText(plot_);
  label->position->setCoords(x, y);
  label->setPositionAlignment(at);
  label->setText(text);
  label->setColor(color);
  label->setFont(type_font(Type::small));
  label->setPadding(rank < 0 || rank == level_rank ? QMargins(9, 8, 9, 8) : QMargins(2, 1, 2, 1));
  label->setClipToAxisRect(true);
  if (rank > 0) {  // readable where other lines pass
    QColor behind = Theme::instance().color("base");
    behind.setAlpha(215);
    label->setBrush(behind);
  }
  labels_.emplace_back(rank, label);
  return label;
}

void RooflinePanel::add_label(const Along& line, const QString& text, const QColor& color, int rank) {
  along_[add_label(line.from.x(), line.from.y(), text, Qt::AlignHCenter, color, rank)] = line;
}

QPointF RooflinePanel::pixel_at(const QPointF& coordinates) const {
  return {plot_->xAxis->coordToPixel(coordinates.x()), plot_->yAxis->coordToPixel(coordinates.y())};
}

// Where the middle of a label of this width can be on a line, as parts of its length: the best place first. A flat line
// is labelled at its right end.
static QList<double> places_along(const QLineF& way, double width) {
  if (way.dy() != 0) return {0.55, 0.65, 0.75, 0.45, 0.35, 0.85, 0.25};
  const double half = width / 2 / way.length();
  QList<double> places;
  for (double at = 1 - half; at >= half || places.isEmpty(); at -= half / 2) places += at;
  return places;
}

// Beside its line and turned with it, clear of the points' vertical lines where there is room.
bool RooflinePanel::place_along(QCPItemText* label, const Along& line, QList<QPolygonF>* taken) {
  const QLineF way(pixel_at(line.from), pixel_at(line.to));
  const QFontMetrics metrics(label->font());
  const double width = metrics.horizontalAdvance(label->text()) + 4, height = metrics.height();
  const double turned = -way.angle();
  const auto try_at = [&](double at, bool below, bool clear) {
    if (way.dy() != 0 && std::min(at, 1 - at) * way.length() < width / 2) return false;  // it would stick out
    const QPointF anchor =
        way.pointAt(at) + QTransform().rotate(turned).map(QPointF(0, below ? label_gap : -label_gap));
    const QPolygonF box = QTransform()
                              .translate(anchor.x(), anchor.y())
                              .rotate(turned)
                              .map(QPolygonF(QRectF(-width / 2, below ? 0 : -height, width, height)));
    const QRectF around = box.boundingRect();
    const auto crosses = [&](const Shown& p) {
      const double x = pixel_of(p).x();
      return !std::isfinite(p.point.rate) && x > around.left() && x < around.right();
    };
    if (clear && std::any_of(points_.begin(), points_.end(), crosses)) return false;
    if (std::any_of(taken->begin(), taken->end(), [&](const QPolygonF& other) { return other.intersects(box); }))
      return false;
    label->setRotation(turned);
    label->setPositionAlignment(Qt::AlignHCenter | (below ? Qt::AlignTop : Qt::AlignBottom));
    label->position->setPixelPosition(anchor);
    taken->append(box);
    return true;
  };
  for (const bool clear : {true, false})
    for (const bool below : {line.below, !line.below})
      for (const double at : places_along(way, width))
        if (try_at(at, below, clear)) return true;
  return false;
}

void RooflinePanel::place_labels() {
  std::stable_sort(labels_.begin(), labels_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  QList<QPolygonF> taken;
  for (const Shown& p : points_)
    if (std::isfinite(p.point.rate))
      taken.append(QRectF(pixel_of(p) - QPointF(marker_half, marker_half), QSizeF(2 * marker_half, 2 * marker_half)));
  for (const auto& [rank, label] : labels_) {
    if (const auto line = along_.constFind(label); line != along_.constEnd()) {
      label->setVisible(place_along(label, *line, &taken));
      continue;
    }
    const bool of_point = rank < 0 || rank == level_rank;
    const QPointF at = label->position->pixelPosition();
    const QFontMetrics metrics(label->font());
    const QSizeF size(metrics.horizontalAdvance(label->text()) + 4, metrics.height() - 2);
    const QMargins gap = of_point ? QMargins(9, 8, 9, 8) : QMargins();  // a number keeps clear of its marker
    QList<Qt::Alignment> sides = {label->positionAlignment()};
    if (of_point)
      sides += {Qt::AlignLeft | Qt::AlignVCenter, Qt::AlignHCenter | Qt::AlignBottom, Qt::AlignRight | Qt::AlignVCenter,
                Qt::AlignHCenter | Qt::AlignTop};
    bool placed = false;
    for (const Qt::Alignment side : sides) {
      QRectF box(QPointF(), size);
      box.moveLeft(side & Qt::AlignRight     ? at.x() - box.width() - gap.right()
                   : side & Qt::AlignHCenter ? at.x() - box.width() / 2
                                             : at.x() + gap.left());
      box.moveTop(side & Qt::AlignBottom    ? at.y() - box.height() - gap.bottom()
                  : side & Qt::AlignVCenter ? at.y() - box.height() / 2
                                            : at.y() + gap.top());
      if (std::any_of(taken.begin(), taken.end(), [&](const QPolygonF& other) { return other.intersects(box); }))
        continue;
      label->setPositionAlignment(side);
      taken.append(box);
      placed = true;
      break;
    }
    label->setVisible(placed);
  }
}

void RooflinePanel::draw_ceilings(const std::vector<RoofCeiling>& ceilings, double x_low, double x_high) {
  const Theme& theme = Theme::instance();
  for (const bool measured : {false, true}) {
    double bandwidth = profile::unknown, fastest = 0, top = 0;
    std::vector<RoofCeiling> rates, caches;
    for (const RoofCeiling& c : ceilings) {
      if (c.measured != measured) continue;
      if (c.memory) fastest = std::max(fastest, c.value);
      if (c.memory == RoofLevel::dram)
        bandwidth = c.value;
      else if (c.memory)
        caches.push_back(c);
      else
        rates.push_back(c), top = std::max(top, c.value);
    }
    const QString suffix = measured ? tr("measured") : tr("datasheet");
    const auto pen = [&](bool own) {
      QPen p(theme.color(own ? "text" : "muted"), own ? 1.8 : 1);
      if (!measured) p.setDashPattern({5, 4});
      return p;
    };
    const auto line = [&](double x0, double y0, double x1, double y1, bool own) {
      QCPGraph* graph = plot_->addGraph();
      graph->setData({x0, x1}, {y0, y1}, true);
      graph->setPen(pen(own));
    };
    if (std::isfinite(bandwidth)) {
      const double end = top > 0 ? std::min(x_high, top / bandwidth) : x_high;
      line(x_low, bandwidth * x_low, end, bandwidth * end, true);
      // The measured line lies below the datasheet's, so its label goes below it.
      add_label({{x_low, bandwidth * x_low}, {end, bandwidth * end}, measured},
                tr("memory %1, %2").arg(rate_text(bandwidth, "B/s"), suffix), theme.color("text"), 1);
    }
    for (const RoofCeiling& c : caches) {
      const double end = top > 0 ? std::min(x_high, top / c.value) : x_high;
      if (end <= x_low) continue;
      line(x_low, c.value * x_low, end, c.value * end, false);
      add_label({{x_low, c.value * x_low}, {end, c.value * end}, false},
                tr("%1 %2, %3").arg(qs(c.name), rate_text(c.value, "B/s"), suffix), theme.color("muted"), 2);
    }
    std::sort(rates.begin(), rates.end(), [](const RoofCeiling& a, const RoofCeiling& b) { return a.value < b.value; });
    // From the ridge of the fastest memory in sight: the roofs of the caches meet it, too.
    const auto flat_from = [&](double rate) { return fastest > 0 ? std::max(x_low, rate / fastest) : x_low; };
    for (std::size_t i = 0; i < rates.size();) {
      QStringList names;
      bool own = false;
      std::size_t end = i;
      for (; end < rates.size() && rates[end].value <= rates[i].value * label_merge; ++end) {
        names.append(
            QString("%1 %2").arg(qs(rates[end].name), rate_text(rates[end].value, roof_unit(*profiles().front()))));
        own |= rates[end].own;
        line(flat_from(rates[end].value), rates[end].value, x_high, rates[end].value, rates[end].own);
      }
      // Measured labels go below their lines at the right, the datasheet's above them.
      const double level = rates[measured ? i : end - 1].value;
      add_label({{flat_from(level), level}, {x_high, level}, measured}, QString("%1, %2").arg(names.join(", "), suffix),
                theme.color(own ? "text" : "muted"),
                own        ? 1
                : measured ? 2
                           : 3);
      i = end;
    }
  }
}

void RooflinePanel::draw_points() {
  for (int i = static_cast<int>(points_.size()) - 1; i >= 0; --i) {
    const Shown& p = points_[static_cast<std::size_t>(i)];
    const int number = series(static_cast<std::size_t>(p.profile));
    const SeriesStyle style = series_style(number);
    if (!std::isfinite(p.point.rate)) {  // its intensity alone is known
      auto* line = new QCPItemStraightLine(plot_);
      line->point1->setCoords(p.point.intensity, plot_->yAxis->range().lower);
      line->point2->setCoords(p.point.intensity, plot_->yAxis->range().upper);
      QPen pen = style.pen;
      pen.setWidthF(p.point.level == RoofLevel::op ? 1.8 : 1);
      line->setPen(pen);
      const bool own = p.point.level == RoofLevel::op;
      add_label(p.point.intensity, plot_->yAxis->range().lower * (1.6 + 0.9 * p.profile),
                series_letter(number) + " " + (own ? tr("op") : level_label(p.point.level)),
                Qt::AlignLeft | Qt::AlignVCenter, style.color, own ? p.profile - most_series : level_rank);
      continue;
    }
    QCPGraph* graph = plot_->addGraph();
    graph->setData({p.point.intensity}, {p.point.rate});
    graph->setLineStyle(QCPGraph::lsNone);
    QCPScatterStyle marker = style.marker;
    if (p.point.level != RoofLevel::op)
      marker.setShape(p.profile == 0 ? QCPScatterStyle::ssCircle : marker.shape()), marker.setBrush(Qt::NoBrush),
          marker.setSize(7);
    graph->setScatterStyle(marker);
    add_label(p.point.intensity, p.point.rate,
              p.point.level == RoofLevel::op ? series_letter(number) : level_label(p.point.level),
              p.point.level == RoofLevel::op ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignHCenter | Qt::AlignTop,
              style.color, p.point.level == RoofLevel::op ? p.profile - most_series : level_rank);
    if (i != chosen_) continue;
    QCPGraph* ring = plot_->addGraph();
    ring->setData({p.point.intensity}, {p.point.rate});
    ring->setLineStyle(QCPGraph::lsNone);
    ring->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(Theme::instance().color("focus"), 2), Qt::NoBrush, 15));
  }
}

QString RooflinePanel::point_text(const Shown& p) const {
  const ProfileView& view = *profiles()[static_cast<std::size_t>(p.profile)];
  QString text =
      tr("%1. %2, by %3: %4 operations per byte (%5)")
          .arg(series_letter(series(static_cast<std::size_t>(p.profile))), qs(view.name), qs(level_name(p.point.level)),
               QString::number(p.point.intensity, 'g', 3), intensity_origin(p.point.level));
  if (!std::isfinite(p.point.rate)) return text + tr("; its rate was not measured: %1").arg(qs(view.timings_why_not));
  text += tr("; %1 in %2 µs, measured").arg(rate_text(p.point.rate, roof_unit(view)), count_text(p.point.us));
  if (const double share = roof_share(view, p.point, roof_ceilings(*profiles().front(), sheet())); std::isfinite(share))
    text += tr("; %1 % of what the roof allows there").arg(100 * share, 0, 'f', 0);
  return text + ".";
}

QPointF RooflinePanel::pixel_of(const Shown& p) const {
  const double y = std::isfinite(p.point.rate) ? p.point.rate : plot_->yAxis->range().lower * (1.6 + 0.9 * p.profile);
  return {plot_->xAxis->coordToPixel(p.point.intensity), plot_->yAxis->coordToPixel(y)};
}

int RooflinePanel::nearest(const QPointF& at) const {
  int found = -1;
  double reach = roof_reach;
  for (int i = 0; i < static_cast<int>(points_.size()); ++i) {
    const QPointF here = pixel_of(points_[static_cast<std::size_t>(i)]);
    const bool line = !std::isfinite(points_[static_cast<std::size_t>(i)].point.rate);
    const double away = line ? std::abs(here.x() - at.x()) : std::hypot(here.x() - at.x(), here.y() - at.y());
    if (away < reach) reach = away, found = i;
  }
  return found;
}

void RooflinePanel::choose(int point) {
  if (point < 0 || point >= static_cast<int>(points_.size())) return;
  chosen_ = point;
  update_chart();
  plot_->setAccessibleDescription(details_->text());
}

void RooflinePanel::make_current() {
  if (chosen_ >= 0 && chosen_ < static_cast<int>(points_.size()))
    context().selection->set_current(points_[static_cast<std::size_t>(chosen_)].candidate);
}

bool RooflinePanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched != plot_ || profiles().empty()) return ProfilePanel::eventFilter(watched, event);
  switch (event->type()) {
    case QEvent::MouseMove: {
      auto* mouse = static_cast<QMouseEvent*>(event);
      const int at = nearest(mouse->position());
      plot_->setCursor(at >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
      if (at >= 0)
        QToolTip::showText(mouse->globalPosition().toPoint(), point_text(points_[static_cast<std::size_t>(at)]), plot_);
      else
        QToolTip::hideText();
      break;
    }
    case QEvent::MouseButtonPress: choose(nearest(static_cast<QMouseEvent*>(event)->position())); break;
    case QEvent::MouseButtonDblClick: make_current(); break;
    case QEvent::KeyPress: {
      const int key = static_cast<QKeyEvent*>(event)->key(), count = static_cast<int>(points_.size());
      if (key == Qt::Key_Right || key == Qt::Key_Down) return choose(std::min(chosen_ + 1, count - 1)), true;
      if (key == Qt::Key_Left || key == Qt::Key_Up) return choose(std::max(chosen_ - 1, 0)), true;
      if (key == Qt::Key_Return || key == Qt::Key_Enter) return make_current(), true;
      break;
    }
    default: break;
  }
  return ProfilePanel::eventFilter(watched, event);
}

QString RooflinePanel::summary() const {
  const ProfileView& view = *profiles().front();
  const std::vector<RoofPoint> points = roof_points(view, cache());
  const RoofPoint& own = points.front();
  const QString name = short_name(view), intensity = QString::number(own.intensity, 'g', 3);
  if (!std::isfinite(own.rate)) {
    QString text = tr("%1 needs %2 operations per byte (modelled from the op).").arg(name, intensity) + " " +
                   qs(view.timings_why_not);
    if (const profile::Datasheet* s = sheet())
      text += " " + tr("The dashed ceilings are those of the %1's datasheet.").arg(qs(s->gpu));
    return text;
  }
  const TimeView& time = cache() == profile::Cache::cold ? *view.cold : *view.warm;
  QString text =
      tr("%1 reaches %2 at %3 operations per byte: %4 µs (measured, %5).")
          .arg(name, rate_text(own.rate, roof_unit(view)), intensity, count_text(time.median), qs(time.from));
  const double share = roof_share(view, own, roof_ceilings(view, sheet()));
  const profile::Roof& made_of =
      std::isfinite(view.roofline->measured.us) ? view.roofline->measured : view.roofline->datasheet;
  if (std::isfinite(share))
    text += " " + tr("That is %1 % of the roof at this point, which is set by %2.")
                      .arg(100 * share, 0, 'f', 0)
                      .arg(made_of.limit == profile::Limit::compute ? tr("arithmetic (%1)").arg(qs(view.roofline->unit))
                                                                    : tr("memory"));
  else
    text += " " + qs(view.ceilings_why_not);
  if (!view.timings_case.empty()) text += " " + tr("The case is %1, not the run's.").arg(qs(view.timings_case));
  const std::vector<RoofCeiling> roofs = roof_ceilings(view, sheet());
  if (std::ranges::any_of(points, [&](const RoofPoint& p) { return !has_roof(p.level, roofs); }))
    text += " " + tr("The L1 and L2 caches have no points: their bandwidths were not measured, so they have no roof.");
  return text;
}

ProfileTable RooflinePanel::table() const {
  ProfileTable t{{tr("What"), tr("Bytes of"), tr("Operations per byte"),
                  profiles().empty() ? tr("FLOP/s") : roof_unit(*profiles().front()), tr("% of the roof"),
                  tr("Time, µs (measured)"), tr("Provenance")},
                 {},
                 {2, 3, 4, 5}};
  const std::vector<RoofCeiling> ceilings =
      profiles().empty() ? std::vector<RoofCeiling>() : roof_ceilings(*profiles().front(), sheet());
  for (const auto& view : profiles()) {
    for (const RoofPoint& p : roof_points(*view, cache())) {
      const bool known = std::isfinite(p.rate);
      const double share = roof_share(*view, p, ceilings);
      t.rows.append({qs(view->name), qs(level_name(p.level)), QString::number(p.intensity, 'g', 4),
                     known ? QString::number(p.rate, 'g', 4) : tr("not measured"),
                     known && std::isfinite(share) ? QString::number(100 * share, 'f', 1) : tr("not measured"),
                     known ? QString::number(p.us, 'f', 2) : tr("not measured"),
                     known ? tr("%1, measured time").arg(intensity_origin(p.level)) : intensity_origin(p.level)});
    }
    if (const QString why = roof_why_not(*view); !why.isEmpty())
      t.rows.append({qs(view->name), dash(), dash(), dash(), dash(), dash(), why});
  }
  for (const RoofCeiling& c : ceilings)
    t.rows.append({tr("Ceiling: %1").arg(qs(c.name)),
                   c.memory ? tr("device memory: %1").arg(rate_text(c.value, "B/s")) : dash(), dash(),
                   c.memory ? dash() : QString::number(c.value, 'g', 4), dash(), dash(),
                   c.measured ? tr("measured") : tr("datasheet")});
  return t;
}

}  // namespace ww::widgets
