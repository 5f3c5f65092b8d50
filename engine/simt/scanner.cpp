// SPDX-License-Identifier: Apache-2.0
#include "simt/scanner.h"
#include <bit>
#include <cctype>
#include <charconv>

namespace ww::simt {
namespace {

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%'; }
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

}  // namespace

void Scanner::fail(std::string_view message) { fail_at(line_, column(), message); }

void Scanner::fail_at(int line, int column, std::string_view message) {
  if (error_.empty()) error_ = std::to_string(line) + ":" + std::to_string(column) + ": " + std::string(message);
}

void Scanner::advance() {
  if (at_ >= text_.size()) return;
  if (text_[at_] == '\n') {
    ++line_;
    line_start_ = at_ + 1;
  }
  ++at_;
}

void Scanner::skip() {
  for (;;) {
    const char c = at(at_);
    if (at_ < text_.size() && (std::isspace(static_cast<unsigned char>(c)) || c == '\0')) {
      advance();
    } else if (c == '/' && at(at_ + 1) == '/') {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else if (c == '/' && at(at_ + 1) == '*') {
      at_ += 2;
      while (at_ < text_.size() && !(text_[at_] == '*' && at(at_ + 1) == '/')) advance();
      advance();
      advance();
    } else if (c == '#') {  // preprocessor lines of older front ends
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else {
      return;
    }
  }
}

bool Scanner::at_end() {
  skip();
  return at_ >= text_.size();
}
char Scanner::peek() {
  skip();
  return failed() ? '\0' : at(at_);
}
char Scanner::peek_second() {
  skip();
  return at(at_ + 1);
}

bool Scanner::accept(char c) {
  if (peek() != c || c == '\0') return false;
  advance();
  return true;
}

bool Scanner::expect(char c) {
  if (accept(c)) return true;
  fail(std::string("expected '") + c + "'" + (at_end() ? " before the end of the text" : ""));
  return false;
}

bool Scanner::at_identifier() { return starts_name(peek()); }
bool Scanner::at_number() {
  const char c = peek();
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

std::string Scanner::identifier() {
  if (!at_identifier()) {
    fail("expected a name");
    return {};
  }
  const std::size_t begin = at_++;
  while (in_name(at(at_))) ++at_;
  return std::string(text_.substr(begin, at_ - begin));
}

std::string Scanner::special_suffix() {
  if (at(at_) != '.' || !std::isalpha(static_cast<unsigned char>(at(at_ + 1)))) return {};
  const std::size_t begin = at_++;
  while (in_name(at(at_))) ++at_;
  return std::string(text_.substr(begin, at_ - begin));
}

std::string Scanner::directive() {
  if (peek() != '.' || !std::isalpha(static_cast<unsigned char>(at(at_ + 1)))) {
    fail("expected a directive");
    return {};
  }
  const std::size_t begin = ++at_;
  while (in_name(at(at_))) ++at_;
  return std::string(text_.substr(begin, at_ - begin));
}

bool Scanner::accept_directive(std::string_view name) {
  if (peek() != '.' || text_.substr(at_ + 1, name.size()) != name || in_name(at(at_ + 1 + name.size()))) return false;
  at_ += 1 + name.size();
  return true;
}

std::string Scanner::opcode() {
  if (!std::isalpha(static_cast<unsigned char>(peek()))) {
    fail("expected an instruction");
    return {};
  }
  const std::size_t begin = at_;
  while (in_name(at(at_)) || at(at_) == '.' || (at(at_) == ':' && at(at_ + 1) == ':') ||
         (at(at_) == ':' && at(at_ - 1) == ':'))
    ++at_;
  return std::string(text_.substr(begin, at_ - begin));
}

std::string Scanner::quoted() {
  if (!expect('"')) return {};
  const std::size_t begin = at_;
  while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n')
    at_ += (text_[at_] == '\\' && at(at_ + 1) != '\n') ? 2 : 1;
  if (at_ > text_.size()) at_ = text_.size();
  std::string value(text_.substr(begin, at_ - begin));
  expect('"');
  return value;
}

std::string Scanner::until(char stop) {
  const std::size_t begin = at_;
  while (at_ < text_.size() && text_[at_] != stop) advance();
  return std::string(text_.substr(begin, at_ - begin));
}

bool Scanner::at_label() {
  if (!at_identifier()) return false;
  std::size_t i = at_ + 1;
  while (in_name(at(i))) ++i;
  while (at(i) == ' ' || at(i) == '\t') ++i;
  return at(i) == ':' && at(i + 1) != ':';
}

std::string Scanner::version_number() {
  skip();
  const std::size_t begin = at_;
  while (std::isdigit(static_cast<unsigned char>(at(at_))) || at(at_) == '.') ++at_;
  if (at_ == begin) fail("expected a version number");
  return std::string(text_.substr(begin, at_ - begin));
}

bool Scanner::number(Number& out) {
  if (!at_number()) {
    fail("expected a number");
    return false;
  }
  const char* const first = text_.data() + at_;
  const char* const last = text_.data() + text_.size();
  std::uint64_t value = 0;
  const auto parse = [&](std::size_t skip_chars, int base, std::size_t exact) {
    const char* const begin = first + skip_chars;
    if (begin > last) return false;
    const auto end = exact == 0 ? last : (static_cast<std::size_t>(last - begin) < exact ? begin : begin + exact);
    const auto [p, ec] = std::from_chars(begin, end, value, base);
    if (ec != std::errc() || (exact != 0 && p != begin + exact)) return false;
    at_ += static_cast<std::size_t>(p - first);
    return true;
  };
  const char kind = *first == '0' ? at(at_ + 1) : '\0';
  bool good = false;
  if (kind == 'f' || kind == 'F') {
    good = parse(2, 16, 8);
    out.kind = Number::Kind::single;
    out.single_bits = static_cast<std::uint32_t>(value);
    out.bits = std::bit_cast<std::int64_t>(static_cast<double>(std::bit_cast<float>(out.single_bits)));
  } else if (kind == 'd' || kind == 'D') {
    good = parse(2, 16, 16);
    out.kind = Number::Kind::real;
    out.bits = static_cast<std::int64_t>(value);
  } else {
    std::size_t i = 0;
    while (std::isdigit(static_cast<unsigned char>(at(at_ + i)))) ++i;
    const char after = at(at_ + i);
    if (kind != 'x' && kind != 'X' && (after == '.' || after == 'e' || after == 'E')) {
      double real = 0;
      const auto [p, ec] = std::from_chars(first, last, real);
      good = ec == std::errc() || ec == std::errc::result_out_of_range;
      if (good) at_ += static_cast<std::size_t>(p - first);
      out.kind = Number::Kind::real;
      out.bits = std::bit_cast<std::int64_t>(real);
      out.single_bits = std::bit_cast<std::uint32_t>(static_cast<float>(real));
    } else {
      if (kind == 'x' || kind == 'X')
        good = parse(2, 16, 0);
      else if (kind == 'b' || kind == 'B')
        good = parse(2, 2, 0);
      else if (std::isdigit(static_cast<unsigned char>(kind)))
        good = parse(1, 8, 0);
      else
        good = parse(0, 10, 0);
      out.kind = Number::Kind::integer;
      out.bits = static_cast<std::int64_t>(value);
      if (good && at(at_) == 'U') ++at_;
    }
  }
  if (!good)
    fail("malformed number");
  else if (in_name(at(at_)))
    fail("malformed number");
  return !failed();
}

}  // namespace ww::simt
