// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/diff/line_colours.h"
#include <QByteArray>
#include <QSet>
#include <cctype>
#include "parts/editor/assembly_tokens.h"
#include "parts/editor/cuda_lexer.h"
#include "parts/editor/directive_line.h"

namespace ww::widgets {

namespace {

bool ink_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80); }
bool ink_digit(char c) { return c >= '0' && c <= '9'; }

const QSet<QByteArray>& cuda_words(int set) {
  static const auto read = [](int which) {
    const QList<QByteArray> words = QByteArray(CudaLexer(nullptr).keywords(which)).split(' ');
    return QSet<QByteArray>(words.begin(), words.end());
  };
  static const QSet<QByteArray> keywords = read(1), builtins = read(2);
  return set == 1 ? keywords : builtins;
}

class InkRuns {
 public:
  explicit InkRuns(std::string_view line) : line_(line) {}
  void upto(std::size_t end, Ink ink) {
    if (end <= at_) return;
    if (!runs_.empty() && (runs_.back().ink == ink))
      runs_.back().end = static_cast<int>(end);
    else
      runs_.push_back({static_cast<int>(at_), static_cast<int>(end), ink});
    at_ = end;
  }
  bool done() const { return at_ >= line_.size(); }
  std::size_t at() const { return at_; }
  char here() const { return line_[at_]; }
  bool starts(std::string_view text) const { return line_.substr(at_).starts_with(text); }
  template <class Test>
  std::size_t while_(Test test, std::size_t from = 1) const {
    std::size_t end = at_ + from;
    while (end < line_.size() && test(line_[end])) ++end;
    return std::min(end, line_.size());
  }
  std::size_t string_end() const {
    const char quote = line_[at_];
    std::size_t end = at_ + 1;
    while (end < line_.size() && line_[end] != quote) end += line_[end] == '\\' ? 2 : 1;
    return std::min(end + 1, line_.size());
  }
  std::size_t size() const { return line_.size(); }
  std::string_view upto_text(std::size_t end) const { return line_.substr(at_, end - at_); }
  std::vector<InkRun> take() { return std::move(runs_); }

 private:
  std::string_view line_;
  std::size_t at_ = 0;
  std::vector<InkRun> runs_;
};

void colour_cuda(InkRuns& r) {
  while (!r.done()) {
    if (r.starts("//")) return r.upto(r.size(), Ink::comment);
    const char c = r.here();
    if (c == '#' && r.at() == 0) return r.upto(r.size(), Ink::directive);
    if (c == '"' || c == '\'') {
      r.upto(r.string_end(), Ink::string);
    } else if (ink_digit(c)) {
      r.upto(r.while_([](char d) { return ink_word(d) || d == '.'; }), Ink::number);
    } else if (ink_word(c)) {
      const std::size_t end = r.while_(ink_word);
      const std::string_view word = r.upto_text(end);
      const QByteArray key = QByteArray::fromRawData(word.data(), static_cast<qsizetype>(word.size()));
      r.upto(end, cuda_words(1).contains(key) ? Ink::keyword : cuda_words(2).contains(key) ? Ink::builtin : Ink::text);
    } else {
      r.upto(r.at() + 1, Ink::text);
    }
  }
}

std::vector<InkRun> colour_assembly(std::string_view line, bool sass) {
  static constexpr Ink inks[] = {Ink::text, Ink::comment, Ink::directive, Ink::keyword,
                                 Ink::type, Ink::number,  Ink::label,     Ink::string};  // of AssemblyWord
  std::vector<AssemblyToken> tokens;
  if (sass)
    tokenize_sass(line, tokens);
  else
    tokenize_ptx(line, tokens);
  std::vector<InkRun> runs;
  for (const AssemblyToken& t : tokens) runs.push_back({t.begin, t.end, inks[static_cast<int>(t.word)]});
  return runs;
}

}  // namespace

const char* ink_token(Ink ink) {
  static const char* tokens[] = {"code-text", "code-comment", directive_token, "code-keyword", "code-builtin",
                                 "code-type", "code-number",  "code-string",   "code-label"};
  return ink < Ink::count ? tokens[static_cast<int>(ink)] : "code-text";
}

std::vector<InkRun> colour_line(std::string_view line, CodeKind kind) {
  InkRuns runs(line);
  if (const auto directive = kind == CodeKind::sass ? std::nullopt : directive_in(line)) {
    runs.upto(directive->begin, Ink::text);
    runs.upto(line.size(), Ink::directive);
    return runs.take();
  }
  if (kind != CodeKind::source) return colour_assembly(line, kind == CodeKind::sass);
  colour_cuda(runs);
  return runs.take();
}

}  // namespace ww::widgets
