// SPDX-License-Identifier: Apache-2.0
// Permanently deletes a run from a workspace: its candidates, verdicts, measurements, exchanges and marks. Refuses a
// run that a process works on, or that a reviewer wrote on, with a sentence.
#pragma once
#include <cstdint>
#include "store/workspace.h"

namespace ww::explore {

Result<store::DeletedRun> deletion_preview(store::Workspace& workspace, std::int64_t run);  // or why it is refused
Result<store::DeletedRun> delete_run(store::Workspace& workspace, std::int64_t run);

}  // namespace ww::explore
