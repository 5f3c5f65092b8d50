// SPDX-License-Identifier: GPL-3.0-or-later
// The lessons and the student's progress in them, read and written off the window's thread. The first answer to a
// question counts; a task is passed when the gate and its goals say so.
#pragma once
#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>
#include <functional>
#include <optional>
#include <stop_token>
#include "lesson/glossary.h"
#include "lesson/progress.h"
#include "session/latest_job.h"
#include "session/services.h"
#include "session/work_queue.h"

namespace ww::widgets {

struct LessonOutcome {
  std::optional<lesson::Judged> judged;
  QString why_not;     // if it could not be judged
  std::string kernel;  // the text that was judged
  std::string of;      // hash_of the task that it was judged for
};

class Lessons : public QObject {
  Q_OBJECT
 public:
  explicit Lessons(LessonFunction judge, QObject* parent = nullptr);
  ~Lessons() override;  // cancels a judgement in progress

  // loaded() or problem() follows; again whenever a file of a lesson is written.
  void load();
  const std::vector<lesson::Lesson>& all() const { return all_; }
  const std::vector<lesson::Term>& terms() const { return terms_; }  // the glossary
  const lesson::Progress& progress() const { return progress_; }
  int passed(const lesson::Lesson& lesson) const;                       // of its tasks
  void answer(const lesson::Lesson& lesson, int question, int choice);  // both from 1
  // Judges a kernel; judged() follows. One at a time.
  void judge(const lesson::Lesson& lesson, int task, const std::string& kernel);
  // Of a lesson that may no longer be among them. Empty: there is none.
  void keep_draft(const std::string& lesson, int task, const std::string& kernel);
  void cancel();
  bool judging() const { return judging_; }

 signals:
  void loaded();
  void progress_changed();
  void draft_changed(const QString& lesson, int task);  // by another window or a terminal
  void judging_changed();
  void step(int task, const QString& text);  // of the judgement in progress
  void judged(const QString& lesson, int task, const ww::widgets::LessonOutcome& outcome);
  void problem(const QString& text);
  void stored_again();  // after a problem

 private:
  void change(std::function<void(lesson::Progress&)> how);  // here and in the file
  void watch();
  void watch_progress();
  void read_progress();
  const LessonFunction judge_;
  std::vector<lesson::Lesson> all_;
  std::vector<lesson::Term> terms_;
  lesson::Progress progress_;
  bool judging_ = false;
  std::stop_source cancel_;
  QFileSystemWatcher files_on_disk_, progress_on_disk_;
  QTimer soon_, progress_soon_;
  std::filesystem::path unsaved_;  // for what this window cannot store; empty: there was nothing to store yet
  bool stored_ = true;             // all that was done here
  int changes_ = 0;                // of the progress here: what was read before one is out of date
  LatestJob reader_, judge_job_;
  WorkQueue files_;
};

}  // namespace ww::widgets
