// SPDX-License-Identifier: Apache-2.0
#include "candidate/cursor.h"
#include <charconv>

namespace ww::candidate {

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

void Cursor::skip_blanks() {
  while (at_ < end_ && is_blank(text_[at_])) ++at_;
}

bool Cursor::take(char symbol) {
  skip_blanks();
  if (at_ >= end_ || text_[at_] != symbol) return false;
  ++at_;
  return true;
}

std::string_view Cursor::name() {
  skip_blanks();
  const std::size_t begin = at_;
  if (at_ < end_ && is_name_start(text_[at_]))
    while (at_ < end_ && is_name_part(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

std::string_view Cursor::word() {
  skip_blanks();
  const std::size_t begin = at_;
  while (at_ < end_ && !is_blank(text_[at_]) && std::string_view("()[],|=:").find(text_[at_]) == std::string_view::npos)
    ++at_;
  return text_.substr(begin, at_ - begin);
}

std::optional<std::int64_t> Cursor::integer() {
  skip_blanks();
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text_.data() + at_, text_.data() + end_, value);
  if (error != std::errc{}) return std::nullopt;
  const std::size_t after = static_cast<std::size_t>(stop - text_.data());
  if (after < end_ && (is_name_part(text_[after]) || text_[after] == '.')) return std::nullopt;
  at_ = after;
  return value;
}

std::string_view Cursor::rest() {
  skip_blanks();
  const Span s = trimmed(at_, end_);
  at_ = end_;
  return text(s);
}

Span Cursor::trimmed(std::size_t begin, std::size_t end) const {
  while (begin < end && is_blank(text_[begin])) ++begin;
  while (end > begin && is_blank(text_[end - 1])) --end;
  return {begin, end};
}

std::optional<std::vector<Span>> Cursor::group(char open, char close) {
  if (!take(open)) return std::nullopt;
  std::vector<Span> parts;
  std::size_t begin = at_;
  int depth = 0;
  for (; at_ < end_; ++at_) {
    const char c = text_[at_];
    if (depth == 0 && c == close) {
      const Span last = trimmed(begin, at_);
      if (!parts.empty() || last.end > last.begin) parts.push_back(last);
      ++at_;
      return parts;
    }
    if (depth == 0 && c == ',') {
      parts.push_back(trimmed(begin, at_));
      begin = at_ + 1;
    }
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
  }
  return std::nullopt;
}

Span Cursor::here() {
  skip_blanks();
  std::size_t end = at_;
  while (end < end_ && is_name_part(text_[end])) ++end;
  if (end == at_ && end < end_) {  // one character
    do ++end;
    while (end < end_ && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80);
  }
  return {at_, end};
}

}  // namespace ww::candidate
