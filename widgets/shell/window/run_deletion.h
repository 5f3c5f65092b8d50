// SPDX-License-Identifier: GPL-3.0-or-later
// Deletes a run of the workspace after the user has confirmed what is deleted with it. Drafts of its candidates stay
// unless the user says otherwise. The engine gives the reason if it cannot be deleted. A run deleted by another program
// also disappears from the window.
#pragma once
#include <QList>
#include <QObject>
#include <QSet>
#include <cstdint>
#include <filesystem>
#include <vector>
#include "session/context.h"
#include "session/latest_job.h"
#include "store/deletion.h"

class QWidget;

namespace ww::widgets {

class Edits;

class RunDeletion : public QObject {
  Q_OBJECT
 public:
  RunDeletion(const Context& context, Edits* edits, QWidget* window);
  void ask(std::int64_t run);

 signals:
  void deleted(std::int64_t run, const QString& summary);
  void refused(const QString& sentence);

 private:
  void confirm(const store::DeletedRun& contents, const std::vector<std::filesystem::path>& unsent);
  // With these drafts and these files of unsent texts.
  void remove(std::int64_t run, const QList<std::int64_t>& drafts, const std::vector<std::filesystem::path>& unsent);
  void forget(std::int64_t run);  // removes all references in the window
  void follow(const std::vector<store::RunRecord>& runs);
  Context context_;
  Edits* edits_;
  QWidget* window_;
  std::weak_ptr<store::Workspace> workspace_;  // containing the runs
  QSet<std::int64_t> known_, deleted_;         // as last listed; deleted by this window
  LatestJob job_;
};

}  // namespace ww::widgets
