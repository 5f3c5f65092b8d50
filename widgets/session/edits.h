// SPDX-License-Identifier: GPL-3.0-or-later
// The user's edits of candidates. A draft is text that has not been judged: it is stored in the workspace's folder
// drafts/, under its parent's hash, and survives a crash. Only check() judges it, as another candidate of the shown
// run.
#pragma once
#include <QHash>
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

class Edits : public QObject {
  Q_OBJECT
 public:
  explicit Edits(const Context& context, QObject* parent = nullptr);
  ~Edits() override;  // writes pending drafts and cancels a check in progress

  bool has(const QString& parent) const { return drafts_.contains(parent); }  // hashes of candidates
  QString draft(const QString& parent) const { return drafts_.value(parent); }
  QStringList parents() const { return drafts_.keys(); }
  void keep(const QString& parent, const QString& text);  // written after half a second without changes
  void discard(const QString& parent);
  std::shared_ptr<store::Workspace> workspace() const { return workspace_; }  // of the drafts
  void discard_undoably(const QString& parent);  // with a command on the window's undo stack

  // Why nothing can be checked now, as a sentence; empty: it can.
  QString why_not() const;
  bool checking() const { return !checking_.isEmpty(); }
  bool checking(const QString& parent) const { return checking() && checking_ == parent; }
  void check(const store::CandidateRecord& parent, const QString& text);  // checked() or refused() follows
  void cancel();

 signals:
  void drafts_changed();  // also once a workspace's drafts have been read
  void state_changed();
  void checked(const QString& parent, std::int64_t candidate, bool known);  // it is in the table; its draft is deleted
  void refused(const QString& parent, const QString& why, const QString& detail);
  void problem(const QString& text);

 private:
  void read();
  void write();
  Context context_;
  std::shared_ptr<store::Workspace> workspace_;  // of the drafts; the session may be destroyed before this
  std::int64_t checked_ = 0;                     // its row is held back until its panels were notified
  struct Stored {
    std::string text;  // as this window read or wrote it last
    std::filesystem::path file;
  };
  QHash<QString, QString> drafts_;
  QHash<QString, QString> read_;                           // as they were when the workspace was opened
  std::shared_ptr<std::map<std::string, Stored>> stored_;  // by parent; of the thread that writes
  QHash<QString, QString> unwritten_;                      // a null text: delete the file
  QTimer* quiet_;
  WorkQueue files_;
  LatestJob reader_, checker_;
  std::stop_source cancel_;
  QString checking_;  // the parent whose edit is checked
};

}  // namespace ww::widgets
