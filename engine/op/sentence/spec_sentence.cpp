// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/spec_sentence.h"
#include <algorithm>
#include <vector>
#include "op/parse.h"
#include "op/sentence/phrasebook_words.h"

namespace ww::op {
namespace {

struct Reduction {
  std::string_view name, words;
};
constexpr Reduction spoken_reductions[] = {{"sum", "the sum over "},
                                           {"prod", "the product over "},
                                           {"max", "the largest value over "},
                                           {"min", "the smallest value over "},
                                           {"argmax", "the position of the largest value over "},
                                           {"argmin", "the position of the smallest value over "},
                                           {"any", "whether any holds over "},
                                           {"all", "whether all hold over "}};

constexpr auto nowhere = std::string_view::npos;

// The position of `mark` outside all brackets.
std::size_t find_outside(std::string_view text, std::string_view mark) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (depth == 0 && text.substr(i, mark.size()) == mark) return i;
    depth += text[i] == '(' || text[i] == '[' ? 1 : text[i] == ')' || text[i] == ']' ? -1 : 0;
  }
  return nowhere;
}

std::vector<std::string_view> parts(std::string_view text, std::string_view mark) {
  std::vector<std::string_view> out;
  for (std::size_t at; (at = find_outside(text, mark)) != nowhere; text.remove_prefix(at + mark.size()))
    out.push_back(text.substr(0, at));
  out.push_back(text);
  return out;
}

std::string and_of(const std::vector<std::string>& items) { return phrases::listed(items, " and "); }
std::vector<std::string_view> items_of(std::string_view list) {
  std::vector<std::string_view> out;
  for (std::string_view part : parts(list, ", "))
    for (std::string_view item : parts(part, " and ")) out.push_back(item);
  return out;
}

template <class List>
std::string joined(const List& items, std::string_view between) {
  std::string out;
  for (const auto& item : items) (out += out.empty() ? "" : between) += item;
  return out;
}

std::string param_words(const Param& p) {
  std::string out = p.name;
  for (std::size_t i = 0; i < p.shape.size(); ++i) out += (i == 0 ? "[" : ", ") + print(*p.shape[i]);
  return out + (p.shape.empty() ? " of " : "] of ") + std::string(dtype_name(p.dtype)) + values_text(p);
}
// "x[R, C] of f32 in 0..V" to "x: f32[R, C] in 0..V"
std::optional<std::string> param_text(std::string_view words) {
  const std::size_t of = find_outside(words, " of ");
  if (of == nowhere) return std::nullopt;
  const std::string_view tensor = words.substr(0, of), type = words.substr(of + 4);
  const std::size_t bracket = std::min(tensor.find('['), tensor.size()), space = std::min(type.find(' '), type.size());
  return std::string(tensor.substr(0, bracket)) + ": " + std::string(type.substr(0, space)) +
         std::string(tensor.substr(bracket)) + std::string(type.substr(space));
}

// The value in words if it is a reduction: "the sum over c of x[r, c]".
std::string value_words(const Expr& value) {
  const std::string text = print(value);
  if (value.kind != ExprKind::reduce) return text;
  const std::size_t open = text.find('('),
                    close = open + 1 + find_outside(std::string_view(text).substr(open + 1), ")");
  for (const Reduction& r : spoken_reductions) {
    if (text.substr(0, open) != r.name) continue;
    std::string over = text.substr(open + 1, close - open - 1);
    if (const std::size_t where = find_outside(over, " : "); where != nowhere) over.replace(where, 3, " where ");
    return std::string(r.words) + over + " of " + text.substr(text.find_first_not_of(' ', close + 1));
  }
  return text;
}
std::string value_text(std::string_view words) {
  for (const Reduction& r : spoken_reductions) {
    if (!words.starts_with(r.words)) continue;
    std::string_view rest = words.substr(r.words.size());
    const std::size_t of = find_outside(rest, " of ");
    if (of == nowhere) break;
    std::string over(rest.substr(0, of));
    if (const std::size_t where = find_outside(over, " where "); where != nowhere) over.replace(where, 7, " : ");
    return std::string(r.name) + "(" + over + ") " + std::string(rest.substr(of + 4));
  }
  return std::string(words);
}

std::string index_text(const Index& i) {
  return i.given ? i.name + " in " + print(*i.lo) + ".." + print(*i.hi) : i.name;
}

std::string equation_words(const Equation& e) {
  std::vector<std::string> each, subscripts;
  for (const Index& i : e.indices) {
    subscripts.push_back(i.name);
    each.push_back(index_text(i));
  }
  if (each.empty()) return e.target + " is " + value_words(*e.value);
  return "for each " + and_of(each) + ", " + e.target + "[" + joined(subscripts, ", ") + "] is " +
         value_words(*e.value);
}
std::optional<std::string> equation_text(std::string_view words) {
  const std::size_t is = find_outside(words, " is ");
  if (is == nowhere) return std::nullopt;
  std::string_view left = words.substr(0, is);
  const std::string value = value_text(words.substr(is + 4));
  if (!left.starts_with("for each ")) return std::string(left) + " = " + value;
  std::vector<std::string_view> items = items_of(left.substr(9));
  const std::string_view target = items.back();
  items.pop_back();
  return std::string(target.substr(0, target.find('['))) + "[" + joined(items, ", ") + "] = " + value;
}

