// SPDX-License-Identifier: Apache-2.0
// Equations that need their own earlier results: h[b, t] = a[b, t] * pad(h[b, t - 1], 0) + x[b, t]. One index, the
// carried one, enumerates the steps. A recurrence is one equation that reads itself at earlier steps, or several that
// read one another; it is computed step by step, with its equations in order within each step. Other subscripts of such
// a read may be any expression, because all elements of an earlier step are known.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>
#include "op/spec.h"

namespace ww::op {

// An equation as seen by the analysis; names may still be unresolved. The pointers must stay valid during the call.
struct RecurrenceMember {
  const std::string* target = nullptr;
  const std::vector<Index>* indices = nullptr;
  const Expr* value = nullptr;
};

struct Recurrence {
  std::vector<std::size_t> members;  // positions in the given list, in order of computation within a step
  std::vector<std::size_t> carried;  // for each of `members`, the index that enumerates the steps
  bool backward = false;             // reads later steps, so the last step is computed first
};

// Why equations that depend on one another are not a recurrence, and where.
struct NoRecurrence {
  enum class Reason : std::uint8_t {
    no_step,    // no index leads to an earlier step in every cycle of reads
    both_ways,  // reads earlier and later steps
    unguarded,  // an earlier step is read outside pad() and if(): the first step has none
  };
  Reason reason = Reason::no_step;
  Span span;  // the read
};

// `members` depend on one another, directly or indirectly.
std::variant<Recurrence, NoRecurrence> recurrence_of(const std::vector<RecurrenceMember>& members);

// Groups equations that depend on one another; others are alone. Each group of positions follows those that it reads.
std::vector<std::vector<std::size_t>> components_of(const std::vector<RecurrenceMember>& equations);
// Whether the component is a cycle: several equations, or one that reads itself.
bool is_cycle(const std::vector<RecurrenceMember>& equations, const std::vector<std::size_t>& component);

// The recurrences among equations, as positions in them; of a checked spec, members of one are neighbours.
std::vector<Recurrence> recurrences_of(const std::vector<RecurrenceMember>& equations);
std::vector<Recurrence> recurrences_of(const Spec& spec);
// The recurrence that contains the equation at `position`; null: none.
const Recurrence* recurrence_with(const std::vector<Recurrence>& recurrences, std::size_t position);

// The subscript's offset from the index: 0 for t, -1 for t - 1, 2 for t + 2. False for any other expression.
bool shift_of(const Expr& subscript, const std::string& index, std::int64_t* shift);

}  // namespace ww::op
