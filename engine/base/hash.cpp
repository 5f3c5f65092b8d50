// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"
#include <cstdint>
#include <sodium.h>

namespace ww {

struct Hasher::State {
  crypto_generichash_state blake;
};

Hasher::Hasher() : state_(std::make_unique<State>()) { crypto_generichash_init(&state_->blake, nullptr, 0, 32); }
Hasher::~Hasher() = default;

Hasher& Hasher::add(const void* bytes, std::size_t size) {
  crypto_generichash_update(&state_->blake, static_cast<const unsigned char*>(bytes), size);
  return *this;
}

Hasher& Hasher::field(std::string_view text) {
  const std::uint64_t size = text.size();
  return add(&size, sizeof size).add(text);
}

std::string Hasher::hex() {
  unsigned char out[32];
  char text[65];
  crypto_generichash_final(&state_->blake, out, sizeof out);
  return sodium_bin2hex(text, sizeof text, out, sizeof out);
}

std::string hash_hex(std::string_view bytes) { return Hasher().add(bytes).hex(); }

}  // namespace ww
