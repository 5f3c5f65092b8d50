// SPDX-License-Identifier: Apache-2.0
// A row group as a sequence of passes over the row, and predicates that decide how a pass may be implemented.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>
#include "search/groups.h"

namespace ww::search {

struct RowPass {
  std::vector<Index> domain;
  std::vector<std::pair<const Equation*, const Expr*>> reductions;
};

struct RowStep {
  enum class Pattern : std::uint8_t {
    none,
    softmax,  // first: max of f; second: sum of exp(f - that max)
    moments,  // first: sum of f, whose mean is equations[0]; second: sum of (f - mean)^2
  };
  bool vector = false;  // elements of the row, otherwise one value per row
  std::vector<const Equation*> equations;
  std::vector<RowPass> passes;  // of a scalar step: loops over equal domains are one
  Pattern pattern = Pattern::none;
  const Expr* first = nullptr;
  const Expr* second = nullptr;
};
// Pointers into `group`, which must outlive them.
std::vector<RowStep> row_steps(const Group& group, bool online);

bool same_loops(const std::vector<Index>& a, const std::vector<Index>& b);  // equal ranges and names

// Inputs that more than one pass over the same domain reads element by element, by their printed access.
struct CachedReads {
  std::vector<Index> domain;
  std::map<std::string, const Expr*> reads;
};
CachedReads cached_reads(const Program& program, const Group& group, const std::vector<RowStep>& steps);

// Neighbours along `last` are adjacent in memory, and aligned to their number if the extent of `last` is a multiple of
// it.
bool packable(const Program& program, const std::string& tensor, const std::vector<ExprPtr>& at, const Index& last);
std::vector<const Expr*> packable_reads(const Program& program, const Expr& e, const Index& last);
bool vectorizable(const Program& program, const std::vector<Index>& domain, const std::vector<const Expr*>& exprs,
                  const std::vector<const Equation*>& writes);
bool step_vectorizable(const Program& program, const Group& group, const RowStep& step);

// Largest number of elements of one row's loops, for the default case.
std::int64_t widest_inner(const Program& program, const Group& group);

}  // namespace ww::search
