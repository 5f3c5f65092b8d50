// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/services.h"

namespace ww::widgets {

ProfileFunction profile_reader() {
  return [reader = std::make_shared<measure::ProfileReader>()](store::Workspace& workspace, std::int64_t candidate,
                                                               const std::shared_ptr<const ProfileView>& known) {
    return reader->read(workspace, candidate, known);
  };
}

}  // namespace ww::widgets
