// SPDX-License-Identifier: GPL-3.0-or-later
#include "actions/registry.h"
#include <QMenu>
#include <QWidget>
#include "theme/theme.h"

namespace ww::widgets {

Registry::Registry(QWidget* window) : QObject(window), window_(window) {
  connect(&Theme::instance(), &Theme::changed, this, &Registry::dress);
}

QAction* Registry::add(const QString& id, const QString& category, const QString& text, const QKeySequence& shortcut, const QString& icon,
                       const QString& summary, std::function<void()> run) {
  auto* action = new QAction(text, window_);
  action->setShortcut(shortcut);
  const QString key = shortcut.isEmpty() ? QString() : " (" + shortcut.toString(QKeySequence::NativeText) + ")";
  action->setToolTip(summary + key);
  action->setStatusTip(summary);
  if (run) connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
  if (!icon.isEmpty()) {
    icons_[id] = icon;
    action->setIcon(Theme::instance().icon(icon));
  }
  return adopt(id, category, action);
}

QAction* Registry::adopt(const QString& id, const QString& category, QAction* action) {
  action->setObjectName(id);
  window_->addAction(action);
  actions_.append({id, category, action});
  return action;
}

QAction* Registry::action(const QString& id) const {
  for (const ActionInfo& info : actions_)
    if (info.id == id) return info.action;
  return nullptr;
}

QStringList Registry::categories() const {
  QStringList names;
  for (const ActionInfo& info : actions_)
    if (!names.contains(info.category)) names.append(info.category);
  return names;
}

void Registry::fill(QMenu* menu, const QStringList& ids) const {
  for (const QString& id : ids) {
    if (id == "-")
      menu->addSeparator();
    else if (QAction* a = action(id))
      menu->addAction(a);
  }
}

void Registry::dress() {
  for (const ActionInfo& info : actions_)
    if (icons_.contains(info.id)) info.action->setIcon(Theme::instance().icon(icons_[info.id]));
}

}  // namespace ww::widgets
