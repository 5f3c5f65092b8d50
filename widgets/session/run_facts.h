// SPDX-License-Identifier: GPL-3.0-or-later
// Facts of the shown run beyond its rows: options, the time and request of each candidate, the effect of each step,
// spend. Read off the GUI thread; after changes, on request, only new rows are read.
#pragma once
#include <QObject>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include "session/context.h"
#include "session/latest_job.h"
#include "session/session.h"

class QTimer;

namespace ww::widgets {

struct CandidateFact {
  std::string note, duplicate_of;  // duplicate_of: a hash
  std::string created, judged;     // ISO 8601, UTC; judged: empty before its verdict
  std::int64_t exchange = 0;       // the request that produced it; 0: none
};
struct RunFacts {
  store::RunRecord record;
  std::optional<generator::RunOptions> options;
  std::unordered_map<std::int64_t, CandidateFact> candidates;
  std::unordered_map<std::string, store::MoveRecord> moves;  // by the child's hash
  std::unordered_map<std::int64_t, std::string> exchanges;   // "improvement of candidate 2, by PRESET:MODEL"
  llm::Spend spend;                                          // of its exchanges, without limits
  std::int64_t changed = 0, newest_move = 0;                 // the rows and moves read so far
};

class RunFactsLoader : public QObject {
  Q_OBJECT
 public:
  static RunFactsLoader* of(const Context& context);                // the window's; lives as long as the session
  std::shared_ptr<const RunFacts> facts() const { return facts_; }  // of the shown run; null: not read yet
  void want();  // call from a visible panel: reads again if something has changed

 signals:
  void changed();

 private:
  explicit RunFactsLoader(const Context& context);
  void forget();
  void read();
  Context context_;
  std::shared_ptr<const RunFacts> facts_;
  std::int64_t run_ = 0;  // of facts_
  bool stale_ = true;
  QTimer* pause_;  // between two readings
  LatestJob job_;
};

}  // namespace ww::widgets
