// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/painted_panel.h"
#include <qcustomplot.h>
#include <QAccessible>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollArea>
#include <QToolTip>
#include "parts/theme/controls.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

ChartCanvas::ChartCanvas(Paint paint, std::function<int(int)> height, QWidget* parent)
    : QWidget(parent), paint_(std::move(paint)), height_(std::move(height)) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void ChartCanvas::redraw() {
  setMinimumHeight(height_(width()));
  here_ = -1;
  spots_.clear();
  update();
}

void ChartCanvas::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), Theme::instance().color("base"));
  painter.setFont(font());
  spots_ = paint_(painter, size());
  if (hasFocus() && here_ >= 0 && here_ < spots_.size()) {
    painter.setPen(QPen(Theme::instance().color("focus"), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(spots_[here_].rect.adjusted(-1, -1, 1, 1));
  }
}

void ChartCanvas::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  setMinimumHeight(height_(width()));
}

int ChartCanvas::spot_at(const QPointF& at) const {
  for (int i = static_cast<int>(spots_.size()) - 1; i >= 0; --i)
    if (spots_[i].rect.contains(at)) return i;
  return -1;
}

bool ChartCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    auto* help = static_cast<QHelpEvent*>(event);
    const int spot = spot_at(help->pos());
    if (spot < 0)
      QToolTip::hideText();
    else
      QToolTip::showText(help->globalPos(), spots_[spot].text, this);
    return true;
  }
  return QWidget::event(event);
}

void ChartCanvas::mousePressEvent(QMouseEvent* event) {
  const int spot = spot_at(event->position());
  if (spot >= 0) {
    here_ = spot;
    update();
    if (spots_[spot].key >= 0) emit chosen(spots_[spot].key);
  }
  QWidget::mousePressEvent(event);
}

void ChartCanvas::mouseMoveEvent(QMouseEvent* event) {
  const int spot = spot_at(event->position());
  setCursor(spot >= 0 && spots_[spot].key >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void ChartCanvas::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  if (here_ < 0 && !spots_.isEmpty() && event->reason() != Qt::MouseFocusReason) go_to(0);
}

void ChartCanvas::go_to(int spot) {
  here_ = spot;
  const ChartSpot& s = spots_[spot];
  setAccessibleDescription(s.text);
  QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&changed);
  for (QWidget* w = parentWidget(); w; w = w->parentWidget())  // its own, and a page's
    if (auto* area = qobject_cast<QScrollArea*>(w)) {
      const QPoint at = mapTo(area->widget(), s.rect.center().toPoint());
      area->ensureVisible(at.x(), at.y(), 40, static_cast<int>(s.rect.height() / 2) + 8);
    }
  QToolTip::showText(mapToGlobal(s.rect.bottomLeft().toPoint()), s.text, this);
  update();
}

void ChartCanvas::keyPressEvent(QKeyEvent* event) {
  const int count = static_cast<int>(spots_.size());
  const bool on = event->key() == Qt::Key_Down || event->key() == Qt::Key_Right,
             back = event->key() == Qt::Key_Up || event->key() == Qt::Key_Left;
  if (count > 0 && (on || back)) return go_to(std::clamp(here_ + (on ? 1 : -1), 0, count - 1));
  if (count > 0 && event->key() == Qt::Key_Home) return go_to(0);
  if (count > 0 && event->key() == Qt::Key_End) return go_to(count - 1);
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && here_ >= 0 && here_ < count) {
    if (spots_[here_].key >= 0) emit chosen(spots_[here_].key);
    return;
  }
  QWidget::keyPressEvent(event);
}

PaintedPanel::PaintedPanel(const Context& context, const char* id, const QString& title, const QString& empty)
    : ProfilePanel(context, id, title, empty) {
  QScrollArea* area = make_scroll_area(page());
  canvas_ = new ChartCanvas(
      [this](QPainter& painter, const QSize& size) {
        return profiles().empty() ? QList<ChartSpot>() : paint_chart(painter, size);
      },
      [this](int width) { return profiles().empty() ? 0 : chart_height(width); }, area);
  canvas_->setAccessibleName(tr("%1, chart").arg(title));
  canvas_->setToolTip(tr("Arrow keys move between numbers"));
  area->setWidget(canvas_);
  set_chart(area);
  connect(canvas_, &ChartCanvas::chosen, this, &PaintedPanel::spot_chosen);
}

void PaintedPanel::spot_chosen(int) {}
void PaintedPanel::update_chart() { canvas_->redraw(); }

void PaintedPanel::draw_chart(QCPPainter* painter, const QSize& size) {
  painter->setFont(font());
  paint_chart(*painter, size);
}

int PaintedPanel::chart_space(int width) const { return profiles().empty() ? 0 : chart_height(width); }

QSize PaintedPanel::export_size() const { return {900, std::max(200, profiles().empty() ? 0 : chart_height(900))}; }

}  // namespace ww::widgets
