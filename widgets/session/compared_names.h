// SPDX-License-Identifier: GPL-3.0-or-later
// What the candidates are called that are compared, the current one and the baseline; also where another run of the
// workspace has them. GUI thread; the store is read on a thread of its own.
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
  std::int64_t run = 0;   // 0: not known yet
  bool operator==(const ComparedName&) const = default;
};

class ComparedNames : public QObject {
  Q_OBJECT
 public:
  ComparedNames(Session* session, Selection* selection, CandidateModel* candidates, QObject* parent = nullptr);
  ComparedName of(std::int64_t candidate) const { return names_.value(candidate); }
  // "#12 tiled 64x64": with its tuning where another one that is compared is called the same, and with its run where
  // that is not the shown one.
  QString text(std::int64_t candidate) const;
  void forget_run(std::int64_t run);  // it was deleted

 signals:
  void changed();

 private:
  QList<std::int64_t> wanted() const;
  bool learn();  // of the shown run; true: something is new
  void update();
  Session* session_;
  Selection* selection_;
  CandidateModel* candidates_;
  QHash<std::int64_t, ComparedName> names_;
  LatestJob job_;
};

}  // namespace ww::widgets
