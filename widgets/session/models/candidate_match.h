// SPDX-License-Identifier: GPL-3.0-or-later
// Tests whether a candidate matches a query. Fast enough for 100,000 of them while a person types.
#pragma once
#include <string_view>
#include "session/models/candidate_query.h"

namespace ww::widgets {

class CandidateModel;

bool matches(const QueryNode& query, const CandidateModel& model, int row);
bool contains_folded(std::string_view text,
                     std::string_view lower);  // without regard to case; `lower` is in lower case

}  // namespace ww::widgets
