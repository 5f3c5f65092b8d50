// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/painted_panels.h"
#include <algorithm>
#include <cmath>
#include <QPainter>
#include "panels/profile/series_style.h"
#include "session/metric_texts.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"

namespace ww::widgets {
namespace {

using measure::launch_times;
using measure::LaunchTime;
using measure::LaunchTimes;

QString launch_us(double us) {
  return std::isfinite(us) ? QString::number(us, 'f', us < 10 ? 2 : 1) + QStringLiteral(" µs") : dash();
}

QString launch_shape(const LaunchView& l) {
  return QObject::tr("grid %1 x %2 x %3, block %4 x %5 x %6")
      .arg(l.grid[0])
      .arg(l.grid[1])
      .arg(l.grid[2])
      .arg(l.block[0])
      .arg(l.block[1])
      .arg(l.block[2]);
}
QString launch_occupancy(const LaunchView& l) { return l.occupancy ? percent_text(l.occupancy->fraction) : dash(); }

// The launches of a plan one after the other: measured durations, or modelled proportions where nothing was measured.
// One line a candidate, to the same scale where all are measured.
class TimelinePanel : public PaintedPanel {
 public:
  explicit TimelinePanel(const Context& context)
      : PaintedPanel(context, "timeline_panel", tr("Launch timeline"),
                     tr("Select a candidate to see the launches of its plan in order.")) {}

 protected:
  QString why_no_data() const override {
    for (const auto& view : profiles())
      if (!launch_times(*view).launches.empty()) return {};
    return tr("There are no launches to show: %1.").arg(qs(launch_times(*profiles().front()).why_not));
  }

  QString summary() const override {
    const LaunchTimes t = launch_times(*profiles().front());
    if (t.launches.empty()) return tr("%1 has no launches: %2.").arg(short_name(*profiles().front()), qs(t.why_not));
    QString text = t.launches.size() > 1 ? tr("%1 launches. ").arg(t.launches.size()) : tr("One launch. ");
    if (t.measured()) {
      text += tr("Total: %1 (measured with the counters running).").arg(launch_us(t.sum_us));
      if (std::isfinite(t.whole_us))
        text += t.whole_us > t.sum_us * 1.005
                    ? tr(" The whole plan takes %1 (measured separately): %2 more, for start, end and gaps.")
                          .arg(launch_us(t.whole_us), launch_us(t.whole_us - t.sum_us))
                    : tr(" The whole plan takes %1 (measured separately); the gaps cannot be derived from it.")
                          .arg(launch_us(t.whole_us));
    } else {
      text += tr("Durations are not measured; the proportions are %1.").arg(qs(title_of(t.source)));
      if (std::isfinite(t.whole_us)) text += tr(" The whole plan takes %1 (measured).").arg(launch_us(t.whole_us));
    }
    return text;
  }

  ProfileTable table() const override {
    ProfileTable t;
    t.columns = {tr("Candidate"),
                 tr("Launch"),
                 tr("Kernel"),
                 tr("Blocks"),
                 tr("Threads per block"),
                 tr("Duration (measured)"),
                 tr("Part"),
                 tr("Source of the part"),
                 tr("Occupancy (modelled)")};
    for (const auto& view : profiles()) {
      const LaunchTimes times = launch_times(*view);
      if (times.launches.empty())
        t.rows.append(
            {qs(view->name), dash(), dash(), dash(), dash(), tr("not measured"), dash(), qs(times.why_not), dash()});
      for (std::size_t i = 0; i < times.launches.size(); ++i) {
        const LaunchTime& l = times.launches[i];
        t.rows.append({qs(view->name), QString::number(i + 1), qs(l.kernel), count_text(static_cast<double>(l.blocks)),
                       QString::number(l.threads), std::isfinite(l.us) ? launch_us(l.us) : tr("not measured"),
                       percent_text(l.part, 1), qs(title_of(times.source)), launch_occupancy(view->launches[i])});
      }
    }
    t.numbers = {1, 3, 4, 5, 6, 8};
    return t;
  }

  int chart_height(int) const override {
    double most = 0;
    int launches = 0;
    for (const auto& view : profiles()) launches += static_cast<int>(view->launches.size());
    return stacks_height(rows(&most), font()) + (launches + 2) * (QFontMetrics(font()).height() + 6) + 20;
  }

