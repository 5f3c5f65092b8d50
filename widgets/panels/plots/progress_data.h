// SPDX-License-Identifier: GPL-3.0-or-later
// The outcomes of a run's attempts, in order: plain data, from the table's rows.
#pragma once
#include <QCoreApplication>
#include <QString>
#include <vector>
#include "session/models/candidate_model.h"
#include "session/run_facts.h"

namespace ww::widgets {

struct Attempt {
  std::int64_t id = 0;
  double minutes = 0;          // from the run's start to its proposal; NaN: unknown
  double score = 0, best = 0;  // NaN: none; best: of all up to it
  int end = -1;                // index in ProgressData::ends; -1: no verdict yet
};
struct AttemptEnd {  // one kind of outcome
  store::CandidateState state = store::CandidateState::unknown;
  std::optional<evidence::Stage> stage;  // of a rejected one, if known
  QString title;                         // "rejected at compile"
  int count = 0;
};

struct ProgressData {
  Q_DECLARE_TR_FUNCTIONS(ww::widgets::ProgressData)
 public:
  std::vector<Attempt> attempts;  // in the order of proposal
  std::vector<AttemptEnd> ends;   // accepted, then the gate's stages in order, then the rest; only those that occur
  int open = 0;                   // without a verdict
  QString unit;                   // of the scores, with their provenance; empty: none
  QString axis;                   // what they are, in a word or two
  QString summary;  // "24 attempts: 12 proved; rejected at compile 3, at smoke 2; 2 duplicates. The best is
                    // #12: …"
};

// `facts` may be null; `arrivals` supplies missing times: minutes by candidate, from events.
ProgressData make_progress(const std::vector<CandidateModel::Row>& rows, const RunFacts* facts,
                           const QHash<std::int64_t, double>& arrivals);

}  // namespace ww::widgets
