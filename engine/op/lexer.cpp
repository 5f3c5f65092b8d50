// SPDX-License-Identifier: Apache-2.0
#include "op/lexer.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include "base/ascii.h"
#include "op/nan_rule.h"

namespace ww::op {
namespace {

constexpr std::size_t longest_name = 255;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Lexed run() {
    while (true) {
      skip_blanks();
      if (at_ >= text_.size()) break;
      const char c = text_[at_];
      if (is_letter(c)) {
        std::size_t e = at_ + 1;
        while (e < text_.size() && (is_letter(text_[e]) || is_digit(text_[e]))) ++e;
        if (e - at_ > longest_name)
          error({at_, at_ + 1}, "a name has at most " + std::to_string(longest_name) + " characters; this one has " +
                                    std::to_string(e - at_));
        push(Token::Kind::name, e);
      } else if (is_digit(c)) {
        number();
      } else {
        symbol();
      }
    }
    push(Token::Kind::end, text_.size());
    return std::move(out_);
  }

 private:
  char peek(std::size_t n) const { return at_ + n < text_.size() ? text_[at_ + n] : '\0'; }

  void skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        fresh_line_ = true;
        ++at_;
        continue;
      }
      if (is_space(c)) {
        ++at_;
        continue;
      }
      if (c == '#' || (c == '/' && peek(1) == '/')) {
        std::size_t e = text_.find('\n', at_);
        if (e == std::string_view::npos) e = text_.size();
        if (c == '/' && peek(2) == '@') directive(at_, e);
        at_ = e;
        continue;
      }
      return;
    }
  }

  void directive(std::size_t begin, std::size_t end) {
    const std::string_view body = text_.substr(begin + 3, end - begin - 3);
    const std::size_t colon = body.find(':');
    const std::string_view key = trimmed(body.substr(0, colon));
    if (colon == std::string_view::npos || key.empty()) {
      error({begin, end}, "a directive needs a key and a value", "write it as //@ key: value");
      return;
    }
    const std::string_view value = trimmed(body.substr(colon + 1));
    if (key == nan_key && !check_nan({begin, end}, value)) return;
    out_.directives.emplace_back(std::string(key), std::string(value));
  }

  bool check_nan(Span span, std::string_view word) {
    const auto said = [](const auto& d) { return d.first == nan_key; };
    if (!nan_rule_from_word(word))
      error(span, "'" + std::string(word) + "' does not say how NaN is treated",
            "write propagate, ignore or any behind //@ nan:");
    else if (std::any_of(out_.directives.begin(), out_.directives.end(), said))
      error(span, "how NaN is treated is said twice", "keep one of the lines //@ nan:");
    else
      return true;
    return false;
  }

  // "0x1F": an integer of up to 64 bits.
  bool hexadecimal() {
    const std::string_view rest = text_.substr(at_);
    if (!rest.starts_with("0x") && !rest.starts_with("0X")) return false;
    std::size_t e = at_ + 2;
    while (e < text_.size() && (is_letter(text_[e]) || is_digit(text_[e]))) ++e;
    const char* last = text_.data() + e;
    std::uint64_t value = 0;
    const auto r = std::from_chars(text_.data() + at_ + 2, last, value, 16);
    const std::string written(text_.substr(at_, e - at_));
    if (r.ec == std::errc::result_out_of_range)
      error({at_, e}, "the number " + written + " does not fit in 64 bits");
    else if (r.ec != std::errc{} || r.ptr != last)
      error({at_, e}, "'" + written + "' is no hexadecimal number", "its digits are 0 to 9 and a to f");
    push(Token::Kind::integer, e);
    whole(value);
    return true;
  }

  void whole(std::uint64_t value) {
    out_.tokens.back().integer = static_cast<std::int64_t>(value);
    out_.tokens.back().is_u64 = value >> 63 != 0;
  }

  void number() {
    if (hexadecimal()) return;
    std::size_t e = at_;
    bool real = false;
    while (e < text_.size() && is_digit(text_[e])) ++e;
    // "0..n" is a range: a dot that another dot follows does not belong to the number.
    if (e < text_.size() && text_[e] == '.' && !(e + 1 < text_.size() && text_[e + 1] == '.')) {
      real = true;
      ++e;
      while (e < text_.size() && is_digit(text_[e])) ++e;
    }
    if (e < text_.size() && (text_[e] == 'e' || text_[e] == 'E')) {
      std::size_t x = e + 1;
      if (x < text_.size() && (text_[x] == '+' || text_[x] == '-')) ++x;
      if (x < text_.size() && is_digit(text_[x])) {
        real = true;
        while (x < text_.size() && is_digit(text_[x])) ++x;
        e = x;
      }
    }
    if (e < text_.size() && is_letter(text_[e])) {
      while (e < text_.size() && (is_letter(text_[e]) || is_digit(text_[e]))) ++e;
      error({at_, e}, "'" + std::string(text_.substr(at_, e - at_)) + "' is neither a number nor a name",
            "a name starts with a letter; write * between a number and a name");
      push(Token::Kind::integer, e);
      return;
    }
    const char* first = text_.data() + at_;
    const char* last = text_.data() + e;
    const Span span{at_, e};
    push(real ? Token::Kind::real : Token::Kind::integer, e);
    Token& t = out_.tokens.back();
    if (real) {
      const auto r = std::from_chars(first, last, t.real);
      if (r.ec != std::errc{}) { error(span, "the number " + std::string(t.text) + " is outside the range of f64"); }
    } else if (std::uint64_t value = 0; std::from_chars(first, last, value).ec == std::errc{}) {
      whole(value);
    } else {
      error(span, "the number " + std::string(t.text) + " does not fit in 64 bits",
            "write it with a decimal point to make it real");
    }
  }

  void symbol() {
    static constexpr std::string_view two[] = {"==", "!=", "<=", ">=", "&&", "||", "->", ".."};
    for (std::string_view s : two) {
      if (text_.substr(at_, 2) == s) return push(Token::Kind::symbol, at_ + 2);
    }
    const char c = text_[at_];
    if (std::string_view("()[]{},;:=<>+-*/%^!").find(c) != std::string_view::npos)
      return push(Token::Kind::symbol, at_ + 1);
    std::size_t e = at_ + 1;
    if (static_cast<unsigned char>(c) >= 0x80) {
      while (e < text_.size() && static_cast<unsigned char>(text_[e]) >= 0x80) ++e;
      error({at_, e}, "this character is not part of the language",
            "names and operators use plain ASCII letters and signs");
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      while (e < text_.size() && text_[e] == c) ++e;
      error({at_, e}, "a control character is not part of the language");
    } else {
      const char* hint = c == '&'   ? "logical and is &&"
                         : c == '|' ? "logical or is ||"
                         : c == '.' ? "write 0.5, not .5"
                                    : "";
      error({at_, e}, "'" + std::string(1, c) + "' is not part of the language", hint);
    }
    at_ = e;
  }

  void push(Token::Kind kind, std::size_t end) {
    Token t;
    t.kind = kind;
    t.span = {at_, end};
    t.text = text_.substr(at_, end - at_);
    t.first_on_line = fresh_line_;
    fresh_line_ = false;
    out_.tokens.push_back(t);
    at_ = end;
  }

  void error(Span span, std::string message, std::string hint = {}) {
    if (out_.diagnostics.size() < 50)
      out_.diagnostics.push_back(diagnostic_at(text_, span, std::move(message), std::move(hint)));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool fresh_line_ = true;
  Lexed out_;
};

}  // namespace

Lexed lex(std::string_view text) { return Lexer(text).run(); }

}  // namespace ww::op
