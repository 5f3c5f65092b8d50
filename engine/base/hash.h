// SPDX-License-Identifier: Apache-2.0
// Content hashes: BLAKE2b-256 (libsodium), written as 64 lower-case hex digits.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace ww {

std::string hash_hex(std::string_view bytes);

class Hasher {  // incremental
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;
  Hasher& add(const void* bytes, std::size_t size);
  Hasher& add(std::string_view text) { return add(text.data(), text.size()); }
  Hasher& field(std::string_view text);  // length-prefixed, so that ("ab","c") and ("a","bc") differ
  std::string hex();                     // finishes the hash

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ww
