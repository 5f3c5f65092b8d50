// SPDX-License-Identifier: Apache-2.0
#include "explore/run_lock.h"
#include <string>

namespace ww::explore {
namespace {

std::filesystem::path path_of(const std::filesystem::path& workspace, std::int64_t run) {
  return workspace / "locks" / ("run-" + std::to_string(run));
}

}  // namespace

Result<RunLock> RunLock::take(const std::filesystem::path& workspace, std::int64_t run) {
  RunLock made;
  Result<FileLock> lock = FileLock::take(path_of(workspace, run));
  if (!lock && lock.error().code == Code::unavailable)
    return fail(Code::unavailable,
                "run " + std::to_string(run) + " is being worked on by another process; wait for it or stop it first");
  if (!lock)
    return fail(Code::io, "cannot write to the workspace folder '" + workspace.string() + "'", lock.error().cause);
  made.lock_ = std::move(*lock);
  return made;
}

bool RunLock::held(const std::filesystem::path& workspace, std::int64_t run) {
  return FileLock::held(path_of(workspace, run));
}

}  // namespace ww::explore
