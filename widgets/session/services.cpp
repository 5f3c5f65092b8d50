// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/services.h"
#include <mutex>
#include <optional>
#include "base/cuda_folder.h"

namespace ww::widgets {

ProfileFunction profile_reader(std::shared_ptr<const ModelledGpu> gpu) {
  return [gpu = std::move(gpu), reader = std::make_shared<measure::ProfileReader>()](
             store::Workspace& workspace, std::int64_t candidate, const std::shared_ptr<const ProfileView>& known) {
    return reader->read(workspace, candidate, known, gpu->chosen());
  };
}

Result<std::shared_ptr<const ProfileView>> read_profile(const ProfileFunction& read, const Stores& stores,
                                                        std::int64_t candidate,
                                                        const std::shared_ptr<const ProfileView>& known) {
  const Stored at = WW_TRY(stores.of(candidate));
  std::shared_ptr<const ProfileView> view = WW_TRY(read(*at.workspace, at.candidate, known));
  if (view == known || view->record.id == candidate) return view;
  auto named = std::make_shared<ProfileView>(*view);
  named->record.id = candidate;
  return named;
}

CompileFunction worker_compiler() {
  struct Kept {
    std::mutex mutex;
    std::optional<rpc::Supervisor> worker;  // started by the first request
    std::filesystem::path cuda;             // the chosen toolkit when it was made
  };
  return [kept = std::make_shared<Kept>()](const rpc::CompileRequest& request, const std::stop_token& stop) {
    const std::lock_guard lock(kept->mutex);
    if (const std::filesystem::path cuda = chosen_cuda_folder(); !kept->worker || kept->cuda != cuda) {
      kept->worker.emplace();
      kept->cuda = cuda;
    }
    return kept->worker->compile(request, stop);
  };
}

}  // namespace ww::widgets
