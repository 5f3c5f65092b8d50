// SPDX-License-Identifier: Apache-2.0
// The one way to open a file that came from outside or whose name did. Devices, pipes and folders are refused by kind,
// without blocking on them.
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string_view>
#include <utility>
#include "base/result.h"

namespace ww {

class ForeignFile {
 public:
  static Result<ForeignFile> open(const std::filesystem::path& path);  // Code::io
  ForeignFile(ForeignFile&& other) noexcept : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}
  ForeignFile(const ForeignFile&) = delete;
  ForeignFile& operator=(const ForeignFile&) = delete;
  ~ForeignFile();
  // Reads in chunks, from where the last call ended, to the end. Code::io: unreadable, or larger than the limit.
  Status read(std::size_t max_bytes, const std::function<Status(std::string_view part)>& take);

 private:
  ForeignFile(std::filesystem::path path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::filesystem::path path_;
  int fd_ = -1;
};

}  // namespace ww
