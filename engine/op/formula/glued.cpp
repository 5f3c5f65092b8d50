// SPDX-License-Identifier: Apache-2.0
// Names that algebra reads as products: "y = mx + c", "qk^T", "-ylogp", and "Ax = b", which is to be solved.
#include <algorithm>
#include "op/formula/chains.h"
#include "op/formula/lowering.h"
#include "op/formula/parsing.h"

namespace ww::op::formula {

using Kind = Node::Kind;

namespace {

// "sinx", "ylogp": the function with a letter behind it and at most one in front; empty where it is none.
std::vector<std::string> function_inside(const std::string& name) {
  for (const std::string function : {"tanh", "sqrt", "sin", "cos", "tan", "exp", "log", "abs", "ln"}) {
    const std::size_t at = name.find(function);
    if (at > 1 || at + function.size() + 1 != name.size()) continue;
    std::vector<std::string> out;
    if (at == 1) out.push_back(name.substr(0, 1));
    out.push_back(function + "(" + name.substr(name.size() - 1) + ")");
    return out;
  }
  return {};
}

bool is_named(const Node& n, char letter) {
  if (n.kind == Kind::name && n.text == std::string(1, letter)) return true;
  return std::any_of(n.args.begin(), n.args.end(), [&](const Node& a) { return is_named(a, letter); });
}

}  // namespace

// Empty where it is one name for certain: of one letter, known as a word for a tensor, or like none that algebra has.
std::vector<std::string> Lowering::factors_in(const std::string& name) const {
  constexpr std::size_t longest = 6, most_letters = 3;
  const bool letters = std::all_of(name.begin(), name.end(), [](char c) { return is_lower(c) || is_upper(c); });
  if (name.size() < 2 || name.size() > longest || !letters || !is_lower(name[0])) return {};
  const bool known = tables_.names.count(name) || tables_.scalars.count(name) || tables_.dimensions.count(name) ||
                     std::find(tables_.tensors.begin(), tables_.tensors.end(), name) != tables_.tensors.end();
  if (known || names_.is_function(name)) return {};
  if (auto inside = function_inside(name); !inside.empty()) return inside;
  const bool lower = std::all_of(name.begin(), name.end(), is_lower);
  const bool mixed = name[0] != 'd' && !lower;  // nRT, qvB, but not dW
  const bool consonants = name.find_first_of("aeiou") == std::string::npos;
  const bool variables = name.find_first_not_of("abcxyz") == std::string::npos;
  if (name.size() > most_letters || !(mixed || (lower && (name.size() == 2 || consonants || variables)))) return {};
  std::vector<std::string> out;
  for (const char c : name) out.emplace_back(1, c);
  return out;
}

void Lowering::glued_names(const Node& n, const Node* parent) {
  for (const Node& a : n.args) glued_names(a, &n);
  if (n.kind != Kind::name || !n.subscripts.empty()) return;
  if (facts_.shapes.count(n.text) || facts_.values.count(n.text) || facts_.ranks.count(n.text) ||
      facts_.tensors.count(n.text) || symbol(n.text) || is_limit(n.text))
    return;
  const std::vector<std::string> factors = factors_in(n.text);
  const std::size_t size = n.span.end - n.span.begin;
  if (factors.empty() || size != n.text.size()) return;
  const bool call = factors.back().size() > 1;
  ask("Is '" + n.text + "' one tensor, or " + (call && factors.size() == 1 ? "'" + factors[0] + "'" : "a product") +
      "? Give a tensor its shape behind the formula.");
  const bool base = parent && (parent->kind == Kind::transpose ||
                               (parent->text == "^" && parent->kind == Kind::binary && &parent->args[0] == &n));
  const bool sum = !parent || parent->text == "+" || parent->text == "-" || parent->kind == Kind::call;
  const auto product = [&](const std::string& sign) {
    std::string out;
    for (const std::string& f : factors) out += (out.empty() ? "" : sign) + f;
    return base || sum || factors.size() == 1 ? out : "(" + out + ")";  // kx^2 is k x^2
  };
  const bool turned = parent && parent->kind == Kind::transpose;
  const bool number = factors[0] == "w" || factors[0] == "a";  // w * x + b may be one
  const std::string elements = call || !number ? " * " : " ⊙ ";
  if (!turned)
    out_.insertions.push_back({n.span.begin, size, product(elements), call ? "a function" : "a product of elements"});
  if (!call) out_.insertions.push_back({n.span.begin, size, product(" @ "), "a product of matrices"});
}

void Lowering::glued_target() {
  const std::string& name = statement_.target;
  if (name.size() < 2 || name.find('_') != std::string::npos || !is_upper(name[0]) || !is_chain(tables_, name)) return;
  const bool own =
      std::all_of(name.begin(), name.end(), [&](char c) { return is_named(statement_.value, c); });  // QK = Q @ K^T
  if (own) return;
  ask("Is '" + name + "' the name of the result, or a product that is to be solved for a factor? Solving equations " +
      "cannot be written in the op language; docs/limits.md says what can.");
  out_.insertions.push_back({statement_.span.begin, name.size(), "y", "the right side is the result"});
}

}  // namespace ww::op::formula
