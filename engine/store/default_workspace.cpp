// SPDX-License-Identifier: Apache-2.0
#include "store/default_workspace.h"
#include <cstdlib>
#include "base/files.h"

namespace ww::store {

std::filesystem::path default_workspace() {
  if (const char* named = std::getenv("WARPWRIGHT_WORKSPACE"); named && *named) return named;
  return data_dir() / "default";
}

}  // namespace ww::store
