// SPDX-License-Identifier: GPL-3.0-or-later
// The result of a run in one sentence: the best candidate, and by how much it beats the next kind of kernel and the
// first one that was accepted. Pure functions; any thread.
#pragma once
#include <QString>
#include <vector>
#include "session/models/candidate_model.h"

namespace ww::widgets {

struct RunResult {
  const explore::CandidateRow* best = nullptr;      // null: nothing is accepted yet, or nothing has a score
  const explore::CandidateRow* next = nullptr;      // the best of another structure; null: there is none
  const explore::CandidateRow* earliest = nullptr;  // the first accepted one; null: it is the best
};
// Compares scores of the best one's unit and provenance only.
RunResult result_of(const std::vector<CandidateModel::Row>& rows);
QString result_text(const RunResult& result);  // empty: there is no best one

}  // namespace ww::widgets
