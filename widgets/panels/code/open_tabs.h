// SPDX-License-Identifier: GPL-3.0-or-later
// The candidates that are open as documents. The selected one always is: in a preview, which the next selection
// replaces, or in a tab that is kept until it is closed. Kept ones may be of any run of the workspace. GUI thread; the
// store is read on a background thread.
#pragma once
#include <QHash>
#include <QList>
#include <QObject>
#include <vector>
#include "explore/run.h"
#include "session/context.h"
#include "session/latest_job.h"

namespace ww::store {
struct RunRecord;
}

namespace ww::widgets {

struct CandidateView;

struct OpenTab {
  explore::CandidateRow row;  // of one that is still being read: its id only
  std::int64_t run = 0;       // 0: unknown so far
  bool kept = false;          // false: the preview, of which there is at most one
};

class OpenTabs : public QObject {
  Q_OBJECT
 public:
  explicit OpenTabs(const Context& context, QObject* parent = nullptr);
  const std::vector<OpenTab>& all() const { return tabs_; }
  int index_of(std::int64_t candidate) const;        // -1: not open
  std::int64_t current() const { return current_; }  // 0: none is selected
  QList<std::int64_t> kept() const;                  // from the left
  // Those of each workspace by its folder: they are open again when it is.
  QHash<QString, QList<std::int64_t>> kept_by_folder() const;
  void restore(const QHash<QString, QList<std::int64_t>>& kept_by_folder);
  void keep(std::int64_t candidate);  // opens it if need be
  // The tab of the selected candidate goes only if another one of its run can take its place; else it is a preview
  // again.
  void close(std::int64_t candidate);
  bool can_close(std::int64_t candidate) const;
  void close_others(std::int64_t candidate);  // but that of the selected candidate
  void go_to(std::int64_t candidate);         // selects it, if need be with its run
  void move(int from, int to);                // from the left; a preview that is moved is kept
  void step(int by);                          // to the next tab, 1, or the one before, -1; round the ends
  void learn(const CandidateView& candidate);

 signals:
  void changed();
  void moved();
  void candidate_wanted(std::int64_t run, std::int64_t candidate);  // of a run that is not shown

 private:
  void open(const QString& folder);
  void add_kept(const QList<std::int64_t>& candidates);  // those that are no longer there are left out
  void follow(std::int64_t candidate);
  bool refresh();  // from the table; true: something changed
  void read();     // what is not known yet
  void forget_runs(const std::vector<store::RunRecord>& there);
  const OpenTab* beside(std::size_t at) const;  // the nearest of the shown run; null: none
  Context context_;
  std::vector<OpenTab> tabs_;
  QString folder_;                                      // of the workspace
  QHash<QString, QList<std::int64_t>> kept_by_folder_;  // of the others
  std::int64_t current_ = 0;
  std::int64_t wanted_ = 0;  // to go to, once its run is known
  LatestJob job_;
};

}  // namespace ww::widgets
