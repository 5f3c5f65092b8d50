// SPDX-License-Identifier: Apache-2.0
// Ed25519 signatures (libsodium) with a key that lives on this machine alone: llm::config_dir()/"signing.key", made on
// first use, readable by its owner alone. A signature says that whoever holds this key signed; the name beside it is
// what that person gave.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include "base/result.h"

namespace ww::review {

class Signer {
 public:
  // Empty: the file above. A key that others may read is refused (Code::unavailable), one that is damaged, too
  // (Code::corrupt); nothing is ever overwritten.
  static Result<Signer> open(const std::filesystem::path& file = {});
  const std::string& public_key() const { return public_key_; }  // 64 hex digits
  std::string sign(std::string_view message) const;              // 128 hex digits

 private:
  struct Keys;  // wiped when it goes
  std::shared_ptr<const Keys> keys_;
  std::string public_key_;
};

bool signature_fits(const std::string& public_key, std::string_view message,
                    const std::string& signature);  // false also where a text is not lower-case hex of its length
// For people to compare: the first 16 digits of the key's hash, in groups of four.
std::string fingerprint(const std::string& public_key);

}  // namespace ww::review
