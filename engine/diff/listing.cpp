// SPDX-License-Identifier: Apache-2.0
#include "diff/listing.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <dtl/dtl.hpp>
#include <map>
#include "base/ascii.h"
#include "base/lines.h"
#include "diff/align.h"
#include "ptx/lexer.h"
#include "base/name_chars.h"

namespace ww::diff {
namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80); }

// "R12" is of "R", "%r12" of "%r"; empty: no register. Special registers (%tid, %clock64, SR_TID.X) and RZ, PT are
// themselves.
std::string_view register_class(std::string_view word, Form form) {
  const std::size_t letters = word.find_last_not_of("0123456789") + 1;
  if (letters == word.size()) return {};
  const std::string_view name = word.substr(0, letters);
  if (form == Form::ptx) {
    const bool letters_only = std::all_of(name.begin() + 1, name.end(), letter);
    return name[0] == '%' && name.size() > 1 && name.size() <= 3 && letters_only && name != "%pm" ? name
                                                                                                  : std::string_view();
  }
  for (const std::string_view known : {"R", "UR", "P", "UP", "B"})
    if (name == known) return name;
  return {};
}

bool label(std::string_view word) {  // of SASS
  return word.starts_with(".L") && word.size() > 2 && (word[2] == '_' || digit(word[2]));
}

std::size_t word_end(std::string_view line, std::size_t at, Form form) {
  std::size_t end = at + 1;
  const auto more = [&](char c) { return word_char(c) || (form != Form::text && c == '$'); };
  while (end < line.size() && more(line[end])) ++end;
  return end;
}

// Start of a comment that the normal form leaves out; the line's length if there is none.
std::size_t comment_of(std::string_view line, Form form) {
  return form == Form::text ? line.size() : std::min(line.find("//"), line.size());
}

bool says_nothing(std::string_view line, Form form) {  // trimmed, without comment
  if (line.empty()) return true;
  const std::string_view word = line.substr(0, std::min(line.find_first_of(" \t"), line.size()));
  if (form == Form::ptx) return word == ".loc" || word == ".file";
  return form == Form::sass && word[0] == '.' &&
         !label(word.ends_with(':') ? word.substr(0, word.size() - 1) : word);  // directives of the object file
}

class RegisterNumbers {  // of one line
 public:
  std::string_view key(std::string_view cls, std::string_view word) {
    const auto number = numbers_.emplace(std::string(word), static_cast<int>(numbers_.size())).first->second;
    return key_.assign(cls).append("#").append(std::to_string(number));
  }

 private:
  std::map<std::string, int, std::less<>> numbers_;
  std::string key_;
};

template <class Take>
void each_ptx_token(std::string_view line, Take take) {
  const auto at = [&](const ptx::Token& t) { return static_cast<std::size_t>(t.text.data() - line.data()); };
  RegisterNumbers numbers;
  ptx::Lexer lexer(line);
  bool declares = false;
  for (ptx::Token t = lexer.next(); t.kind != ptx::Token::Kind::end; t = lexer.next()) {
    const std::size_t begin = at(t);
    declares |= t.is_directive("reg");
    if (declares && t.is('<')) {  // ".reg .b32 %r<12>": how many is what the allocator counts
      while (t.kind != ptx::Token::Kind::end && !t.is('>')) t = lexer.next();
      take(begin, at(t), "<");
      if (t.kind == ptx::Token::Kind::end) return;
    }
    const std::size_t end = at(t) + t.text.size();
    const bool name = t.kind == ptx::Token::Kind::name;
    if (const std::string_view cls = name ? register_class(t.text, Form::ptx) : std::string_view(); !cls.empty())
      take(at(t), end, numbers.key(cls, t.text));
    else
      take(at(t), end, name && t.text.starts_with("$L") ? std::string_view("$L") : t.text);
  }
}

