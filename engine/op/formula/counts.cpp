// SPDX-License-Identifier: Apache-2.0
// Conditions where numbers are meant: (x > 0).sum(), isnan(x).any().
#include "op/formula/parsing.h"

namespace ww::op::formula {
namespace {

using Kind = Node::Kind;

bool is_condition(const Node& n) {
  static const std::set<std::string> signs = {"<", ">", "<=", ">=", "==", "!="};
  static const std::set<std::string> calls = {"isnan",      "isfinite",  "isinf",       "logical_and",
                                              "logical_or", "not_equal", "logical_not", "logical_xor"};
  return (n.kind == Kind::binary && signs.count(n.text) != 0) || (n.kind == Kind::call && calls.count(n.text) != 0);
}

Node call_of(std::string name, Node argument) {
  const Span span = argument.span;
  return make_node(Kind::call, std::move(name), {std::move(argument)}, span);
}

Node method_of(std::string name, Node argument) {
  Node out = call_of(std::move(name), std::move(argument));
  out.exact = true;
  return out;
}

// What is counted: x of count_nonzero(x) and any(x) as x != 0.
Node condition_of(Node n) {
  if (is_condition(n)) return n;
  const Span span = n.span;
  return make_node(Kind::binary, "!=", {std::move(n), number_node(0, span)}, span);
}

}  // namespace

void conditions_as_numbers(Node& value, bool whole) {
  for (Node& a : value.args) conditions_as_numbers(a, false);
  if (value.kind != Kind::call || value.args.empty()) return;
  const std::string name = value.text;
  const bool along = value.args.size() > 1 || !value.named.empty();
  if (along) {  // but (x > 0.5).sum(1) is an op of the library
    Node& what = value.args[0];
    const bool ordered = what.kind == Kind::binary && (what.text[0] == '<' || what.text[0] == '>');
    if ((name != "sum" && name != "mean") || !is_condition(what) || (ordered && what.args[1].kind == Kind::number))
      return;
    what = method_of("float", std::move(what));
    if (whole && name == "sum") value = method_of("long", std::move(value));
    return;
  }
  const bool count = name == "count_nonzero", any = name == "any", all = name == "all";
  if (!count && !any && !all && !((name == "sum" || name == "mean") && is_condition(value.args[0]))) return;
  const Span span = value.span;
  Node ones = method_of("float", condition_of(std::move(value.args[0])));
  if (name == "mean") {
    value = call_of("mean", std::move(ones));
  } else if (any || all) {
    value = make_node(Kind::binary, ">", {call_of(any ? "max" : "min", std::move(ones)), number_node(0, span)}, span);
  } else {
    value = call_of("sum", std::move(ones));
    if (whole) value = method_of("long", std::move(value));
  }
}

void dots_as_products(Node& value) {
  for (Node& a : value.args) dots_as_products(a);
  const auto matrix = [](const Node& n) {
    const Node& name = n.kind == Kind::transpose ? n.args[0] : n;
    return name.kind == Kind::name && is_upper(name.text[0]);
  };
  const bool dot = value.kind == Kind::call && value.text == "dot" && value.exact && value.library != "torch" &&
                   value.args.size() == 2 && value.named.empty();
  if (!dot || (!matrix(value.args[0]) && !matrix(value.args[1]))) return;
  const Span span = value.span;
  value = make_node(Kind::binary, "@", {std::move(value.args[0]), std::move(value.args[1])}, span);
}

}  // namespace ww::op::formula
