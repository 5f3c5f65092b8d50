// SPDX-License-Identifier: Apache-2.0
#include "review/known_keys.h"
#include <algorithm>
#include <set>
#include "base/describe.h"
#include "base/described_json.h"
#include "base/file_lock.h"
#include "base/files.h"
#include "base/utc.h"
#include "review/fingerprint.h"
#include "review/people.h"
#include "review/signing.h"

namespace ww::review {
namespace {

struct KeysFile {
  std::vector<KnownKey> keys;
  WW_FIELDS(KeysFile, keys)
};

std::string date_of_today() { return utc_now("%Y-%m-%d"); }

bool is_key(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// As they are compared: without blanks and colons, in small letters.
std::string digits_of(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == ':'; });
  for (char& c : text)
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

constexpr std::size_t least_digits = 4;
constexpr const char* own_name = "your own key";

bool fits(const KnownKey& key, const std::string& name, const std::string& digits) {
  return key.name == name || key.public_key == digits ||
         (digits.size() >= least_digits && digits_of(fingerprint(key.public_key)).starts_with(digits));
}

}  // namespace

Result<KnownKeys> KnownKeys::load(const std::filesystem::path& file) {
  KnownKeys known;
  known.file_ = file.empty() ? config_dir() / "known_keys.json" : file;
  known.own_ = WW_TRY(Signer::own_key());
  known.earlier_ = Signer::earlier_keys();
  WW_TRY(known.read());
  return known;
}

Status KnownKeys::read() {
  keys_.clear();
  std::error_code ec;
  if (!std::filesystem::exists(file_, ec)) return {};
  const std::string text = WW_TRY(read_file(file_, 1 << 20));
  const std::string message = "'" + file_.string() + "', the list of known keys, cannot be read; repair it";
  KeysFile list = WW_TRY(json::read_text<KeysFile>(text, message));
  // A member that is misspelt or empty may have been a revocation.
  if (nlohmann::json::parse(json::text_of(list)) != nlohmann::json::parse(text))
    return fail(Code::corrupt, message, "it has a member that such a list does not have, or an empty one");
  keys_ = std::move(list.keys);
  std::set<std::string> seen;
  for (const KnownKey& k : keys_) {
    if (!is_key(k.public_key))
      return fail(Code::corrupt, "'" + file_.string() + "' has a key that is not 64 hex digits: " + k.name);
    if (!seen.insert(k.public_key).second)  // one of the two may be revoked
      return fail(Code::corrupt, "'" + file_.string() + "' has the key of " + k.name + " twice; remove one");
  }
  return {};
}

Status KnownKeys::save() const { return write_file_atomic(file_, json::text_of(KeysFile{keys_}, 2) + "\n"); }

Status KnownKeys::trust(const std::string& given, const std::string& public_key, const std::string& vouched_by,
                        bool anyway) {
  const FileLock lock = WW_TRY(FileLock::wait(file_.string() + ".lock"));
  WW_TRY(read());
  const std::string name = normal_name(given), shape = name_shape(name);
  if (name.empty() || name.size() > 200)
    return fail(Code::invalid_argument, "a key needs its holder's name, of at most 200 bytes");
  if (shape == name_shape(own_name))
    return fail(Code::invalid_argument, "'" + name + "' refers to your own keys; give the name of this key's owner");
  if (!is_key(public_key))
    return fail(Code::invalid_argument,
                "'" + public_key + "' is not a public key: it has 64 digits, 0 to 9 and a to f");
  for (const KnownKey& k : keys_) {
    if (k.public_key == public_key && !k.revoked.empty())
      return fail(Code::invalid_argument, "this key was revoked on " + k.revoked + "; a revoked key stays revoked");
    if (k.public_key == public_key && (k.name == name || !anyway))
      return fail(Code::invalid_argument, "this key is already known as that of '" + k.name + "'" +
                                              (k.name == name ? "" : "; --anyway gives it the other name"));
    if (!anyway && k.revoked.empty() && name_shape(k.name) == shape)
      return fail(Code::invalid_argument,
                  "another key is known as that of '" + k.name + "', which looks like '" + name +
                      "'; revoke that one first, or choose a name that cannot be mistaken for it");
  }
  std::erase_if(keys_, [&](const KnownKey& k) { return k.public_key == public_key; });  // renamed
  keys_.push_back({name, public_key, date_of_today(), normal_name(vouched_by), {}, {}});
  return save();
}

Result<KnownKey> KnownKeys::revoke(const std::string& which, const std::string& why) {
  const FileLock lock = WW_TRY(FileLock::wait(file_.string() + ".lock"));
  WW_TRY(read());
  const std::string name = normal_name(which), digits = digits_of(which);
  std::vector<KnownKey> all = keys_;  // and one's own, which need no entry to be revoked
  const auto add_own = [&](const std::string& key) {
    if (!key.empty() && std::ranges::find(all, key, &KnownKey::public_key) == all.end())
      all.push_back({own_name, key, date_of_today(), {}, {}, {}});
  };
  add_own(own_);
  for (const EarlierKey& k : earlier_) add_own(k.public_key);
  const KnownKey *found = nullptr, *revoked = nullptr;
  std::string list;
  int count = 0;
  for (const KnownKey& k : all) {
    if (!fits(k, name, digits)) continue;
    if (!k.revoked.empty()) {
      revoked = &k;
      continue;
    }
    list += (list.empty() ? "" : "; ") + k.name + " (" + fingerprint(k.public_key) + ")";
    found = &k;
    ++count;
  }
  if (count > 1)
    return fail(Code::invalid_argument, "several keys fit '" + which + "': " + list + "; give more of the fingerprint");
  if (!found && revoked)
    return fail(Code::invalid_argument, "the key of '" + revoked->name + "' was revoked on " + revoked->revoked);
  if (!found)
    return fail(Code::not_found, "no known key fits '" + which +
                                     "', as a file, a name, a public key or the first digits of a fingerprint (at "
                                     "least four); 'warpwright-cli keys list' shows them");
  KnownKey gone = *found;
  gone.revoked = date_of_today();
  gone.why = why;
  if (const auto entry = std::ranges::find(keys_, gone.public_key, &KnownKey::public_key); entry != keys_.end())
    *entry = gone;
  else
    keys_.push_back(gone);
  WW_TRY(save());
  return gone;
}

Status KnownKeys::may_sign(const std::string& public_key) const {
  for (const KnownKey& k : keys_)
    if (k.public_key == public_key && !k.revoked.empty())
      return fail(Code::invalid_argument, "your signing key was revoked on " + k.revoked +
                                              (k.why.empty() ? "" : " (" + k.why + ")") +
                                              ": nothing was signed; 'warpwright-cli keys new' makes another one");
  return {};
}

std::vector<SignatureStanding> KnownKeys::standing(const Verification& receipt) const {
  std::vector<SignatureStanding> list;
  for (std::size_t i = 0; i < receipt.signatures.size(); ++i) {
    const Signature& s = receipt.signatures[i];
    SignatureStanding at;
    const std::string name = normal_name(s.reviewer), shape = name_shape(name);
    const auto warn = [&](const std::string& sentence) { at.warnings.push_back(sentence); };
    if (name != s.reviewer) warn("the name has extra blanks or invisible characters");
    bool repeated = false;
    for (std::size_t j = 0; j < i; ++j) {
      const Signature& other = receipt.signatures[j];
      if (other.public_key == s.public_key) {
        repeated = true;
        warn("the key of '" + other.reviewer + "' also made this signature, so it does not come from a second person");
      } else if (name_shape(other.reviewer) == shape) {
        warn("the name looks like '" + other.reviewer + "', who signed with another key");
      }
    }
    const auto earlier = std::ranges::find(earlier_, s.public_key, &EarlierKey::public_key);
    at.earlier = earlier != earlier_.end() && s.public_key != own_;
    at.own = at.earlier || (!own_.empty() && s.public_key == own_);
    if (at.earlier) at.until = earlier->until;
    if (!at.until.empty() && s.created.substr(0, 10) > at.until)
      warn("the signature is dated after you stopped using this key");
    const auto known =
        std::find_if(keys_.begin(), keys_.end(), [&](const KnownKey& k) { return k.public_key == s.public_key; });
    for (const KnownKey& k : keys_)
      if (k.public_key != s.public_key && k.revoked.empty() && name_shape(k.name) == shape)
        warn("the name looks like '" + k.name + "', whose known key is different");
    if (known != keys_.end() && !known->revoked.empty()) {
      at.standing = KeyStanding::revoked;
      warn("the key was revoked on " + known->revoked + (known->why.empty() ? "" : ": " + known->why));
    } else if (repeated) {
      at.standing = KeyStanding::repeated;
    } else if (known != keys_.end() && known->name != name) {
      at.standing = KeyStanding::other_name;
      warn("the key is known as that of '" + known->name + "'");
    } else if (known != keys_.end() || at.own) {
      at.standing = KeyStanding::known;
    }
    list.push_back(std::move(at));
  }
  return list;
}

bool KnownKeys::is_own(const std::string& public_key) const {
  return (!own_.empty() && public_key == own_) || std::ranges::count(earlier_, public_key, &EarlierKey::public_key) > 0;
}

bool KnownKeys::is_revoked(const std::string& public_key) const {
  return std::ranges::any_of(keys_,
                             [&](const KnownKey& k) { return k.public_key == public_key && !k.revoked.empty(); });
}

std::string standing_text(const SignatureStanding& s) {
  if (s.standing != KeyStanding::known || !s.own) return enum_string(s.standing);
  return !s.earlier ? "yours" : s.until.empty() ? "an earlier one of yours" : "yours, until " + s.until;
}

KeyStanding worst_of(const std::vector<SignatureStanding>& standing) {
  static constexpr KeyStanding order[] = {KeyStanding::revoked, KeyStanding::unknown, KeyStanding::repeated,
                                          KeyStanding::other_name};
  for (const KeyStanding bad : order)
    if (std::any_of(standing.begin(), standing.end(), [&](const SignatureStanding& s) { return s.standing == bad; }))
      return bad;
  return standing.empty() ? KeyStanding::unknown : KeyStanding::known;
}

}  // namespace ww::review
