// SPDX-License-Identifier: Apache-2.0
// A file that somebody else named or made: the one way to open it. Devices, pipes and folders are refused by name, and
// none of them is waited for.
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
  // All of it, part by part, from where the last call ended. Code::io: it cannot be read, or is larger.
  Status read(std::size_t max_bytes, const std::function<Status(std::string_view part)>& take);

 private:
  ForeignFile(std::filesystem::path path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::filesystem::path path_;
  int fd_ = -1;
};

}  // namespace ww
