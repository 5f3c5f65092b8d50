// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/docks.h"
#include <QApplication>
#include <QDockWidget>
#include <QEvent>
#include <QLayout>
#include <QMainWindow>
#include <QMouseEvent>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QTabBar>
#include <QTimer>
#include <algorithm>
#include <utility>
#include "parts/theme/controls.h"
#include "parts/theme/page_stack.h"

namespace ww::widgets {

namespace {

// A panel that has less room than it needs is scrolled, so that the window never grows beyond the screen and nothing is
// cut off. Unlike Qt's own resizing, which gives a panel of wrapped texts the height that it would like.
class DockHost : public QScrollArea {
 public:
  explicit DockHost(QWidget* parent) : QScrollArea(parent) {
    setFrameShape(NoFrame);
    setFocusPolicy(Qt::NoFocus);
  }
  QSize sizeHint() const override { return widget() ? widget()->sizeHint() : QSize(80, 60); }
  QSize minimumSizeHint() const override {
    return widget() ? widget()->minimumSizeHint().boundedTo({200, 110}).expandedTo({80, 60}) : QSize(80, 60);
  }

 protected:
  bool event(QEvent* event) override {
    if (event->type() == QEvent::LayoutRequest) fit();
    return QScrollArea::event(event);
  }
  void resizeEvent(QResizeEvent* event) override {
    fit();
    QScrollArea::resizeEvent(event);
  }

 private:
  void fit() {
    QWidget* panel = widget();
    if (!panel) return;
    QSize room = maximumViewportSize();
    const int least = panel->minimumSizeHint().expandedTo(panel->minimumSize()).width();
    if (least > room.width()) room.rheight() -= horizontalScrollBar()->sizeHint().height();
    int width = std::max(room.width(), least);
    if (least_height(panel, width) > room.height())
      width = std::max(room.width() - verticalScrollBar()->sizeHint().width(), least);
    panel->resize(width, std::max(room.height(), least_height(panel, width)));
  }
};

QWidget* first_focus_in(QWidget* panel) {
  if (panel->focusPolicy() != Qt::NoFocus || panel->focusProxy()) return panel;
  for (QWidget* w = panel->nextInFocusChain(); w != panel; w = w->nextInFocusChain())
    if (panel->isAncestorOf(w) && w->isVisible() && w->isEnabled() && (w->focusPolicy() & Qt::TabFocus)) return w;
  return panel;
}

}  // namespace

Docks::Docks(QMainWindow* window) : QObject(window), window_(window) {
  window->setDockNestingEnabled(true);
  window->setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks);
  window->setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  window->installEventFilter(this);
  current_ = layouts().front().id;
  connect(qGuiApp, &QGuiApplication::screenRemoved, this, [this] { QTimer::singleShot(0, this, &Docks::bring_back); });
}

QDockWidget* Docks::add(const QString& id, const QString& title, QWidget* panel) {
  auto* dock = with_id(new QDockWidget(title, window_), id);
  dock->setAccessibleName(title);
  panel->setAccessibleName(panel->accessibleName().isEmpty() ? title : panel->accessibleName());
  auto* host = new DockHost(dock);
  dock->setWidget(host);
  window_->addDockWidget(Qt::LeftDockWidgetArea, dock);
  dock->hide();
  dock->installEventFilter(this);
  host->setWidget(panel);  // last: each reparenting restyles the whole panel
  panel->show();
  docks_.append(dock);
  const auto moved = [this] {
    if (switching_) return;
    update_titles();
    QTimer::singleShot(0, this, &Docks::take_shares);
    emit rearranged();
  };
  connect(dock, &QDockWidget::topLevelChanged, this, [this, moved] {
    untouched_ &= switching_;
    moved();
  });
  connect(dock, &QDockWidget::dockLocationChanged, this, moved);
  // Qt calls a dock behind another tab "visible": its panel is hidden, so that it does not work unseen.
  connect(dock, &QDockWidget::visibilityChanged, this, [this, dock, panel, moved](bool visible) {
    panel->setVisible(visible);
    if (dock->isHidden()) untouched_ &= switching_;
    moved();
    if (visible && dock->isFloating() && !switching_) bring_back();
    // Closed while it alone is shown: the others come back, as nothing else would be in sight.
    if (!visible && dock->isHidden() && maximised() && !switching_) QTimer::singleShot(0, this, &Docks::unmaximise);
  });
  return dock;
}

