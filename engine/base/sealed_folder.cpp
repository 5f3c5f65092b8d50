// SPDX-License-Identifier: Apache-2.0
#include "base/sealed_folder.h"
#include <algorithm>
#include <fstream>
#include <vector>
#include "base/files.h"
#include "base/log.h"

namespace ww {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view sealed_magic = "warpwright kept 1\n";  // then the seal, 64 hex digits, a newline, the bytes
constexpr std::size_t sealed_header = sealed_magic.size() + SealKey::digits + 1;
constexpr const char* sealed_ending = ".kept";
constexpr const char* key_name = "seal.key";

// Its time of modification is now, for shrink().
void mark_as_used(const fs::path& path) {
  std::error_code ec;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ec);
}

}  // namespace

SealedFolder::SealedFolder(fs::path folder, std::uint64_t max_bytes)
    : folder_(std::move(folder)), max_bytes_(max_bytes) {
  if (!folder_.empty()) key_ = SealKey::in(folder_ / key_name, false);
}

fs::path SealedFolder::path_of(const std::string& name) const {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_';
  };
  if (name.size() < 3 || name.size() > 128 || name[0] == '.' || !std::all_of(name.begin(), name.end(), plain))
    return {};
  return folder_ / name.substr(0, 2) / (name + sealed_ending);
}

std::optional<std::string> SealedFolder::load(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const fs::path path = key_ ? path_of(name) : fs::path();
  std::error_code ec;
  if (path.empty() || !fs::exists(path, ec)) return std::nullopt;
  if (Result<std::string> content = read_file(path); content && content->size() >= sealed_header) {
    const std::string_view all = *content;
    if (all.starts_with(sealed_magic) && all[sealed_header - 1] == '\n' &&
        key_.fits(all.substr(sealed_magic.size(), SealKey::digits), name, all.substr(sealed_header))) {
      mark_as_used(path);
      return content->substr(sealed_header);
    }
  }
  log::warn("removed a cached result with an invalid seal: " + path.string());
  fs::remove(path, ec);
  return std::nullopt;
}

void SealedFolder::store(const std::string& name, const std::string& bytes) {
  const fs::path path = folder_.empty() ? fs::path() : path_of(name);
  if (path.empty()) return;
  const std::lock_guard lock(mutex_);
  if (!key_) key_ = SealKey::in(folder_ / key_name, true);
  if (!key_) return log::debug("nothing is cached: '" + (folder_ / key_name).string() + "' cannot be used");
  if (auto s = write_file_atomic(path, std::string(sealed_magic) + key_.seal(name, bytes) + "\n" + bytes); !s)
    return log::warn(s.error().text());
  written_ += sealed_header + bytes.size();
  if (!looked_ || written_ > max_bytes_ / 16) shrink();
}

std::uint64_t SealedFolder::bytes() const {
  std::uint64_t sum = 0;
  std::error_code ec;
  for (fs::recursive_directory_iterator at(folder_, ec), end; !ec && at != end; at.increment(ec))
    if (std::error_code one; at->path().extension() == sealed_ending) sum += at->file_size(one);
  return sum;
}

void SealedFolder::shrink() {
  looked_ = true;
  written_ = 0;
  struct Entry {
    fs::file_time_type used;
    std::uint64_t size;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uint64_t sum = 0;
  std::error_code ec;
  for (fs::recursive_directory_iterator at(folder_, ec), end; !ec && at != end; at.increment(ec)) {
    std::error_code one;
    // Entries of earlier versions (".bin") are never read again.
    if (at->path().extension() == ".bin") fs::remove(at->path(), one);
    if (!at->is_regular_file(one) || at->path().extension() != sealed_ending) continue;
    entries.push_back({at->last_write_time(one), at->file_size(one), at->path()});
    sum += entries.back().size;
  }
  if (sum <= max_bytes_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& e : entries) {
    if (sum <= max_bytes_ / 8 * 7) break;
    fs::remove(e.path, ec);
    sum -= e.size;
  }
}

}  // namespace ww
