// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/plots/plot_style.h"
#include <algorithm>
#include <cmath>
#include "parts/theme/theme.h"
#include "parts/theme/type.h"

namespace ww::widgets {

void style_plot(QCustomPlot* plot) {
  const Theme& theme = Theme::instance();
  plot->setBackground(theme.color("base"));
  const QFont small = figures_font(type_font(Type::small));
  for (QCPAxisRect* rect : plot->axisRects()) {
    for (QCPAxis* axis : rect->axes()) {
      axis->setBasePen(QPen(theme.color("border-strong")));
      axis->setTickPen(QPen(theme.color("border-strong")));
      axis->setSubTickPen(QPen(theme.color("border")));
      axis->setTickLabelColor(theme.color("text"));
      axis->setLabelColor(theme.color("text"));
      axis->setTickLabelFont(small);
      axis->setLabelFont(small);
      axis->setLabelPadding(2);
      axis->grid()->setPen(QPen(theme.color("plot-grid"), 1));
      axis->grid()->setZeroLinePen(QPen(theme.color("border")));
    }
  }
  if (plot->legend) {
    plot->legend->setBrush(theme.color("raised"));
    plot->legend->setBorderPen(QPen(theme.color("border")));
    plot->legend->setTextColor(theme.color("text"));
    plot->legend->setFont(small);
  }
}

namespace {
// Beside the range at each end, as a share of it: a marker at the end is whole on a small plot, too.
double room_for_markers(const QCPAxis* axis) {
  const QSize plot = axis->axisRect()->rect().size();
  const int pixels = axis->orientation() == Qt::Horizontal ? plot.width() : plot.height();
  constexpr double usual = 0.08, most = 0.25, marker = 10;  // pixels
  return pixels <= 0 ? usual : std::clamp(marker / pixels, usual, most);
}
}  // namespace

void scale_axis(QCPAxis* axis, double low, double high, bool logarithmic) {
  const double share = room_for_markers(axis);
  if (logarithmic && low > 0) {
    axis->setScaleType(QCPAxis::stLogarithmic);
    axis->setTicker(QSharedPointer<QCPAxisTickerLog>(new QCPAxisTickerLog));
    axis->setNumberFormat("eb");
    axis->setNumberPrecision(0);
    const double factor = std::max(1.3, std::pow(high / low, share));
    axis->setRange(low / factor, high * factor);
    return;
  }
  axis->setScaleType(QCPAxis::stLinear);
  axis->setTicker(QSharedPointer<QCPAxisTicker>(new QCPAxisTicker));
  axis->setNumberFormat("gb");
  axis->setNumberPrecision(4);
  const double room = high > low ? (high - low) * share : std::max(1.0, std::abs(high) * 0.1);
  axis->setRange(low >= 0 ? std::max(low - room, 0.0) - (low - room < 0 ? (high - low) * 0.02 : 0) : low - room,
                 high + room);
}

QCPScatterStyle disc_style(const QColor& color, double size, double device_ratio) {
  QPixmap picture((QSizeF(size + 2, size + 2) * device_ratio).toSize());
  picture.setDevicePixelRatio(device_ratio);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  painter.drawEllipse(QRectF(1, 1, size, size));
  return QCPScatterStyle(picture);
}

namespace {

constexpr const char *whole_label = "whole_label", *fits_labels = "fits_labels";

// As many numbers as fit one above the other; whether that is another count than before.
bool fit_ticks(QCPAxis* axis) {
  if (axis->orientation() != Qt::Vertical) return false;
  const double line = QFontMetricsF(axis->tickLabelFont()).height();
  const int most = std::clamp(static_cast<int>(axis->axisRect()->rect().height() / (1.6 * line)), 1, 5);
  if (axis->ticker()->tickCount() == most) return false;
  axis->ticker()->setTickCount(most);
  return true;
}

// In little room without provenance, then without the unit; cut only where even that does not fit.
QString fitted(QString text, const QFontMetrics& metrics, int room) {
  while (metrics.horizontalAdvance(text) > room) {
    const auto cut = std::max(text.lastIndexOf(QLatin1String(", ")), text.lastIndexOf(QLatin1String(" (")));
    if (cut <= 0) return metrics.elidedText(text, Qt::ElideRight, room);
    text.truncate(cut);
  }
  return text;
}

void fit_label(QCPAxis* axis) {
  const QString whole = axis->property(whole_label).toString();
  const QRect room = axis->axisRect()->rect();
  const int length = (axis->orientation() == Qt::Horizontal ? room.width() : room.height()) + 16;
  const QString fits = fitted(whole, QFontMetrics(axis->labelFont()), std::max(length, 40));
  if (!whole.isEmpty() && axis->label() != fits) axis->setLabel(fits);
}

}  // namespace

void label_axis(QCPAxis* axis, const QString& text) {
  QCustomPlot* plot = axis->parentPlot();
  axis->setProperty(whole_label, text);
  axis->setLabel(text);
  if (plot->property(fits_labels).toBool()) return;
  plot->setProperty(fits_labels, true);
  QObject::connect(plot, &QCustomPlot::afterLayout, plot, [plot] {
    bool other = false;
    for (QCPAxisRect* rect : plot->axisRects())
      for (QCPAxis* one : rect->axes()) {
        fit_label(one);
        other |= fit_ticks(one);
      }
    if (other) plot->replot(QCustomPlot::rpQueuedReplot);
  });
}

}  // namespace ww::widgets
