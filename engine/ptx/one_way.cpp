// SPDX-License-Identifier: Apache-2.0
#include "ptx/one_way.h"
#include <algorithm>
#include "ptx/lexer.h"

namespace ww::ptx {
namespace {

bool is_plain(char c) { return c == '\t' || c == '\n' || c == '\r' || (c >= ' ' && c <= '~'); }
bool is_control(char c) { return !is_plain(c) && static_cast<unsigned char>(c) < 0x80; }

// Of a token that is read in one way: empty.
std::string_view doubt_about(const Token& t) {
  const bool comment = t.kind == Token::Kind::comment;
  if (comment && t.text[0] == '#') return "a line that begins with '#'";
  if (comment && t.text[1] == '*' && (t.text.size() < 4 || !t.text.ends_with("*/"))) return "an unterminated comment";
  if (t.kind == Token::Kind::string && (t.text.size() < 2 || t.text.back() != '"')) return "an unterminated string";
  if (!comment && t.text.find('\\') != t.text.npos) return "a backslash";
  if (t.is('#')) return "a '#'";
  if (!comment && !std::ranges::all_of(t.text, is_plain)) return "a character outside ASCII";
  return {};
}

}  // namespace

std::optional<Problem> find_ambiguity(std::string_view text) {
  Place place;
  std::optional<Place> backslash;  // the last one, while only blanks follow it
  for (std::size_t i = 0; i < text.size(); ++i, ++place.column) {
    const char c = text[i];
    if (is_control(c) || (c == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')))
      return Problem{place, "a control character"};
    if (backslash && c == '\n') return Problem{*backslash, "a backslash at the end of a line"};
    if (c == '\\')
      backslash = place;
    else if (c != ' ' && c != '\t' && c != '\r')
      backslash.reset();
    if (c == '\n') place = {place.line + 1, 0};
  }
  Lexer lexer(text);
  for (Token t = lexer.next_any(); t.kind != Token::Kind::end; t = lexer.next_any())
    if (const std::string_view doubt = doubt_about(t); !doubt.empty())
      return Problem{{t.line, t.column}, std::string(doubt)};
  return std::nullopt;
}

}  // namespace ww::ptx
