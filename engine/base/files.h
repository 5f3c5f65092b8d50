// SPDX-License-Identifier: Apache-2.0
// Files, and the folders of Warpwright's parts.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include "base/result.h"

namespace ww {

Result<std::string> read_file(const std::filesystem::path& path, std::size_t max_bytes = std::size_t{1} << 28);
// Writes a temporary file beside it, flushes, then renames: readers see the old or the new content, never a part.
Status write_file_atomic(const std::filesystem::path& path, std::string_view content);

std::filesystem::path executable_dir();  // folder of the running program
// resources/: $WARPWRIGHT_RESOURCES, else beside the program (../share/warpwright, ../resources), else the source tree.
std::filesystem::path resources_dir();
std::filesystem::path plugins_dir();  // $WARPWRIGHT_PLUGINS, else ../plugins or ../lib/warpwright beside the program
// $HOME, else the home folder in the user database, else private_folder() of the temporary folder.
std::filesystem::path home_dir();
// "warpwright-UID" in `below`, created if missing; if another user could write there, a folder for this process only.
std::filesystem::path private_folder(const std::filesystem::path& below);
std::filesystem::path data_dir();   // $XDG_DATA_HOME/warpwright, else ~/.local/share/warpwright
std::filesystem::path cache_dir();  // $WARPWRIGHT_CACHE, else $XDG_CACHE_HOME/warpwright, else ~/.cache/warpwright
// $WARPWRIGHT_CONFIG, else $XDG_CONFIG_HOME/warpwright, else ~/.config/warpwright
std::filesystem::path config_dir();
// Creates the missing folders of the path; failures show when a file is created. A new config_dir() is readable only by
// its user.
void make_folders(const std::filesystem::path& folder);
std::filesystem::path worker_program();  // $WARPWRIGHT_WORKER, else warpwright-worker beside the program

}  // namespace ww
