// SPDX-License-Identifier: Apache-2.0
#include "profile/source_words.h"
#include <algorithm>
#include <cctype>

namespace ww::profile {
namespace {

bool of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::size_t past_blanks(std::string_view code, std::size_t at) {
  while (at < code.size() && std::isspace(static_cast<unsigned char>(code[at]))) ++at;
  return at;
}

// Past the bracket that closes the one at `at`; the end where none does.
std::size_t past_bracket(std::string_view code, std::size_t at) {
  int depth = 0;
  for (; at < code.size(); ++at) {
    if (code[at] == '(' || code[at] == '{' || code[at] == '[') ++depth;
    if (code[at] == ')' || code[at] == '}' || code[at] == ']')
      if (--depth <= 0) return at + 1;
  }
  return at;
}

// Past a statement: a block, or all up to the semicolon outside of brackets (an inner loop's own body with it).
std::size_t past_statement(std::string_view code, std::size_t at) {
  at = past_blanks(code, at);
  if (at < code.size() && code[at] == '{') return past_bracket(code, at);
  while (at < code.size() && code[at] != ';' && code[at] != '}') {
    if (code[at] == '{') return past_bracket(code, at);
    at = code[at] == '(' || code[at] == '[' ? past_bracket(code, at) : at + 1;
  }
  return std::min(at + 1, code.size());
}

}  // namespace

std::string without_comments(std::string_view text) {
  std::string out(text);
  for (std::size_t at = 0; at < out.size();) {
    const char c = out[at];
    if (c == '"' || c == '\'') {
      for (++at; at < out.size() && out[at] != c && out[at] != '\n'; ++at)
        if (out[at] == '\\') ++at;
      ++at;
    } else if (c == '/' && at + 1 < out.size() && out[at + 1] == '/') {
      while (at < out.size() && out[at] != '\n') out[at++] = ' ';
    } else if (c == '/' && at + 1 < out.size() && out[at + 1] == '*') {
      const std::size_t end = std::min(out.find("*/", at + 2), out.size() - 2) + 2;
      for (; at < std::min(end, out.size()); ++at)
        if (out[at] != '\n') out[at] = ' ';
    } else {
      ++at;
    }
  }
  return out;
}

std::vector<bool> loop_bodies(std::string_view code) {
  std::vector<bool> inside(code.size(), false);
  for (const std::string_view word : {"for", "while", "do"})
    for (std::size_t at = find_word(code, word); at != std::string_view::npos; at = find_word(code, word, at + 1)) {
      std::size_t body = past_blanks(code, at + word.size());
      if (word == "do" ? body >= code.size() || code[body] != '{' : body >= code.size() || code[body] != '(') continue;
      if (word != "do") body = past_bracket(code, body);
      std::fill(inside.begin() + static_cast<std::ptrdiff_t>(body),
                inside.begin() + static_cast<std::ptrdiff_t>(past_statement(code, body)), true);
    }
  return inside;
}

std::size_t find_word(std::string_view code, std::string_view word, std::size_t from) {
  if (word.empty()) return std::string_view::npos;
  for (std::size_t at = code.find(word, from); at != std::string_view::npos; at = code.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool longer = (at > 0 && of_word(word.front()) && of_word(code[at - 1])) ||
                        (end < code.size() && of_word(word.back()) && of_word(code[end]));
    if (!longer) return at;
  }
  return std::string_view::npos;
}

int line_at(std::string_view text, std::size_t at) {
  return 1 + static_cast<int>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size())), '\n'));
}

}  // namespace ww::profile
