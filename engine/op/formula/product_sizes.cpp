// SPDX-License-Identifier: Apache-2.0
// "A.T @ B with M = 64, N = 32, K = 16": the letters that the sizes of a product usually have.
#include <cmath>
#include <set>
#include "op/formula/reading.h"

namespace ww::op::formula {
namespace {

using Kind = Node::Kind;

Shape symbols(const char* rows, const char* columns) { return {Size{rows, {}}, Size{columns, {}}}; }

bool is_other(const Facts& facts, const std::string& name, const Shape& usual) {
  const auto rank = facts.ranks.find(name);
  if (rank != facts.ranks.end() && rank->second != 2) return true;
  const auto given = facts.shapes.find(name);
  if (given == facts.shapes.end()) return false;
  if (given->second.size() != 2) return true;
  for (std::size_t i = 0; i < 2; ++i)
    if (given->second[i].value || given->second[i].name != usual[i].name) return true;
  return false;
}

}  // namespace

void name_product_sizes(const Statement& statement, Facts& facts) {
  const Node& n = statement.value;
  if (statement.indexed || n.kind != Kind::binary || n.text != "@" || facts.values.empty() || !facts.general.empty())
    return;
  const bool ta = n.args[0].kind == Kind::transpose, tb = n.args[1].kind == Kind::transpose;
  const Node& a = ta ? n.args[0].args[0] : n.args[0];
  const Node& b = tb ? n.args[1].args[0] : n.args[1];
  if (a.kind != Kind::name || b.kind != Kind::name || a.text == b.text) return;
  static const std::set<std::string> letters = {"M", "N", "K"};
  for (const auto& [name, value] : facts.values)
    if (!letters.count(name) || name == a.text || name == b.text || value < 1 || value != std::floor(value)) return;
  const auto capital = [](const Node& x) { return x.text[0] >= 'A' && x.text[0] <= 'Z'; };
  if (facts.values.size() < letters.size() && !(capital(a) && capital(b))) return;  // A x: x may be a vector
  const Shape left = ta ? symbols("K", "M") : symbols("M", "K"), right = tb ? symbols("N", "K") : symbols("K", "N");
  if (is_other(facts, a.text, left) || is_other(facts, b.text, right)) return;
  facts.shapes[a.text] = left;
  facts.shapes[b.text] = right;
}

}  // namespace ww::op::formula
