// SPDX-License-Identifier: GPL-3.0-or-later
// The tour's steps, with keys for next and previous. The last step shown is remembered.
#pragma once
#include <QPointer>
#include <QWidget>
#include "session/context.h"

class QFrame;
class QPushButton;
class QStackedLayout;

namespace ww::widgets {

class Label;
class Tour;

class TourPanel : public QWidget {
  Q_OBJECT
 public:
  explicit TourPanel(const Context& context, QWidget* parent = nullptr);
  Tour* tour() const { return tour_; }
  int reached() const { return reached_; }  // the last step that was shown, from 0; -1: none
  void set_reached(int step);

 signals:
  void reached_changed();

 private:
  QWidget* make_offer();
  QWidget* make_step();
  void add_actions();
  void update_state();
  void go(int step);
  void next();
  void refocus();
  Context context_;
  Tour* tour_;
  QStackedLayout* pages_;
  Label *offer_, *number_, *title_, *text_, *exercise_, *missing_;
  QFrame* exercise_box_;
  QPushButton *start_, *continue_, *back_, *next_, *skip_;
  QPointer<QWidget> held_;  // had the focus when the step was left; null: it was elsewhere
  int reached_ = -1;
};

}  // namespace ww::widgets
