// SPDX-License-Identifier: Apache-2.0
// A public key for people to compare over another channel: digits, words to read aloud, and a picture. Digits and words
// encode the same 64 bits of the key's hash, the picture all of it.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include "base/result.h"

namespace ww::review {

std::string fingerprint(const std::string& public_key);  // "1a2b 3c4d 5e6f 7a8b"
// "amber kayak …": eight of the 256 words of resources/review/words.txt.
Result<std::string> fingerprint_words(const std::string& public_key);

// The notice shown when a key is created at the first signature; one paragraph.
std::string made_text(const std::string& public_key);

// The drunken bishop's walk over a board, as OpenSSH draws keys: the number of visits of each square.
struct KeyPicture {
  static constexpr int columns = 17, rows = 9;
  std::array<std::array<std::uint8_t, columns>, rows> visits{};
  int begin_row = rows / 2, begin_column = columns / 2, end_row = 0, end_column = 0;
};
KeyPicture key_picture(const std::string& public_key);
std::string picture_text(const KeyPicture& picture);  // eleven lines, with a frame

}  // namespace ww::review
