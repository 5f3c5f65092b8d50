// SPDX-License-Identifier: Apache-2.0
#include "compile/ptx_lines.h"
#include <string_view>

namespace ww::compile {
namespace {

class Blanker {
 public:
  explicit Blanker(std::string& text) : t_(text) {}

  void run() {
    while (at_ < t_.size()) {
      if (skip_blanks_and_comments()) continue;
      if (t_[at_] == '"') skip_text();
      else if (directive(".file")) blank_file();
      else if (directive(".loc")) blank_loc();
      else ++at_;
    }
  }

 private:
  static bool part(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%' || c == '.'; }

  bool skip_blanks_and_comments() {
    const std::size_t begin = at_;
    for (;;) {
      while (at_ < t_.size() && (t_[at_] == ' ' || t_[at_] == '\t' || t_[at_] == '\n' || t_[at_] == '\r')) ++at_;
      if (t_.compare(at_, 2, "//") == 0) at_ = std::min(t_.find('\n', at_), t_.size());
      else if (t_.compare(at_, 2, "/*") == 0) at_ = t_.find("*/", at_ + 2) == std::string::npos ? t_.size() : t_.find("*/", at_ + 2) + 2;
      else return at_ > begin;
    }
  }
  void skip_text() { at_ = std::min(t_.find('"', at_ + 1), t_.size() - 1) + 1; }
  bool directive(std::string_view name) const {
    return t_.compare(at_, name.size(), name) == 0 && (at_ == 0 || !part(t_[at_ - 1])) && at_ + name.size() < t_.size() && !part(t_[at_ + name.size()]);
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

}  // namespace

std::string without_line_information(std::string ptx) {
  Blanker(ptx).run();
  return ptx;
}

}  // namespace ww::compile
