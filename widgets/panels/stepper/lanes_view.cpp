// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/stepper/lanes_view.h"
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include "parts/theme/controls.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"
#include "sim/value_text.h"

namespace ww::widgets {

namespace {

constexpr int least_cell = 62;  // pixels at the usual zoom

}  // namespace

std::uint32_t mask_of(const std::string& hex) { return exact(hex).toUInt(nullptr, 16); }

namespace {

LaneValues values_of(const sim::WrittenRegister& r, std::uint32_t active) {
  LaneValues out{qs(r.name + ", " + r.type), {}};
  std::size_t next = 0;
  for (int lane = 0; lane < 32; ++lane) {
    const bool on = ((active >> lane) & 1) != 0 && next < r.values.size();
    out.values += on ? qs(r.values[next++]) : QString();
  }
  return out;
}

// Of a step that writes memory and no register.
LaneValues stored_values(const sim::StepFacts& step) {
  LaneValues out{{}, QStringList(32)};
  for (const sim::SpaceAccess& access : step.accesses)
    for (const sim::LaneAccess& a : access.lanes) {
      if (access.kind == simt::AccessKind::read || a.lane >= 32) continue;
      out.values[a.lane] = qs(sim::stored_text(step.instruction, a.value));
      out.what = access.space == sim::AccessedSpace::shared ? LanesView::tr("to shared memory")
                                                            : LanesView::tr("to %1").arg(qs(a.buffer));
    }
  return out;
}

}  // namespace

LanesPicture lanes_of_step(const sim::StepFacts& step, bool all) {
  LanesPicture out;
  out.active = mask_of(step.active);
  const LaneValues first = step.registers.empty() ? stored_values(step) : values_of(step.registers.front(), out.active);
  out.what = first.what;
  out.values = first.values;
  for (std::size_t i = 1; all && i < step.registers.size(); ++i) out.more += values_of(step.registers[i], out.active);
  return out;
}

// As many digits of a number as there is room for; other text is elided.
QString fitted(const QString& text, const QFontMetrics& metrics, int width) {
  if (metrics.horizontalAdvance(text) <= width) return text;
  bool is_number = false;
  const double value = text.toDouble(&is_number);
  for (int digits = 8; is_number && text.contains('.') && digits > 1; --digits)
    if (const QString shorter = QString::number(value, 'g', digits); metrics.horizontalAdvance(shorter) <= width)
      return shorter;
  return metrics.elidedText(text, Qt::ElideRight, width);
}

LanesPicture lanes_of_register(const sim::WrittenRegister& all, std::uint32_t active) {
  LanesPicture out;
  out.active = active;
  out.what = qs(all.name + ", " + all.type);
  for (const std::string& value : all.values) out.values += qs(value);
  return out;
}

LanesView::LanesView(QWidget* parent) : PaintedView(parent) {
  setObjectName("stepper_lanes");
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  name_it(this, tr("The 32 lanes of the warp"));
}

void LanesView::show_lanes(const LanesPicture& picture) {
  picture_ = picture;
  updateGeometry();
  viewport()->update();
}

int LanesView::lines() const { return 2 + static_cast<int>(picture_.more.size()); }

int LanesView::row_height() const { return lines() * QFontMetrics(type_font(Type::small)).height() + grid::half; }

int LanesView::across() const {
  const double zoom = QFontMetricsF(type_font(Type::small)).height() / 14;
  const double fit = viewport()->width() / (least_cell * std::max(1.0, zoom));
  return fit >= 16 ? 16 : fit >= 8 ? 8 : 4;
}

QSize LanesView::sizeHint() const { return {least_cell * 8, 32 / across() * row_height() + 2}; }

void LanesView::resizeEvent(QResizeEvent* event) {
  PaintedView::resizeEvent(event);
  updateGeometry();
}

QRectF LanesView::cell(int lane) const {
  const int n = across();
  const double w = static_cast<double>(viewport()->width() - 1) / n;
  return QRectF(lane % n * w, lane / n * row_height(), w, row_height()).adjusted(1, 1, -1, -1);
}

void LanesView::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  const Theme& theme = Theme::instance();
  const QFont number = type_font(Type::small), value = resized(painted_code_font(), Type::small);
  const QFontMetrics metrics(value);
  for (int lane = 0; lane < 32; ++lane) {
    const QRectF at = cell(lane);
    const bool exists = ((picture_.exist >> lane) & 1) != 0, active = ((picture_.active >> lane) & 1) != 0;
    painter.fillRect(at, active ? theme.color("info-soft") : theme.color("base"));
    painter.setPen(QPen(theme.color(active ? "accent" : "border"), 1, exists ? Qt::SolidLine : Qt::DotLine));
    painter.drawRect(at);
    if (active) painter.fillRect(QRectF(at.left(), at.top(), 3, at.height() + 1), theme.color("accent"));
    const QRectF inner = at.adjusted(6, 1, -3, -1);
    painter.setFont(number);
    painter.setPen(theme.color("muted"));
    painter.drawText(inner, Qt::AlignTop | Qt::AlignLeft, QString::number(lane));
    if (lane >= picture_.values.size()) continue;
    painter.setFont(value);
    painter.setPen(theme.color(active ? "text" : "muted"));
    const double line = inner.height() / lines();
    for (int i = 0; i <= picture_.more.size(); ++i) {
      const QString text = (i == 0 ? picture_.values : picture_.more[i - 1].values).value(lane);
      painter.drawText(QRectF(inner.left(), inner.top() + (i + 1) * line, inner.width(), line),
                       Qt::AlignBottom | Qt::AlignRight, fitted(text, metrics, static_cast<int>(inner.width())));
    }
  }
  painter.setPen(QPen(theme.color(hasFocus() ? "focus" : "border-strong"), 2));
  painter.drawRect(cell(marked_));
}

QString LanesView::tip_of(int lane) const {
  const QString state = ((picture_.exist >> lane) & 1) == 0    ? tr("no thread")
                        : ((picture_.active >> lane) & 1) != 0 ? tr("active")
                                                               : tr("not active");
  QStringList out{tr("Lane %1: %2").arg(lane).arg(state)};
  const auto add = [&](const QString& what, const QString& value) {
    if (!value.isEmpty()) out += tr("%1 = %2").arg(what, value);
  };
  add(picture_.what, picture_.values.value(lane));
  for (const LaneValues& v : picture_.more) add(v.what, v.values.value(lane));
  return out.join(picture_.more.isEmpty() ? ", " : "\n");
}

void LanesView::show_tip(const QHelpEvent& help) {
  for (int lane = 0; lane < 32; ++lane)
    if (cell(lane).contains(help.pos())) return QToolTip::showText(help.globalPos(), tip_of(lane), this);
  QToolTip::hideText();
}

void LanesView::keyPressEvent(QKeyEvent* event) {
  const int n = across();
  const int by = event->key() == Qt::Key_Left    ? -1
                 : event->key() == Qt::Key_Right ? 1
                 : event->key() == Qt::Key_Up    ? -n
                 : event->key() == Qt::Key_Down  ? n
                                                 : 0;
  if (by == 0) return PaintedView::keyPressEvent(event);
  mark(std::clamp(marked_ + by, 0, 31));
}

void LanesView::mousePressEvent(QMouseEvent* event) {
  for (int lane = 0; lane < 32; ++lane)
    if (cell(lane).contains(event->position())) return mark(lane);
}

void LanesView::mark(int lane) {
  marked_ = lane;
  setAccessibleDescription(tip_of(marked_));
  viewport()->update();
  emit lane_marked(lane);
}

}  // namespace ww::widgets
