// SPDX-License-Identifier: GPL-3.0-or-later
// The functions that start workers for a run; tests replace this. Not on the GUI thread; thread-safe.
#pragma once
#include <string>
#include <vector>
#include <stop_token>
#include "base/result.h"
#include "compile/sass.h"
#include "explore/edit.h"
#include "explore/run.h"
#include "store/workspace.h"

namespace ww::widgets {

struct Choice {
  std::string id, title, why_not;  // why_not: why it cannot be used here
  std::string about;               // one more line, for a tooltip
};

class Runs {
 public:
  virtual ~Runs() = default;
  virtual std::vector<Choice> generators();
  virtual std::vector<Choice> devices();
  virtual Result<explore::RunEnded> run(store::Workspace& workspace, const generator::RunOptions& options,
                                        const explore::EventHandler& handler, std::stop_token cancel);
  virtual Result<explore::RunEnded> resume(store::Workspace& workspace, std::int64_t run,
                                           const generator::Budget& budget, const explore::EventHandler& handler,
                                           std::stop_token cancel, PauseToken pause);
  // The user's edit, judged as another candidate of a finished run: explore/edit.h.
  virtual Result<explore::EditChecked> check_edit(store::Workspace& workspace, std::int64_t run,
                                                  const generator::Proposal& edit, const explore::EventHandler& handler,
                                                  std::stop_token cancel);
  // SASS for an architecture: for each instruction, its source lines and live registers.
  virtual Result<compile::Sass> machine_rows(const store::CandidateRecord& candidate, const std::string& architecture);
};

}  // namespace ww::widgets
