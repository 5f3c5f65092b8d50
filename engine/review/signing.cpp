// SPDX-License-Identifier: Apache-2.0
#include "review/signing.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sodium.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>
#include "base/files.h"
#include "base/fresh_file.h"
#include "base/utc.h"

namespace ww::review {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view head = "warpwright signing key 1\n";
constexpr std::size_t seed_digits = 2 * crypto_sign_SEEDBYTES, file_size = head.size() + seed_digits + 1;
constexpr std::string_view sealed_head = "warpwright signing key 2, with a passphrase\n";
constexpr std::size_t largest_file = 1024;

std::string hex(const unsigned char* bytes, std::size_t size) {
  std::string out(2 * size + 1, '\0');
  sodium_bin2hex(out.data(), out.size(), bytes, size);
  out.pop_back();
  return out;
}

bool unhex(const std::string& text, unsigned char* bytes, std::size_t size) {
  if (text.size() != 2 * size || text.find_first_not_of("0123456789abcdef") != std::string::npos) return false;
  std::size_t read = 0;
  return sodium_hex2bin(bytes, size, text.data(), text.size(), nullptr, &read, nullptr) == 0 && read == size;
}

unsigned char* bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* bytes(const std::string& text) { return reinterpret_cast<const unsigned char*>(text.data()); }

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

struct KeyFile {
  std::string public_key;                          // of a sealed one, hex
  unsigned char seed[crypto_sign_SEEDBYTES] = {};  // of a plain one, or once it is unsealed
  std::string salt, nonce, box;                    // of a sealed one, bytes
  bool sealed() const { return !box.empty(); }
  KeyFile() = default;
  KeyFile(const KeyFile&) = default;
  KeyFile& operator=(const KeyFile&) = delete;
  ~KeyFile() { sodium_memzero(seed, sizeof seed); }
};

std::string sealed_text(const KeyFile& key) {
  std::string text(sealed_head);
  text += key.public_key + '\n';
  for (const std::string* part : {&key.salt, &key.nonce, &key.box}) text += hex(bytes(*part), part->size()) + '\n';
  return text;
}

// Code::not_found: no key.
Result<std::string> read_key(const fs::path& file) {
  const Descriptor in{::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)};
  if (in.fd < 0)
    return fail(errno == ENOENT ? Code::not_found : Code::io, "the signing key '" + file.string() + "' cannot be read",
                std::strerror(errno));
  struct stat facts {};
  if (::fstat(in.fd, &facts) != 0 || !S_ISREG(facts.st_mode))
    return fail(Code::io, "the signing key '" + file.string() + "' is not a file");
  if ((facts.st_mode & 077) != 0 || facts.st_uid != ::geteuid())
    return fail(Code::unavailable,
                "the signing key '" + file.string() +
                    "' can be read by others; restrict it (chmod 600), or move it away to have a new one created");
  std::string text(largest_file + 1, '\0');
  const ssize_t size = ::read(in.fd, text.data(), text.size());
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

Result<KeyFile> parse_key(const std::string& text, const fs::path& file) {
  KeyFile key;
  if (text.size() == file_size && text.starts_with(head) && text.ends_with('\n') &&
      unhex(text.substr(head.size(), seed_digits), key.seed, sizeof key.seed))
    return key;
  if (text.starts_with(sealed_head)) {
    std::istringstream lines(text.substr(sealed_head.size()));
    std::string salt, nonce, box;
    lines >> key.public_key >> salt >> nonce >> box;
    unsigned char open_key[crypto_sign_PUBLICKEYBYTES];
    key.salt.resize(crypto_pwhash_SALTBYTES);
    key.nonce.resize(crypto_secretbox_NONCEBYTES);
    key.box.resize(crypto_sign_SEEDBYTES + crypto_secretbox_MACBYTES);
    if (unhex(key.public_key, open_key, sizeof open_key) && unhex(salt, bytes(key.salt), key.salt.size()) &&
        unhex(nonce, bytes(key.nonce), key.nonce.size()) && unhex(box, bytes(key.box), key.box.size()) &&
        text == sealed_text(key))
      return key;
  }
  return fail(Code::corrupt, "the signing key '" + file.string() +
                                 "' is damaged; restore it, or move it away to have a new one created");
}

// Beside the file first, then put into its place: no partial file is ever visible. A new key is linked: two programs
// that make one at the same moment end with the same. Mode 0600.
Status write_key(const fs::path& file, const std::string& text, bool replace) {
  const auto failed = [&](const char* what) {
    return fail(Code::io, "the signing key '" + file.string() + "' cannot be written",
                std::string(what) + ": " + std::strerror(errno));
  };
  FreshFile fresh = WW_TRY(FreshFile::beside(file, 0600));
  WW_TRY(fresh.write(text));
  if (replace) return fresh.rename_to(file);
  WW_TRY(fresh.flush());
  return ::link(fresh.path().c_str(), file.c_str()) == 0 || errno == EEXIST ? Status() : failed("link");
}

Status write_plain(const fs::path& file, const unsigned char* seed, bool replace) {
  std::string text = std::string(head) + hex(seed, crypto_sign_SEEDBYTES) + '\n';
  Status written = write_key(file, text, replace);
  sodium_memzero(text.data(), text.size());
  return written;
}

Status make(const fs::path& file) {
  unsigned char seed[crypto_sign_SEEDBYTES];
  randombytes_buf(seed, sizeof seed);
  Status written = write_plain(file, seed, false);
  sodium_memzero(seed, sizeof seed);
  return written;
}

struct BoxKey {
  unsigned char of[crypto_secretbox_KEYBYTES] = {};
  ~BoxKey() { sodium_memzero(of, sizeof of); }
};

// Takes about a second and 256 MiB, and so does every guess.
Status derive(const Secret& passphrase, const std::string& salt, BoxKey& key) {
  const std::string_view text = passphrase.reveal();
  if (crypto_pwhash(key.of, sizeof key.of, text.data(), text.size(), bytes(salt), 3, std::size_t{256} << 20,
                    crypto_pwhash_ALG_ARGON2ID13) != 0)
    return fail(Code::unavailable, "there is not enough memory (256 MiB) to unlock the signing key");
  return {};
}

Result<Secret> passphrase_of(const fs::path& file, const Signer::AskPassphrase& ask) {
  if (std::optional<Secret> named = WW_TRY(Signer::named_passphrase())) return std::move(*named);
  if (ask) return ask(file);
  return fail(Code::unavailable, "the signing key '" + file.string() +
                                     "' has a passphrase: sign on a terminal with warpwright-cli, or set "
                                     "WARPWRIGHT_KEY_PASSPHRASE_FILE to a file that contains it");
}

Status unseal(KeyFile& key, const Secret& passphrase) {
  BoxKey box;
  WW_TRY(derive(passphrase, key.salt, box));
  if (crypto_secretbox_open_easy(key.seed, bytes(key.box), key.box.size(), bytes(key.nonce), box.of) != 0)
    return fail(Code::unavailable, "the passphrase of the signing key is wrong");
  return {};
}

constexpr std::size_t told_apart = 16;  // the digits of a public key in the name of a key that was set aside
constexpr std::string_view until_mark = "until-";

fs::path key_file(const fs::path& given) { return given.empty() ? config_dir() / "signing.key" : given; }

}  // namespace

