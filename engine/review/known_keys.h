// SPDX-License-Identifier: Apache-2.0
// The public keys of others that this user knows: config_dir()/"known_keys.json". A signature proves who held a key;
// this file records whose key it is, since when and who vouched for it. This machine's key needs no entry. Several
// processes may change the file: each change is applied to its latest state, under a lock.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>
#include "base/describe.h"
#include "base/result.h"
#include "review/receipt.h"

namespace ww::review {

struct KnownKey {
  std::string name, public_key, since, vouched_by;  // since: a date
  std::string revoked, why;                         // the date of revocation; empty: not revoked
  WW_FIELDS(KnownKey, name, public_key, since, (vouched_by, "who said whose key it is; may be empty", sparse),
            (revoked, "since when it is not believed", sparse), (why, "why not", sparse))
};

enum class KeyStanding : std::uint8_t {
  known,       // under this name
  other_name,  // known, but under another name than the signature's
  repeated,    // it also made an earlier signature on the receipt: not a second person
  unknown,
  revoked,
};
constexpr auto names_of(KeyStanding) {
  using enum KeyStanding;
  return std::to_array<Enumerator<KeyStanding>>({{known, "known"},
                                                 {other_name, "known by another name"},
                                                 {repeated, "the key of an earlier signature"},
                                                 {unknown, "unknown"},
                                                 {revoked, "revoked"}});
}

struct SignatureStanding {
  KeyStanding standing = KeyStanding::unknown;
  bool own = false;                   // this user's, current or earlier
  std::string until;                  // of an earlier own key: the date when it was replaced; may be unknown
  bool earlier = false;               // an earlier own key
  std::vector<std::string> warnings;  // sentences: other names of this key, look-alike names
};

std::string standing_text(const SignatureStanding& standing);  // "known", "yours", "yours, until 2026-11-23", …

class KnownKeys {
 public:
  // Empty: the file above; a missing file: no keys. An unreadable file is an error.
  static Result<KnownKeys> load(const std::filesystem::path& file = {});
  const std::vector<KnownKey>& keys() const { return keys_; }
  const std::string& own_key() const { return own_; }  // of this machine; empty: none was created
  bool is_own(const std::string& public_key) const;    // current or earlier
  bool is_revoked(const std::string& public_key) const;
  const std::vector<EarlierKey>& earlier_keys() const { return earlier_; }  // of this machine
  // The name is normalised. Code::invalid_argument: it is blank, the key is not 64 hex digits or was revoked, or
  // `anyway` is false and the key is known under another name, which it would lose, or another key has a look-alike
  // name.
  Status trust(const std::string& name, const std::string& public_key, const std::string& vouched_by, bool anyway);
  // Revokes a key by name, public key or fingerprint prefix of four digits or more; also one's own key.
  // Code::not_found; Code::invalid_argument: ambiguous.
  Result<KnownKey> revoke(const std::string& which, const std::string& why);
  Status may_sign(const std::string& public_key) const;                        // Code::invalid_argument: it was revoked
  std::vector<SignatureStanding> standing(const Verification& receipt) const;  // of each signature

 private:
  Status read();
  Status save() const;
  std::filesystem::path file_;
  std::vector<KnownKey> keys_;
  std::string own_;
  std::vector<EarlierKey> earlier_;
};

// The worst: revoked, then unknown, repeated, other_name, known.
KeyStanding worst_of(const std::vector<SignatureStanding>& standing);

}  // namespace ww::review
