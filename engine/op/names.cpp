// SPDX-License-Identifier: Apache-2.0
#include "op/names.h"
#include <algorithm>
#include <bit>
#include <cstdint>
#include "op/parse.h"
#include "op/syntax.h"

namespace ww::op {

namespace {

// Of the letters; other bytes share bits, which only makes the bound below weaker.
std::uint32_t letters_of(std::string_view word) {
  std::uint32_t out = 0;
  for (const char c : word) out |= 1u << (static_cast<unsigned char>(c) & 31);
  return out;
}

}  // namespace

std::size_t least_edit_distance(std::string_view a, std::string_view b) {
  const std::uint32_t x = letters_of(a), y = letters_of(b);
  const std::size_t lengths = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  return std::max(
      {lengths, static_cast<std::size_t>(std::popcount(x & ~y)), static_cast<std::size_t>(std::popcount(y & ~x))});
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  thread_local std::vector<std::size_t> before, last, now;
  for (auto* row : {&before, &last, &now}) row->assign(b.size() + 1, 0);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  if (word.size() > 64) return best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  if (word.size() < 2) best_distance = 1;
  for (const std::string& c : candidates) {
    if (c.size() > 64 || c == word || least_edit_distance(word, c) >= best_distance) continue;
    const std::size_t d = edit_distance(word, c);
    if (d < best_distance) {
      best_distance = d;
      best = c;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string best = nearest_name(word, candidates);
  return best.empty() ? std::string() : "did you mean '" + best + "'?";
}

namespace {
constexpr std::pair<std::string_view, ReduceOp> reductions[] = {
    {"sum", ReduceOp::sum},       {"prod", ReduceOp::prod},     {"max", ReduceOp::max}, {"min", ReduceOp::min},
    {"argmax", ReduceOp::argmax}, {"argmin", ReduceOp::argmin}, {"any", ReduceOp::any}, {"all", ReduceOp::all}};
}

std::string_view reduce_name(ReduceOp op) {
  for (const auto& [name, r] : reductions)
    if (r == op) return name;
  return "sum";
}

std::optional<ReduceOp> reduce_from_name(std::string_view name) {
  for (const auto& [n, r] : reductions)
    if (n == name) return r;
  return std::nullopt;
}

std::string_view binary_symbol(BinaryOp op) {
  switch (op) {
    case BinaryOp::add: return "+";
    case BinaryOp::sub: return "-";
    case BinaryOp::mul: return "*";
    case BinaryOp::div: return "/";
    case BinaryOp::mod: return "%";
    case BinaryOp::pow: return "^";
    case BinaryOp::lt: return "<";
    case BinaryOp::le: return "<=";
    case BinaryOp::gt: return ">";
    case BinaryOp::ge: return ">=";
    case BinaryOp::eq: return "==";
    case BinaryOp::ne: return "!=";
    case BinaryOp::logical_and: return "&&";
    case BinaryOp::logical_or: return "||";
  }
  return "?";
}

std::string_view type_name(Type type) {
  return type == Type::boolean ? "boolean" : type == Type::integer ? "integer" : "real";
}

const std::vector<Function>& functions() {
  static const std::vector<Function> table = {
      {"exp", 1, Type::real, "e to the power x"},
      {"exp2", 1, Type::real, "2 to the power x"},
      {"expm1", 1, Type::real, "exp(x) - 1, accurate near 0"},
      {"log", 1, Type::real, "natural logarithm"},
      {"log2", 1, Type::real, "logarithm to base 2"},
      {"log10", 1, Type::real, "logarithm to base 10"},
      {"log1p", 1, Type::real, "log(1 + x), accurate near 0"},
      {"sqrt", 1, Type::real, "square root"},
      {"rsqrt", 1, Type::real, "1 / sqrt(x)"},
      {"sin", 1, Type::real, "sine of radians"},
      {"cos", 1, Type::real, "cosine of radians"},
      {"tan", 1, Type::real, "tangent of radians"},
      {"atan", 1, Type::real, "arc tangent, in radians"},
      {"atan2", 2, Type::real, "angle of the point (x, y), given as atan2(y, x)"},
      {"sinh", 1, Type::real, "hyperbolic sine"},
      {"cosh", 1, Type::real, "hyperbolic cosine"},
      {"tanh", 1, Type::real, "hyperbolic tangent"},
      {"erf", 1, Type::real, "error function"},
      {"pow", 2, Type::real, "x to the power y"},
      {"abs", 1, Type::real, "absolute value", true},
      {"sign", 1, Type::real, "-1, 0 or 1", true},
      {"floor", 1, Type::real, "largest whole number <= x", true},
      {"ceil", 1, Type::real, "smallest whole number >= x", true},
      {"round", 1, Type::real, "nearest whole number, ties to even", true},
      {"trunc", 1, Type::real, "whole part, toward zero", true},
      {"min", 2, Type::real, "the smaller value", true},
      {"max", 2, Type::real, "the larger value", true},
      {"clamp", 3, Type::real, "clamp(x, lo, hi): x kept within [lo, hi]", true},
      {"isnan", 1, Type::boolean, "whether x is not a number"},
      {"isinf", 1, Type::boolean, "whether x is infinite"},
      {"ceildiv", 2, Type::integer, "a / b rounded up, integers"},
      {"pow2ceil", 1, Type::integer, "smallest power of two >= n"},
      {"bitand", 2, Type::integer, "bits that both integers have"},
      {"bitor", 2, Type::integer, "bits that one of two integers has"},
      {"bitxor", 2, Type::integer, "bits that one of two integers has and the other has not"},
      {"shl", 2, Type::integer, "bits of a moved up by n"},
      {"shr", 2, Type::integer, "bits of a moved down by n, with its sign"},
  };
  return table;
}

namespace {
constexpr std::pair<std::string_view, bool ValueRules::*> rules_by_word[] = {
    {"positive", &ValueRules::positive}, {"sorted", &ValueRules::sorted},           {"monotone", &ValueRules::sorted},
    {"distinct", &ValueRules::distinct}, {"permutation", &ValueRules::permutation},
};
}  // namespace

std::vector<std::string_view> rule_words(const ValueRules& rules) {
  std::vector<std::string_view> out;
  for (const auto& [word, member] : rules_by_word) {
    const bool implied = rules.permutation && member == &ValueRules::distinct;
    if (rules.*member && !implied && word != "monotone") out.push_back(word);
  }
  return out;
}

bool ValueRules::*rule_of(std::string_view word) {
  for (const auto& [known, member] : rules_by_word)
    if (known == word) return member;
  return nullptr;
}

namespace syntax {

std::string_view reserved_as(std::string_view word) {
  for (std::string_view w : {"op", "default", "in", "if", "pad", "true", "false", "inf", "pi"})
    if (w == word) return "a keyword";
  if (dtype_from_name(word)) return "an element type";
  for (const Function& f : functions())
    if (f.name == word) return "a function";
  if (reduce_from_name(word)) return "a reduction";
  return {};
}

}  // namespace syntax
}  // namespace ww::op
