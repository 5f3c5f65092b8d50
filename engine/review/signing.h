// SPDX-License-Identifier: Apache-2.0
// Ed25519 signatures (libsodium) with a key that stays on this machine: config_dir()/"signing.key", created on first
// use, readable only by its owner. It may be encrypted with a passphrase (argon2id, secretbox). A signature proves that
// the signer held this key; the name is the signer's claim.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"
#include "base/secret.h"

namespace ww::review {

struct EarlierKey {  // one's own
  std::string public_key;
  std::string until;  // the date when it was replaced; empty: unknown
};

class Signer {
 public:
  using AskPassphrase = std::function<Result<Secret>(const std::filesystem::path& key)>;
  // Empty: the file above. A key readable by others is refused (Code::unavailable), as is a damaged one
  // (Code::corrupt); nothing is ever overwritten. The passphrase of an encrypted key is the first line of the file
  // named by $WARPWRIGHT_KEY_PASSPHRASE_FILE, else the result of `ask`; with neither, or a wrong one:
  // Code::unavailable.
  static Result<Signer> open(const std::filesystem::path& file = {}, const AskPassphrase& ask = {});
  // Its public key, without needing a passphrase; empty: no key yet (none is created).
  static Result<std::string> own_key(const std::filesystem::path& file = {});
  // The first line of the file named by $WARPWRIGHT_KEY_PASSPHRASE_FILE; empty: not set.
  static Result<std::optional<Secret>> named_passphrase();
  // Whether it has a passphrase; false if there is no key.
  static Result<bool> sealed(const std::filesystem::path& file = {});
  // Renames the key's file so that another key can be created; returns its new name, empty if there was none.
  static Result<std::filesystem::path> set_aside(const std::filesystem::path& file = {});
  // The earlier keys that can be read, without a passphrase.
  static std::vector<EarlierKey> earlier_keys(const std::filesystem::path& file = {});
  // Encrypts the key's file, replacing an existing passphrase; an empty passphrase decrypts it.
  Status seal(const Secret& passphrase, const std::filesystem::path& file = {}) const;
  const std::string& public_key() const { return public_key_; }  // 64 hex digits
  bool made() const { return made_; }                            // by this call
  std::string sign(std::string_view message) const;              // 128 hex digits

 private:
  struct Keys;  // wiped on destruction
  std::shared_ptr<const Keys> keys_;
  std::string public_key_;
  bool made_ = false;
};

bool signature_fits(const std::string& public_key, std::string_view message,
                    const std::string& signature);  // also false if a text is not lower-case hex of the right length

}  // namespace ww::review
