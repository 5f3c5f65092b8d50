// SPDX-License-Identifier: Apache-2.0
// Ed25519 signatures (libsodium) with a key that lives on this machine alone: config_dir()/"signing.key", made on
// first use, readable by its owner alone. It may be sealed with a passphrase (argon2id, secretbox). A signature says
// that whoever holds this key signed; the name beside it is what that person gave.
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

struct EarlierKey {  // of one's own
  std::string public_key;
  std::string until;  // the date when it was set aside; empty: unknown
};

class Signer {
 public:
  using AskPassphrase = std::function<Result<Secret>(const std::filesystem::path& key)>;
  // Empty: the file above. A key that others may read is refused (Code::unavailable), one that is damaged, too
  // (Code::corrupt); nothing is ever overwritten. The passphrase of a sealed key is the first line of the file named by
  // $WARPWRIGHT_KEY_PASSPHRASE_FILE, else `ask` gives it; with neither, or a wrong one: Code::unavailable.
  static Result<Signer> open(const std::filesystem::path& file = {}, const AskPassphrase& ask = {});
  // Its public key, without a passphrase; empty: there is no key yet, and none is made.
  static Result<std::string> own_key(const std::filesystem::path& file = {});
  // The first line of the file that $WARPWRIGHT_KEY_PASSPHRASE_FILE names; none: it names no file.
  static Result<std::optional<Secret>> named_passphrase();
  // Whether it has a passphrase; false also where there is no key.
  static Result<bool> sealed(const std::filesystem::path& file = {});
  // Renames the key's file, for another key to be made; the name that it has from now on, empty where there was none.
  static Result<std::filesystem::path> set_aside(const std::filesystem::path& file = {});
  // Those that were set aside and can be read, without a passphrase.
  static std::vector<EarlierKey> earlier_keys(const std::filesystem::path& file = {});
  // Seals the key's file, also with another passphrase than before; an empty one unseals it.
  Status seal(const Secret& passphrase, const std::filesystem::path& file = {}) const;
  const std::string& public_key() const { return public_key_; }  // 64 hex digits
  bool made() const { return made_; }                            // just now: there was none
  std::string sign(std::string_view message) const;              // 128 hex digits

 private:
  struct Keys;  // wiped when it goes
  std::shared_ptr<const Keys> keys_;
  std::string public_key_;
  bool made_ = false;
};

bool signature_fits(const std::string& public_key, std::string_view message,
                    const std::string& signature);  // false also where a text is not lower-case hex of its length

}  // namespace ww::review
