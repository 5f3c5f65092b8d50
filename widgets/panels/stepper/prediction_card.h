// SPDX-License-Identifier: GPL-3.0-or-later
// "Predict, then run": asks what a step did before its facts are shown, and counts the answers that are right.
#pragma once
#include <QFrame>
#include "stepping/prediction.h"

class QLineEdit;
class QPushButton;

namespace ww::widgets {

class Label;

class PredictionCard : public QFrame {
  Q_OBJECT
 public:
  explicit PredictionCard(QWidget* parent);
  void ask(const stepping::Prediction& prediction, const sim::StepFacts& step);
  void start_again();  // counts from 0
  Label* question() const { return question_; }
  Label* verdict() const { return verdict_; }
  QLineEdit* answer() const { return answer_; }
  QPushButton* button() const { return button_; }  // "Answer", then "Show the step"

 signals:
  void done();  // the facts may be shown

 private:
  void press();
  stepping::Prediction prediction_;
  bool answered_ = false;
  int asked_ = 0, right_ = 0;
  Label *question_, *verdict_, *score_;
  QLineEdit* answer_;
  QPushButton *button_, *skip_;
};

}  // namespace ww::widgets
