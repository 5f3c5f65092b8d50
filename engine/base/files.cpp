// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

namespace ww {
namespace fs = std::filesystem;
namespace {

fs::path from_environment(const char* name) {
  const char* v = std::getenv(name);
  return v && *v ? fs::path(v) : fs::path();
}

fs::path first_that_exists(std::initializer_list<fs::path> paths) {
  std::error_code ignored;
  for (const fs::path& p : paths)
    if (!p.empty() && fs::exists(p, ignored)) return p;
  return *paths.begin();
}

}  // namespace

Result<std::string> read_file(const fs::path& path, std::size_t max_bytes) {
  std::error_code ec;
  if (fs::is_directory(path, ec)) return fail(Code::io, "'" + path.string() + "' is a folder, not a file");
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(Code::io, "cannot read '" + path.string() + "'", std::strerror(errno));
  std::string content;
  char buffer[1 << 16];
  while (in.read(buffer, sizeof buffer) || in.gcount() > 0) {
    content.append(buffer, static_cast<std::size_t>(in.gcount()));
    if (content.size() > max_bytes)
      return fail(Code::io, "'" + path.string() + "' is larger than " + std::to_string(max_bytes) + " bytes");
  }
  return content;
}

Status write_file_atomic(const fs::path& path, std::string_view content) {
  std::error_code ec;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), ec);
  const std::string temporary = path.string() + ".tmp" + std::to_string(::getpid());
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  auto failed = [&](const char* what) {
    const std::string why = std::strerror(errno);
    if (fd >= 0) ::close(fd);
    ::unlink(temporary.c_str());
    return fail(Code::io, std::string("cannot ") + what + " '" + path.string() + "'", why);
  };
  if (fd < 0) return failed("create");
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t n = ::write(fd, content.data() + done, content.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed("write");
    done += static_cast<std::size_t>(n);
  }
  if (::fsync(fd) != 0) return failed("flush");
  ::close(fd);
  fs::rename(temporary, path, ec);
  if (ec) {
    ::unlink(temporary.c_str());
    return fail(Code::io, "cannot write '" + path.string() + "'", ec.message());
  }
  return {};
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

fs::path cache_dir() {
  if (fs::path p = from_environment("WARPWRIGHT_CACHE"); !p.empty()) return p;
  if (fs::path p = from_environment("XDG_CACHE_HOME"); !p.empty()) return p / "warpwright";
  if (fs::path p = from_environment("HOME"); !p.empty()) return p / ".cache/warpwright";
  std::error_code none;
  return fs::temp_directory_path(none) / "warpwright-cache";
}

fs::path worker_program() {
  if (fs::path p = from_environment("WARPWRIGHT_WORKER"); !p.empty()) return p;
  return executable_dir() / "warpwright-worker";
}

}  // namespace ww
