// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/stepper/divergence_view.h"
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <bit>
#include "panels/stepper/lanes_view.h"
#include "parts/theme/controls.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"

namespace ww::widgets {

namespace {

constexpr int lane_width = 6;  // pixels
constexpr std::size_t most_groups = 12;

QString state_word(sim::GroupState state) {
  switch (state) {
    case sim::GroupState::next: return DivergenceView::tr("runs next");
    case sim::GroupState::ready: return DivergenceView::tr("ready");
    case sim::GroupState::waits_for_lanes: return DivergenceView::tr("waits for other lanes");
    case sim::GroupState::at_barrier: return DivergenceView::tr("at a barrier");
  }
  return {};
}

}  // namespace

DivergenceView::DivergenceView(QWidget* parent) : PaintedView(parent) {
  setObjectName("stepper_divergence");
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  name_it(this, tr("Divergence stack"));
}

void DivergenceView::show_warp(const sim::WarpFacts& warp) {
  warp_ = warp;
  QStringList rows;
  for (std::size_t i = 0; i < warp_.groups.size(); ++i) rows += row_text(i);
  setAccessibleDescription(rows.join("; "));
  updateGeometry();
  viewport()->update();
}

QString DivergenceView::row_text(std::size_t row) const {
  const sim::GroupFacts& g = warp_.groups[row];
  const QString place = g.line > 0 ? tr("line %1").arg(g.line) : tr("PTX line %1").arg(g.ptx_line);
  const int lanes = std::popcount(mask_of(g.mask));
  const QString who = counted(lanes, tr("lane"), tr("lanes"));
  const QString text = tr("%1 at %2, %3").arg(who, place, state_word(g.state));
  return g.depth > 0 ? tr("%1, in %2").arg(text, qs(g.function)) : text;
}

int DivergenceView::row_height() const { return QFontMetrics(type_font(Type::small)).height() + grid::half; }

QSize DivergenceView::sizeHint() const {
  const std::size_t rows = std::max<std::size_t>(1, std::min(warp_.groups.size(), most_groups));
  return {32 * lane_width + 160, static_cast<int>(rows) * row_height() + 2};
}

void DivergenceView::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  const Theme& theme = Theme::instance();
  painter.setFont(type_font(Type::small));
  const std::uint32_t exist = mask_of(warp_.lanes);
  for (std::size_t i = 0; i < warp_.groups.size() && i < most_groups; ++i) {
    const sim::GroupFacts& g = warp_.groups[i];
    const std::uint32_t mask = mask_of(g.mask);
    const int top = static_cast<int>(i) * row_height();
    for (int lane = 0; lane < 32; ++lane) {
      const QRect at(lane * lane_width, top + 2, lane_width - 1, row_height() - 4);
      const bool in = ((mask >> lane) & 1) != 0, exists = ((exist >> lane) & 1) != 0;
      if (in)
        painter.fillRect(at, theme.color(g.state == sim::GroupState::next ? "accent" : "plot-b"));
      else if (exists)
        painter.fillRect(at, theme.color("border"));
    }
    painter.setPen(theme.color(g.state == sim::GroupState::next ? "text" : "muted"));
    const QRect words(32 * lane_width + grid::step, top, viewport()->width() - 32 * lane_width - grid::step,
                      row_height());
    painter.drawText(words, Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(row_text(i), Qt::ElideRight, words.width()));
  }
}

void DivergenceView::show_tip(const QHelpEvent& help) {
  const auto row = static_cast<std::size_t>(std::max(0, help.pos().y()) / std::max(1, row_height()));
  if (row < warp_.groups.size()) return QToolTip::showText(help.globalPos(), row_text(row), this);
  QToolTip::hideText();
}

}  // namespace ww::widgets
