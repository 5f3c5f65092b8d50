// SPDX-License-Identifier: Apache-2.0
// A key of this person alone, in a file, for seals (keyed BLAKE2b-256, libsodium): whoever cannot read the key cannot
// make one.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace ww {

class SealKey {
 public:
  static constexpr std::size_t digits = 64;  // of a seal, in hexadecimal
  SealKey() = default;                       // none
  // None where the file is absent, another user's, readable by others or no plain file. `make`: an absent one is made,
  // readable by its owner alone.
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
