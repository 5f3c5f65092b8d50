// SPDX-License-Identifier: GPL-3.0-or-later
// Detects whether the last session with these settings ended normally. Each process has a mark, set when its window
// opens and removed when it closes; the mark of a process that no longer exists means that it was killed or crashed.
// While the window of another process is open, nothing is said: the next start alone says it.
#pragma once
#include <QObject>
#include <cstdint>
#include "session/context.h"
#include "store/workspace.h"

class QSettings;

namespace ww::widgets {

class NoticeBar;

class CrashGuard : public QObject {
  Q_OBJECT
 public:
  CrashGuard(QSettings* settings, const Context& context, NoticeBar* bar, QObject* parent);
  bool crashed() const { return crashed_; }
  void closed();  // by the user

 signals:
  void resume_wanted(std::int64_t run);

 private:
  void offer(const std::vector<store::RunRecord>& runs, const std::vector<std::int64_t>& live);
  void mark(std::int64_t run);
  void look_back();  // at the marks of other processes
  QSettings* settings_;
  Context context_;
  NoticeBar* bar_;
  bool crashed_ = false, offered_ = false;
  std::int64_t run_ = 0;  // in progress when the last session crashed; 0: none
  QString folder_;
};

}  // namespace ww::widgets
