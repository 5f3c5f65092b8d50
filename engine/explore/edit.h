// SPDX-License-Identifier: Apache-2.0
// A user's edit of a candidate, judged as another candidate of its run.
#pragma once
#include "explore/run.h"

namespace ww::explore {

struct EditChecked {
  std::int64_t candidate = 0;  // in the workspace
  bool known = false;          // the run already has this text: nothing was judged
};

// Proposes the edit to a finished run, as generator "manual", and judges it like the run's own candidates: same spec,
// case, device and architecture. The run's budget, state and unjudged candidates do not change, and its generator is
// not called. Events as in run(), without RunStarted and RunEnded. Refused while any process works on the run
// (Code::unavailable), and if the text is not a candidate file (Code::parse, with its position).
Result<EditChecked> check_edit(store::Workspace& workspace, std::int64_t run, const generator::Proposal& edit,
                               const EventHandler& handler, std::stop_token stop = {});

}  // namespace ww::explore
