// SPDX-License-Identifier: GPL-3.0-or-later
// The window's panels as docks, in four workspaces; each remembers where the user has moved them.
#pragma once
#include <QByteArray>
#include <QHash>
#include <QList>
#include <QObject>
#include <QStringList>
#include "shell/window/layouts.h"

class QDockWidget;
class QMainWindow;
class QSettings;

namespace ww::widgets {

class Docks : public QObject {
  Q_OBJECT
 public:
  static constexpr int version = 3;  // of stored layouts: those of another version are not used
  explicit Docks(QMainWindow* window);
  QDockWidget* add(const QString& id, const QString& title, QWidget* panel);  // hidden until a layout shows it
  const QList<QDockWidget*>& all() const { return docks_; }
  QDockWidget* find(const QString& id) const;
  static QWidget* panel_of(const QDockWidget* dock);
  QStringList ids() const;
  QString current() const { return current_; }

  void choose(const QString& layout);  // keeps how the present one stands
  void reset();                        // the current one as it was at first
  void show(const QString& id);        // in front, with the focus
  bool detach_focused();               // or attach; false: no panel has the focus
  void let_go();                       // the window is taken apart
  void bring_back();                   // floating docks that no screen shows
  void save(QSettings& settings);
  void restore(const QSettings& settings);  // all of them; shows the last one

 signals:
  void layout_changed(const QString& layout);
  void rearranged();  // by the person, or by the window

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  void arrange();           // the current one by its data
  LayoutNode root() const;  // of the current one, for the window's width
  void place(const LayoutNode& node);
  void size_parts(const LayoutNode& node, QSize room);
  QDockWidget* handle_of(const LayoutNode& node, LayoutNode::Kind along) const;
  void place_new(const QStringList& known);
  void apply_state();
  void update_titles();
  void keep();
  void take_shares();  // of the window, that the docks have now
  void give_shares();  // after the window's size has changed
  QMainWindow* window_;
  QList<QDockWidget*> docks_;
  QHash<QDockWidget*, QSizeF> shares_;
  QString current_;
  QHash<QString, QByteArray> states_;
  QHash<QString, QStringList> known_;  // docks that a stored state knows
  QHash<QString, bool> as_at_first_;   // the person has moved nothing
  bool untouched_ = false, switching_ = false;
  bool wide_ = false;  // the window, when it was arranged
};

}  // namespace ww::widgets
