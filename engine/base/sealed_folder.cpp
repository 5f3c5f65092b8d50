// SPDX-License-Identifier: Apache-2.0
#include "base/sealed_folder.h"
#include <algorithm>
#include <fstream>
#include <sodium.h>
#include <vector>
#include "base/files.h"
#include "base/fresh_file.h"
#include "base/log.h"

namespace ww {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view sealed_magic = "warpwright kept 1\n";  // then the seal, 64 hex digits, a newline, the bytes
constexpr std::size_t seal_digits = 64, sealed_header = sealed_magic.size() + seal_digits + 1;
constexpr const char* sealed_ending = ".kept";

std::string read_seal_key(const fs::path& file) {
  std::error_code ec;
  const fs::file_status status = fs::symlink_status(file, ec);
  if (!fs::is_regular_file(status) ||
      (status.permissions() & (fs::perms::group_all | fs::perms::others_all)) != fs::perms::none)
    return {};
  Result<std::string> key = read_file(file, crypto_generichash_KEYBYTES);
  return key && key->size() == crypto_generichash_KEYBYTES ? std::move(*key) : std::string();
}

// Two processes that make one at the same moment may end with different keys: one of them then keeps in vain.
std::string seal_key_in(const fs::path& folder, bool make) {
  const fs::path file = folder / "seal.key";
  std::error_code ec;
  if (fs::exists(fs::symlink_status(file, ec)) || !make) return read_seal_key(file);
  std::string key(crypto_generichash_KEYBYTES, '\0');
  crypto_generichash_keygen(reinterpret_cast<unsigned char*>(key.data()));
  Result<FreshFile> fresh = FreshFile::beside(file);
  if (!fresh) return {};
  fs::permissions(fresh->path(), fs::perms::owner_read | fs::perms::owner_write, ec);
  if (ec || !fresh->write(key) || !fresh->rename_to(file)) return {};
  return read_seal_key(file);
}

// Its time of modification is now, for shrink().
void mark_as_used(const fs::path& path) {
  std::error_code ec;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ec);
}

}  // namespace

SealedFolder::SealedFolder(fs::path folder, std::uint64_t max_bytes)
    : folder_(std::move(folder)), max_bytes_(max_bytes) {
  if (!folder_.empty()) key_ = seal_key_in(folder_, false);
}

SealedFolder::~SealedFolder() { sodium_memzero(key_.data(), key_.size()); }

fs::path SealedFolder::path_of(const std::string& name) const {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_';
  };
  if (name.size() < 3 || name.size() > 128 || name[0] == '.' || !std::all_of(name.begin(), name.end(), plain))
    return {};
  return folder_ / name.substr(0, 2) / (name + sealed_ending);
}

std::string SealedFolder::seal_of(const std::string& name, std::string_view bytes) const {
  crypto_generichash_state state;
  crypto_generichash_init(&state, reinterpret_cast<const unsigned char*>(key_.data()), key_.size(), seal_digits / 2);
  const std::uint64_t size = name.size();
  crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(&size), sizeof size);
  crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(name.data()), name.size());
  crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  unsigned char seal[seal_digits / 2];
  crypto_generichash_final(&state, seal, sizeof seal);
  char text[seal_digits + 1];
  return sodium_bin2hex(text, sizeof text, seal, sizeof seal);
}

std::optional<std::string> SealedFolder::load(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const fs::path path = key_.empty() ? fs::path() : path_of(name);
  std::error_code ec;
  if (path.empty() || !fs::exists(path, ec)) return std::nullopt;
  if (Result<std::string> content = read_file(path); content && content->size() >= sealed_header) {
    const std::string_view all = *content;
    const std::string seal = seal_of(name, all.substr(sealed_header));
    if (all.starts_with(sealed_magic) && all[sealed_header - 1] == '\n' &&
        sodium_memcmp(seal.data(), all.data() + sealed_magic.size(), seal_digits) == 0) {
      mark_as_used(path);
      return content->substr(sealed_header);
    }
  }
  log::warn("a kept result whose seal does not fit is removed: " + path.string());
  fs::remove(path, ec);
  return std::nullopt;
}

void SealedFolder::store(const std::string& name, const std::string& bytes) {
  const fs::path path = folder_.empty() ? fs::path() : path_of(name);
  if (path.empty()) return;
  const std::lock_guard lock(mutex_);
  if (key_.empty()) key_ = seal_key_in(folder_, true);
  if (key_.empty()) return log::debug("nothing is kept: '" + (folder_ / "seal.key").string() + "' cannot be used");
  if (auto s = write_file_atomic(path, std::string(sealed_magic) + seal_of(name, bytes) + "\n" + bytes); !s)
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
