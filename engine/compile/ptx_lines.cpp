// SPDX-License-Identifier: Apache-2.0
#include "compile/ptx_lines.h"
#include <charconv>
#include <map>
#include <tuple>

namespace ww::compile {
namespace {

class Blanker {
 public:
  explicit Blanker(std::string& text) : t_(text) {}

  void run() {
    while (at_ < t_.size()) {
      if (skip_blanks_and_comments()) continue;
      if (t_[at_] == '"')
        skip_text();
      else if (directive(".file"))
        blank_file();
      else if (directive(".loc"))
        blank_loc();
      else
        ++at_;
    }
  }

 private:
  static bool part(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           c == '%' || c == '.';
  }

  bool skip_blanks_and_comments() {
    const std::size_t begin = at_;
    for (;;) {
      while (at_ < t_.size() && (t_[at_] == ' ' || t_[at_] == '\t' || t_[at_] == '\n' || t_[at_] == '\r')) ++at_;
      if (t_.compare(at_, 2, "//") == 0)
        at_ = std::min(t_.find('\n', at_), t_.size());
      else if (t_.compare(at_, 2, "/*") == 0)
        at_ = t_.find("*/", at_ + 2) == std::string::npos ? t_.size() : t_.find("*/", at_ + 2) + 2;
      else
        return at_ > begin;
    }
  }
  void skip_text() { at_ = std::min(t_.find('"', at_ + 1), t_.size() - 1) + 1; }
  bool directive(std::string_view name) const {
    return t_.compare(at_, name.size(), name) == 0 && (at_ == 0 || !part(t_[at_ - 1])) &&
           at_ + name.size() < t_.size() && !part(t_[at_ + name.size()]);
  }
  std::string_view word() {
    skip_blanks_and_comments();
    const std::size_t begin = at_;
    while (at_ < t_.size() && part(t_[at_])) ++at_;
    return std::string_view(t_).substr(begin, at_ - begin);
  }
  bool take(char c) {
    const std::size_t before = at_;
    skip_blanks_and_comments();
    if (at_ < t_.size() && t_[at_] == c) return ++at_, true;
    at_ = before;
    return false;
  }
  void blank(std::size_t begin) {
    for (std::size_t i = begin; i < at_; ++i)
      if (t_[i] != '\n' && t_[i] != '\r') t_[i] = ' ';
  }

  void blank_file() {  // .file INDEX "NAME" [, TIME, SIZE]
    const std::size_t begin = at_;
    at_ += 5;
    word();
    skip_blanks_and_comments();
    if (at_ < t_.size() && t_[at_] == '"') skip_text();
    while (take(',')) word();
    blank(begin);
  }
  void blank_loc() {  // .loc FILE LINE COLUMN [, function_name LABEL [+ OFFSET], inlined_at FILE LINE COLUMN]
    const std::size_t begin = at_;
    at_ += 4;
    for (int i = 0; i < 3; ++i) word();
    while (take(',')) {
      const bool name = word() == "function_name";
      word();
      if (name && take('+')) word();
      for (int i = 0; i < (name ? 0 : 2); ++i) word();
    }
    blank(begin);
  }

  std::string& t_;
  std::size_t at_ = 0;
};

int next_number(std::string_view& s) {  // 0: there is none
  s.remove_prefix(std::min(s.find_first_not_of(" \t"), s.size()));
  int value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  s.remove_prefix(static_cast<std::size_t>(end - s.data()));
  return error == std::errc() ? value : 0;
}

}  // namespace

std::string without_line_information(std::string ptx) {
  Blanker(ptx).run();
  return ptx;
}

std::vector<int> source_lines_of_ptx(std::string_view ptx, std::string_view own_file) {
  using Place = std::tuple<int, int, int>;  // file, line, column
  std::vector<std::string_view> rows;
  int own = 1;
  for (std::size_t at = 0; at < ptx.size();) {
    const std::size_t end = std::min(ptx.find('\n', at), ptx.size());
    std::string_view row = ptx.substr(at, end - at);
    const std::size_t begin = row.find_first_not_of(" \t");
    row.remove_prefix(std::min(begin, row.size()));
    rows.push_back(row);
    at = end + 1;
    if (!row.starts_with(".file")) continue;
    const std::size_t open = row.find('"');
    const std::size_t close = open == row.npos ? open : row.find('"', open + 1);
    if (close == row.npos) continue;
    const std::string_view name = row.substr(open + 1, close - open - 1);
    if (name.ends_with(own_file) && (name.size() == own_file.size() || name[name.size() - own_file.size() - 1] == '/'))
      row.remove_prefix(5), own = next_number(row);
  }
  std::map<Place, Place> inlined;
  std::vector<int> lines(rows.size(), 0);
  int line = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string_view row = rows[i];
    if (row.starts_with(".loc") && row.size() > 4 && (row[4] == ' ' || row[4] == '\t')) {
      row.remove_prefix(4);
      Place place;
      std::get<0>(place) = next_number(row), std::get<1>(place) = next_number(row),
      std::get<2>(place) = next_number(row);
      if (const std::size_t outer = row.find("inlined_at"); outer != row.npos) {
        row.remove_prefix(outer + 10);
        Place at;
        std::get<0>(at) = next_number(row), std::get<1>(at) = next_number(row), std::get<2>(at) = next_number(row);
        if (at != place) inlined[place] = at;
      }
      for (int hops = 0; hops < 64 && std::get<0>(place) != own; ++hops) {
        const auto it = inlined.find(place);
        if (it == inlined.end()) break;
        place = it->second;
      }
      // Line 0 means "no place of its own" (LLVM): what came before still holds.
      if (std::get<0>(place) == own && std::get<1>(place) > 0) line = std::get<1>(place);
    } else if (row.starts_with(".visible") || row.starts_with(".entry") || row.starts_with(".func") ||
               row.starts_with(".weak") || row.starts_with(".extern")) {
      line = 0;  // of the function before
    }
    lines[i] = line;
    if (row.starts_with("}") && rows[i].data() > ptx.data() && rows[i].data()[-1] == '\n') line = 0;
  }
  return lines;
}

}  // namespace ww::compile
