// SPDX-License-Identifier: Apache-2.0
// What the conditions of a function depend on, as far as a few steps back through its registers tell.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include "ptx/syntax.h"

namespace ww::ptx {

class Conditions {
 public:
  Conditions(const File& file, const Function& function);

  // Whether nothing that a case may choose can turn the predicate: it compares a parameter with a number on the same
  // side of all positive ones (is a size above zero?), or depends on the thread's number alone.
  bool settled(std::string_view predicate) const { return settled(predicate, 0); }
  // Equal for predicates that compare in the same way with the same parameters and numbers, as the copies do that a
  // compiler makes of a loop's condition. Empty: not known.
  std::string shape(std::string_view predicate) const { return shape(predicate, 0); }

 private:
  const Statement* definition_of(std::string_view name) const;
  std::string parameter(const Operand& o, int depth) const;  // empty: it is none
  bool of_thread(const Operand& o, int depth) const;
  bool settled(std::string_view predicate, int depth) const;
  std::string shape(std::string_view predicate, int depth) const;

  const File& file_;
  std::map<std::string_view, const Statement*> definitions_;  // null: several
};

}  // namespace ww::ptx
