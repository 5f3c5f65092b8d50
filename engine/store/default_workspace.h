// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

namespace ww::store {

// The workspace that every front end opens by default: $WARPWRIGHT_WORKSPACE, else $XDG_DATA_HOME/warpwright/default,
// else ~/.local/share/warpwright/default.
std::filesystem::path default_workspace();

}  // namespace ww::store
