// SPDX-License-Identifier: Apache-2.0
// The two halves of the parser: module scope (parser.cpp) and function bodies (parse_body.cpp). After an error it
// resumes at the next statement, so that the tree contains all that can be read.
#pragma once
#include <string>
#include "ptx/syntax.h"

namespace ww::ptx {

class Parser {
 public:
  explicit Parser(std::string_view text);
  File run();

 private:
  // Tokens. Functions that return bool record an error before they return false.
  void take();
  bool at(char c) const { return now_.is(c); }
  bool at_directive(std::string_view name) const { return now_.is_directive(name); }
  bool accept(char c);
  bool accept_directive(std::string_view name);
  bool expect(char c);
  bool fail(std::string_view message) { return fail_at({now_.line, now_.column}, message); }
  bool fail_at(Place place, std::string_view message);
  bool name(std::string_view& out);
  bool number(Number& out);  // with its sign
  bool offset(Number& out);  // an integer with its sign
  bool count(std::size_t limit, std::size_t& out);
  bool skip_to(char c);  // and past it
  std::string_view text_from(const char* begin) const;

  // parser.cpp
  void item();
  bool known_item(Statement& s);
  void recover_item();
  bool list_of_names(std::string_view& first);
  void function(const char* begin, int first_line);
  bool head(Function& f);
  bool attribute();
  bool parameters(Range& out, bool entry);
  bool type(Type& out);
  bool declaration(Range& out, Variable::Space space, bool is_extern, bool at_module);
  bool variable(Variable& out);
  bool array(Variable& out);
  bool initialiser(Variable& v, std::size_t& element, int depth);

  // parse_body.cpp
  void body(Function& f);
  bool statement(Statement& s);
  bool directive(Statement& s);
  bool file();
  bool location(Range& out);
  bool source_place(SourcePlace& out);
  bool registers(Range& out);
  bool label(Statement& s);
  bool instruction(Statement& s);
  bool operands(Range& out);
  bool operand(int depth);
  bool address(std::size_t index, int depth);
  bool named(std::size_t index, int depth);
  bool ends_body() const;
  void recover_statement();

  template <class List>
  static std::uint32_t size_of(const List& list) {
    return static_cast<std::uint32_t>(list.size());
  }

  Lexer lexer_;
  Token now_;
  const char* last_end_;  // of the token before now_
  int braces_ = 0;        // open braces within the statement
  File file_;
};

}  // namespace ww::ptx