struct Signer::Keys {
  unsigned char secret[crypto_sign_SECRETKEYBYTES];
  Keys() { sodium_mlock(secret, sizeof secret); }     // a limit on locked memory is no reason not to sign
  ~Keys() { sodium_munlock(secret, sizeof secret); }  // wipes it
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;
};

Result<Signer> Signer::open(const fs::path& given, const AskPassphrase& ask) {
  if (sodium_init() < 0) return fail(Code::internal, "libsodium cannot be initialised");
  const fs::path file = key_file(given);
  Result<std::string> text = read_key(file);
  const bool made = !text && text.error().code == Code::not_found;
  if (made) {
    WW_TRY(make(file));
    text = read_key(file);
  }
  WW_CHECK(text);
  Result<KeyFile> key = parse_key(*text, file);
  sodium_memzero(text->data(), text->size());
  WW_CHECK(key);
  if (key->sealed()) {
    const Secret passphrase = WW_TRY(passphrase_of(file, ask));
    WW_TRY(unseal(*key, passphrase));
  }
  unsigned char open_key[crypto_sign_PUBLICKEYBYTES];
  auto keys = std::make_shared<Keys>();
  crypto_sign_seed_keypair(open_key, keys->secret, key->seed);
  Signer s;
  s.made_ = made;
  s.public_key_ = hex(open_key, sizeof open_key);
  if (key->sealed() && s.public_key_ != key->public_key)
    return fail(Code::corrupt,
                "the signing key '" + file.string() + "' contains a public key that does not belong to it");
  s.keys_ = std::move(keys);
  return s;
}

