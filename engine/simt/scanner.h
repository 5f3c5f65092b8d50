// SPDX-License-Identifier: Apache-2.0
// Characters to tokens, on demand: PTX needs to know the context (a kernel may be called `bar`, an opcode has dots and
// double colons, a label ends in one colon). The first error sticks and makes every later call fail.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ww::simt {

struct Number {
  enum class Kind : std::uint8_t { integer, single, real } kind = Kind::integer;
  std::int64_t bits =
      0;  // integer: its value; single and real: bits of the f64 value (a single's NaN payload: see parser)
  std::uint32_t single_bits = 0;
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }
  void fail(std::string_view message);  // at the current position
  void fail_at(int line, int column, std::string_view message);

  void skip();  // white space and comments
  bool at_end();
  char peek();         // next character after skip(), 0 at the end
  char peek_second();  // the one after it, nothing skipped between
  bool accept(char c);
  bool expect(char c);  // fails when it is not there
  bool at_identifier();
  bool at_number();
  std::string identifier();                      // [A-Za-z_$%][\w$]*; fails when there is none
  std::string special_suffix();                  // ".x" directly behind an identifier, or ""
  std::string directive();                       // ".version" → "version"; fails when there is none
  bool accept_directive(std::string_view name);  // only when the next directive is `name`
  std::string opcode();                          // "mbarrier.init.shared::cta.b64"
  std::string quoted();
  std::string until(char stop);  // raw text up to `stop` (not taken) or the end
  bool number(Number& out);      // sign is the caller's
  std::string version_number();  // "9.0"
  bool at_label();               // identifier directly followed by ':' (not '::')
  int line() const { return line_; }
  int column() const { return static_cast<int>(at_ - line_start_) + 1; }

 private:
  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  void advance();
  std::string_view text_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
  std::string error_;
};

}  // namespace ww::simt
