// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/foreign_file.h"
#include "base/fresh_file.h"

namespace ww {
namespace fs = std::filesystem;
namespace {

fs::path from_environment(const char* name) {
  const char* v = std::getenv(name);
  return v && *v ? fs::path(v) : fs::path();
}

// Of this user: what the first variable names, else "warpwright" in what the second does or in a folder below the home
// folder. Relative names in the second would depend on where the program was started: they are ignored, as the XDG
// specification asks.
fs::path own_folder(const char* variable, const char* base_variable, const char* below_home) {
  if (fs::path p = from_environment(variable); !p.empty()) return p;
  if (fs::path p = from_environment(base_variable); p.is_absolute()) return p / "warpwright";
  return home_dir() / below_home / "warpwright";
}

bool is_of_this_user_alone(const fs::path& folder) {
  struct stat facts {};
  return ::lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == ::geteuid() &&
         (facts.st_mode & 077) == 0;
}

fs::path first_that_exists(std::initializer_list<fs::path> paths) {
  std::error_code ignored;
  for (const fs::path& p : paths)
    if (!p.empty() && fs::exists(p, ignored)) return p;
  return *paths.begin();
}

}  // namespace

Result<std::string> read_file(const fs::path& path, std::size_t max_bytes) {
  ForeignFile file = WW_TRY(ForeignFile::open(path));
  std::string content;
  WW_TRY(file.read(max_bytes, [&](std::string_view part) {
    content.append(part);
    return Status();
  }));
  return content;
}

void make_folders(const fs::path& folder) {
  const fs::path own = config_dir();
  std::error_code ec;
  const bool was_there = fs::exists(own, ec);
  fs::create_directories(folder, ec);
  if (!was_there && fs::exists(own, ec)) fs::permissions(own, fs::perms::owner_all, ec);
}

Status write_file_atomic(const fs::path& path, std::string_view content) {
  FreshFile file = WW_TRY(FreshFile::beside(path));
  WW_TRY(file.write(content));
  return file.rename_to(path);
}

fs::path executable_dir() {
  std::error_code ec;
  const fs::path self = fs::read_symlink("/proc/self/exe", ec);
  return ec ? fs::current_path(ec) : self.parent_path();
}

fs::path resources_dir() {
  if (fs::path p = from_environment("WARPWRIGHT_RESOURCES"); !p.empty()) return p;
  const fs::path here = executable_dir();
  return first_that_exists(
      {here / "../share/warpwright", here / "../resources", here / "resources", fs::path(WW_SOURCE_RESOURCES)});
}

fs::path plugins_dir() {
  if (fs::path p = from_environment("WARPWRIGHT_PLUGINS"); !p.empty()) return p;
  const fs::path here = executable_dir();
  return first_that_exists({here / "../plugins", here / "../lib/warpwright", here / "plugins"});
}

fs::path private_folder(const fs::path& below) {
  const std::string path = (below / ("warpwright-" + std::to_string(::geteuid()))).string();
  ::mkdir(path.c_str(), 0700);
  if (is_of_this_user_alone(path)) return path;
  std::string fresh = path + "-XXXXXX";  // another process was faster
  return ::mkdtemp(fresh.data()) ? fs::path(fresh) : fs::path("/nonexistent");
}

fs::path home_dir() {
  if (fs::path p = from_environment("HOME"); p.is_absolute()) return p;
  char space[4096];
  passwd entry{};
  passwd* found = nullptr;
  std::error_code none;
  if (::getpwuid_r(::geteuid(), &entry, space, sizeof space, &found) == 0 && found &&
      fs::is_directory(entry.pw_dir, none))
    return entry.pw_dir;
  static const fs::path folder = private_folder(fs::temp_directory_path(none));
  return folder;
}

fs::path cache_dir() { return own_folder("WARPWRIGHT_CACHE", "XDG_CACHE_HOME", ".cache"); }

fs::path config_dir() { return own_folder("WARPWRIGHT_CONFIG", "XDG_CONFIG_HOME", ".config"); }

fs::path data_dir() { return own_folder("", "XDG_DATA_HOME", ".local/share"); }

fs::path worker_program() {
  if (fs::path p = from_environment("WARPWRIGHT_WORKER"); !p.empty()) return p;
  return executable_dir() / "warpwright-worker";
}

}  // namespace ww
