// SPDX-License-Identifier: Apache-2.0
#include "store/default_workspace.h"
#include <cstdlib>

namespace ww::store {

namespace fs = std::filesystem;

fs::path default_workspace() {
  const auto environment = [](const char* name) {
    const char* v = std::getenv(name);
    return fs::path(v ? v : "");
  };
  if (const fs::path p = environment("WARPWRIGHT_WORKSPACE"); !p.empty()) return p;
  if (const fs::path p = environment("XDG_DATA_HOME"); !p.empty()) return p / "warpwright/default";
  if (const fs::path p = environment("HOME"); !p.empty()) return p / ".local/share/warpwright/default";
  return fs::path("warpwright-workspace");
}

}  // namespace ww::store
