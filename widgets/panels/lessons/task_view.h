// SPDX-License-Identifier: GPL-3.0-or-later
// A task of a lesson: its goals, the student's kernel in an editor, hints one by one, and the judgement.
#pragma once
#include <QFrame>
#include <optional>
#include "session/lessons.h"

class QPushButton;
class QTimer;

namespace ww::widgets {

class CodeEditor;
class Label;

class TaskView : public QFrame {
  Q_OBJECT
 public:
  struct Kept {  // kernels; empty: none
    std::string passed, draft;
    bool passes_now = false;  // the task is as it was when that kernel passed
  };
  TaskView(const lesson::Task& task, int number, const Kept& kept, QWidget* parent);
  const lesson::Task& task() const { return task_; }
  CodeEditor* editor() const { return editor_; }
  void show_judging(bool on);  // one judgement at a time
  void show_step(const QString& text);
  void show_outcome(const LessonOutcome& outcome);
  QWidget* state() const;                      // what was said of the kernel
  void keep_draft();                           // what is not kept yet
  void take_draft(const std::string& kernel);  // that another window has kept, unless something is written here

 signals:
  void judge_wanted(const std::string& kernel);
  void cancel_wanted();
  void said();                              // what was said of the kernel is new
  void drafted(const std::string& kernel);  // a while after it was changed; empty: it is the one from before
  void step_wanted(const std::string& kernel);
  void beside_wanted(const std::string& kernel);                 // side by side with the starting code
  void wrong_wanted(const ww::widgets::LessonOutcome& outcome);  // to step to where it goes wrong

 private:
  void show_hint();
  void show_solution();
  void on_edited();
  void tell_of_pass(bool passes_now);
  void offer_passed();
  QString begun(const std::string& draft) const;  // what the editor holds at first
  void disown_judgement();
  void fit_editors();
  int height_of(int lines) const;  // of an editor, in pixels
  const lesson::Task task_;
  CodeEditor* editor_;
  QString passed_;
  QString kept_;  // of the editor
  QPushButton *judge_, *cancel_, *hint_, *wrong_, *solution_, *passed_again_;
  CodeEditor* shown_solution_ = nullptr;
  Label *state_, *hints_;
  QTimer* soon_;  // the draft is kept
  LessonOutcome outcome_;
  QString judged_;            // the text that state_ speaks of; empty: of none
  std::optional<bool> told_;  // passes_now, while state_ tells of an earlier pass
  std::size_t shown_hints_ = 0;
};

}  // namespace ww::widgets
