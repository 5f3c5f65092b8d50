// SPDX-License-Identifier: Apache-2.0
#include "review/signing.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/hash.h"
#include "llm/catalogue.h"

namespace ww::review {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view head = "warpwright signing key 1\n";
constexpr std::size_t seed_digits = 2 * crypto_sign_SEEDBYTES, file_size = head.size() + seed_digits + 1;

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

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

// Beside the file first, then linked into its place: two programs that make it at the same moment end with the same
// key, and no partial file is ever visible.
Status make(const fs::path& file) {
  const auto failed = [&](const char* what) {
    return fail(Code::io, "the signing key '" + file.string() + "' cannot be made",
                std::string(what) + ": " + std::strerror(errno));
  };
  std::error_code ec;
  fs::create_directories(file.parent_path(), ec);
  if (ec)
    return fail(Code::io, "the folder '" + file.parent_path().string() + "' of the signing key cannot be made",
                ec.message());
  std::string temporary = file.string() + ".XXXXXX";
  const Descriptor out{::mkstemp(temporary.data())};  // mode 0600
  if (out.fd < 0) return failed("mkstemp");
  unsigned char seed[crypto_sign_SEEDBYTES];
  randombytes_buf(seed, sizeof seed);
  char text[file_size + 1];
  std::memcpy(text, head.data(), head.size());
  sodium_bin2hex(text + head.size(), seed_digits + 1, seed, sizeof seed);
  text[file_size - 1] = '\n';
  const bool written = ::fchmod(out.fd, 0600) == 0 &&
                       ::write(out.fd, text, file_size) == static_cast<ssize_t>(file_size) && ::fsync(out.fd) == 0;
  sodium_memzero(seed, sizeof seed);
  sodium_memzero(text, sizeof text);
  const bool linked = written && (::link(temporary.c_str(), file.c_str()) == 0 || errno == EEXIST);
  const int error = errno;
  ::unlink(temporary.c_str());
  errno = error;
  return linked ? Status() : failed("write");
}

}  // namespace

struct Signer::Keys {
  unsigned char secret[crypto_sign_SECRETKEYBYTES];
  Keys() { sodium_mlock(secret, sizeof secret); }     // a limit on locked memory is no reason not to sign
  ~Keys() { sodium_munlock(secret, sizeof secret); }  // wipes it
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;
};

Result<Signer> Signer::open(const fs::path& given) {
  if (sodium_init() < 0) return fail(Code::internal, "libsodium cannot be started");
  const fs::path file = given.empty() ? llm::config_dir() / "signing.key" : given;
  Descriptor in{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  if (in.fd < 0 && errno == ENOENT) {
    WW_TRY(make(file));
    in.fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  }
  if (in.fd < 0) return fail(Code::io, "the signing key '" + file.string() + "' cannot be read", std::strerror(errno));
  struct stat facts {};
  if (::fstat(in.fd, &facts) != 0 || !S_ISREG(facts.st_mode))
    return fail(Code::io, "the signing key '" + file.string() + "' is not a file");
  if ((facts.st_mode & 077) != 0 || facts.st_uid != ::geteuid())
    return fail(
        Code::unavailable,
        "the signing key '" + file.string() +
            "' may be read by others; take their rights away (chmod 600), or move it away for a new one to be made");
  char text[file_size + 1] = "";
  const bool whole = ::read(in.fd, text, sizeof text) == static_cast<ssize_t>(file_size) &&
                     std::string_view(text, head.size()) == head && text[file_size - 1] == '\n';
  unsigned char seed[crypto_sign_SEEDBYTES], open_key[crypto_sign_PUBLICKEYBYTES];
  std::size_t read = 0;
  const bool good = whole &&
                    sodium_hex2bin(seed, sizeof seed, text + head.size(), seed_digits, nullptr, &read, nullptr) == 0 &&
                    read == sizeof seed;
  sodium_memzero(text, sizeof text);
  if (!good)
    return fail(Code::corrupt, "the signing key '" + file.string() +
                                   "' is damaged; restore it, or move it away for a new one to be made");
  auto keys = std::make_shared<Keys>();
  crypto_sign_seed_keypair(open_key, keys->secret, seed);
  sodium_memzero(seed, sizeof seed);
  Signer s;
  s.public_key_ = hex(open_key, sizeof open_key);
  s.keys_ = std::move(keys);
  return s;
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

std::string fingerprint(const std::string& public_key) {
  const std::string hash = hash_hex(public_key);
  return hash.substr(0, 4) + ' ' + hash.substr(4, 4) + ' ' + hash.substr(8, 4) + ' ' + hash.substr(12, 4);
}

}  // namespace ww::review
