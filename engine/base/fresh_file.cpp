// SPDX-License-Identifier: Apache-2.0
#include "base/fresh_file.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <unistd.h>

namespace ww {
namespace fs = std::filesystem;
namespace {

constexpr int attempts = 16;

tl::unexpected<Error> cannot(const char* what, const fs::path& path) {
  const std::string why = std::strerror(errno);
  return fail(Code::io, std::string("cannot ") + what + " '" + path.string() + "'", why);
}

}  // namespace

Result<FreshFile> FreshFile::beside(const fs::path& path) {
  std::error_code ec;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), ec);
  std::random_device random;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    char ending[32];
    std::snprintf(ending, sizeof ending, ".tmp%08x%08x", static_cast<unsigned>(random()),
                  static_cast<unsigned>(random()));
    const fs::path name = path.string() + ending;
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd >= 0) return FreshFile(name, fd);
    if (errno != EEXIST) break;
  }
  return cannot("create", path);
}

FreshFile::~FreshFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!path_.empty()) ::unlink(path_.c_str());
}

Status FreshFile::write(std::string_view bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(fd_, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return cannot("write", path_);
    done += static_cast<std::size_t>(n);
  }
  return {};
}

Status FreshFile::rename_to(const fs::path& path) {
  if (::fsync(fd_) != 0) return cannot("flush", path);
  if (::rename(path_.c_str(), path.c_str()) != 0) return cannot("write", path);
  path_.clear();
  return {};
}

}  // namespace ww
