// SPDX-License-Identifier: GPL-3.0-or-later
// When a button with the focus is disabled or hidden, Qt hands the focus to the next control, and a second press of
// Space would push that one unseen. Here it goes to the panel around the button instead, from where Tab goes on.
#pragma once
#include <QObject>

class QWidget;

namespace ww::widgets {

class FocusKeeper : public QObject {
  Q_OBJECT
 public:
  explicit FocusKeeper(QWidget* window);

 private:
  void on_moved(QWidget* from, QWidget* to);
  QWidget* window_;
};

}  // namespace ww::widgets
