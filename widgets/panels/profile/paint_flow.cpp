// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <QCoreApplication>
#include <QPainter>
#include <QPainterPath>
#include "panels/profile/flow_texts.h"
#include "panels/profile/painted_panel.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"

namespace ww::widgets {
namespace {

constexpr int most_facts = 3;  // lines below an arrow

class FlowPainter {
 public:
  FlowPainter(QPainter& painter, const QRectF& box, const MemoryFlow& flow, double most, bool noted)
      : p_(painter), box_(box.adjusted(6, 4, -6, -6)), flow_(flow), most_(most), noted_(noted) {
    font_ = p_.font();
    small_ = type_font(Type::small);
    bold_ = small_;
    bold_.setBold(true);
  }

  QList<ChartSpot> paint() {
    p_.save();
    const double place = std::clamp(box_.width() * 0.135, 60.0, 150.0), gaps = box_.width() - 4 * place;
    const double one = gaps * 0.40, two = gaps * 0.30;
    const double upper = box_.height() * 0.60, space = std::min(14.0, box_.height() * 0.04);
    const QRectF kernel(box_.left(), box_.top(), place, box_.height());
    const QRectF l1(kernel.right() + one, box_.top(), place, upper), l2(l1.right() + two, box_.top(), place, upper),
        dram(l2.right() + two, box_.top(), place, upper);
    const QRectF shared(l1.left(), box_.top() + upper + space, place, box_.height() - upper - space);
    draw_place(kernel, tr("Kernel"), {});
    const PlaceFacts facts = place_facts(flow_);
    draw_place(l1, tr("L1 cache"), facts.l1);
    draw_place(l2, tr("L2 cache"), facts.l2);
    draw_place(dram, tr("Device memory"), facts.least.isEmpty() ? facts.dram : facts.dram + QStringList(facts.least));
    draw_place(shared, tr("Shared memory"), facts.shared);
    pair(kernel, l1, MemoryPath::load, MemoryPath::store);
    pair(l1, l2, MemoryPath::l2_read, MemoryPath::l2_write);
    pair(l2, dram, MemoryPath::dram_read, MemoryPath::dram_write);
    pair(kernel, shared, MemoryPath::shared_load, MemoryPath::shared_store);
    if (noted_ || flow_.provenance == Provenance::unknown)
      note(QRectF(shared.right() + 14, shared.top(), box_.right() - shared.right() - 14, shared.height()));
    p_.restore();
    return spots_;
  }

 private:
  static QString tr(const char* text) { return QCoreApplication::translate("MemoryFlow", text); }

  void draw_place(const QRectF& at, const QString& name, const QStringList& facts) {
    const Theme& theme = Theme::instance();
    p_.setPen(QPen(theme.color("border-strong"), 1));
    p_.setBrush(theme.color("header"));
    p_.drawRoundedRect(at, 4, 4);
    const QRectF inner = at.adjusted(6, 5, -4, -4);
    p_.setPen(theme.color("text"));
    p_.setFont(bold_);
    QRectF used;
    p_.drawText(inner, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, name, &used);
    p_.setFont(small_);
    p_.drawText(QRectF(inner.left(), used.bottom() + 2, inner.width(), inner.bottom() - used.bottom() - 2),
                Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, facts.join("\n"));
    spots_.append(
        {at,
         facts.isEmpty()
             ? name
             : name + ": " + facts.join(", ") +
                   (flow_.provenance == Provenance::unknown ? QString() : " (" + enum_text(flow_.provenance) + ")"),
         -1});
  }

  // Above what comes towards the kernel, below what leaves it.
  void pair(const QRectF& left, const QRectF& right, MemoryPath in, MemoryPath out) {
    const QRectF gap(left.right(), right.top(), right.left() - left.right(), right.height());
    arrow(QRectF(gap.left(), gap.top(), gap.width(), gap.height() / 2), in, false);
    arrow(QRectF(gap.left(), gap.center().y(), gap.width(), gap.height() / 2), out, true);
  }

