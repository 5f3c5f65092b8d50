// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/candidates/candidate_delegate.h"
#include <QApplication>
#include <QPainter>
#include <algorithm>
#include "session/models/candidate_model.h"
#include "panels/profile/series_style.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {

// Draws the cell without its text, which is returned with the rectangle to go on in.
QRect draw_cell(QStyleOptionViewItem& o, QPainter* painter) {
  o.text.clear();
  const QStyle* style = o.widget ? o.widget->style() : QApplication::style();
  style->drawControl(QStyle::CE_ItemViewItem, &o, painter, o.widget);
  return o.rect.adjusted(6, 0, -4, 0);
}

constexpr int chip_gap = 4, chip_padding = 4;
constexpr double widest_cost = 88888888;  // costs are seldom larger

int chips_width(const QStringList& chips, const QFontMetrics& metrics) {
  int width = 0;
  for (const QString& chip : chips) width += metrics.horizontalAdvance(chip) + 2 * chip_padding + chip_gap;
  return width;
}

// Those that fit whole; "…" stands for the others.
void draw_chips(QPainter* painter, const QStringList& chips, const QRect& room, const QColor& ink,
                const QColor& frame) {
  const QFontMetrics metrics(painter->font());
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setBrush(Qt::NoBrush);
  const int dots = metrics.horizontalAdvance(QStringLiteral("…"));
  int left = room.left() + 2 * chip_gap;
  for (qsizetype i = 0; i < chips.size(); ++i) {
    const int width = metrics.horizontalAdvance(chips[i]) + 2 * chip_padding;
    if (left + width + (i + 1 < chips.size() ? chip_gap + dots : 0) > room.right()) {
      painter->setPen(ink);
      if (left + dots <= room.right())
        painter->drawText(QRect(left, room.top(), dots, room.height()), Qt::AlignVCenter, QStringLiteral("…"));
      return;
    }
    const QRect chip(left, room.center().y() - metrics.height() / 2 - 1, width, metrics.height() + 3);
    painter->setPen(QPen(frame, 1));
    painter->drawRoundedRect(QRectF(chip).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter->setPen(ink);
    painter->drawText(chip, Qt::AlignCenter, chips[i]);
    left += width + chip_gap;
  }
}

// "WARPS 4": "4"
QStringList values_of(QStringList chips) {
  for (QString& chip : chips) chip = chip.section(' ', -1);
  return chips;
}

QColor ink_of(const QStyleOptionViewItem& o) {
  return Theme::instance().color(o.state & QStyle::State_Selected ? "selection-text" : "text");
}

}  // namespace

void CandidateDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  switch (index.column()) {
    case CandidateModel::Rank: return paint_rank(painter, option, index);
    case CandidateModel::Name: return paint_name(painter, option, index);
    case CandidateModel::Score: return paint_score(painter, option, index);
    case CandidateModel::Marked: return paint_marks(painter, option, index);
    case CandidateModel::Spread: return paint_spread(painter, option, index);
    case CandidateModel::Compared: return paint_compared(painter, option, index);
    default: return QStyledItemDelegate::paint(painter, option, index);
  }
}

