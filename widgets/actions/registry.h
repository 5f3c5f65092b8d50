// SPDX-License-Identifier: GPL-3.0-or-later
// Every action of the window, once: menus, toolbar, shortcuts, command palette and the help page read it here.
#pragma once
#include <QAction>
#include <QHash>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <functional>

class QMenu;

namespace ww::widgets {

struct ActionInfo {
  QString id;          // "run.explore"
  QString category;    // "Run"
  QAction* action = nullptr;
};

class Registry : public QObject {
  Q_OBJECT
 public:
  explicit Registry(QWidget* window);  // actions belong to the window, so that their shortcuts work in all of it
  QAction* add(const QString& id, const QString& category, const QString& text, const QKeySequence& shortcut, const QString& icon,
               const QString& summary, std::function<void()> run);
  // Takes an action made elsewhere (a dock's toggle, a theme in a group).
  QAction* adopt(const QString& id, const QString& category, QAction* action);
  QAction* action(const QString& id) const;
  const QList<ActionInfo>& all() const { return actions_; }
  QStringList categories() const;      // in order of first appearance
  void fill(QMenu* menu, const QStringList& ids) const;  // "-" is a separator

 private:
  void dress();                        // icons in the theme's colours
  QWidget* window_;
  QList<ActionInfo> actions_;
  QHash<QString, QString> icons_;
};

}  // namespace ww::widgets
