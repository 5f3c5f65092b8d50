// SPDX-License-Identifier: Apache-2.0
#include "op/leading.h"
#include <algorithm>
#include "op/walk.h"

namespace ww::op {
namespace {

bool names(const Expr& e, const std::string& name) { return e.kind == ExprKind::name && e.name == name; }

bool mentions(const ExprPtr& e, const std::string& symbol) {
  bool found = false;
  if (e) for_each(*e, [&](const Expr& part) { found = found || names(part, symbol); });
  return found;
}

// The tensor has the symbol as its first dimension or not at all, and draws its values without regard to it.
bool fits(const Param& t, const std::string& symbol) {
  if (mentions(t.lo, symbol) || mentions(t.hi, symbol)) return false;
  if (leads(t, symbol) && t.shape.size() == 1 && t.rules) return false;  // rules hold along the last dimension
  for (std::size_t d = leads(t, symbol) ? 1 : 0; d < t.shape.size(); ++d)
    if (mentions(t.shape[d], symbol)) return false;
  return true;
}

// In the value of an element [row, …]: the symbol is not used, `row` only as the first subscript of tensors that it
// leads, and those have no other first subscript. Without a row, no such tensor is read.
bool separate(const Spec& spec, const Expr& value, const std::string& symbol, const std::string& row) {
  bool good = true;
  int rows = 0, subscripts = 0;
  for_each(value, [&](const Expr& part) {
    if (names(part, symbol)) good = false;
    if (!row.empty() && names(part, row)) ++rows;
    for (const Index& i : part.indices) good = good && i.name != row;
    if (part.kind != ExprKind::access) return;
    const Param* tensor = find_param(spec, part.name);
    if (!tensor || !leads(*tensor, symbol)) return;
    if (row.empty() || part.args.empty() || !names(*part.args[0], row))
      good = false;
    else
      ++subscripts;
  });
  return good && rows == subscripts;
}

bool is_leading(const Spec& spec, const std::string& symbol) {
  for (const auto* list : {&spec.inputs, &spec.outputs, &spec.temporaries})
    for (const Param& t : *list)
      if (!fits(t, symbol) || (list == &spec.outputs && !leads(t, symbol))) return false;
  for (const Equation& e : spec.equations) {
    const Param* target = find_param(spec, e.target);
    if (!target) return false;
    std::string row;
    for (std::size_t d = 0; d < e.indices.size(); ++d) {
      const Index& i = e.indices[d];
      if (d == 0 && leads(*target, symbol)) {
        std::int64_t from = -1;
        if (!integer_value(*i.lo, &from) || from != 0 || !names(*i.hi, symbol)) return false;
        row = i.name;
      } else if (mentions(i.lo, symbol) || mentions(i.hi, symbol)) {
        return false;
      }
    }
    if (!separate(spec, *e.value, symbol, row)) return false;
  }
  return true;
}

}  // namespace

bool leads(const Param& tensor, const std::string& symbol) {
  return !tensor.shape.empty() && names(*tensor.shape[0], symbol);
}

std::vector<std::string> leading_symbols(const Spec& spec) {
  std::vector<std::string> out;
  std::ranges::copy_if(spec.symbols, std::back_inserter(out), [&](const auto& s) { return is_leading(spec, s); });
  return out;
}

}  // namespace ww::op