Result<std::string> Signer::own_key(const fs::path& given) {
  if (sodium_init() < 0) return fail(Code::internal, "libsodium cannot be initialised");
  const fs::path file = key_file(given);
  Result<std::string> text = read_key(file);
  if (!text && text.error().code == Code::not_found) return std::string();
  WW_CHECK(text);
  const Result<KeyFile> key = parse_key(*text, file);
  sodium_memzero(text->data(), text->size());
  WW_CHECK(key);
  if (key->sealed()) return key->public_key;
  unsigned char open_key[crypto_sign_PUBLICKEYBYTES];
  Keys keys;
  crypto_sign_seed_keypair(open_key, keys.secret, key->seed);
  return hex(open_key, sizeof open_key);
}

Result<std::optional<Secret>> Signer::named_passphrase() {
  const char* named = std::getenv("WARPWRIGHT_KEY_PASSPHRASE_FILE");
  if (!named || !*named) return std::optional<Secret>();
  std::string text = WW_TRY(read_file(named, 4096));
  Secret passphrase(std::string_view(text).substr(0, text.find_first_of("\r\n")));
  sodium_memzero(text.data(), text.size());
  return std::optional<Secret>(std::move(passphrase));
}

Result<bool> Signer::sealed(const fs::path& given) {
  const fs::path file = key_file(given);
  Result<std::string> text = read_key(file);
  if (!text && text.error().code == Code::not_found) return false;
  WW_CHECK(text);
  const Result<KeyFile> key = parse_key(*text, file);
  sodium_memzero(text->data(), text->size());
  WW_CHECK(key);
  return key->sealed();
}

Result<fs::path> Signer::set_aside(const fs::path& given) {
  const fs::path file = key_file(given);
  const std::string own = WW_TRY(own_key(file));
  if (own.empty()) return fs::path();
  const fs::path kept =
      file.string() + '.' + std::string(until_mark) + utc_now("%Y-%m-%d") + '.' + own.substr(0, told_apart);
  std::error_code ec;
  fs::rename(file, kept, ec);
  if (ec) return fail(Code::io, "the current signing key cannot be moved away", ec.message());
  return kept;
}

std::vector<EarlierKey> Signer::earlier_keys(const fs::path& given) {
  const fs::path file = key_file(given);
  const std::string before = file.filename().string() + '.';
  std::vector<EarlierKey> list;
  std::error_code ec;
  for (fs::directory_iterator at(file.parent_path(), ec), end; !ec && at != end; at.increment(ec)) {
    std::string rest = at->path().filename().string();
    if (!rest.starts_with(before)) continue;
    rest.erase(0, before.size());
    EarlierKey key;
    if (const std::size_t dot = rest.find('.'); dot != std::string::npos && rest.starts_with(until_mark)) {
      key.until = rest.substr(until_mark.size(), dot - until_mark.size());
      rest.erase(0, dot + 1);
    }
    const Result<std::string> own = rest.size() == told_apart ? own_key(at->path()) : Result<std::string>();
    if (!own || !own->starts_with(rest)) continue;
    key.public_key = *own;
    list.push_back(std::move(key));
  }
  std::ranges::sort(list, {}, [](const EarlierKey& k) { return std::pair(k.until, k.public_key); });
  return list;
}

Status Signer::seal(const Secret& passphrase, const fs::path& given) const {
  const fs::path file = key_file(given);
  KeyFile key;
  crypto_sign_ed25519_sk_to_seed(key.seed, keys_->secret);
  if (passphrase.empty()) return write_plain(file, key.seed, true);
  key.public_key = public_key_;
  key.salt.resize(crypto_pwhash_SALTBYTES);
  key.nonce.resize(crypto_secretbox_NONCEBYTES);
  randombytes_buf(key.salt.data(), key.salt.size());
  randombytes_buf(key.nonce.data(), key.nonce.size());
  key.box.resize(sizeof key.seed + crypto_secretbox_MACBYTES);
  BoxKey box;
  WW_TRY(derive(passphrase, key.salt, box));
  crypto_secretbox_easy(bytes(key.box), key.seed, sizeof key.seed, bytes(key.nonce), box.of);
  return write_key(file, sealed_text(key), true);
}

std::string Signer::sign(std::string_view message) const {
  unsigned char signature[crypto_sign_BYTES];
  crypto_sign_detached(signature, nullptr, reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                       keys_->secret);
  return hex(signature, sizeof signature);
}

bool signature_fits(const std::string& public_key, std::string_view message, const std::string& signature) {
  unsigned char key[crypto_sign_PUBLICKEYBYTES], bytes[crypto_sign_BYTES];
  if (sodium_init() < 0 || !unhex(public_key, key, sizeof key) || !unhex(signature, bytes, sizeof bytes)) return false;
  return crypto_sign_verify_detached(bytes, reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                                     key) == 0;
}

}  // namespace ww::review
