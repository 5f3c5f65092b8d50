// SPDX-License-Identifier: Apache-2.0
// Specs that differ from one in a single place, as a wrong kernel's idea of the op might: what its inputs have to tell
// apart.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>
#include "base/describe.h"
#include "op/spec.h"

namespace ww::op {

enum class Mutation : std::uint8_t {
  unknown,    // of a stored verdict whose word this build does not know
  dropped,    // an operand, a function around its argument, a condition
  replaced,   // an operator, function or reduction by another of its kind
  cut,        // the range of a reduction, by one at an end
  swapped,    // two subscripts of an access, or the operands of an operator that does not commute
  moved,      // a number, a constant or a size; a subscript by one
  expected,   // a reduction by what it may come to on average, or by its first term
  first_only  // a subscript by 0: the first element stands for all
};
constexpr auto names_of(Mutation) {
  using enum Mutation;
  return std::to_array<Enumerator<Mutation>>({{unknown, "unknown"},
                                              {dropped, "dropped"},
                                              {replaced, "replaced"},
                                              {cut, "cut"},
                                              {swapped, "swapped"},
                                              {moved, "moved"},
                                              {expected, "expected"},
                                              {first_only, "first only"}});
}

struct Mutant {
  Mutation kind = Mutation::unknown;
  std::string target;         // of the equation
  std::string before, after;  // the expression that was changed, printed
  Spec spec;
};

// In the order of the text; where there are more than `most`, so many spread over all. A mutant has the inputs,
// outputs, symbols and constants of the spec. It may be impossible to evaluate (a subscript out of range), or mean the
// same as the spec.
std::vector<Mutant> mutants_of(const Spec& spec, std::size_t most = 200);

}  // namespace ww::op
