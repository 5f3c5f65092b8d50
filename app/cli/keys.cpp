// SPDX-License-Identifier: Apache-2.0
// The user's signing key, and the keys of others that the user knows.
#include "keys.h"
#include <cstdio>
#include <fmt/format.h>
#include <iostream>
#include <termios.h>
#include <unistd.h>
#include "answer.h"
#include "base/files.h"
#include "base/visible.h"
#include "commands.h"
#include "console.h"
#include "models.h"
#include "output.h"
#include "review/fingerprint.h"
#include "review/known_keys.h"

namespace ww::cli {
namespace {

constexpr const char* key_schema = "warpwright/key/1";

class NoEcho {  // disables the terminal's echo while it lives
 public:
  NoEcho() {
    if (::tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    quiet_ = ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet) == 0;
  }
  ~NoEcho() {
    if (quiet_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  NoEcho(const NoEcho&) = delete;
  NoEcho& operator=(const NoEcho&) = delete;

 private:
  termios before_{};
  bool quiet_ = false;
};

Result<Secret> typed(const std::string& question) {
  if (!on_terminal())
    return fail(Code::unavailable,
                "a passphrase is needed, but there is no terminal to ask on: set WARPWRIGHT_KEY_PASSPHRASE_FILE to a "
                "file that contains it");
  put(Stream::error, question);
  std::string line;
  {
    const NoEcho quiet;
    std::getline(std::cin, line);
  }
  put(Stream::error, "\n");
  Secret secret(line);
  std::fill(line.begin(), line.end(), '\0');
  return secret;
}

Result<Json> key_json(const std::string& public_key) {
  const std::string words = WW_TRY(review::fingerprint_words(public_key));
  return Json{{"public_key", public_key}, {"fingerprint", review::fingerprint(public_key)}, {"words", words}};
}

Result<Json> earlier_json(const review::EarlierKey& earlier) {
  Json j = WW_TRY(key_json(earlier.public_key));
  j["until"] = earlier.until.empty() ? Json(nullptr) : Json(earlier.until);
  return j;
}

// A key as digits and as words, both of which people compare, so neither is ever cut.
std::string compared(const Json& key) {
  return "  " + key["fingerprint"].get<std::string>() + "\n  " + key["words"].get<std::string>() + '\n';
}

std::string known_text(const review::KnownKey& k, const Json& key) {
  return fmt::format("{}, since {}{}{}\n{}", safe(k.name), safe(k.since),
                     k.vouched_by.empty() ? "" : ", vouched for by " + safe(k.vouched_by),
                     k.revoked.empty()
                         ? std::string()
                         : coloured(Colour::red, safe(", revoked " + k.revoked + (k.why.empty() ? "" : ": " + k.why))),
                     compared(key));
}

std::string revoked_mark(const review::KnownKeys& known, const std::string& public_key) {
  return known.is_revoked(public_key) ? coloured(Colour::red, ", revoked") : std::string();
}

Result<int> list_keys(const Common& common) {
  const review::KnownKeys known = WW_TRY(review::KnownKeys::load());
  Json own = nullptr, earlier = Json::array(), list = Json::array();
  std::string others, before;
  if (!known.own_key().empty()) own = WW_TRY(key_json(known.own_key()));
  for (const review::KnownKey& k : known.keys()) {
    Json j = WW_TRY(key_json(k.public_key));
    j["name"] = k.name;
    j["since"] = k.since;
    j["vouched_by"] = k.vouched_by;
    j["revoked"] = k.revoked.empty() ? Json(nullptr) : Json(k.revoked);
    j["why"] = k.why;
    others += '\n' + known_text(k, j);
    list.push_back(std::move(j));
  }
  for (const review::EarlierKey& k : known.earlier_keys()) {
    earlier.push_back(WW_TRY(earlier_json(k)));
    before += fmt::format("\nAn earlier key of yours{}{}\n{}", k.until.empty() ? "" : ", until " + safe(k.until),
                          revoked_mark(known, k.public_key), compared(earlier.back()));
  }
  if (common.json) {
    print_json(common, {{"own", own}, {"earlier", earlier}, {"keys", list}});
    return Exit::done;
  }
  std::string out = own.is_null()
                        ? std::string("There is no key on this machine yet; the first signature creates one.\n")
                        : fmt::format("The key of this machine: {}{}\n  {}\n{}", own["fingerprint"].get<std::string>(),
                                      revoked_mark(known, known.own_key()), own["words"].get<std::string>(),
                                      review::picture_text(review::key_picture(known.own_key())));
  out += before;
  out += others.empty() ? "\nNo keys of others are known. 'warpwright-cli keys trust' adds one.\n" : others;
  print_text(out);
  return Exit::done;
}

// What `keys export` wrote, or a public key's digits.
Result<std::string> public_key_of(const std::string& given) {
  std::error_code ec;
  if (!std::filesystem::exists(given, ec)) return given;
  const std::string text = WW_TRY(read_file(given, 1 << 16));
  const Json j = WW_TRY(json::parse(text));
  if (!j.is_object() || j.value("schema", Json()) != key_schema || !j.contains("public_key") ||
      !j["public_key"].is_string())
    return fail(Code::invalid_argument, "'" + given + "' was not written by 'warpwright-cli keys export'");
  return j["public_key"].get<std::string>();
}

Result<int> trust_key(const Common& common, const std::string& given, const std::string& name,
                      const std::string& vouched_by, bool anyway) {
  review::KnownKeys known = WW_TRY(review::KnownKeys::load());
  const std::string key = WW_TRY(public_key_of(given));
  WW_TRY(known.trust(name, key, vouched_by, anyway));
  const review::KnownKey& added = known.keys().back();
  const Json shown = WW_TRY(key_json(key));
  return print_answer(common,
                      {{{"name", added.name}, {"key", shown}},
                       fmt::format("The key {} is now known as {}'s.\n  {}\n{}Compare words or picture with {} over "
                                   "another channel, if you have not.\n",
                                   review::fingerprint(key), safe(added.name), shown["words"].get<std::string>(),
                                   review::picture_text(review::key_picture(key)), safe(added.name))});
}

Result<int> revoke_key(const Common& common, const std::string& which, const std::string& why) {
  review::KnownKeys known = WW_TRY(review::KnownKeys::load());
  Result<review::KnownKey> gone = known.revoke(which, why);
  std::error_code ec;
  if (!gone && gone.error().code == Code::not_found && std::filesystem::exists(which, ec)) {
    const std::string key = WW_TRY(public_key_of(which));
    gone = known.revoke(key, why);
  }
  WW_CHECK(gone);
  const review::KnownKey& revoked = *gone;
  if (common.json) {
    const Json key = WW_TRY(key_json(revoked.public_key));
    print_json(common, {{"name", revoked.name}, {"key", key}, {"revoked", revoked.revoked}});
  } else {
    print_text(fmt::format("{} is revoked: its signatures are no longer trusted.\n",
                           known.is_own(revoked.public_key)
                               ? "Your key " + review::fingerprint(revoked.public_key)
                               : "The key " + review::fingerprint(revoked.public_key) + " of " + safe(revoked.name)));
  }
  return Exit::done;
}

Result<Secret> long_enough(Secret passphrase) {
  if (passphrase.reveal().size() < 8) return fail(Code::invalid_argument, "a passphrase has at least 8 characters");
  return passphrase;
}

Result<Secret> new_passphrase() {
  if (!on_terminal()) return fail(Code::unavailable, "a new passphrase must be typed twice: run this on a terminal");
  Secret next = WW_TRY(typed("New passphrase: "));
  const Secret again = WW_TRY(typed("Once more: "));
  if (next.reveal() != again.reveal()) return fail(Code::invalid_argument, "the two passphrases differ");
  return long_enough(std::move(next));
}

constexpr const char* no_passphrase = "It has no passphrase; 'warpwright-cli keys passphrase' sets one.\n";

Result<int> new_key(const Common& common) {
  const bool was_sealed = WW_TRY(review::Signer::sealed());
  const std::string before = WW_TRY(review::Signer::own_key());
  Secret passphrase;
  if (std::optional<Secret> named = WW_TRY(review::Signer::named_passphrase())) {
    passphrase = WW_TRY(long_enough(std::move(*named)));
  } else if (was_sealed && on_terminal()) {
    put(Stream::error, "The old key has a passphrase. Choose one for the new key.\n");
    passphrase = WW_TRY(new_passphrase());
  }
  const std::filesystem::path kept = WW_TRY(review::Signer::set_aside());
  const review::Signer signer = WW_TRY(review::Signer::open());
  if (!passphrase.empty())
    if (const Status s = signer.seal(passphrase); !s)
      return fail(s.error().code, "the new signing key has no passphrase yet: " + s.error().message, s.error().cause);
  const Json key = WW_TRY(key_json(signer.public_key()));
  if (common.json)
    print_json(
        common,
        {{"key", key}, {"kept", kept.empty() ? Json(nullptr) : Json(kept.string())}, {"sealed", !passphrase.empty()}});
  else
    print_text(fmt::format(
        "Your signing key is now {}.\n  {}\n{}{}", review::fingerprint(signer.public_key()),
        key["words"].get<std::string>(),
        !passphrase.empty() ? "It has the passphrase that you gave.\n"
        : was_sealed
            ? std::string("Unlike the old key, it has no passphrase; 'warpwright-cli keys passphrase' sets one.\n")
            : std::string(no_passphrase),
        kept.empty() ? std::string()
                     : "The old key is in " + safe(kept.string()) +
                           (WW_TRY(review::KnownKeys::load()).is_revoked(before)
                                ? "; it stays revoked.\n"
                                : "; receipts that it signed still count as yours.\n")));
  return Exit::done;
}

Result<int> export_key(const Common& common, const std::filesystem::path& file) {
  std::string own = WW_TRY(review::Signer::own_key());
  if (own.empty()) own = WW_TRY(open_signer()).public_key();
  Json key = WW_TRY(key_json(own));
  Json content = {{"schema", key_schema}};
  content.update(key);
  const std::string text = visible(json::dump(content, 2), Escapes::json);
  if (!file.empty()) WW_TRY(write_file_atomic(file, text + "\n"));
  return print_answer(common, {{{"key", key}, {"file", file.empty() ? Json(nullptr) : Json(file.string())}},
                               file.empty() ? text : "The public key is in " + file.string() + ".\n"});
}

Result<int> set_passphrase(const Common& common, bool remove) {
  const bool was_sealed = WW_TRY(review::Signer::sealed());
  const review::Signer signer = WW_TRY(review::Signer::open({}, ask_passphrase));
  Secret next;
  if (std::optional<Secret> named = WW_TRY(review::Signer::named_passphrase()); named && !remove && !was_sealed)
    next = WW_TRY(long_enough(std::move(*named)));
  else if (!remove)
    next = WW_TRY(new_passphrase());
  WW_TRY(signer.seal(next));
  return print_answer(
      common, {{{"sealed", !remove}},
               remove ? "The signing key no longer has a passphrase.\n" : "The signing key now has a passphrase.\n"});
}

}  // namespace

Result<Secret> ask_passphrase(const std::filesystem::path& key) {
  return typed("Passphrase of " + key.string() + ": ");
}

Result<review::Signer> open_signer() {
  review::Signer signer = WW_TRY(review::Signer::open({}, ask_passphrase));
  if (signer.made()) put(Stream::error, review::made_text(signer.public_key()) + "\n");
  return signer;
}

void add_keys(Commands& commands) {
  struct Args {
    std::string key, name, vouched_by, why;
    std::filesystem::path file;
    bool anyway = false, remove = false;
  };
  const auto args = std::make_shared<Args>();
  const auto none = Commands::Workspace::none;
  CLI::App& keys = commands.add_group("keys", "manages your signing key, and the keys of others that you know");
  commands.add_to(keys, "list", "shows fingerprints as digits, words and picture", list_keys, none);
  CLI::App& trust = commands.add_to(
      keys, "trust", "records whose key it is, once you have compared fingerprints with that person",
      [args](const Common& c) { return trust_key(c, args->key, args->name, args->vouched_by, args->anyway); }, none);
  trust.add_option("KEY", args->key, "a file of 'keys export', or the 64 digits of a public key")->required();
  trust.add_option("--name", args->name, "the owner's name, as used in signatures")->required();
  trust.add_option("--vouched-by", args->vouched_by, "who said so");
  trust.add_flag("--anyway", args->anyway, "even if the name looks like that of another known key");
  CLI::App& revoke = commands.add_to(
      keys, "revoke", "stops trusting a key, including earlier signatures",
      [args](const Common& c) { return revoke_key(c, args->key, args->why); }, none);
  revoke
      .add_option("KEY", args->key,
                  "name, public key, first digits of the fingerprint (at least four), or a file of 'keys export'")
      ->required();
  revoke.add_option("--why", args->why, "the reason");
  commands.add_to(keys, "new", "creates a new signing key; the old one is kept in a file beside it", new_key, none);
  CLI::App& write = commands.add_to(
      keys, "export", "your public key, for others to trust",
      [args](const Common& c) { return export_key(c, args->file); }, none);
  add_output(write, "-o,--output", args->file, "file to write; default: stdout");
  commands
      .add_to(
          keys, "passphrase", "encrypts your signing key with a passphrase, or changes the passphrase",
          [args](const Common& c) { return set_passphrase(c, args->remove); }, none)
      .add_flag("--remove", args->remove, "removes the passphrase");
}

}  // namespace ww::cli
