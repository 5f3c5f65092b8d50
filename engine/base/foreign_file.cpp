// SPDX-License-Identifier: Apache-2.0
#include "base/foreign_file.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace ww {

Result<ForeignFile> ForeignFile::open(const std::filesystem::path& path) {
  // Avoids waiting for a writer if it is a FIFO.
  ForeignFile file(path, ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat facts {};
  if (file.fd_ < 0 || ::fstat(file.fd_, &facts) != 0)
    return fail(Code::io, "cannot read '" + path.string() + "'", std::strerror(errno));
  if (S_ISDIR(facts.st_mode)) return fail(Code::io, "'" + path.string() + "' is a folder, not a file");
  if (!S_ISREG(facts.st_mode)) return fail(Code::io, "'" + path.string() + "' is a device or a pipe, not a file");
  return file;
}

ForeignFile::~ForeignFile() {
  if (fd_ >= 0) ::close(fd_);
}

Status ForeignFile::read(std::size_t max_bytes, const std::function<Status(std::string_view part)>& take) {
  char buffer[1 << 16];
  for (std::size_t size = 0;;) {
    const ssize_t n = ::read(fd_, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(Code::io, "cannot read '" + path_.string() + "'", std::strerror(errno));
    if (n == 0) return {};
    size += static_cast<std::size_t>(n);
    if (size > max_bytes)
      return fail(Code::io, "'" + path_.string() + "' is larger than " + std::to_string(max_bytes) + " bytes");
    WW_TRY(take({buffer, static_cast<std::size_t>(n)}));
  }
}

}  // namespace ww