template <class Take>
void each_token(std::string_view line, const Rules& rules, Take take) {
  const Form form = rules.form;
  if (form == Form::ptx) return each_ptx_token(line, take);
  const bool spaces = form == Form::text && !rules.ignore_space;
  RegisterNumbers numbers;
  const std::size_t stop = comment_of(line, form);
  for (std::size_t at = 0; at < stop;) {
    std::size_t end = at + 1;
    const char c = line[at];
    if (blank(c)) {
      while (end < stop && blank(line[end])) ++end;
      if (spaces) take(at, end, line.substr(at, end - at));
      at = end;
      continue;
    }
    const bool dotted = form == Form::sass && (c == '.' || c == '%' || c == '$') && at + 1 < stop &&
                        (word_char(line[at + 1]) || line[at + 1] == '$');
    if (word_char(c) || dotted) end = std::min(word_end(line, at, form), stop);
    const std::string_view word = line.substr(at, end - at);
    if (form == Form::sass && label(word))
      take(at, end, std::string_view(".L"));
    else if (const std::string_view cls = form == Form::sass ? register_class(word, form) : std::string_view();
             !cls.empty())
      take(at, end, numbers.key(cls, word));
    else
      take(at, end, word);
    at = end;
  }
}

void extend(std::vector<Span>& spans, int begin, int end) {
  if (!spans.empty() && spans.back().end == begin)
    spans.back().end = end;
  else
    spans.push_back({begin, end});
}

}  // namespace

std::string_view shown_of(std::string_view line, Form form) {
  if (form != Form::sass) {
    while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
  }
  line = trimmed(line);
  const auto strip_front = [&] {
    if (!line.starts_with("/*")) return;
    const std::size_t end = line.find("*/");
    if (end != std::string_view::npos) line = trimmed(line.substr(end + 2));
  };
  strip_front();
  if (line.ends_with("*/"))
    if (const std::size_t begin = line.rfind("/*"); begin != std::string_view::npos)
      line = trimmed(line.substr(0, begin));
  return line;
}

std::vector<Token> tokens_of(std::string_view line, const Rules& rules) {
  std::vector<Token> tokens;
  each_token(line, rules, [&](std::size_t begin, std::size_t end, std::string_view key) {
    tokens.push_back({static_cast<int>(begin), static_cast<int>(end), std::string(key)});
  });
  return tokens;
}

std::string key_of(std::string_view line, const Rules& rules) {
  std::string key;
  if (rules.form == Form::text && !rules.ignore_space) return key = line;
  if (rules.form != Form::text) {
    line = shown_of(line, rules.form);
    if (says_nothing(trimmed(line.substr(0, comment_of(line, rules.form))), rules.form)) return key;
  }
  each_token(line, rules, [&](std::size_t, std::size_t, std::string_view part) {
    if (!key.empty()) key += ' ';
    key += part;
  });
  return key;
}

int instructions_of(std::string_view listing, Form form) {
  int count = 0;
  for (std::string_view line : split_lines(listing)) {
    line = shown_of(line, form);
    line = trimmed(line.substr(0, comment_of(line, form)));
    if (line.size() < 2 || !line.ends_with(';')) continue;
    if (form == Form::ptx && (line[0] == '.' || line[0] == '$'))
      continue;  // declarations; a label and its instruction are on separate lines
    count += letter(line[0]) || line[0] == '@' || line[0] == '{';
  }
  return count;
}

Words compare_words(std::string_view left, std::string_view right, const Rules& rules) {
  Words out;
  const std::vector<Token> a = tokens_of(left, rules), b = tokens_of(right, rules);
  if (a.size() > longest_line || b.size() > longest_line) return out;
  std::unordered_map<std::string_view, std::uint32_t> known;
  const auto keys = [&](const std::vector<Token>& tokens) {
    std::vector<std::string_view> list;
    for (const Token& t : tokens) list.push_back(t.key);
    return numbered(list, known);
  };
  const std::vector<std::uint32_t> left_keys = keys(a), right_keys = keys(b);
  for (const Hunk& h : align(left_keys, right_keys).hunks) {
    for (int i = h.left; i < h.left_end; ++i) extend(out.left, a[i].begin, a[i].end);
    for (int i = h.right; i < h.right_end; ++i) extend(out.right, b[i].begin, b[i].end);
  }
  return out;
}

}  // namespace ww::diff
