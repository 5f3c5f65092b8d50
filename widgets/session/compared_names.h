// SPDX-License-Identifier: GPL-3.0-or-later
// The names of the compared candidates, the current one and the baseline, also those from other runs and
// workspaces.
// GUI thread; the store is read on a background thread.
#pragma once
#include <QHash>
#include <QObject>
#include <QString>
#include "session/latest_job.h"

namespace ww::widgets {

class CandidateModel;
class Selection;
class Session;

struct ComparedName {
  QString words, tuning;  // "tiled 64x64", "BLOCK = 256"
  QString title;          // in full
  std::int64_t run = 0;   // 0: unknown so far
  QString folder;         // of its workspace, unless that is the open one
  bool operator==(const ComparedName&) const = default;
};

class ComparedNames : public QObject {
  Q_OBJECT
 public:
  ComparedNames(Session* session, Selection* selection, CandidateModel* candidates, QObject* parent = nullptr);
  ComparedName of(std::int64_t candidate) const { return names_.value(candidate); }
  // "#12 tiled 64x64": with its tuning if another compared one has the same name, and with its run unless that is the
  // shown one, or with its workspace unless that is the open one.
  QString text(std::int64_t candidate) const;
  void forget_run(std::int64_t run);  // after its deletion

 signals:
  void changed();

 private:
  QList<std::int64_t> wanted() const;
  bool learn();  // from the shown run; true: something changed
  void update();
  Session* session_;
  Selection* selection_;
  CandidateModel* candidates_;
  QHash<std::int64_t, ComparedName> names_;
  LatestJob job_;
};

}  // namespace ww::widgets
