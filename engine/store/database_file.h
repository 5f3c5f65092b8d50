// SPDX-License-Identifier: Apache-2.0
// Where a workspace keeps its database.
#pragma once
#include <filesystem>

namespace ww::store {

inline std::filesystem::path database_of(const std::filesystem::path& folder) { return folder / "workspace.sqlite"; }

}  // namespace ww::store
