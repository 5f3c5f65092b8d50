// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/editor/assembly_tokens.h"
#include <cctype>

namespace ww::widgets {

namespace {

bool assembly_digit(char c) { return c >= '0' && c <= '9'; }
bool assembly_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

class AssemblyScan {
 public:
  AssemblyScan(std::string_view line, std::vector<AssemblyToken>& tokens) : line_(line), tokens_(tokens) {
    tokens_.clear();
  }
  bool done() const { return at_ >= line_.size(); }
  char now(std::size_t ahead = 0) const { return at_ + ahead < line_.size() ? line_[at_ + ahead] : '\0'; }
  template <class More>
  std::size_t run(std::size_t from, More more) const {
    while (at_ + from < line_.size() && more(line_[at_ + from])) ++from;
    return from;
  }
  std::string_view ahead(std::size_t n) const { return line_.substr(at_, n); }
  std::size_t left() const { return line_.size() - at_; }
  void add(std::size_t n, AssemblyWord word) {
    const int begin = static_cast<int>(at_), end = static_cast<int>(at_ + n);
    if (!tokens_.empty() && tokens_.back().word == word)
      tokens_.back().end = end;
    else
      tokens_.push_back({begin, end, word});
    at_ += n;
  }

 private:
  std::string_view line_;
  std::vector<AssemblyToken>& tokens_;
  std::size_t at_ = 0;
};

}  // namespace

void tokenize_ptx(std::string_view line, std::vector<AssemblyToken>& tokens) {
  AssemblyScan s(line, tokens);
  bool fresh = true;  // no word of this statement yet
  while (!s.done()) {
    const char c = s.now();
    if (c == '/' && s.now(1) == '/') {
      s.add(s.left(), AssemblyWord::comment);
    } else if (c == '"') {
      const std::size_t n = s.run(1, [](char x) { return x != '"'; });
      s.add(std::min(n + 1, s.left()), AssemblyWord::string);
    } else if (c == '%') {
      s.add(s.run(1, [](char x) { return assembly_letter(x) || x == '.'; }), AssemblyWord::reg);
    } else if (c == '.' && assembly_letter(s.now(1))) {
      s.add(s.run(1, assembly_letter), AssemblyWord::directive);
      fresh = false;
    } else if (assembly_digit(c)) {
      s.add(s.run(1, assembly_letter), AssemblyWord::number);
    } else if (assembly_letter(c)) {
      std::size_t n = s.run(1, assembly_letter);
      while (fresh && ((s.now(n) == '.' && assembly_letter(s.now(n + 1))) || (s.now(n) == ':' && s.now(n + 1) == ':')))
        n = s.run(n + (s.now(n) == '.' ? 1 : 2), assembly_letter);
      const bool label = s.now(n) == ':';
      s.add(n, label || c == '$' ? AssemblyWord::label : fresh ? AssemblyWord::instruction : AssemblyWord::text);
      fresh = label;
    } else {
      if (c == ';' || c == '{' || c == '}') fresh = true;
      s.add(1, AssemblyWord::text);
    }
  }
}

void tokenize_sass(std::string_view line, std::vector<AssemblyToken>& tokens) {
  AssemblyScan s(line, tokens);
  bool fresh = true;
  if (s.now() != ' ' && !line.empty() && line.back() == ':') return s.add(s.left(), AssemblyWord::label);
  const auto name = [](char x) { return assembly_letter(x) || x == '.'; };
  while (!s.done()) {
    const char c = s.now();
    if (c == '/' && s.now(1) == '*') {
      std::size_t n = 2;
      while (n < s.left() && !(s.now(n) == '*' && s.now(n + 1) == '/')) ++n;
      s.add(std::min(n + 2, s.left()), AssemblyWord::comment);
    } else if (c == '`') {
      const std::size_t n = s.run(1, [](char x) { return x != ')'; });
      s.add(std::min(n + 1, s.left()), AssemblyWord::label);
    } else if (c == '@') {
      s.add(s.run(1, [](char x) { return assembly_letter(x) || x == '!'; }), AssemblyWord::directive);
    } else if (assembly_digit(c)) {
      s.add(s.run(1, name), AssemblyWord::number);
    } else if (assembly_letter(c)) {
      const std::size_t n = s.run(1, name);
      const std::string_view word = s.ahead(n);
      const std::size_t letters = word.starts_with("UR") || word.starts_with("UP") || word.starts_with("SB") ? 2 : 1;
      const bool register_name = !fresh && (c == 'R' || c == 'P' || c == 'U' || c == 'B') && word.size() > letters &&
                                 (assembly_digit(word[letters]) || word[letters] == 'Z' || word[letters] == 'T');
      s.add(n, fresh ? AssemblyWord::instruction : register_name ? AssemblyWord::reg : AssemblyWord::text);
      fresh = false;
    } else {
      s.add(1, AssemblyWord::text);
    }
  }
}

const char* token_colour(AssemblyWord word) {
  static const char* const tokens[] = {"code-text", "code-comment", "code-directive", "code-keyword",
                                       "code-type", "code-number",  "code-label",     "code-string"};
  return tokens[static_cast<int>(word)];
}

}  // namespace ww::widgets
