// SPDX-License-Identifier: Apache-2.0
// Indices of sums in index notation that stand outside of the sum, too: in x_ij / sum_j x_ij, the j of the sum is
// another one.
#include "op/formula/parsing.h"

namespace ww::op::formula {
namespace {

using Kind = Node::Kind;

void indices_of(const Node& n, std::set<std::string>& out) {
  out.insert(n.subscripts.begin(), n.subscripts.end());
  for (const Node& a : n.args) indices_of(a, out);
}

// Those that no sum within `n` binds.
void free_indices(const Node& n, std::set<std::string>& out) {
  if (n.kind != Kind::sum) {
    out.insert(n.subscripts.begin(), n.subscripts.end());
    for (const Node& a : n.args) free_indices(a, out);
    return;
  }
  std::set<std::string> inner;
  for (const Node& a : n.args) free_indices(a, inner);
  for (const std::string& s : n.subscripts) inner.erase(s);
  out.insert(inner.begin(), inner.end());
}

void rename(Node& n, const std::string& from, const std::string& to) {
  std::replace(n.subscripts.begin(), n.subscripts.end(), from, to);
  for (Node& a : n.args) rename(a, from, to);
}

// `outside`: indices that are free around `n`.
void rename_sums(Node& n, const std::set<std::string>& outside, std::set<std::string>& taken) {
  if (n.kind == Kind::sum) {
    for (const std::string& s : std::vector<std::string>(n.subscripts)) {
      if (!outside.count(s)) continue;
      for (const char* fresh : {"k", "l", "m", "p", "q", "s", "u", "v", "w", "z"}) {
        if (!taken.insert(fresh).second) continue;
        rename(n, s, fresh);
        break;
      }
    }
  }
  for (std::size_t i = 0; i < n.args.size(); ++i) {
    std::set<std::string> around = outside;
    for (std::size_t k = 0; k < n.args.size(); ++k)
      if (k != i) free_indices(n.args[k], around);
    rename_sums(n.args[i], around, taken);
  }
}

}  // namespace

void own_indices(Statement& statement) {
  std::set<std::string> taken(statement.target_subscripts.begin(), statement.target_subscripts.end());
  indices_of(statement.value, taken);
  rename_sums(statement.value, {}, taken);
}

void add_to_target(Statement& statement) {
  const std::vector<std::string>& own = statement.target_subscripts;
  std::set<std::string> free;
  free_indices(statement.value, free);
  const bool sums = std::any_of(free.begin(), free.end(), [&](const std::string& s) {
    return std::find(own.begin(), own.end(), s) == own.end();
  });
  if (sums || own.empty()) return;
  const Span span = statement.value.span;
  Node before = make_node(Kind::name, statement.target, {}, span);
  before.subscripts = own;
  statement.value = make_node(Kind::binary, "+", {std::move(before), std::move(statement.value)}, span);
  statement.target.clear();
  statement.accumulates = false;
}

}  // namespace ww::op::formula
