// SPDX-License-Identifier: GPL-3.0-or-later
// A picture of one step of a lesson's kernel, and the way to step on from there.
#pragma once
#include <QFrame>
#include <optional>
#include "lesson/picture.h"

class QPushButton;

namespace ww::widgets {

class AccessView;
class Label;
class LanesView;

class StepPicture : public QFrame {
  Q_OBJECT
 public:
  StepPicture(const lesson::Picture& picture, int number, QWidget* parent);
  void show_step(const Result<lesson::Pictured>& pictured);
  bool drawn() const { return pictured_.has_value(); }
  const std::optional<lesson::Pictured>& step() const { return pictured_; }
  LanesView* lanes() const { return lanes_; }
  AccessView* access() const { return access_; }
  QPushButton* button() const { return on_; }

 signals:
  void step_wanted();

 private:
  const lesson::Picture picture_;
  std::optional<lesson::Pictured> pictured_;
  Label *state_, *cost_;
  LanesView* lanes_;
  AccessView* access_;
  QPushButton* on_;
};

}  // namespace ww::widgets
