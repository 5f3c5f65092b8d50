// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/code/code_tabs.h"
#include <QContextMenuEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QStyleOptionTab>
#include <QStylePainter>
#include <QToolButton>
#include "parts/theme/controls.h"
#include "parts/theme/theme.h"
#include "session/actions/registry.h"
#include "session/edits.h"
#include "session/models/candidate_model.h"
#include "session/selection.h"
#include "session/session.h"

namespace ww::widgets {

namespace {
constexpr int longest_tab = 28;     // characters; the tooltip has the whole name
constexpr int italic_overhang = 4;  // of the last letter
}  // namespace

CodeTabs::CodeTabs(const Context& context, OpenTabs* tabs, const Edits* edits, QWidget* parent)
    : QTabBar(parent), context_(context), tabs_(tabs), edits_(edits) {
  setObjectName("code_tabs");
  name_it(this, tr("Open candidates"));
  setExpanding(false);
  setMovable(true);
  setUsesScrollButtons(true);
  setElideMode(Qt::ElideNone);
  setSelectionBehaviorOnRemove(QTabBar::SelectPreviousTab);
  setIconSize({16, 16});
  setFocusPolicy(Qt::TabFocus);
  for (QToolButton* scroller : findChildren<QToolButton*>())
    scroller->setFocusPolicy(Qt::NoFocus);  // as the arrow keys
  connect(tabs, &OpenTabs::changed, this, &CodeTabs::fill);
  connect(edits, &Edits::drafts_changed, this, &CodeTabs::fill);
  connect(context.session, &Session::run_shown, this, &CodeTabs::fill);
  connect(this, &QTabBar::tabMoved, tabs, &OpenTabs::move);
  connect(this, &QTabBar::currentChanged, this, [this](int index) {
    if (!filling_) tabs_->go_to(candidate_at(index));
  });
}

std::int64_t CodeTabs::candidate_at(int index) const {
  return index < 0 || index >= count() ? 0 : tabData(index).toLongLong();
}

void CodeTabs::fill() {
  filling_ = true;
  const auto& all = tabs_->all();
  while (count() > static_cast<int>(all.size())) removeTab(count() - 1);
  while (count() < static_cast<int>(all.size())) add_close_button(addTab(QString()));
  for (int i = 0; i < count(); ++i) fill_tab(i);
  if (const int now = tabs_->index_of(tabs_->current()); now >= 0) setCurrentIndex(now);
  filling_ = false;
  update();
}

void CodeTabs::fill_tab(int index) {
  const OpenTab& tab = tabs_->all()[static_cast<std::size_t>(index)];
  const bool known = tab.run != 0 || !tab.row.hash.empty();
  const QString number = "#" + QString::number(tab.row.id);
  QString text = known ? number + " " + CandidateModel::short_name(tab.row) : number;
  text = fontMetrics().elidedText(text, Qt::ElideRight, longest_tab * fontMetrics().averageCharWidth());
  if (edits_->has(tab.row.id)) text += tr(" \u00b7 draft");
  setTabData(index, static_cast<qlonglong>(tab.row.id));
  if (text.replace('&', "&&") != tabText(index)) setTabText(index, text);
  const store::CandidateState state = context_.candidates->state_of(tab.row);
  const bool limited = tab.row.partial() || tab.row.proved_at == evidence::ProvedAt::smaller_shapes;
  setTabIcon(index, known ? Theme::instance().icon(limited ? QStringLiteral("partial") : state_icon(state),
                                                   tab.row.imported ? QStringLiteral("muted") : state_token(state))
                          : QIcon());
  setTabToolTip(index, tip_of(tab));
  setAccessibleTabName(index, QStringList{text, state_of(tab)}.join(", "));
  if (auto* close = qobject_cast<QToolButton*>(tabButton(index, QTabBar::RightSide))) {
    name_it(close, tr("Close %1").arg(number), tr("Close the tab"));
    close->setEnabled(tabs_->can_close(tab.row.id));
  }
}

QString CodeTabs::state_of(const OpenTab& tab) const {
  QStringList words = {tab.row.partial() ? CandidateModel::verdict_of(tab.row)
                                         : state_title(context_.candidates->state_of(tab.row))};
  if (edits_->has(tab.row.id)) words << tr("with an unjudged draft");
  if (!tab.kept) words << tr("preview");
  return words.join(", ");
}

QString CodeTabs::tip_of(const OpenTab& tab) const {
  QStringList lines = {"#" + QString::number(tab.row.id) + " " + CandidateModel::name_of(tab.row), state_of(tab)};
  if (tab.run != 0 && tab.run != context_.session->shown_run()) lines << tr("Of run %1, which it opens").arg(tab.run);
  if (!tab.kept) lines << tr("The next selection replaces it. Double-click to keep it open");
  return lines.join("\n");
}

void CodeTabs::add_close_button(int index) {
  auto* close = make_icon_tool(this, "close", tr("Close"), tr("Close the tab"));
  close->setProperty("role", "tab_close");
  close->setAutoRaise(true);
  close->setIconSize({12, 12});
  close->setFocusPolicy(Qt::NoFocus);  // Ctrl+W closes the tab
  connect(close, &QToolButton::clicked, this, [this, close] {
    for (int i = 0; i < count(); ++i)
      if (tabButton(i, QTabBar::RightSide) == close) return tabs_->close(candidate_at(i));
  });
  setTabButton(index, QTabBar::RightSide, close);
}

QSize CodeTabs::tabSizeHint(int index) const { return QTabBar::tabSizeHint(index) + QSize(italic_overhang, 0); }

// As QTabBar does it, with a font for each tab.
void CodeTabs::paintEvent(QPaintEvent*) {
  QStylePainter painter(this);
  const auto draw = [&](int index) {
    QStyleOptionTab option;
    initStyleOption(&option, index);
    if (!option.rect.intersects(rect())) return;
    if (tabs_->current() == 0) option.state &= ~QStyle::State_Selected;
    QFont own = font();
    own.setItalic(!tabs_->all()[static_cast<std::size_t>(index)].kept);
    painter.setFont(own);
    painter.drawControl(QStyle::CE_TabBarTab, option);
  };
  for (int i = 0; i < count(); ++i)
    if (i != currentIndex()) draw(i);
  if (currentIndex() >= 0) draw(currentIndex());
}

void CodeTabs::mousePressEvent(QMouseEvent* event) {
  const int at = tabAt(event->position().toPoint());
  const bool again = event->button() == Qt::LeftButton && at >= 0 && at == currentIndex();
  QTabBar::mousePressEvent(event);
  if (again) tabs_->go_to(candidate_at(at));  // where no candidate is selected
  if (event->button() == Qt::MiddleButton) event->accept();
}

void CodeTabs::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::MiddleButton) return QTabBar::mouseReleaseEvent(event);
  tabs_->close(candidate_at(tabAt(event->position().toPoint())));
}

