// SPDX-License-Identifier: GPL-3.0-or-later
// Services whose profiles come from `known`; what is asked of candidates goes into a real workspace.
#pragma once
#include <map>
#include "session/profile_view.h"
#include "session/services.h"
#include "widgets/fake_engine.h"

namespace ww::test {

struct KnownProfiles {
  std::map<std::int64_t, std::shared_ptr<const widgets::ProfileView>> known;  // before the first profile is read
  std::shared_ptr<FakeEngine> scripted = std::make_shared<FakeEngine>();
  widgets::Services services() {
    widgets::Services services = FakeEngine::services(scripted);
    services.profile =
        [this](
            store::Workspace&, std::int64_t candidate,
            const std::shared_ptr<const widgets::ProfileView>&) -> Result<std::shared_ptr<const widgets::ProfileView>> {
      const auto at = known.find(candidate);
      if (at == known.end()) return fail(Code::not_found, "there is no such candidate");
      return at->second;
    };
    return services;
  }
};

}  // namespace ww::test
