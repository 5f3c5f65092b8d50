// SPDX-License-Identifier: GPL-3.0-or-later
// A run's result in one sentence: the best candidate, and its advantage over the next kind of kernel and over the first
// accepted one. Pure functions; thread-safe.
#pragma once
#include <QSet>
#include <QString>
#include <cstdint>
#include <vector>
#include "measure/why_better.h"
#include "session/models/candidate_model.h"

namespace ww::widgets {

struct RunResult {
  const explore::CandidateRow* best = nullptr;      // null: none accepted, or none with a score
  std::vector<std::int64_t> ties;                   // others that share its rank
  const explore::CandidateRow* next = nullptr;      // the best of another structure; null: none
  const explore::CandidateRow* earliest = nullptr;  // the first accepted one; null: it is the best
};
// Compares scores of the best one's unit and provenance only. Leaves out what the person moved to the trash.
RunResult result_of(const std::vector<CandidateModel::Row>& rows);
// Empty: no best one. `reason`: a sentence on why it is better than the next one, which it follows.
// `running`: a better one may come. `unconfirmed`: a sentence without its full stop that comes first, and alone where
// there is no best one.
QString result_text(const RunResult& result, const QString& reason = {}, bool running = false,
                    const QString& unconfirmed = {});
// "as cheap as #7 and #9"; empty: it shares its rank with none.
QString ties_text(const explore::CandidateRow& best, const std::vector<std::int64_t>& ties);
QString reason_text(const measure::WhyBetter& why);  // empty: unknown

}  // namespace ww::widgets
