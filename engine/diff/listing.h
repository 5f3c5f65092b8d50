// SPDX-License-Identifier: Apache-2.0
// The part of a line that is compared. In the normal form of PTX and SASS, lines are equal if they do the same with
// other registers, labels and addresses: registers are renumbered within each line, so that an additional register
// above does not change every line below. Comments and directives without effect are left out. Syntax: PTX ISA 8.8,
// "Syntax"; nvdisasm of CUDA 13.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ww::diff {

enum class Form { text, ptx, sass };  // text: unchanged; ptx and sass: normalised

struct Rules {
  Form form = Form::text;
  bool ignore_space = false;  // for Form::text; other forms always ignore white space
  bool operator==(const Rules&) const = default;
};

struct Token {
  int begin = 0, end = 0;  // bytes of the line
  std::string key;         // the compared text
};
std::vector<Token> tokens_of(std::string_view line,
                             const Rules& rules);  // white space is a token, unless it is ignored
std::string key_of(std::string_view line,
                   const Rules& rules);  // in normal form; empty: the line has no content, and is not shown
std::string_view shown_of(std::string_view line, Form form);  // without addresses and encodings of machine code
int instructions_of(std::string_view listing, Form form);     // of PTX or SASS

struct Span {
  int begin = 0, end = 0;
  bool operator==(const Span&) const = default;
};
struct Words {
  std::vector<Span> left, right;
};  // changed bytes of two lines
Words compare_words(std::string_view left, std::string_view right,
                    const Rules& rules);  // lines of more than longest_line words: none
inline constexpr std::size_t longest_line = 400;

}  // namespace ww::diff
