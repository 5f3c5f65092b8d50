// SPDX-License-Identifier: GPL-3.0-or-later
// Deletes a run of the workspace after a person has read what goes with it. The engine says why one is kept. A run that
// another program deleted leaves the window, too.
#pragma once
#include <QObject>
#include <QSet>
#include <cstdint>
#include "session/context.h"
#include "session/latest_job.h"
#include "store/deletion.h"

class QWidget;

namespace ww::widgets {

class RunDeletion : public QObject {
  Q_OBJECT
 public:
  RunDeletion(const Context& context, QWidget* window);
  void ask(std::int64_t run);

 signals:
  void deleted(std::int64_t run, const QString& summary);
  void refused(const QString& sentence);

 private:
  void confirm(const store::DeletedRun& contents);
  void remove(std::int64_t run);
  void forget(std::int64_t run);  // nothing of the window names it any more
  void follow(const std::vector<store::RunRecord>& runs);
  Context context_;
  QWidget* window_;
  std::weak_ptr<store::Workspace> workspace_;  // whose runs these are
  QSet<std::int64_t> known_, deleted_;         // as listed last; by this window
  LatestJob job_;
};

}  // namespace ww::widgets
