// SPDX-License-Identifier: GPL-3.0-or-later
// The window's panels as docks, in four workspaces; each remembers the user's arrangement.
#pragma once
#include <QByteArray>
#include <QHash>
#include <QList>
#include <QObject>
#include <QPointer>
#include <QStringList>
#include <QVariantMap>
#include "shell/window/layouts.h"

class QDockWidget;
class QMainWindow;
class QSettings;

namespace ww::widgets {

class Docks : public QObject {
  Q_OBJECT
 public:
  static constexpr int version = 3;  // of stored layouts: other versions are ignored
  explicit Docks(QMainWindow* window);
  QDockWidget* add(const QString& id, const QString& title, QWidget* panel);  // hidden until a layout shows it
  const QList<QDockWidget*>& all() const { return docks_; }
  QDockWidget* find(const QString& id) const;
  static QWidget* panel_of(const QDockWidget* dock);
  QStringList ids() const;
  QString current() const { return current_; }

  void choose(const QString& layout);  // saves the current arrangement
  void reset();                        // restores the current one's default
  void show(const QString& id);        // in front, with the focus
  bool detach_focused();               // or attach; false: no panel has the focus
  bool maximise_focused();             // or as before; false: no panel has the focus
  void maximise(QDockWidget* dock);    // hides all others, or shows them again
  bool maximised() const { return !before_.isEmpty(); }
  void let_go();      // the window is taken apart
  void bring_back();  // floating docks that no screen shows
  void save(QSettings& settings);
  void restore(const QSettings& settings);  // all of them; shows the last one

 signals:
  void layout_changed(const QString& layout);
  void rearranged();  // by the user, or by the window

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  void arrange();           // lays out the current one from its data
  LayoutNode root() const;  // of the current one, for the window's width
  void place(const LayoutNode& node);
  void size_parts(const LayoutNode& node, QSize room);
  QDockWidget* handle_of(const LayoutNode& node, LayoutNode::Kind along) const;
  void place_new(const QStringList& known);
  void apply_state();
  void hold();
  void let_paint();
  void update_titles();
  void keep();
  void unmaximise();
  QDockWidget* focused() const;
  void refocus();                                             // after a switch hid what had the focus
  QDockWidget* of_tab(QObject* bar, const QPoint& at) const;  // null: it is no tab bar of docks
  int tabs_height(const QDockWidget* dock) const;
  void take_shares();  // of the window, that the docks have now
  void give_shares();  // after the window's size has changed
  QMainWindow* window_;
  QList<QDockWidget*> docks_;
  QHash<QDockWidget*, QSizeF> shares_;
  QString current_;
  QHash<QString, QByteArray> states_;
  QHash<QString, QVariantMap> kept_shares_;  // of each layout: shares_ by the docks' names
  QHash<QString, QStringList> known_;        // docks in a stored state
  QHash<QString, QPointer<QWidget>> focus_;  // what had it when the layout was left
  QHash<QString, bool> as_at_first_;         // the user has not changed it
  bool untouched_ = false, switching_ = false;
  bool wide_ = false;  // the window, when it was arranged
  QByteArray before_;  // how the docks stood when one was maximised; empty: none is
};

}  // namespace ww::widgets
