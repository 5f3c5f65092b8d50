// SPDX-License-Identifier: Apache-2.0
// Reads one directive line from left to right. All offsets refer to the whole text.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>
#include "base/source.h"

namespace ww::candidate {

class Cursor {
 public:
  Cursor(std::string_view text, Span line) : text_(text), at_(line.begin), end_(line.end) {}

  bool at_end() {
    skip_blanks();
    return at_ >= end_;
  }
  bool take(char symbol);
  std::string_view name();                // [A-Za-z_][A-Za-z0-9_]*; empty: none here
  std::string_view word();                // up to the next blank or one of "()[],|=:"; empty: none here
  std::optional<std::int64_t> integer();  // decimal, with an optional minus; none: not an integer or too large
  std::string_view rest();                // the rest, without blanks at either end
  // Parses "( … )" or "[ … ]" at this position into its parts, split at commas outside inner brackets and trimmed.
  // Empty: no closing bracket.
  std::optional<std::vector<Span>> group(char open, char close);
  Span here();  // the next word or character
  Span since(std::size_t begin) const { return {begin, at_}; }
  std::size_t position() {
    skip_blanks();
    return at_;
  }
  std::string_view text(Span span) const { return text_.substr(span.begin, span.end - span.begin); }

 private:
  void skip_blanks();
  Span trimmed(std::size_t begin, std::size_t end) const;
  std::string_view text_;
  std::size_t at_, end_;
};

bool is_name_start(char c);
bool is_name_part(char c);
bool is_blank(char c);  // space, tab, carriage return

}  // namespace ww::candidate
