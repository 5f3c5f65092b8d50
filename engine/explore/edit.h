// SPDX-License-Identifier: Apache-2.0
// A person's edit of a candidate, judged as a further candidate of its run.
#pragma once
#include "explore/run.h"

namespace ww::explore {

struct EditChecked {
  std::int64_t candidate = 0;  // in the workspace
  bool known = false;          // the run has this text already: nothing was judged
};

// Proposes the edit to a run that has ended, as generator "manual", and has it judged as the run's own candidates were:
// same spec, case, device and architecture. The run's budget, its state and what it had not judged stay as they are,
// and its generator is not asked. Events come as in run(), without RunStarted and RunEnded. Refused while any process
// works on the run (Code::unavailable), and where the text is no candidate file (Code::parse, with its place).
Result<EditChecked> check_edit(store::Workspace& workspace, std::int64_t run, const generator::Proposal& edit,
                               const EventHandler& handler, std::stop_token stop = {});

}  // namespace ww::explore
