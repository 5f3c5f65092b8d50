// SPDX-License-Identifier: GPL-3.0-or-later
// Made-up rows for tests of the table of candidates.
#pragma once
#include <optional>
#include <string>
#include "explore/run.h"

namespace ww::test {

inline explore::CandidateRow row(std::int64_t id, const char* state, std::optional<double> score = {},
                                 const char* title = "tiled") {
  explore::CandidateRow r;
  r.id = id;
  r.hash = "hash" + std::to_string(id);
  r.structure = "row-warp";
  r.title = title;
  r.generator = "search";
  r.state = enum_or_unknown<store::CandidateState>(state);
  r.created = "2026-11-20T17:00:00Z";
  if (score) r.score = appraisal::Score{*score, Provenance::measured, "\u00b5s"};
  if (score) r.resources = {{"k", static_cast<int>(*score), 0, 0, 0, 0, 0, 1}};
  return r;
}

}  // namespace ww::test
