// SPDX-License-Identifier: Apache-2.0
#include "compile/cutlass.h"
#include <algorithm>
#include <cstdlib>
#include "base/files.h"

namespace ww::compile {
namespace fs = std::filesystem;
namespace {

bool lies_in(const fs::path& path, const fs::path& folder) { return path.native().starts_with(folder.native() + '/'); }

bool is_cutlass(const fs::path& include) {
  std::error_code ec;
  if (cutlass_file(include, "cutlass/version.h").empty()) return false;
  return std::all_of(cutlass_folders.begin(), cutlass_folders.end(),
                     [&](std::string_view name) { return fs::is_directory(fs::symlink_status(include / name, ec)); });
}

}  // namespace

bool is_cutlass_name(std::string_view name) {
  return std::any_of(cutlass_folders.begin(), cutlass_folders.end(), [&](std::string_view folder) {
    return name.starts_with(folder) && name.substr(folder.size()).starts_with('/');
  });
}

fs::path find_cutlass() {
  const char* named = std::getenv(cutlass_variable);
  const fs::path root = named && *named ? fs::path(named) : cache_dir() / "cutlass";
  std::error_code ec;
  for (const char* below : {"", "include", "cutlass_library/source/include", "source/include"})
    if (const fs::path include = fs::canonical(root / below, ec); !ec && is_cutlass(include)) return include;
  return {};
}

fs::path cutlass_file(const fs::path& include, std::string_view name) {
  std::error_code ec;
  const fs::path file = fs::canonical(include / name, ec);
  if (ec || !is_cutlass_name(name) || !fs::is_regular_file(file, ec)) return {};
  const bool inside = std::any_of(cutlass_folders.begin(), cutlass_folders.end(),
                                  [&](std::string_view folder) { return lies_in(file, include / folder); });
  return inside ? file : fs::path();
}

}  // namespace ww::compile
