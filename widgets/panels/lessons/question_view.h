// SPDX-License-Identifier: GPL-3.0-or-later
// A question of a lesson: a click on a choice answers it.
#pragma once
#include <QFrame>
#include "lesson/lesson.h"

class QAbstractButton;

namespace ww::widgets {

class Label;

class QuestionView : public QFrame {
  Q_OBJECT
 public:
  QuestionView(const lesson::Question& question, int number, QWidget* parent);
  QList<QAbstractButton*> choices() const { return choices_; }
  void show_answered(bool right);            // before: by the first answer, which is the one that counts
  Label* answer() const { return answer_; }  // what is said of the choice; hidden before there is one

 signals:
  void chosen(int choice);  // from 1

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;  // the choices' texts

 private:
  void choose(int choice);
  const lesson::Question question_;
  QList<QAbstractButton*> choices_;
  Label* answer_;
};

}  // namespace ww::widgets
