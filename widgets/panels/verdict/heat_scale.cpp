// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/verdict/heat_scale.h"
#include <QLinearGradient>
#include <QPainter>
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {

constexpr int left = 9, bar = 10, gap = 4, box = 10;  // points; `left` as the map's margin

QString short_text(double v) { return QString::number(v, 'g', 3); }

}  // namespace

HeatScale::HeatScale(HeatOf what, QWidget* parent) : QWidget(parent), what_(what) {
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void HeatScale::show_range(const HeatRange& range) {
  range_ = range;
  QStringList words = {what_ == HeatOf::error
                           ? tr("Errors up to %1 times the tolerance").arg(times_text(range.worst))
                           : tr("Values from %1 to %2").arg(short_text(range.low), short_text(range.high))};
  for (const Swatch& s : swatches()) words += s.text;
  setAccessibleName(words.join(", "));
  updateGeometry();
  update();
}

QList<HeatScale::Swatch> HeatScale::swatches() const {
  QList<Swatch> all;
  if (what_ == HeatOf::error) all += {HeatColor::right, tr("right")};
  if (what_ == HeatOf::actual && range_.outside) all += {HeatColor::outside, tr("outside the expected range")};
  if (what_ != HeatOf::expected && range_.infinite) all += {HeatColor::infinite, tr("NaN or infinite")};
  if (what_ == HeatOf::error && range_.unchecked) all += {HeatColor::unchecked, tr("not checked")};
  return all;
}

int HeatScale::arrange(int width, QPainter* painter) const {
  const QFontMetrics metrics = fontMetrics();
  const int line = metrics.height() + 2;
  int x = left, y = bar + gap + line;
  bool first = true;
  for (const Swatch& s : swatches()) {
    const int need = box + gap + metrics.horizontalAdvance(s.text);
    if (!first && x + need > width) x = left, y += line;
    first = false;
    if (painter) {
      const QRect at(x, y + (line - box) / 2, box, box);
      painter->fillRect(at, heat_color(s.color));
      painter->setPen(Theme::instance().color("border-strong"));
      painter->drawRect(at);
      painter->setPen(Theme::instance().color("text"));
      painter->drawText(QRect(x + box + gap, y, need, line), Qt::AlignVCenter, s.text);
    }
    x += need + 3 * gap;
  }
  return first ? y : y + line;
}

int HeatScale::heightForWidth(int width) const { return arrange(width, nullptr); }

void HeatScale::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const QRect at(left, 0, width() - left - 2, bar);
  QLinearGradient gradient(at.topLeft(), at.topRight());
  const HeatColor kind = what_ == HeatOf::error ? HeatColor::wrong : HeatColor::value;
  for (const double share : {0.0, 0.5, 1.0}) gradient.setColorAt(share, heat_color(kind, share));
  painter.fillRect(at, gradient);
  painter.setPen(Theme::instance().color("border-strong"));
  painter.drawRect(at);
  painter.setPen(Theme::instance().color("text"));
  const QRect words(at.left(), bar + gap, at.width(), fontMetrics().height());
  const bool error = what_ == HeatOf::error;
  painter.drawText(words, Qt::AlignLeft, error ? tr("1\u00d7 the tolerance") : short_text(range_.low));
  painter.drawText(words, Qt::AlignRight, error ? times_text(range_.worst) + "\u00d7" : short_text(range_.high));
  arrange(width(), &painter);
}

}  // namespace ww::widgets
