// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/candidates/verdict_delegate.h"
#include <QApplication>
#include <QPainter>
#include "session/models/candidate_model.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

void VerdictDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QStyleOptionViewItem o = option;
  initStyleOption(&o, index);
  const QString text = o.text;
  o.text.clear();
  const QStyle* style = o.widget ? o.widget->style() : QApplication::style();
  style->drawControl(QStyle::CE_ItemViewItem, &o, painter, o.widget);
  const auto state = static_cast<store::CandidateState>(index.data(CandidateModel::StateRole).toInt());
  const Theme& theme = Theme::instance();
  const QRect r = option.rect.adjusted(6, 0, -4, 0);
  const QRect icon_rect(r.left(), r.center().y() - 7, 16, 16);
  theme
      .icon(index.data(CandidateModel::PartialRole).toBool() ? QStringLiteral("partial") : state_icon(state),
            index.data(CandidateModel::ImportedRole).toBool() ? QStringLiteral("muted") : state_token(state))
      .paint(painter, icon_rect);
  const QRect text_rect = r.adjusted(22, 0, 0, 0);
  painter->save();
  painter->setFont(o.font);
  const bool selected = o.state & QStyle::State_Selected;
  painter->setPen(selected                                 ? theme.color("selection-text")
                  : state == store::CandidateState::queued ? theme.color("muted")
                                                           : theme.color("text"));
  painter->drawText(text_rect, Qt::AlignVCenter | Qt::AlignLeft,
                    o.fontMetrics.elidedText(text, Qt::ElideRight, text_rect.width()));
  const double fraction = index.data(CandidateModel::FractionRole).toDouble();
  if (fraction >= 0) {
    const QRect bar(text_rect.left(), option.rect.bottom() - 3, text_rect.width(), 2);
    painter->fillRect(bar, theme.color("border"));
    painter->fillRect(QRect(bar.topLeft(), QSize(qRound(bar.width() * qBound(0.0, fraction, 1.0)), bar.height())),
                      theme.color("busy"));
  }
  painter->restore();
}

}  // namespace ww::widgets
