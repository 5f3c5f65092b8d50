// SPDX-License-Identifier: Apache-2.0
#include "base/seal_key.h"
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/files.h"
#include "base/fresh_file.h"

namespace ww {
namespace fs = std::filesystem;
namespace {

std::string read_key(const fs::path& file) {
  struct stat s {};
  if (::lstat(file.c_str(), &s) != 0 || !S_ISREG(s.st_mode) || s.st_uid != ::geteuid() || (s.st_mode & 077) != 0)
    return {};
  Result<std::string> key = read_file(file, crypto_generichash_KEYBYTES);
  return key && key->size() == crypto_generichash_KEYBYTES ? std::move(*key) : std::string();
}

// Of two processes that make one at the same moment, both end with the same. (Where a file system knows no links, what
// one of them seals is in vain.)
std::string make_key(const fs::path& file) {
  std::string key(crypto_generichash_KEYBYTES, '\0');
  crypto_generichash_keygen(reinterpret_cast<unsigned char*>(key.data()));
  Result<FreshFile> fresh = FreshFile::beside(file, 0600);
  if (!fresh) return {};
  if (!fresh->write(key)) return {};
  std::error_code ec;
  fs::create_hard_link(fresh->path(), file, ec);  // does not replace an existing file
  if (ec && !fs::exists(fs::symlink_status(file, ec)) && !fresh->rename_to(file)) return {};
  return read_key(file);
}

}  // namespace

SealKey SealKey::in(const fs::path& file, bool make) {
  SealKey out;
  std::error_code ec;
  out.key_ = fs::exists(fs::symlink_status(file, ec)) || !make ? read_key(file) : make_key(file);
  return out;
}

SealKey::~SealKey() { sodium_memzero(key_.data(), key_.size()); }

std::string SealKey::seal(std::string_view name, std::string_view bytes) const {
  crypto_generichash_state state;
  crypto_generichash_init(&state, reinterpret_cast<const unsigned char*>(key_.data()), key_.size(), digits / 2);
  const std::uint64_t size = name.size();
  crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(&size), sizeof size);
  crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(name.data()), name.size());
  crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  unsigned char seal[digits / 2];
  crypto_generichash_final(&state, seal, sizeof seal);
  char text[digits + 1];
  return sodium_bin2hex(text, sizeof text, seal, sizeof seal);
}

bool SealKey::fits(std::string_view seal, std::string_view name, std::string_view bytes) const {
  if (key_.empty() || seal.size() != digits) return false;
  return sodium_memcmp(this->seal(name, bytes).data(), seal.data(), digits) == 0;
}

}  // namespace ww
