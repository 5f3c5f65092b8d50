// SPDX-License-Identifier: GPL-3.0-or-later
// The functions that start workers for a run; tests replace this. Any thread but the GUI thread, several at a time.
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
  std::string id, title, why_not;  // why_not: not usable here, and the reason
  std::string about;               // one line more, for a tooltip
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
  // A person's edit, judged as a further candidate of a run that has ended: explore/edit.h.
  virtual Result<explore::EditChecked> check_edit(store::Workspace& workspace, std::int64_t run,
                                                  const generator::Proposal& edit, const explore::EventHandler& handler,
                                                  std::stop_token cancel);
  // SASS for an architecture: for each instruction the lines that it comes from and its live registers.
  virtual Result<compile::Sass> machine_rows(const store::CandidateRecord& candidate, const std::string& architecture);
};

}  // namespace ww::widgets
