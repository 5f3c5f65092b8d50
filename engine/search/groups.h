// SPDX-License-Identifier: Apache-2.0
// Groups the equations that share a kernel, by kind of work. Depends only on the equations' structure.
#pragma once
#include <optional>
#include <string_view>
#include <vector>
#include "search/program.h"

namespace ww::search {

enum class Kind : std::uint8_t {
  map,          // no reductions, every element independent
  transpose,    // a map whose input has another order of dimensions than its output
  rows,         // chains of reductions and maps over common row indices
  columns,      // one reduction, along a non-contiguous dimension
  full,         // one reduction to a scalar
  scan,         // prefix reductions
  contraction,  // sums (or other reductions) over products of operands that are reused
  window,       // reductions over a window that slides over an input
  recurrence,   // equations that read their own earlier steps
};
std::string_view kind_name(Kind kind);

struct Group {
  std::vector<Equation> equations;  // the same loop has the same index name in all of them
  std::vector<Index> rows;          // indices shared by all targets, through which they read each other
  Kind kind = Kind::rows;
  std::string carried;    // of a recurrence: the index of every equation that enumerates the steps
  bool backward = false;  // of a recurrence: from last step to first

  std::vector<Index> inner(const Equation& eq) const;  // its indices other than rows
  bool pointwise() const;                              // every target has only the rows as its indices
};

enum class Fusion : std::uint8_t {
  none,     // every equation separately
  natural,  // chains over rows and epilogues; contractions, scans and whole-tensor reductions separately
  all,      // everything with common rows
};
std::vector<Group> group_equations(const Program& program, Fusion fusion);

// The operands of a contraction. The indices that an operand lacks determine who can share its loaded values.
struct Contraction {
  const Expr* reduce = nullptr;
  std::vector<Index> batch, m, n, k;  // batch: indices of both sides; m: only of the left side; n: only of the right
  std::vector<ExprPtr> left, right;   // factors (or other operands) of each side, maximal subexpressions
};
std::optional<Contraction> contraction_of(const Equation& eq);

struct Scan {
  const Expr* reduce = nullptr;
  std::string position;  // index of the target along the scan
  Index along;           // the running index over the whole dimension
  bool reverse = false, exclusive = false;
};
std::optional<Scan> scan_of(const Equation& eq);

}  // namespace ww::search
