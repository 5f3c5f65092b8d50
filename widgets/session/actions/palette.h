// SPDX-License-Identifier: GPL-3.0-or-later
// The entries of the palette and of quick open.
#pragma once
#include "session/actions/picker.h"
#include "session/models/candidate_model.h"
#include "store/workspace.h"

namespace ww::widgets {

class Registry;

QList<Pick> picks_of_actions(const Registry& registry, const QString& typed);

// Items of the workspace by name, number or hash prefix.
struct Places {
  std::vector<store::RunRecord> runs;
  std::vector<OpSummary> ops;
  const CandidateModel* candidates = nullptr;  // of the shown run
  const Registry* registry = nullptr;          // panels and settings: actions "go.", "layout.", "file.settings", …
  std::function<void(std::int64_t)> open_run, open_candidate;
  std::function<void(const QString& op)> open_op;
};
QList<Pick> picks_of_places(const Places& places, const QString& typed);

}  // namespace ww::widgets