QDockWidget* Docks::find(const QString& id) const {
  for (QDockWidget* dock : docks_)
    if (dock->objectName() == id) return dock;
  return nullptr;
}

void Docks::let_go() {
  for (QDockWidget* dock : docks_) {
    dock->disconnect(this);
    dock->removeEventFilter(this);
  }
  window_->removeEventFilter(this);
}

QStringList Docks::ids() const {
  QStringList ids;
  for (const QDockWidget* dock : docks_) ids += dock->objectName();
  return ids;
}

QWidget* Docks::panel_of(const QDockWidget* dock) {
  const auto* host = qobject_cast<QScrollArea*>(dock->widget());
  return host ? host->widget() : dock->widget();
}

void Docks::place(const LayoutNode& node) {
  for (qsizetype i = 1; i < node.ids.size(); ++i) window_->tabifyDockWidget(find(node.ids[i - 1]), find(node.ids[i]));
  const Qt::Orientation along = node.kind == LayoutNode::row ? Qt::Horizontal : Qt::Vertical;
  for (std::size_t i = 1; i < node.parts.size(); ++i)
    window_->splitDockWidget(find(docks_of(node.parts[i - 1]).first()), find(docks_of(node.parts[i]).first()), along);
  for (const LayoutNode& part : node.parts) place(part);
}

// A dock whose nearest row or column is `along`: to size it sizes the node among its siblings.
QDockWidget* Docks::handle_of(const LayoutNode& node, LayoutNode::Kind along) const {
  if (node.kind == LayoutNode::tabs) return find(node.ids.first());
  if (node.kind == along) return nullptr;
  for (const LayoutNode& part : node.parts)
    if (QDockWidget* dock = handle_of(part, along)) return dock;
  return nullptr;
}

void Docks::size_parts(const LayoutNode& node, QSize room) {
  if (node.kind == LayoutNode::tabs) return;
  const bool across = node.kind == LayoutNode::row;
  int whole = 0;
  for (const LayoutNode& part : node.parts) whole += part.size;
  QList<QDockWidget*> handles;
  QList<int> sizes;
  for (const LayoutNode& part : node.parts) {
    const int size = (across ? room.width() : room.height()) * part.size / std::max(1, whole);
    if (QDockWidget* dock = handle_of(part, node.kind)) {
      handles.append(dock);
      sizes.append(size);
    }
    size_parts(part, across ? QSize(size, room.height()) : QSize(room.width(), size));
  }
  window_->resizeDocks(handles, sizes, across ? Qt::Horizontal : Qt::Vertical);
}

LayoutNode Docks::root() const {
  const Layout* layout = layout_of(current_);
  return layout ? pruned(layout->root_for(window_->width()), ids()) : LayoutNode();
}

// Nothing is painted while the docks change places.
void Docks::hold() {
  switching_ = true;
  window_->setUpdatesEnabled(false);
}

// A dock that became a window of its own meanwhile is passed over by Qt, which goes through the window's children.
void Docks::let_paint() {
  window_->setUpdatesEnabled(true);
  for (QDockWidget* dock : docks_) dock->setUpdatesEnabled(true);
  switching_ = false;
}

void Docks::arrange() {
  const LayoutNode root = this->root();
  const QStringList shown = docks_of(root);
  if (shown.isEmpty()) return;
  hold();
  for (QDockWidget* dock : docks_) {
    dock->setFloating(false);
    window_->removeDockWidget(dock);
  }
  window_->addDockWidget(Qt::LeftDockWidgetArea, find(shown.first()), Qt::Vertical);
  place(root);
  // What the layout does not show has its place among the tabs of the code, for when it is asked for.
  QDockWidget* home = find(shown.contains("code") ? QStringLiteral("code") : shown.last());
  for (QDockWidget* dock : docks_) {
    const bool listed = shown.contains(dock->objectName());
    if (!listed) window_->tabifyDockWidget(home, dock);
    dock->setVisible(listed);
  }
  for (const QString& id : shown)
    if (tabs_with(root, id)->ids.first() == id) find(id)->raise();
  size_parts(root, window_->size());
  untouched_ = true;
  wide_ = window_->width() >= wide_window;
  let_paint();
  update_titles();
}

