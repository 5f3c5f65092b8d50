// SPDX-License-Identifier: GPL-3.0-or-later
// All actions of the window: menus, toolbar, shortcuts, command palette and the help page use it.
#pragma once
#include <QAction>
#include <QHash>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <functional>

class QMenu;
class QSettings;

namespace ww::widgets {

struct ActionInfo {
  QString id;        // "run.explore"
  QString category;  // "Run"
  QAction* action = nullptr;
  QKeySequence first_key;  // the default
};

class Registry : public QObject {
  Q_OBJECT
 public:
  explicit Registry(QWidget* window);  // actions belong to the window, so that their shortcuts work everywhere in it
  QAction* add(const QString& id, const QString& category, const QString& text, const QKeySequence& shortcut,
               const QString& icon, const QString& summary, std::function<void()> run);
  // Registers an existing action (a dock's toggle, a theme in a group).
  QAction* adopt(const QString& id, const QString& category, QAction* action);
  QAction* action(const QString& id) const;
  void trigger(const QString& id) const;  // does nothing if there is no such action
  const ActionInfo* find(const QString& id) const;
  const ActionInfo* owner_of(const QKeySequence& key, const QString& but = {}) const;  // null: the key is unused
  // Why this key cannot be assigned to the action, in a sentence; empty: it can.
  QString why_not(const QString& id, const QKeySequence& key) const;
  void set_key(const QString& id, const QKeySequence& key);  // empty: none
  void reset_key(const QString& id);                         // also for an action that took this one's key
  void reset_keys();
  bool changed_key(const ActionInfo& info) const { return info.action->shortcut() != info.first_key; }
  void load(const QSettings& settings);  // also applies to actions added later
  void save(QSettings& settings) const;
  static QString plain_text(const QAction* action);  // without mnemonics and dots
  const QList<ActionInfo>& all() const { return actions_; }
  QStringList categories() const;                        // in order of first appearance
  void fill(QMenu* menu, const QStringList& ids) const;  // "-" is a separator

 signals:
  void keys_changed();

 private:
  void give(const ActionInfo& info, const QKeySequence& key);
  QWidget* window_;
  QList<ActionInfo> actions_;
  QHash<QString, QString> own_keys_;  // the user's, as portable text; empty text: none
};

}  // namespace ww::widgets
