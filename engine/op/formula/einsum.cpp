// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include "base/ascii.h"
#include "op/formula/lowering.h"

namespace ww::op::formula {

using Kind = Node::Kind;

namespace {

// Without an arrow the result has the letters that are met once, in alphabetical order.
std::string met_once(const std::vector<std::string>& parts) {
  std::map<char, int> times;
  for (const std::string& part : parts)
    for (const char c : part) ++times[c];
  std::string out;
  for (const auto& [letter, count] : times)
    if (count == 1) out += letter;
  return out;
}

}  // namespace

Statement einsum_statement(const std::string& text, std::vector<std::string> tensors, Span span) {
  Statement out;
  out.span = span;
  out.indexed = true;
  out.operators = 1;
  out.unnamed = tensors.empty();
  std::vector<std::string> parts(1);
  std::string target;
  const std::size_t arrow = text.find("->");
  for (char c : text.substr(0, arrow)) {
    if (c == ',')
      parts.emplace_back();
    else if (c >= 'a' && c <= 'z')
      parts.back() += c;
    else if (c != ' ')
      out.problem = "An einsum is understood with small letters and an arrow, such as 'ij,jk->ik'.";
  }
  if (arrow == std::string::npos) target = met_once(parts);
  if (arrow != std::string::npos)
    for (char c : text.substr(arrow + 2))
      if (c != ' ') target += c;
  if (!tensors.empty() && tensors.size() != parts.size())
    out.problem = "The einsum has " + std::to_string(parts.size()) + " operands, but " +
                  std::to_string(tensors.size()) + " are given.";
  for (std::size_t i = tensors.size(); i < parts.size(); ++i) tensors.emplace_back(1, static_cast<char>('a' + i));
  std::set<char> summed;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) out.problem = "An operand of the einsum has no indices.";
    Node n;
    n.text = tensors[i];
    for (char c : parts[i]) {
      n.subscripts.emplace_back(1, c);
      if (target.find(c) == std::string::npos) summed.insert(c);
    }
    if (i == 0) {
      out.value = n;
      continue;
    }
    Node product;
    product.kind = Kind::binary;
    product.text = "*";
    product.args = {out.value, n};
    out.value = product;
  }
  for (char c : target) out.target_subscripts.emplace_back(1, c);
  if (!summed.empty()) {
    Node sum;
    sum.kind = Kind::sum;
    sum.args = {out.value};
    for (char c : summed) sum.subscripts.emplace_back(1, c);
    out.value = sum;
  }
  return out;
}

// "ij,jk->ik with i=64, j=32, k=16": the sizes that the indices run over.
bool Lowering::letter_sizes() {
  for (const auto& [name, value] : facts_.values) {
    const bool upper = name.size() == 1 && std::isupper(static_cast<unsigned char>(name[0])) && !rank_.count(name);
    const auto letter = letters_.find(upper && !letters_.count(name) ? ascii_lower(name) : name);  // nd,kd->nk, N = 64
    if (letter == letters_.end() || value < 1 || value != std::floor(value)) continue;
    const int size = builder_.new_size({}, static_cast<std::int64_t>(value));
    if (!builder_.join_sizes(builder_.size_of(letter->second), size)) {
      ask(builder_.clash);
      return false;
    }
    values_taken_.insert(name);
  }
  return true;
}

}  // namespace ww::op::formula
