// SPDX-License-Identifier: GPL-3.0-or-later
// A task of a lesson: its goals, the student's kernel in an editor, hints one by one, and the judgement.
#pragma once
#include <QFrame>
#include "session/lessons.h"

class QPushButton;

namespace ww::widgets {

class CodeEditor;
class Label;

class TaskView : public QFrame {
  Q_OBJECT
 public:
  // `passed`: the kernel that has passed, empty: none.
  TaskView(const lesson::Task& task, int number, const std::string& passed, QWidget* parent);
  CodeEditor* editor() const { return editor_; }
  void show_judging(bool on);  // one judgement at a time
  void show_step(const QString& text);
  void show_outcome(const LessonOutcome& outcome);

 signals:
  void judge_wanted(const std::string& kernel);
  void cancel_wanted();

 private:
  void show_hint();
  const lesson::Task task_;
  CodeEditor* editor_;
  QPushButton *judge_, *cancel_, *hint_;
  Label *state_, *hints_;
  std::size_t shown_hints_ = 0;
};

}  // namespace ww::widgets