std::string constant_text(const Constant& c) {
  const std::string range = range_text(c);
  return c.name + " = " + print(*c.value) + (range.empty() ? "" : " in " + range);
}

}  // namespace

std::string spec_sentence(const Spec& spec) {
  std::vector<std::string> inputs, outputs, constants, defaults, equations;
  for (const Param& p : spec.inputs) inputs.push_back(param_words(p));
  for (const Param& p : spec.outputs) outputs.push_back(param_words(p));
  for (const Constant& c : spec.constants) constants.push_back(constant_text(c));
  for (const std::string& s : spec.symbols)
    if (const auto d = spec.defaults.find(s); d != spec.defaults.end())
      defaults.push_back(s + " is " + std::to_string(d->second));
  for (const Equation& e : spec.equations) equations.push_back(equation_words(e));
  return spec.name + " takes " + and_of(inputs) + (constants.empty() ? "" : ", with ") + joined(constants, ", ") +
         " and gives " + and_of(outputs) + ": " + joined(equations, "; ") + (defaults.empty() ? "" : "; by default, ") +
         and_of(defaults) + ".";
}

std::string formula_of(const Spec& spec) {
  std::vector<std::string> equations, inputs, outputs, constants, defaults;
  for (const Equation& e : spec.equations) {
    std::vector<std::string> subscripts;
    for (const Index& i : e.indices) subscripts.push_back(index_text(i));
    equations.push_back(e.target + (subscripts.empty() ? "" : "[" + joined(subscripts, ", ") + "]") + " = " +
                        print(*e.value));
  }
  for (const Param& p : spec.inputs) inputs.push_back(print(p));
  for (const Param& p : spec.outputs) outputs.push_back(print(p));
  for (const Constant& c : spec.constants) constants.push_back(constant_text(c));
  for (const std::string& s : spec.symbols)
    if (const auto d = spec.defaults.find(s); d != spec.defaults.end())
      defaults.push_back(s + " = " + std::to_string(d->second));
  return joined(equations, "; ") + " where " + joined(inputs, ", ") + (constants.empty() ? "" : "; ") +
         joined(constants, ", ") + " -> " + joined(outputs, ", ") + (defaults.empty() ? "" : " at ") +
         joined(defaults, ", ");
}

std::optional<Result<Spec>> parse_formula(std::string_view text) {
  const std::size_t where = find_outside(text, " where ");
  if (where == nowhere) return std::nullopt;
  const std::string_view equations = text.substr(0, where);
  std::string_view declared = text.substr(where + 7), defaults;
  const std::size_t arrow = find_outside(declared, "->");
  if (arrow == nowhere || equations.find('=') == nowhere || declared.find(':') == nowhere) return std::nullopt;
  if (const std::size_t at = declared.find(" at ", arrow); at != nowhere) {
    defaults = declared.substr(at + 4);
    declared = declared.substr(0, at);
  }
  return parse_spec("op formula(" + std::string(declared.substr(0, arrow)) + ") " +
                        std::string(declared.substr(arrow)) + (defaults.empty() ? "" : "\n  default ") +
                        std::string(defaults) + "\n{\n" + std::string(equations) + "\n}\n",
                    "formula");
}

std::optional<Result<Spec>> parse_sentence(std::string_view text) {
  while (!text.empty() && (text.back() == '.' || text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
  const std::size_t takes = text.find(" takes "), gives = text.find(" and gives ");
  if (takes == nowhere || gives == nowhere || gives < takes || text.substr(0, takes).find(' ') != nowhere)
    return std::nullopt;
  const std::string_view behind = text.substr(gives + 11);
  const std::size_t colon = behind.find(": ");
  if (colon == nowhere) return std::nullopt;
  std::string_view given = text.substr(takes + 7, gives - takes - 7);
  std::string constants;
  if (const std::size_t with = given.find(", with "); with != nowhere) {
    constants = "; " + std::string(given.substr(with + 7));
    given = given.substr(0, with);
  }
  std::string inputs, outputs, defaults, body;
  for (const auto& [list, out] : {std::pair(given, &inputs), std::pair(behind.substr(0, colon), &outputs)})
    for (std::string_view item : items_of(list)) {
      const auto param = param_text(item);
      if (!param) return std::nullopt;
      *out += (out->empty() ? "" : ", ") + *param;
    }
  for (std::string_view part : parts(behind.substr(colon + 2), "; ")) {
    if (part.starts_with("by default, ")) {
      for (std::string_view item : items_of(part.substr(12))) {
        const std::size_t is = item.find(" is ");
        if (is == nowhere) return std::nullopt;
        defaults += (defaults.empty() ? "\n  default " : ", ") + std::string(item.substr(0, is)) + " = " +
                    std::string(item.substr(is + 4));
      }
      continue;
    }
    const auto equation = equation_text(part);
    if (!equation) return std::nullopt;
    body += "  " + *equation + "\n";
  }
  const std::string name(text.substr(0, takes));
  return parse_spec("op " + name + "(" + inputs + constants + ") -> " + outputs + defaults + "\n{\n" + body + "}\n",
                    name);
}

}  // namespace ww::op
