// SPDX-License-Identifier: GPL-3.0-or-later
// Notices: a bar that stays until answered, and a notification at the end of a run if the window is not active.
#pragma once
#include <QFrame>
#include <functional>

class QMainWindow;
class QPushButton;
class QSystemTrayIcon;
class QTimer;
class QToolBar;

namespace ww::widgets {

class Label;

class NoticeBar : public QObject {  // below the toolbar
  Q_OBJECT
 public:
  explicit NoticeBar(QMainWindow* window);
  void ask(const QString& text, const QString& answer,
           std::function<void()> act);  // a later question replaces an earlier one
  void close();
  bool open() const;
  QString text() const;
  void keep_hidden();  // keeps a restored layout from showing it

 private:
  QToolBar* bar_;
  Label* text_;
  QPushButton *answer_, *dismiss_;
  std::function<void()> act_;
  bool open_ = false;
};

class Toast : public QFrame {  // in a corner of the window, for a few seconds
  Q_OBJECT
 public:
  static constexpr int seconds = 8;
  explicit Toast(QWidget* window);
  void say(const QString& text);

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  void place();
  Label* text_;
  QTimer* timer_;
};

class RunNotifier : public QObject {
  Q_OBJECT
 public:
  explicit RunNotifier(QMainWindow* window);
  void run_ended(const QString& text);  // silent while the window is active
  int said() const { return said_; }

 private:
  QMainWindow* window_;
  Toast* toast_;
  QSystemTrayIcon* tray_ = nullptr;
  int said_ = 0;
};

}  // namespace ww::widgets