  QList<ChartSpot> paint_chart(QPainter& painter, const QSize& size) const override {
    double most = 0;
    const QList<StackRow> list = rows(&most);
    QList<ChartSpot> spots = paint_stacks(painter, size, list, most);
    const Theme& theme = Theme::instance();
    const QFontMetrics metrics = painter.fontMetrics();
    const int line = metrics.height() + 6;
    int y = stacks_height(list, painter.font());
    const bool measured = std::any_of(profiles().begin(), profiles().end(),
                                      [](const auto& view) { return launch_times(*view).measured(); });
    painter.setPen(theme.color("muted"));
    if (measured) {  // the scale
      painter.setPen(QPen(theme.color("border-strong"), 1));
      const double width = size.width() - 16, step = std::pow(10, std::floor(std::log10(most)));
      const double tick = most / step < 2 ? step / 4 : most / step < 5 ? step / 2 : step;
      painter.drawLine(QPointF(8, y), QPointF(8 + width, y));
      for (double at = 0; at <= most * 1.0001; at += tick) {
        const double x = 8 + width * at / most;
        painter.setPen(QPen(theme.color("border-strong"), 1));
        painter.drawLine(QPointF(x, y), QPointF(x, y + 4));
        painter.setPen(theme.color("muted"));
        const QString text = QString::number(at, 'g', 4) + (at == 0 ? QStringLiteral(" µs") : QString());
        const double w = metrics.horizontalAdvance(text) + 2;
        painter.drawText(QRectF(std::clamp(x - w / 2, 2.0, size.width() - w - 2), y + 4, w, line), Qt::AlignCenter,
                         text);
      }
    } else {
      painter.drawText(QRectF(8, y, size.width() - 16, line), Qt::AlignLeft | Qt::AlignVCenter,
                       metrics.elidedText(tr("No durations are measured: widths are parts of a whole, modelled."),
                                          Qt::ElideRight, size.width() - 16));
    }
    y += line + 8;
    for (std::size_t i = 0; i < profiles().size(); ++i) {
      const LaunchTimes t = launch_times(*profiles()[i]);
      for (int k = 0; k < static_cast<int>(t.launches.size()); ++k) {
        const LaunchTime& l = t.launches[static_cast<std::size_t>(k)];
        const LaunchView& planned = profiles()[i]->launches[static_cast<std::size_t>(k)];
        fill_series(painter, QRectF(9, y + 4, 22, line - 8), k % most_series);
        painter.setPen(theme.color("text"));
        const QString name = (profiles().size() > 1 ? series_letter(series(i)) + "." : QString()) +
                             tr("%1 %2").arg(k + 1).arg(qs(l.kernel)) + ": " + launch_shape(planned);
        const QString end = t.measured()            ? launch_us(l.us)
                            : std::isfinite(l.part) ? tr("%1 % (modelled)").arg(QString::number(100 * l.part, 'f', 0))
                                                    : dash();
        const int right = metrics.horizontalAdvance(end) + 6;
        painter.drawText(QRectF(38, y, size.width() - 52 - right, line), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(name, Qt::ElideRight, size.width() - 52 - right));
        painter.drawText(QRectF(size.width() - right - 8, y, right, line), Qt::AlignRight | Qt::AlignVCenter, end);
        spots.append({QRectF(6, y, size.width() - 12, line),
                      name + "\n" + end + " (" + qs(title_of(t.source)) + "), " +
                          tr("occupancy %1 (modelled)").arg(launch_occupancy(planned)),
                      -1});
        y += line;
      }
    }
    return spots;
  }

 private:
  QList<StackRow> rows(double* most) const {
    QList<LaunchTimes> all;
    *most = 0;
    for (const auto& view : profiles()) {
      all.append(launch_times(*view));
      if (all.last().measured())
        *most = std::max({*most, all.last().sum_us, std::isfinite(all.last().whole_us) ? all.last().whole_us : 0.0});
    }
    if (*most <= 0) *most = 1;  // nothing is measured: parts of a whole
    QList<StackRow> rows;
    for (int i = 0; i < all.size(); ++i) {
      const LaunchTimes& t = all[i];
      const QString name = lettered(static_cast<std::size_t>(i));
      if (t.launches.empty()) {
        rows.append({name, tr("not measured: %1").arg(qs(t.why_not)), {}});
        continue;
      }
      StackRow row{name,
                   t.measured() ? tr("%1, measured").arg(launch_us(t.sum_us))
                                : tr("proportions %1").arg(qs(title_of(t.source))),
                   {}};
      const double scale = t.measured() ? 1 : *most;
      for (int k = 0; k < static_cast<int>(t.launches.size()); ++k) {
        const LaunchTime& l = t.launches[static_cast<std::size_t>(k)];
        const LaunchView& planned = profiles()[static_cast<std::size_t>(i)]->launches[static_cast<std::size_t>(k)];
        const QString much =
            t.measured() ? launch_us(l.us) : tr("%1 % of it").arg(QString::number(100 * l.part, 'f', 0));
        row.pieces.append(
            {(t.measured() ? l.us : l.part) * scale, k % most_series,
             tr("%1 %2 · %3").arg(k + 1).arg(qs(l.kernel), much),
             tr("Launch %1, %2: %3 (%4)\n%5\noccupancy %6 (modelled)")
                 .arg(k + 1)
                 .arg(qs(l.kernel), much, qs(title_of(t.source)), launch_shape(planned), launch_occupancy(planned))});
      }
      if (t.measured() && t.whole_us > t.sum_us * 1.005)
        row.pieces.append(
            {t.whole_us - t.sum_us, 0, tr("start, end, gaps"),
             tr("%1 more for the whole plan, measured separately: start, end and gaps; their places are not measured")
                 .arg(launch_us(t.whole_us - t.sum_us)),
             true});
      rows.append(row);
    }
    return rows;
  }
};

}  // namespace

PaintedPanel* make_timeline_panel(const Context& context) { return new TimelinePanel(context); }

}  // namespace ww::widgets