void CodeTabs::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) tabs_->keep(candidate_at(tabAt(event->position().toPoint())));
}

void CodeTabs::wheelEvent(QWheelEvent* event) { event->ignore(); }  // it would select other candidates

void CodeTabs::contextMenuEvent(QContextMenuEvent* event) {
  const bool keyboard = event->reason() == QContextMenuEvent::Keyboard;
  const int at = keyboard ? currentIndex() : tabAt(event->pos());
  if (at < 0) return;
  menu_of(candidate_at(at))->popup(mapToGlobal(keyboard ? tabRect(at).bottomLeft() : event->pos()));
}

QMenu* CodeTabs::menu_of(std::int64_t candidate) {
  auto* menu = with_id(new QMenu(this), "code_tab_menu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const bool current = candidate == tabs_->current();
  const int at = tabs_->index_of(candidate);
  menu->addAction(tr("&Keep open"), this, [this, candidate] { tabs_->keep(candidate); })
      ->setEnabled(!tabs_->all()[static_cast<std::size_t>(at)].kept);
  menu->addAction(tr("Show &beside"), this, [this, candidate] { emit beside_wanted(candidate); });
  menu->addAction(tr("&Differences from the selected one"), this,
                  [this, candidate] {
                    context_.selection->set_baseline(candidate);
                    context_.registry->trigger("diff.baseline");
                  })
      ->setEnabled(!current && tabs_->current() != 0);
  menu->addSeparator();
  menu->addAction(tr("&Close"), this, [this, candidate] { tabs_->close(candidate); })
      ->setEnabled(tabs_->can_close(candidate));
  menu->addAction(tr("Close the &others"), this, [this, candidate] { tabs_->close_others(candidate); })
      ->setEnabled(count() > 1);
  return menu;
}

}  // namespace ww::widgets