void CandidateDelegate::paint_rank(QPainter* painter, const Option& option, const QModelIndex& index) const {
  QStyledItemDelegate::paint(painter, option, index);
  const int series = index.data(CandidateModel::SeriesRole).toInt();
  if (series < 0) return;
  QFont bold = option.font;
  bold.setBold(true);
  const int side = QFontMetrics(bold).height() + 2;
  const QRect badge(option.rect.left() + 4, option.rect.center().y() - side / 2, side, side);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(QPen(series_style(series).color, 1.4));
  painter->setBrush(
      Theme::instance().color("base"));  // on the colour of a selected row the letter's would not stand out
  painter->drawRoundedRect(QRectF(badge).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
  painter->setFont(bold);
  painter->drawText(badge, Qt::AlignCenter, series_letter(series));
  painter->restore();
}

void CandidateDelegate::paint_name(QPainter* painter, const Option& option, const QModelIndex& index) const {
  QStyleOptionViewItem o = option;
  initStyleOption(&o, index);
  const QRect r = draw_cell(o, painter);
  const Theme& theme = Theme::instance();
  const QColor faint = o.state & QStyle::State_Selected ? ink_of(o) : theme.color("muted");
  const QFontMetrics bold(o.font), plain(option.font);
  const QString number = "#" + index.data(CandidateModel::IdRole).toString();
  const QString tuning = index.data(CandidateModel::TuningRole).toString();
  const int number_width = plain.horizontalAdvance(number) + 8;
  const int room = std::max(24, r.width() - number_width);
  const QString whole = index.data(CandidateModel::ShortNameRole).toString();
  QStringList chips = tuning.isEmpty() ? QStringList() : tuning.split(QStringLiteral(", "));
  // The tuning tells candidates of one structure apart: the name gives way to it, then its words to their values.
  const auto beside = [&] { return room - chips_width(chips, plain) - 2 * chip_gap; };
  if (!chips.isEmpty() && beside() < std::min(bold.horizontalAdvance(whole), 2 * room / 3)) chips = values_of(chips);
  const QString name = bold.elidedText(whole, Qt::ElideRight, chips.isEmpty() ? room : std::max(room / 4, beside()));
  painter->save();
  painter->setFont(option.font);
  painter->setPen(faint);
  painter->drawText(QRect(r.left(), r.top(), number_width, r.height()), Qt::AlignVCenter | Qt::AlignLeft, number);
  painter->setFont(o.font);
  painter->setPen(ink_of(o));
  const QRect name_rect(r.left() + number_width, r.top(), room, r.height());
  painter->drawText(name_rect, Qt::AlignVCenter | Qt::AlignLeft, name);
  painter->setFont(option.font);
  draw_chips(painter, chips, r.adjusted(number_width + bold.horizontalAdvance(name), 0, 0, 0), faint,
             o.state & QStyle::State_Selected ? faint : theme.color("border"));
  painter->restore();
}

void CandidateDelegate::paint_score(QPainter* painter, const Option& option, const QModelIndex& index) const {
  QStyledItemDelegate::paint(painter, option, index);
  const QVariant ratio = index.data(CandidateModel::CostRatioRole);
  if (!ratio.isValid()) return;
  QStyleOptionViewItem o = option;
  initStyleOption(&o, index);
  // The same room in all rows; a number that is wider than usual cuts the bar off.
  const int left = o.rect.left() + 8, right = o.rect.right() - 10;
  const int room = right - o.fontMetrics.horizontalAdvance(count_text(widest_cost)) - left;
  const int most = right - o.fontMetrics.horizontalAdvance(o.text) - left;
  const int length = std::min(most, static_cast<int>(room * std::min(1.0, ratio.toDouble() / full_bar)));
  if (length <= 0) return;
  const int height = o.fontMetrics.height() / 2;
  painter->fillRect(QRect(left, o.rect.center().y() - height / 2 + 1, length, height),
                    Theme::instance().color(o.state & QStyle::State_Selected ? "selection-text" : "border-strong"));
}

void CandidateDelegate::paint_marks(QPainter* painter, const Option& option, const QModelIndex& index) const {
  QStyleOptionViewItem o = option;
  initStyleOption(&o, index);
  const QRect r = draw_cell(o, painter);
  int left = r.left();
  const QStringList icons = index.data(CandidateModel::MarkIconsRole).toStringList();
  for (const QString& icon : icons) {
    if (left + 14 > r.right() + 5) break;
    Theme::instance()
        .icon(icon, o.state & QStyle::State_Selected      ? "selection-text"
                    : icon == "pin" || icon == "baseline" ? "text"
                                                          : "muted")
        .paint(painter, QRect(left, r.center().y() - 7, 15, 15));
    left += 16;
  }
}

void CandidateDelegate::paint_spread(QPainter* painter, const Option& option, const QModelIndex& index) const {
  const QList<QVariant> quartiles = index.data(CandidateModel::QuartilesRole).toList();
  if (quartiles.size() != 2) {
    QStyledItemDelegate::paint(painter, option, index);
    return;
  }
  QStyleOptionViewItem o = option;
  initStyleOption(&o, index);
  const QString text = o.text;
  const QRect r = draw_cell(o, painter);
  painter->save();
  painter->setFont(o.font);
  painter->setPen(ink_of(o));
  const int words = std::min(r.width(), o.fontMetrics.horizontalAdvance(QStringLiteral("0.00 %")) + 2);
  painter->drawText(QRect(r.right() - words, r.top(), words, r.height()), Qt::AlignVCenter | Qt::AlignRight,
                    o.fontMetrics.elidedText(text, Qt::ElideRight, words));
  const QRectF line(r.left() + 2, r.top(), r.width() - words - 12, r.height());
  if (line.width() >= 20) {
    const double y = line.center().y(), middle = line.center().x(), per = line.width() / 2 / widest;
    const double q1 = quartiles[0].toDouble() - 1, q3 = quartiles[1].toDouble() - 1;  // around the median
    const double left = std::max(line.left(), middle + q1 * per), right = std::min(line.right(), middle + q3 * per);
    painter->setPen(QPen(Theme::instance().color("border"), 1));
    painter->drawLine(QPointF(line.left(), y), QPointF(line.right(), y));
    painter->fillRect(QRectF(QPointF(left, y - 3), QPointF(std::max(right, left + 1), y + 3)),
                      Theme::instance().color("plot-a"));
    painter->setPen(QPen(ink_of(o), 2));
    painter->drawLine(QPointF(middle, y - 6), QPointF(middle, y + 6));
    painter->setRenderHint(QPainter::Antialiasing);
    if (q1 * per < -line.width() / 2)
      painter->drawPolyline(
          QPolygonF{QPointF(line.left() + 4, y - 4), QPointF(line.left(), y), QPointF(line.left() + 4, y + 4)});
    if (q3 * per > line.width() / 2)
      painter->drawPolyline(
          QPolygonF{QPointF(line.right() - 4, y - 4), QPointF(line.right(), y), QPointF(line.right() - 4, y + 4)});
  }
  painter->restore();
}

void CandidateDelegate::paint_compared(QPainter* painter, const Option& option, const QModelIndex& index) const {
  QStyleOptionViewItem o = option;
  initStyleOption(&o, index);
  const QString letter = o.text;
  QRect r = draw_cell(o, painter);
  const int series = index.data(CandidateModel::SeriesRole).toInt();
  if (series < 0) return;
  r.setLeft(r.left() + 24);
  if (r.width() < 40) return;
  painter->drawPixmap(QPointF(r.left(), r.center().y() - 6.5),
                      series_swatch(series, painter->device()->devicePixelRatioF()));
  painter->save();
  painter->setFont(o.font);
  painter->setPen(ink_of(o));
  painter->drawText(r.adjusted(30, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, letter);
  painter->restore();
}

}  // namespace ww::widgets