void Docks::place_new(const QStringList& known) {
  const LayoutNode shown = root();
  for (QDockWidget* dock : docks_) {
    if (dock->isFloating() || window_->dockWidgetArea(dock) != Qt::NoDockWidgetArea) continue;
    const LayoutNode* tabs = tabs_with(shown, dock->objectName());
    QDockWidget* beside = nullptr;
    for (const QString& id : tabs ? tabs->ids : QStringList())
      if (QDockWidget* d = find(id);
          d && d != dock && !d->isFloating() && window_->dockWidgetArea(d) != Qt::NoDockWidgetArea)
        beside = d;
    for (QDockWidget* d : docks_)
      if (!beside && d != dock && !d->isFloating() && window_->dockWidgetArea(d) != Qt::NoDockWidgetArea) beside = d;
    if (!beside) {
      window_->addDockWidget(Qt::LeftDockWidgetArea, dock);
    } else {
      window_->tabifyDockWidget(beside, dock);
      if (!beside->isHidden()) beside->raise();
    }
    dock->setVisible(tabs != nullptr && !known.contains(dock->objectName()));
  }
}

void Docks::apply_state() {
  const QByteArray state = states_.value(current_);
  hold();
  const bool stale = as_at_first_.value(current_) &&
                     known_.value(current_) != ids();  // there are new panels: the data say where they stand
  const bool good = !state.isEmpty() && !stale && window_->restoreState(state, version);
  if (good) place_new(known_.value(current_));
  let_paint();
  untouched_ = as_at_first_.value(current_);
  wide_ = window_->width() >= wide_window;
  bool any = false;
  for (QDockWidget* dock : docks_) any |= !dock->isHidden();
  if (!good || !any) arrange();
  update_titles();
  bring_back();
  // Qt restores sizes in pixels before the window has its bars and its size: the shares are what holds.
  shares_.clear();
  if (good && any && !untouched_)
    for (const QVariantMap kept = kept_shares_.value(current_); const QString& id : kept.keys())
      if (QDockWidget* dock = find(id)) shares_[dock] = kept.value(id).toSizeF();
  QTimer::singleShot(0, this, [this] {
    if (shares_.isEmpty())
      take_shares();
    else
      give_shares();
  });
}

void Docks::take_shares() {
  if (maximised()) return;
  shares_.clear();
  for (QDockWidget* dock : docks_)
    if (!dock->isHidden() && !dock->isFloating() && panel_of(dock)->isVisible())
      shares_[dock] = {dock->width() / static_cast<double>(window_->width()),
                       dock->height() / static_cast<double>(window_->height())};
}

