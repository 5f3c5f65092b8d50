// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/provenance_badge.h"
#include <QPainter>
#include "parts/theme/controls.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

ProvenanceBadge::ProvenanceBadge(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

Qt::BrushStyle ProvenanceBadge::fill(Provenance provenance) {
  return provenance == Provenance::measured    ? Qt::SolidPattern
         : provenance == Provenance::simulated ? Qt::BDiagPattern
                                               : Qt::NoBrush;
}

QString ProvenanceBadge::text() const {
  return provenance_ == Provenance::unknown ? tr("not known") : enum_text(provenance_);
}

void ProvenanceBadge::set_provenance(Provenance provenance) {
  provenance_ = provenance;
  name_it(this, tr("Provenance: %1").arg(text()),
          tr("The number's provenance. Solid: measured on a GPU. Hatched: simulated. Outlined: modelled or counted"));
  updateGeometry();
  update();
}

QSize ProvenanceBadge::sizeHint() const {
  int widest = fontMetrics().horizontalAdvance(tr("not known"));  // badges below each other are aligned
  for (const auto& one : names_of(Provenance()))
    widest = std::max(widest, fontMetrics().horizontalAdvance(enum_text(one.value)));
  return {widest + 14 + 6 + 2, fontMetrics().height() + 4};
}

void ProvenanceBadge::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Theme& theme = Theme::instance();
  const QRectF box(1.5, (height() - 12) / 2.0, 12, 12);
  painter.setPen(QPen(theme.color("muted"), 1.5, provenance_ == Provenance::unknown ? Qt::DotLine : Qt::SolidLine));
  painter.setBrush(QBrush(theme.color("muted"), fill(provenance_)));
  painter.drawRoundedRect(box, 2, 2);
  painter.setPen(theme.color("muted"));
  painter.drawText(rect().adjusted(20, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text());
}

}  // namespace ww::widgets
