// SPDX-License-Identifier: Apache-2.0
#include "ptx/lines.h"
#include <algorithm>

namespace ww::ptx {
namespace {

// Blanks the directives token by token, also in text that is not PTX.
class LineBlanker {
 public:
  explicit LineBlanker(std::string& text) : text_(text), lexer_(text), now_(lexer_.next()) {}

  void run() {
    while (now_.kind != Token::Kind::end) {
      const bool touches = now_.text.data() == word_end_;  // a modifier: "x.loc"
      const std::size_t begin = static_cast<std::size_t>(now_.text.data() - text_.data());
      const bool file = now_.is_directive("file"), loc = now_.is_directive("loc");
      take();
      if (touches || (!file && !loc)) continue;
      numbers(file ? 1 : 3);
      if (now_.kind == Token::Kind::string && file) take();
      while (now_.is(',')) {
        take();
        file ? numbers(1) : attribute();
      }
      for (std::size_t i = begin; i < last_end_; ++i)
        if (text_[i] != '\n' && text_[i] != '\r') text_[i] = ' ';
    }
  }

 private:
  void take() {
    const bool word =
        now_.kind == Token::Kind::name || now_.kind == Token::Kind::dotted || now_.kind == Token::Kind::number;
    word_end_ = word ? now_.end() : nullptr;
    last_end_ = static_cast<std::size_t>(now_.end() - text_.data());
    now_ = lexer_.next();
  }
  bool word() {
    const bool found = now_.kind == Token::Kind::name || now_.kind == Token::Kind::dotted;
    if (found) take();
    return found;
  }
  void numbers(int most) {
    for (int i = 0; i < most && now_.kind == Token::Kind::number; ++i) take();
  }
  void attribute() {  // function_name LABEL[+OFFSET], inlined_at FILE LINE COLUMN
    const bool name = now_.text == "function_name";
    word();
    if (!name) return numbers(3);
    word();
    if (!now_.is('+')) return;
    take();
    numbers(1);
  }

  std::string& text_;
  Lexer lexer_;
  Token now_;
  const char* word_end_ = nullptr;  // of the word just before
  std::size_t last_end_ = 0;
};

}  // namespace

LineTable::LineTable(const File& file, std::string_view own_file) {
  for (const SourceFile& f : file.files) {
    if (!f.name.ends_with(own_file)) continue;
    const std::size_t before = f.name.size() - own_file.size();
    if (before == 0 || f.name[before - 1] == '/') own_ = f.index;
  }
}

int LineTable::line_of(const Location& l) {
  SourcePlace place = l.place;
  if (l.inlined_at && *l.inlined_at != place) inlined_[place] = *l.inlined_at;
  for (int hops = 0; hops < 64 && place.file != own_; ++hops) {
    const auto outer = inlined_.find(place);
    if (outer == inlined_.end()) break;
    place = outer->second;
  }
  return place.file == own_ ? place.line : 0;  // LLVM also writes line 0 for "no place of its own"
}

std::vector<int> source_lines(const File& file, std::string_view own_file) {
  struct From {
    int ptx_line, line;
  };
  std::vector<From> changes;
  LineTable table(file, own_file);
  const auto add = [&](const Statement& s) {
    if (s.kind != Statement::Kind::location) return;
    if (const int line = table.line_of(file.locations[s.range.begin])) changes.push_back({s.place.line, line});
  };
  for (const Statement& s : file.items) add(s);
  for (const Function& f : file.functions) {
    changes.push_back({f.first_line, 0});
    for (std::uint32_t i = f.body.begin; i < f.body.end; ++i) add(file.statements[i]);
    changes.push_back({f.last_line + 1, 0});
  }
  std::ranges::stable_sort(changes, {}, &From::ptx_line);
  std::vector<int> lines(static_cast<std::size_t>(std::ranges::count(file.text, '\n')) +
                         (!file.text.empty() && file.text.back() != '\n'));
  std::size_t at = 0;
  int line = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (; at < changes.size() && changes[at].ptx_line <= static_cast<int>(i) + 1; ++at) line = changes[at].line;
    lines[i] = line;
  }
  return lines;
}

std::string without_line_information(std::string text) {
  LineBlanker(text).run();
  return text;
}

}  // namespace ww::ptx
