// SPDX-License-Identifier: Apache-2.0
// Sizes that a formula names: N of "1/N Σ_{i=1}^{N}", n of "X: (n, 64)".
#include <algorithm>
#include <cmath>
#include <set>
#include "op/formula/lowering.h"

namespace ww::op::formula {

using Kind = Node::Kind;

void Lowering::limits(const Node& n) {
  if (n.kind == Kind::sum && !n.limit.empty() && !n.subscripts.empty()) limits_[n.limit].push_back(n.subscripts[0]);
  for (const Node& a : n.args) limits(a);
}

bool Lowering::is_limit(const std::string& name) const { return limits_.count(name) != 0; }

const Size* Lowering::symbol(const std::string& name) const {
  const auto in = [&](const Shape& shape) {
    const auto at = std::find_if(shape.begin(), shape.end(), [&](const Size& s) { return s.name == name; });
    return at == shape.end() || facts_.shapes.count(name) ? nullptr : &*at;
  };
  for (const auto& [tensor, shape] : facts_.shapes)
    if (const Size* s = in(shape)) return s;
  for (const Shape& shape : facts_.general)
    if (const Size* s = in(shape)) return s;
  return nullptr;
}

// One size for each name. "A is M x K, M = 1024"
int Lowering::symbol_size(const Size& named) {
  if (named.name.find('*') != std::string::npos) return size_by_text(named.name);
  const auto [at, fresh] = symbols_.emplace(named.name, 0);
  const auto given = facts_.values.find(named.name);
  const bool sized = given != facts_.values.end() && given->second == std::floor(given->second) && given->second >= 1;
  if (sized) values_taken_.insert(given->first);
  if (fresh)
    at->second =
        builder_.new_size(named.name, sized ? std::optional(static_cast<std::int64_t>(given->second)) : named.value);
  return at->second;
}

int Lowering::limit_size(const std::string& name) {
  const auto [at, fresh] = letters_.emplace(limits_.at(name)[0], 0);
  const auto given = facts_.values.find(name);
  const bool sized = given != facts_.values.end() && given->second == std::floor(given->second) && given->second >= 1;
  if (sized) values_taken_.insert(name);
  const auto value = sized ? std::optional(static_cast<std::int64_t>(given->second)) : std::nullopt;
  if (fresh) at->second = builder_.new_axis(builder_.new_size({}, value));
  return builder_.size_of(at->second);
}

bool Lowering::join_limits() {
  for (const auto& [name, indices] : limits_) {
    const auto first = letters_.find(indices[0]);
    for (const std::string& index : indices) {
      const auto other = letters_.find(index);
      if (first == letters_.end() || other == letters_.end()) continue;
      if (builder_.join_sizes(builder_.size_of(first->second), builder_.size_of(other->second))) continue;
      ask(builder_.clash);
      return false;
    }
  }
  return true;
}

// Also "mn": a product of sizes.
Maybe Lowering::size_named(const std::string& name) {
  const auto one = [&](const std::string& part) -> std::optional<int> {
    if (is_limit(part)) return limit_size(part);
    if (const Size* s = symbol(part)) return symbol_size(*s);
    return std::nullopt;
  };
  Value out;
  if (const auto size = one(name)) {
    out.text = Builder::size_text(*size);
    return out;
  }
  if (name.size() < 2 || name.size() > 4 || facts_.shapes.count(name)) return std::nullopt;
  for (const char c : name) {
    const std::string part(1, c);
    if (!is_limit(part) && !symbol(part)) return std::nullopt;
  }
  for (const char c : name) out.text += (out.text.empty() ? "(" : " * ") + Builder::size_text(*one(std::string(1, c)));
  out.text += ")";
  return out;
}

bool Lowering::is_size_name(const std::string& name) const {
  return std::find(tables_.size_names.begin(), tables_.size_names.end(), name) != tables_.size_names.end() &&
         !facts_.shapes.count(name);
}

bool Lowering::average(const Node& n) {
  const Node& share = n.args[0].kind == Kind::negate ? n.args[0].args[0] : n.args[0];
  static const std::set<std::string> counts = {"n", "N", "m", "d", "D", "M"};
  const std::string& limit = n.args[1].limit;
  if (!limit.empty() && share.kind == Kind::binary && share.args[1].text != limit) return false;
  return (n.text.empty() || n.text == "*" || n.text == "·") && share.kind == Kind::binary && share.text == "/" &&
         share.args[0].kind == Kind::number && std::fabs(share.args[0].number) == 1.0 &&
         share.args[1].kind == Kind::name && counts.count(share.args[1].text) && n.args[1].kind == Kind::sum;
}

Maybe Lowering::averaged(const Node& sum) {
  if (sum.subscripts.size() > 1) return ask("Over how many elements is the mean? Write 'mean(…)' for all of them.");
  auto v = lower(sum);
  if (!v) return v;
  if (!sum.subscripts.empty()) {
    const auto at = letters_.find(sum.subscripts[0]);
    return with_text(*v, "(" + v->text + " / " + Builder::size_text(builder_.size_of(at->second)) + ")");
  }
  auto all = lower(sum.args[0]);
  if (!all) return all;
  if (all->axes.empty()) return ask("It is not clear what is summed over.");
  return reduced(*all, "mean", std::vector<int>(all->axes));
}

}  // namespace ww::op::formula
