// SPDX-License-Identifier: Apache-2.0
// Norms in index notation: in ||x_i - y_j||^2, x_i and y_j are rows of matrices.
#include "op/formula/parsing.h"

namespace ww::op::formula {
namespace {

using Kind = Node::Kind;

void subscripts_of(const Node& n, std::set<std::string>& out) {
  out.insert(n.subscripts.begin(), n.subscripts.end());
  for (const Node& a : n.args) subscripts_of(a, out);
}

// Whether each tensor of the expression has indices.
bool all_indexed(const Node& n) {
  if (n.kind == Kind::name) return !n.subscripts.empty();
  if (n.kind != Kind::binary && n.kind != Kind::negate && n.kind != Kind::number) return false;
  return std::all_of(n.args.begin(), n.args.end(), all_indexed);
}

void add_index(Node& n, const std::string& index) {
  if (n.kind == Kind::name) n.subscripts.push_back(index);
  for (Node& a : n.args) add_index(a, index);
}

bool is_norm(const Node& n) {
  return n.kind == Kind::call && (n.text == "norm" || n.text == "frobenius_norm") && n.args.size() == 1 &&
         n.named.empty() && !n.exact && all_indexed(n.args[0]) && n.args[0].kind != Kind::number;
}

// The sum of the squares over an index of its own.
Node squares(Node norm, const std::string& index) {
  const Span span = norm.span;
  Node inner = std::move(norm.args[0]);
  add_index(inner, index);
  Node square = make_node(Kind::binary, "^", {std::move(inner), number_node(2, span)}, span);
  Node sum = make_node(Kind::sum, {}, {std::move(square)}, span);
  sum.subscripts = {index};
  return sum;
}

void replace_norms(Node& n, const std::string& index) {
  const bool squared = n.kind == Kind::binary && n.text == "^" && is_norm(n.args[0]) && n.args[1].number == 2;
  if (squared) {
    n = squares(std::move(n.args[0]), index);
  } else if (is_norm(n)) {
    const Span span = n.span;
    n = make_node(Kind::call, "sqrt", {squares(std::move(n), index)}, span);
  } else {
    for (Node& a : n.args) replace_norms(a, index);
  }
}

}  // namespace

void rows_in_norms(Node& value) {
  std::set<std::string> taken;
  subscripts_of(value, taken);
  for (const char* index : {"d", "z", "e", "q", "h"})
    if (!taken.count(index)) return replace_norms(value, index);
}

}  // namespace ww::op::formula
