// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/editor/assembly_tokens.h"
#include <cctype>
#include "ptx/lexer.h"

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
  std::size_t at() const { return at_; }
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
  using Kind = ptx::Token::Kind;
  AssemblyScan s(line, tokens);
  ptx::Lexer lexer(line);
  bool fresh = true;      // no word of this statement yet
  bool touching = false;  // the token before was a register or an instruction, whose modifiers are its own
  AssemblyWord before = AssemblyWord::text;
  for (ptx::Token t = lexer.next_any(); t.kind != Kind::end; t = lexer.next_any()) {
    const auto begin = static_cast<std::size_t>(t.text.data() - line.data()), end = begin + t.text.size();
    touching = touching && s.at() == begin;
    if (s.at() < begin) s.add(begin - s.at(), AssemblyWord::text);
    AssemblyWord word = AssemblyWord::text;
    if (t.kind == Kind::comment) {
      word = AssemblyWord::comment;
    } else if (t.kind == Kind::string) {
      word = AssemblyWord::string;
    } else if (t.kind == Kind::number) {
      word = AssemblyWord::number;
    } else if (t.kind == Kind::dotted) {
      word = touching ? before : AssemblyWord::directive;
      if (!touching) fresh = false;
    } else if (t.kind == Kind::name) {
      const bool label = end < line.size() && line[end] == ':';
      word = t.text[0] == '%'            ? AssemblyWord::reg
             : label || t.text[0] == '$' ? AssemblyWord::label
             : fresh                     ? AssemblyWord::instruction
                                         : AssemblyWord::text;
      fresh = label || (fresh && word == AssemblyWord::reg);
    } else if (t.is(';') || t.is('{') || t.is('}')) {
      fresh = true;
    }
    s.add(t.text.size(), word);
    touching = word == AssemblyWord::reg || word == AssemblyWord::instruction;
    before = word;
  }
  if (!s.done()) s.add(s.left(), AssemblyWord::text);
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
