// SPDX-License-Identifier: Apache-2.0
// Text that arrives in pieces, whose pieces may end inside a character: some servers cut a token's bytes, or the halves
// of a surrogate pair, into two events.
#pragma once
#include <string>
#include <string_view>

namespace ww::providers {

// JSON text that holds invalid UTF-8 or lone surrogates ("\ud83d"), made readable for a strict reader: each byte of
// them (a lone surrogate counts as its three bytes as UTF-8 would) becomes one character of U+10FF00 .. U+10FFFF.
// carried_bytes turns them back inside of a string that was read.
std::string carry_bytes(std::string_view json);
std::string carried_bytes(std::string_view text);

class WholeCharacters {  // bytes in any pieces in; valid UTF-8, never ending inside a character, out
 public:
  std::string feed(std::string_view bytes);  // what can never become a character is U+FFFD
  std::string flush();                       // no more will come

 private:
  std::string scan(std::string_view bytes, bool last);
  std::string pending_;
};

std::string whole_text(std::string_view text);  // carried bytes turned back, and what is not a character into U+FFFD

// The text's first `bytes` at most, cut between characters, with "…" where it was cut.
std::string cut_text(std::string_view text, std::size_t bytes);

}  // namespace ww::providers
