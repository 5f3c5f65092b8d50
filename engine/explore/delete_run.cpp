// SPDX-License-Identifier: Apache-2.0
#include "explore/delete_run.h"
#include "explore/run_lock.h"

namespace ww::explore {

Result<store::DeletedRun> deletion_preview(store::Workspace& workspace, std::int64_t run) {
  if (RunLock::held(workspace.folder(), run))
    return fail(Code::unavailable, "run " + std::to_string(run) + " is in progress; delete it once it has ended");
  return workspace.deletion_preview(run);
}

Result<store::DeletedRun> delete_run(store::Workspace& workspace, std::int64_t run) {
  const RunLock lock = WW_TRY(RunLock::take(workspace.folder(), run));
  return workspace.delete_run(run);
}

}  // namespace ww::explore
