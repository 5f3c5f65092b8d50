// SPDX-License-Identifier: Apache-2.0
// Deletes a run of a workspace for good: its candidates, verdicts, measurements, exchanges and marks. One that a
// process works on, or that a reviewer wrote on, is refused with a sentence.
#pragma once
#include <cstdint>
#include "store/workspace.h"

namespace ww::explore {

Result<store::DeletedRun> what_deletion_takes(store::Workspace& workspace, std::int64_t run);  // or why it is refused
Result<store::DeletedRun> delete_run(store::Workspace& workspace, std::int64_t run);

}  // namespace ww::explore
