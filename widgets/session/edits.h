// SPDX-License-Identifier: GPL-3.0-or-later
// The user's edits of candidates. A draft is text that has not been judged: it is stored in the workspace's folder
// drafts/, under its candidate's number, and survives a crash and the deletion of its candidate. Only check() judges
// it, as another candidate of the shown run.
#pragma once
#include <QHash>
#include <QList>
#include <QObject>
#include <QString>
#include <filesystem>
#include <map>
#include <memory>
#include <stop_token>
#include "session/context.h"
#include "session/latest_job.h"
#include "session/work_queue.h"
#include "store/workspace.h"

class QTimer;

namespace ww::widgets {

struct Draft {
  QString text;
  QString name;                // of its candidate; empty: unknown
  std::int64_t run = 0;        // of its candidate; 0: the candidate is not, or no longer, in the workspace
  std::int64_t second_of = 0;  // the candidate that has another draft, from another window; 0: none
};

class Edits : public QObject {
  Q_OBJECT
 public:
  explicit Edits(const Context& context, QObject* parent = nullptr);
  ~Edits() override;  // writes pending drafts and cancels a check in progress

  bool has(std::int64_t candidate) const { return drafts_.contains(candidate); }
  QString draft(std::int64_t candidate) const { return has(candidate) ? drafts_.at(candidate).text : QString(); }
  // In order. A draft whose candidate was never known, or that is a second one, has a negative number.
  const std::map<std::int64_t, Draft>& all() const { return drafts_; }
  QList<std::int64_t> of_run(std::int64_t run) const;
  void keep(const store::CandidateRecord& of, const QString& text);  // written after half a second without changes
  void keep(std::int64_t candidate, const Draft& draft);
  void discard(std::int64_t candidate);
  std::shared_ptr<store::Workspace> workspace() const { return workspace_; }  // of the drafts
  void discard_undoably(std::int64_t candidate);  // with a command on the window's undo stack

  // Why nothing can be checked now, as a sentence; empty: it can.
  QString why_not() const;
  bool checking() const { return checking_ != 0; }
  bool checking(std::int64_t parent) const { return checking() && checking_ == parent; }
  void check(const store::CandidateRecord& parent, const QString& text);  // checked() or refused() follows
  void cancel();

 signals:
  void drafts_changed();  // also once a workspace's drafts have been read
  void state_changed();
  void checked(std::int64_t parent, std::int64_t candidate, bool known);  // it is in the table; its draft is deleted
  void refused(std::int64_t parent, const QString& why, const QString& detail);
  void problem(const QString& text);
  void kept_beside(const QString& text);  // another window has a draft of the same candidate: both are kept

 private:
  void read();
  void write();
  void follow(const std::vector<store::RunRecord>& runs);
  Context context_;
  std::shared_ptr<store::Workspace> workspace_;  // of the drafts; the session may be destroyed before this
  std::int64_t checked_ = 0;                     // its row is held back until its panels were notified
  struct Stored {
    std::string text;  // as this window read or wrote it last
    std::filesystem::path file;
  };
  std::map<std::int64_t, Draft> drafts_;
  std::map<std::int64_t, Stored> read_;                     // as they were when the workspace was opened
  std::shared_ptr<std::map<std::int64_t, Stored>> stored_;  // of the thread that writes
  QHash<std::int64_t, QString> unwritten_;                  // a null text: delete the file
  QTimer* quiet_;
  WorkQueue files_;
  LatestJob reader_, checker_;
  std::stop_source cancel_;
  std::int64_t checking_ = 0;  // the parent whose edit is checked; 0: none
};

}  // namespace ww::widgets
