// SPDX-License-Identifier: Apache-2.0
// Tokens of the op spec language. Comments run from // or # to the end of the line; "//@" lines are directives.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include "base/source.h"

namespace ww::op {

struct Token {
  enum class Kind : std::uint8_t { end, name, integer, real, symbol };
  Kind kind = Kind::end;
  Span span;
  std::string_view text;  // into the lexed text
  std::int64_t integer = 0;
  bool is_u64 = false;  // from 2^63 on: `integer` has its bits
  double real = 0;
  bool first_on_line = false;

  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
  bool is_name(std::string_view word) const { return kind == Kind::name && text == word; }
};

struct Lexed {
  std::vector<Token> tokens;  // the last one is `end`
  std::vector<std::pair<std::string, std::string>> directives;
  std::vector<Diagnostic> diagnostics;
};
Lexed lex(std::string_view text);

}  // namespace ww::op
