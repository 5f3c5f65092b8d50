// SPDX-License-Identifier: Apache-2.0
// A per-user key in a file, for seals (keyed BLAKE2b-256, libsodium): only who can read the key can create a seal.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace ww {

class SealKey {
 public:
  static constexpr std::size_t digits = 64;  // of a seal, in hexadecimal
  SealKey() = default;                       // none
  // None if the file is missing, belongs to another user, is readable by others or is not a regular file. `make`:
  // creates a missing file, readable only by its owner.
  static SealKey in(const std::filesystem::path& file, bool make);
  SealKey(SealKey&& other) noexcept = default;
  SealKey& operator=(SealKey&& other) noexcept = default;
  ~SealKey();
  explicit operator bool() const { return !key_.empty(); }
  std::string seal(std::string_view name, std::string_view bytes) const;
  bool fits(std::string_view seal, std::string_view name, std::string_view bytes) const;

 private:
  std::string key_;  // empty: none
};

}  // namespace ww
