// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/actions/registry.h"
#include <QMenu>
#include <QSettings>
#include <QWidget>
#include "parts/theme/theme.h"

namespace ww::widgets {

Registry::Registry(QWidget* window) : QObject(window), window_(window) {}

QAction* Registry::add(const QString& id, const QString& category, const QString& text, const QKeySequence& shortcut,
                       const QString& icon, const QString& summary, std::function<void()> run) {
  auto* action = new QAction(text, window_);
  action->setShortcut(shortcut);
  action->setStatusTip(summary);
  if (run) connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
  if (!icon.isEmpty()) action->setIcon(Theme::instance().icon(icon));
  return adopt(id, category, action);
}

QAction* Registry::adopt(const QString& id, const QString& category, QAction* action) {
  action->setObjectName(id);
  window_->addAction(action);
  actions_.append({id, category, action, action->shortcut()});
  give(actions_.last(),
       own_keys_.contains(id) ? QKeySequence(own_keys_[id], QKeySequence::PortableText) : action->shortcut());
  return action;
}

const ActionInfo* Registry::find(const QString& id) const {
  for (const ActionInfo& info : actions_)
    if (info.id == id) return &info;
  return nullptr;
}

QAction* Registry::action(const QString& id) const {
  const ActionInfo* info = find(id);
  return info ? info->action : nullptr;
}

void Registry::trigger(const QString& id) const {
  if (QAction* found = action(id)) found->trigger();
}

const ActionInfo* Registry::owner_of(const QKeySequence& key, const QString& but) const {
  for (const ActionInfo& info : actions_)
    if (!key.isEmpty() && info.id != but && info.action->shortcuts().contains(key)) return &info;
  return nullptr;
}

QString Registry::why_not(const QString& id, const QKeySequence& key) const {
  if (key.isEmpty()) return {};
  const QString name = key.toString(QKeySequence::NativeText);
  if (const ActionInfo* owner = owner_of(key, id))
    return tr("%1 is already the key of \"%2: %3\". Choose another one, or remove it there first.")
        .arg(name, owner->category, plain_text(owner->action));
  const QKeyCombination first = key[0];
  const bool plain = (first.keyboardModifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) == 0;
  if (plain && (first.key() < Qt::Key_F1 || first.key() > Qt::Key_F35))
    return tr("%1 alone is needed for typing and navigation. Combine it with Ctrl or Alt, or use a function key.")
        .arg(name);
  return {};
}

void Registry::give(const ActionInfo& info, const QKeySequence& key) {
  info.action->setShortcut(key);
  const QString tip = info.action->statusTip().isEmpty() ? plain_text(info.action) : info.action->statusTip();
  info.action->setToolTip(key.isEmpty() ? tip : tip + " (" + key.toString(QKeySequence::NativeText) + ")");
}

void Registry::set_key(const QString& id, const QKeySequence& key) {
  const ActionInfo* info = find(id);
  if (!info || info->action->shortcut() == key) return;
  if (key == info->first_key)
    own_keys_.remove(id);
  else
    own_keys_[id] = key.toString(QKeySequence::PortableText);
  give(*info, key);
  emit keys_changed();
}

void Registry::reset_key(const QString& id) {
  const ActionInfo* info = find(id);
  if (!info) return;
  if (const ActionInfo* owner = owner_of(info->first_key, id)) set_key(owner->id, {});
  set_key(id, info->first_key);
}

void Registry::reset_keys() {
  own_keys_.clear();
  for (const ActionInfo& info : actions_) give(info, info.first_key);
  emit keys_changed();
}

void Registry::load(const QSettings& settings) {
  const QVariantMap keys = settings.value("window/keys").toMap();
  own_keys_.clear();
  for (auto it = keys.cbegin(); it != keys.cend(); ++it) own_keys_[it.key()] = it.value().toString();
  for (const ActionInfo& info : actions_)
    if (own_keys_.contains(info.id)) give(info, QKeySequence(own_keys_[info.id], QKeySequence::PortableText));
  emit keys_changed();
}

void Registry::save(QSettings& settings) const {
  QVariantMap keys;
  for (auto it = own_keys_.cbegin(); it != own_keys_.cend(); ++it) keys[it.key()] = it.value();
  settings.setValue("window/keys", keys);
}

QString Registry::plain_text(const QAction* action) {
  QString text = action->text();
  text.remove('&');
  while (text.endsWith('.')) text.chop(1);
  return text;
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

}  // namespace ww::widgets