  void arrow(const QRectF& at, MemoryPath id, bool to_right) {
    if (!flow_.at(id)) return;
    const MemoryArrow& a = *flow_.at(id);
    const QStringList facts = arrow_facts(flow_, a);
    const Theme& theme = Theme::instance();
    const bool known = std::isfinite(a.bytes);
    const int line = QFontMetrics(bold_).height();
    const int small = QFontMetrics(small_).height();
    const double room = std::clamp(at.height() - line - most_facts * small - 8, 4.0, 22.0);  // the facts stay below it
    const double thick = known && most_ > 0 && a.bytes > 0 ? std::max(1.5, room * a.bytes / most_) : 1.2;
    const double y = at.top() + line + 3 + std::max(thick, 7.0) / 2;
    const double tip = to_right ? at.right() - 2 : at.left() + 2, tail = to_right ? at.left() + 2 : at.right() - 2,
                 way = to_right ? -1 : 1;
    const double head = std::min(10.0, at.width() / 4), half = std::max(4.0, thick / 2 + 3);
    const QColor color = theme.color(to_right ? "plot-b" : "plot-a");
    const bool drawn = !known || a.bytes > 0;
    if (drawn) {
      p_.setPen(QPen(known ? color : theme.color("muted"), thick, known ? Qt::SolidLine : Qt::DashLine, Qt::FlatCap));
      p_.drawLine(QPointF(tail, y), QPointF(tip + way * head, y));
      QPainterPath path(QPointF(tip, y));
      path.lineTo(tip + way * head, y - half);
      path.lineTo(tip + way * head, y + half);
      path.closeSubpath();
      p_.fillPath(path, known ? color : theme.color("muted"));
    }
    p_.setPen(theme.color(known ? "text" : "muted"));
    p_.setFont(bold_);
    const QRectF inner = at.adjusted(3, 0, -3, 0);
    const QString amount = known             ? (a.bytes > 0 ? arrow_bytes(a) : tr("none"))
                           : facts.isEmpty() ? QString()
                                             : facts.front();
    p_.drawText(QRectF(at.left(), at.top(), at.width(), line + 2), Qt::AlignCenter,
                QFontMetrics(bold_).elidedText(amount, Qt::ElideRight, static_cast<int>(at.width())));
    p_.setFont(small_);
    p_.setPen(theme.color("muted"));
    const double top = y + half + 1;
    const QString below = !known ? unknown_text() : a.bytes > 0 ? facts.join("\n") : QString();
    const int fits = static_cast<int>((at.bottom() - top) / small);  // only whole lines
    if (fits > 0)
      p_.drawText(QRectF(inner.left(), top, inner.width(), fits * small),
                  Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap, below);
    QString words =
        arrow_title(a) + ": " +
        (known ? amount + " (" + enum_text(flow_.provenance) + ")" : tr("not measured: %1").arg(qs(a.why_not)));
    if (!facts.isEmpty()) words += ", " + facts.join(", ");
    spots_.append({at.adjusted(2, 0, -2, 0), words, -1});
  }

  QString unknown_text() const {
    return flow_.provenance == Provenance::simulated ? tr("not simulated") : tr("not measured");
  }

  void note(const QRectF& at) {
    if (at.width() < 60) return;
    p_.setFont(small_);
    p_.setPen(Theme::instance().color("muted"));
    QStringList lines;
    if (flow_.provenance == Provenance::unknown)
      lines.append(tr("Not measured: %1.").arg(qs(flow_.why_not)));
    else
      lines.append(tr("Numbers are %1 unless marked otherwise; arrow widths are proportional to bytes.")
                       .arg(enum_text(flow_.provenance)));
    for (const MemoryPath path : {MemoryPath::l2_read, MemoryPath::dram_read})
      if (const QString why = flow_.at(path) ? qs(flow_.at(path)->why_not) : QString();
          !why.isEmpty() && !lines.join(' ').contains(why))
        lines.append(tr("%1: %2.").arg(path == MemoryPath::l2_read ? tr("L1 and L2") : tr("Device memory"), why));
    p_.drawText(at, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, lines.join("\n"));
  }

  QPainter& p_;
  QRectF box_;
  const MemoryFlow& flow_;
  double most_;
  bool noted_;
  QFont font_, small_, bold_;
  QList<ChartSpot> spots_;
};

}  // namespace

QList<ChartSpot> paint_flow(QPainter& painter, const QRectF& box, const MemoryFlow& flow, double most, bool noted) {
  return FlowPainter(painter, box, flow, most, noted).paint();
}

}  // namespace ww::widgets
