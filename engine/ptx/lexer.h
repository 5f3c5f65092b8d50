// SPDX-License-Identifier: Apache-2.0
// Tokenises PTX text (PTX ISA 9.0, section 4). Any text can be tokenised: characters outside the language become marks
// of one character. A token never spans lines, except a block comment. Tokens are views of the text.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ww::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    end,
    name,     // "ld", "%r1", "$L__BB0_2"
    dotted,   // ".param", ".shared::cta"; an opcode is a name followed directly by dotted tokens
    number,   // "12", "0x1fU", "0f3F800000", "9.0", "1.5e-3"; parse_number checks the form
    string,   // with its quotes; without the closing one if the line ends first
    mark,     // ";", "{", "::", …; a run of bytes outside ASCII is one mark
    comment,  // "// …", "/* … */", and "# …" at the start of a line
  };
  Kind kind = Kind::end;
  std::string_view text;
  int line = 1, column = 1;  // column in bytes, from 1
  bool is(char c) const { return kind == Kind::mark && text.size() == 1 && text[0] == c; }
  bool is_directive(std::string_view name) const { return kind == Kind::dotted && text.substr(1) == name; }
  const char* end() const { return text.data() + text.size(); }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : at_(text.data()), end_(at_ + text.size()), line_start_(at_) {}
  Token next();      // the next token that is not a comment
  Token next_any();  // including comments

 private:
  char peek(std::size_t ahead) const { return static_cast<std::size_t>(end_ - at_) > ahead ? at_[ahead] : '\0'; }
  void skip_space();
  void finish_number();
  void finish_comment();
  const char* at_;
  const char* end_;
  const char* line_start_;
  int line_ = 1;
  bool line_is_blank_ = true;  // up to at_
};

struct Number {
  std::int64_t bits = 0;          // integer: its value; the others: bits of the f64 value
  std::uint32_t single_bits = 0;  // of the f32 value; of 0f… exactly, so that a NaN keeps its payload
  enum class Kind : std::uint8_t {
    integer,
    single,   // "0f3F800000"
    twofold,  // "0d3FF0000000000000"
    decimal,  // "1.5e-3"
  } kind = Kind::integer;
  // Whether a literal of this form is meaningful in a context of this many bytes. The assembler uses the bits, not the
  // value, of a literal of the other width.
  static bool fits(Kind kind, std::size_t bytes) {
    return kind == Kind::integer || (bytes == 4 && kind != Kind::twofold) || (bytes == 8 && kind != Kind::single);
  }
};
bool parse_number(std::string_view text, Number& out);  // false: malformed
Number negated(Number n);

}  // namespace ww::ptx