// Of the tab bar that Qt counts to the height of its docks; 0: it has none.
int Docks::tabs_height(const QDockWidget* dock) const {
  for (const QTabBar* bar : window_->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
    for (int i = 0; bar->isVisible() && i < bar->count(); ++i)
      if (bar->tabText(i) == dock->windowTitle()) return bar->height();
  return 0;
}

// Qt takes from some docks what a smaller window lacks, and gives it to others when the window grows again.
void Docks::give_shares() {
  QList<QDockWidget*> docks;
  QList<int> widths, heights;
  for (auto it = shares_.cbegin(); it != shares_.cend(); ++it) {
    QDockWidget* dock = it.key();
    if (dock->isHidden() || dock->isFloating() || !panel_of(dock)->isVisible()) continue;
    docks.append(dock);
    widths.append(qRound(it->width() * window_->width()));
    heights.append(qRound(it->height() * window_->height()) + tabs_height(dock));
  }
  window_->resizeDocks(docks, widths, Qt::Horizontal);
  window_->resizeDocks(docks, heights, Qt::Vertical);
  window_->layout()->activate();  // now: else the shares might be taken before the docks have them
}

void Docks::keep() {
  states_[current_] = maximised() ? before_ : window_->saveState(version);
  known_[current_] = ids();
  as_at_first_[current_] = untouched_;
  if (window_->isVisible()) take_shares();
  QVariantMap shares;
  for (auto it = shares_.cbegin(); it != shares_.cend(); ++it) shares[it.key()->objectName()] = it.value();
  kept_shares_[current_] = shares;
}

void Docks::choose(const QString& layout) {
  if (!layout_of(layout)) return;
  if (layout != current_) {
    keep();
    before_.clear();
    const bool had_focus = focused() != nullptr;
    focus_[current_] = had_focus ? QApplication::focusWidget() : nullptr;
    current_ = layout;
    apply_state();
    if (had_focus && !focused()) refocus();
  }
  emit layout_changed(current_);
  emit rearranged();
}

void Docks::reset() {
  before_.clear();
  states_.remove(current_);
  arrange();
  emit rearranged();
}

void Docks::show(const QString& id) {
  QDockWidget* dock = find(id);
  if (!dock) return;
  if (dock->isHidden()) unmaximise();
  if (dock->isHidden()) untouched_ = false;
  dock->show();
  dock->raise();
  if (dock->isFloating()) dock->activateWindow();
  first_focus_in(panel_of(dock))->setFocus(Qt::OtherFocusReason);
}

// Without this, Qt gives it to the first button of the tool bar.
void Docks::refocus() {
  if (QWidget* last = focus_.value(current_); last && last->isVisible()) return last->setFocus(Qt::OtherFocusReason);
  for (const QString& id : docks_of(root()))
    if (const QDockWidget* dock = find(id); dock && dock->isVisible() && !panel_of(dock)->visibleRegion().isEmpty())
      return first_focus_in(panel_of(dock))->setFocus(Qt::OtherFocusReason);
}

QDockWidget* Docks::focused() const {
  const auto* focus = qobject_cast<QWidget*>(QApplication::focusObject());
  for (QDockWidget* dock : docks_)
    if (focus && dock->isAncestorOf(focus)) return dock;
  return nullptr;
}

bool Docks::detach_focused() {
  QDockWidget* dock = focused();
  if (!dock) return false;
  QWidget* focus = QApplication::focusWidget();
  unmaximise();
  dock->setFloating(!dock->isFloating());
  if (dock->isFloating()) {
    dock->move(dock->pos() +
               QPoint(grid::section, grid::section));  // beside its place: one sees that it is a window now
    dock->activateWindow();
  } else {
    window_->activateWindow();
  }
  if (focus) focus->setFocus(Qt::OtherFocusReason);
  return true;
}

bool Docks::maximise_focused() {
  if (maximised()) {
    unmaximise();
    return true;
  }
  QDockWidget* dock = focused();
  if (!dock || dock->isFloating()) return false;
  maximise(dock);
  return true;
}

void Docks::maximise(QDockWidget* dock) {
  if (maximised()) return unmaximise();
  take_shares();
  before_ = window_->saveState(version);
  switching_ = true;
  for (QDockWidget* other : docks_)
    if (other != dock && !other->isFloating()) other->hide();
  switching_ = false;
  update_titles();
  first_focus_in(panel_of(dock))->setFocus(Qt::OtherFocusReason);
  emit rearranged();
}

void Docks::unmaximise() {
  if (!maximised()) return;
  const QByteArray before = std::exchange(before_, QByteArray());
  QDockWidget* const dock = focused();
  QWidget* const focus = QApplication::focusWidget();
  hold();
  window_->restoreState(before, version);
  let_paint();
  update_titles();
  give_shares();
  if (dock) {  // it keeps the focus
    dock->raise();
    if (focus) focus->setFocus(Qt::OtherFocusReason);
  }
  emit rearranged();
}

QDockWidget* Docks::of_tab(QObject* bar, const QPoint& at) const {
  const auto* tabs = qobject_cast<QTabBar*>(bar);
  const int tab = tabs && tabs->parentWidget() == window_ ? tabs->tabAt(at) : -1;
  if (tab < 0) return nullptr;
  for (QDockWidget* dock : docks_)  // those of a tab bar are told by their titles, as Qt does
    if (!dock->isHidden() && dock->windowTitle() == tabs->tabText(tab)) return dock;
  return nullptr;
}

void Docks::bring_back() {
  for (QDockWidget* dock : docks_) {
    if (!dock->isFloating() || dock->isHidden()) continue;
    const QRect frame = dock->frameGeometry();
    const QRect handle(frame.x(), frame.y(), frame.width(), 32);  // by which it can be taken
    bool seen = false;
    for (const QScreen* screen : QGuiApplication::screens()) {
      const QRect part = screen->availableGeometry().intersected(handle);
      seen |= part.width() >= 64 && part.height() >= 16;
    }
    if (seen) continue;
    const QScreen* screen = window_->screen() ? window_->screen() : QGuiApplication::primaryScreen();
    const QRect room = screen->availableGeometry();
    dock->resize(dock->size().boundedTo(room.size() * 0.8));
    dock->move(room.center() - QPoint(dock->width() / 2, dock->height() / 2));
  }
}

// A panel among tabs has its name on the tab; its title bar would say it again.
void Docks::update_titles() {
  for (QDockWidget* dock : docks_) {
    bool in_tabs = false;
    if (!dock->isFloating())
      for (const QDockWidget* other : window_->tabifiedDockWidgets(dock)) in_tabs |= !other->isHidden();
    if (in_tabs == (dock->titleBarWidget() != nullptr)) continue;
    QWidget* old = dock->titleBarWidget();
    QWidget* none = nullptr;
    if (in_tabs) {
      none = new QWidget(dock);
      none->setMaximumHeight(0);
    }
    dock->setTitleBarWidget(none);
    if (old) old->deleteLater();
  }
  // Where all tabs do not fit, arrows lead to the others: a few letters of each would name none.
  for (QTabBar* bar : window_->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
    bar->removeEventFilter(this);
    bar->installEventFilter(this);
    bar->setElideMode(Qt::ElideNone);
    bar->setUsesScrollButtons(true);
    for (int i = 0; i < bar->count(); ++i) bar->setTabToolTip(i, bar->tabText(i));
  }
}

bool Docks::eventFilter(QObject* object, QEvent* event) {
  if (event->type() == QEvent::MouseButtonDblClick) {  // on a title or a tab
    auto* dock = qobject_cast<QDockWidget*>(object);
    if (!dock) dock = of_tab(object, static_cast<QMouseEvent*>(event)->pos());
    if (dock && !dock->isFloating()) {
      maximise(dock);
      return true;
    }
  }
  // A click on a tab goes to its panel; else Qt gives the focus of the panel that it hides to whatever comes next.
  if (event->type() == QEvent::MouseButtonRelease)
    if (QDockWidget* dock = of_tab(object, static_cast<QMouseEvent*>(event)->pos()))
      QTimer::singleShot(0, dock, [this, dock] {
        if (dock->isVisible() && panel_of(dock)->isVisible() && focused() != dock)
          first_focus_in(panel_of(dock))->setFocus(Qt::MouseFocusReason);
      });
  // A layout keeps its proportions: a default one those of its data, another those that the person gave it.
  if (object == window_ && (event->type() == QEvent::Show || event->type() == QEvent::Resize)) {
    QTimer::singleShot(0, this, [this] {
      const Layout* layout = layout_of(current_);
      if (maximised()) return;
      if (untouched_ && layout && !layout->wide.empty() && wide_ != (window_->width() >= wide_window))
        arrange();
      else if (untouched_ && layout)
        size_parts(root(), window_->size());
      else
        give_shares();
      if (untouched_ || shares_.isEmpty()) take_shares();
    });
  }
  if (object == window_ && event->type() == QEvent::MouseButtonRelease &&
      !switching_) {  // a separator was moved: they are the window's own
    untouched_ = false;
    take_shares();
    emit rearranged();
  }
  return QObject::eventFilter(object, event);
}

void Docks::save(QSettings& settings) {
  keep();
  settings.setValue("layouts/version", version);
  settings.setValue("layouts/current", current_);
  for (auto it = states_.cbegin(); it != states_.cend(); ++it) {
    settings.setValue("layouts/state_" + it.key(), it.value());
    settings.setValue("layouts/docks_" + it.key(), known_.value(it.key()));
    settings.setValue("layouts/first_" + it.key(), as_at_first_.value(it.key()));
    settings.setValue("layouts/shares_" + it.key(), kept_shares_.value(it.key()));
  }
}

void Docks::restore(const QSettings& settings) {
  if (settings.value("layouts/version").toInt() == version) {
    for (const Layout& layout : layouts()) {
      states_[layout.id] = settings.value("layouts/state_" + layout.id).toByteArray();
      known_[layout.id] = settings.value("layouts/docks_" + layout.id).toStringList();
      as_at_first_[layout.id] = settings.value("layouts/first_" + layout.id).toBool();
      kept_shares_[layout.id] = settings.value("layouts/shares_" + layout.id).toMap();
    }
    const QString last = settings.value("layouts/current").toString();
    if (layout_of(last)) current_ = last;
  }
  apply_state();
  emit layout_changed(current_);
}

}  // namespace ww::widgets
