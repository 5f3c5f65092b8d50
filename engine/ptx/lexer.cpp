// SPDX-License-Identifier: Apache-2.0
#include "ptx/lexer.h"
#include <array>
#include <bit>
#include <charconv>
#include <cstring>

namespace ww::ptx {
namespace {

enum CharClass : std::uint8_t { starts_name = 1, in_name = 2, is_digit = 4, is_space = 8, is_high = 16 };

constexpr auto char_classes = [] {
  std::array<std::uint8_t, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[c] = table[c - 'a' + 'A'] = starts_name | in_name;
  for (int c = '0'; c <= '9'; ++c) table[c] = in_name | is_digit;
  table['_'] = table['$'] = starts_name | in_name;
  table['%'] = starts_name;
  for (const char c : {'\0', ' ', '\t', '\n', '\v', '\f', '\r'}) table[static_cast<unsigned char>(c)] = is_space;
  for (int c = 128; c < 256; ++c) table[c] = is_high;
  return table;
}();

bool has(char c, unsigned classes) { return (char_classes[static_cast<unsigned char>(c)] & classes) != 0; }

}  // namespace

void Lexer::skip_space() {
  for (; at_ < end_ && has(*at_, is_space); ++at_) {
    if (*at_ != '\n') continue;
    ++line_;
    line_start_ = at_ + 1;
    line_is_blank_ = true;
  }
}

Token Lexer::next() {
  Token t = next_any();
  while (t.kind == Token::Kind::comment) t = next_any();
  return t;
}

Token Lexer::next_any() {
  skip_space();
  Token t;
  t.line = line_;
  t.column = static_cast<int>(at_ - line_start_) + 1;
  const char* const begin = at_;
  if (at_ == end_) {
    t.text = std::string_view(at_, at_);
    return t;
  }
  const char c = *at_++;
  const char second = peek(0);
  if (has(c, starts_name)) {
    while (at_ < end_ && has(*at_, in_name)) ++at_;
    t.kind = Token::Kind::name;
  } else if (c == '.' && has(second, in_name)) {
    for (;;) {
      while (at_ < end_ && has(*at_, in_name)) ++at_;
      if (peek(0) != ':' || peek(1) != ':' || !has(peek(2), in_name)) break;
      at_ += 2;
    }
    t.kind = Token::Kind::dotted;
  } else if (has(c, is_digit)) {
    at_ = begin;
    finish_number();
    t.kind = Token::Kind::number;
  } else if (c == '"') {
    while (at_ < end_ && *at_ != '"' && *at_ != '\n') at_ += *at_ == '\\' && at_ + 1 < end_ && at_[1] != '\n' ? 2 : 1;
    if (peek(0) == '"') ++at_;
    t.kind = Token::Kind::string;
  } else if ((c == '/' && (second == '/' || second == '*')) || (c == '#' && line_is_blank_)) {
    at_ = begin;
    finish_comment();
    t.kind = Token::Kind::comment;
  } else {
    if (c == ':' && second == ':') ++at_;
    while (has(c, is_high) && at_ < end_ && has(*at_, is_high)) ++at_;
    t.kind = Token::Kind::mark;
  }
  if (t.kind != Token::Kind::comment) line_is_blank_ = false;
  t.text = {begin, static_cast<std::size_t>(at_ - begin)};
  return t;
}

void Lexer::finish_number() {
  const char* const begin = at_;
  while (at_ < end_ && has(*at_, is_digit)) ++at_;
  const bool decimal = *begin != '0' || at_ - begin > 1 || peek(0) == '.' || peek(0) == 'e' || peek(0) == 'E';
  if (decimal && peek(0) == '.' && (has(peek(1), is_digit) || !has(peek(1), starts_name))) {
    ++at_;
    while (at_ < end_ && has(*at_, is_digit)) ++at_;
  }
  const bool sign = (peek(0) == 'e' || peek(0) == 'E') && (peek(1) == '+' || peek(1) == '-');
  if (decimal && sign && has(peek(2), is_digit)) at_ += 2;
  while (at_ < end_ && has(*at_, in_name)) ++at_;  // "0x1F", including malformed characters
}

void Lexer::finish_comment() {
  const auto left = static_cast<std::size_t>(end_ - at_);
  if (*at_ == '#' || at_[1] == '/') {
    const void* const stop = std::memchr(at_, '\n', left);
    at_ = stop == nullptr ? end_ : static_cast<const char*>(stop);
    return;
  }
  const std::size_t close = std::string_view(at_, left).find("*/", 2);
  const char* const stop = close == std::string_view::npos ? end_ : at_ + close + 2;
  for (; at_ < stop; ++at_) {
    if (*at_ != '\n') continue;
    ++line_;
    line_start_ = at_ + 1;
  }
}

bool parse_number(std::string_view text, Number& out) {
  const char* const end = text.data() + text.size();
  std::uint64_t value = 0;
  const auto whole = [&](std::size_t prefix, int base, std::size_t digits) {
    if (text.size() <= prefix || (digits != 0 && text.size() != prefix + digits)) return false;
    const char* last = end;
    if (digits == 0 && last[-1] == 'U') --last;
    const auto [p, ec] = std::from_chars(text.data() + prefix, last, value, base);
    return ec == std::errc() && p == last;
  };
  out = {};
  if (text.empty()) return false;
  const char kind = text[0] == '0' && text.size() > 1 ? text[1] : '\0';
  if (kind == 'f' || kind == 'F') {
    if (!whole(2, 16, 8)) return false;
    out.kind = Number::Kind::single;
    out.single_bits = static_cast<std::uint32_t>(value);
    out.bits = std::bit_cast<std::int64_t>(static_cast<double>(std::bit_cast<float>(out.single_bits)));
    return true;
  }
  if (kind == 'd' || kind == 'D') {
    if (!whole(2, 16, 16)) return false;
    out.kind = Number::Kind::twofold;
    out.bits = static_cast<std::int64_t>(value);
    return true;
  }
  const bool hex = kind == 'x' || kind == 'X', binary = kind == 'b' || kind == 'B';
  if (!hex && !binary && text.find_first_of(".eE") != text.npos) {
    double real = 0;
    const auto [p, ec] = std::from_chars(text.data(), end, real);
    if ((ec != std::errc() && ec != std::errc::result_out_of_range) || p != end) return false;
    out.kind = Number::Kind::decimal;
    out.bits = std::bit_cast<std::int64_t>(real);
    out.single_bits = std::bit_cast<std::uint32_t>(static_cast<float>(real));
    return true;
  }
  const bool octal = has(kind, is_digit);
  if (!whole(hex || binary ? 2 : octal ? 1 : 0, hex ? 16 : binary ? 2 : octal ? 8 : 10, 0)) return false;
  out.bits = static_cast<std::int64_t>(value);
  return true;
}

Number negated(Number n) {
  if (n.kind == Number::Kind::integer) {
    n.bits = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(n.bits));
  } else {
    n.bits ^= static_cast<std::int64_t>(std::uint64_t{1} << 63);
    n.single_bits ^= 0x80000000u;
  }
  return n;
}

}  // namespace ww::ptx
