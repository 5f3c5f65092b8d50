// SPDX-License-Identifier: Apache-2.0
// Estimates of token counts, for services that do not report them and for prompt budgets: an upper estimate from bytes
// and character classes.
//
// What it is based on. Byte-pair tokenizers cut a text at changes between letters, digits, punctuation and white space
// before they merge, and never make more tokens than bytes (R. Sennrich et al. 2016; the patterns published with GPT-2
// and its successors). So runs are counted: letters one token for each four begun (OpenAI and Anthropic give 4 and 3.5
// characters a token for English prose; a change from lower to upper case begins a new run), digits one each (some
// tokenizers join up to three, some none), punctuation one each but four of the same character in a row as one, one
// blank before a word nothing, further white space one for each newline and for each 16 blanks, characters of two,
// three and four UTF-8 bytes one, two and three. It is meant to lie above what services count, for code by a quarter to
// a half; it was not compared with any service's tokenizer here.
#pragma once
#include <cstdint>
#include <string_view>
#include "llm/message.h"

namespace ww::llm {

class TokenMeter {  // of text that arrives in chunks: the sum does not depend on the chunks
 public:
  void add(std::string_view text);
  std::int64_t tokens() const { return done_ + pending(); }

 private:
  enum class Kind : std::uint8_t { none, lower, upper, digit, mark, blank, newline } kind_ = Kind::none;
  std::int64_t pending() const;
  std::int64_t done_ = 0, length_ = 0;  // of finished runs; of the current run
  char mark_ = 0;
};

std::int64_t estimate_tokens(std::string_view text);
std::int64_t estimate_tokens(const Request& request);  // of its prompt; includes four tokens of framing per message

}  // namespace ww::llm
