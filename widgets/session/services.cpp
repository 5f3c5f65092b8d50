// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/services.h"
#include <mutex>

namespace ww::widgets {

ProfileFunction profile_reader(std::shared_ptr<const ModelledGpu> gpu) {
  return [gpu = std::move(gpu), reader = std::make_shared<measure::ProfileReader>()](
             store::Workspace& workspace, std::int64_t candidate, const std::shared_ptr<const ProfileView>& known) {
    return reader->read(workspace, candidate, known, gpu->chosen());
  };
}

CompileFunction worker_compiler() {
  struct Kept {
    std::mutex mutex;
    rpc::Supervisor worker;  // started by the first request
  };
  return [kept = std::make_shared<Kept>()](const rpc::CompileRequest& request, const std::stop_token& stop) {
    const std::lock_guard lock(kept->mutex);
    return kept->worker.compile(request, stop);
  };
}

}  // namespace ww::widgets
