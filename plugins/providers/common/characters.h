// SPDX-License-Identifier: Apache-2.0
// Text that arrives in chunks that may end within a character: some servers split a token's bytes, or a surrogate pair,
// over two events.
#pragma once
#include <string>
#include <string_view>

namespace ww::providers {

// Makes JSON text with invalid UTF-8 or lone surrogates ("\ud83d") parsable by a strict parser: each of their bytes (a
// lone surrogate counts as its three bytes in UTF-8) becomes one character of U+10FF00 .. U+10FFFF. carried_bytes
// restores them in parsed strings.
std::string carry_bytes(std::string_view json);
std::string carried_bytes(std::string_view text);

class WholeCharacters {  // input: bytes in any chunks; output: valid UTF-8 that never ends within a character
 public:
  std::string feed(std::string_view bytes);  // invalid sequences become U+FFFD
  std::string flush();                       // at the end of the input

 private:
  std::string scan(std::string_view bytes, bool last);
  std::string pending_;
};

std::string whole_text(std::string_view text);  // restores carried bytes; invalid ones become U+FFFD

// At most the text's first `bytes`, without known keys, cut between characters, with "…" if truncated.
std::string cut_text(std::string_view given, std::size_t bytes);

}  // namespace ww::providers
