// SPDX-License-Identifier: Apache-2.0
#include "sim/register_names.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>
#include "sim/operand_registers.h"
#include "simt/module.h"

namespace ww::sim {
namespace {

using Kind = simt::Operand::Kind;

constexpr std::size_t most_length = 56;

enum class Level : std::uint8_t { compared, sum, product, word };  // what binds loosest in a text

struct Term {
  std::string text;
  Level level = Level::word;
  // A multiple of an index, as in addresses, where `scale` is above 0.
  std::string index;
  Level index_level = Level::word;
  std::int64_t scale = 0;
  std::string pointer;  // the array that it points into, at `index` elements of `scale` bytes; scale 0: at its begin
};

std::string in(const Term& t, Level around) { return t.level < around ? "(" + t.text + ")" : t.text; }

std::optional<std::string> special_text(const std::string& name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> words{
      {{"%tid.", "threadIdx."}, {"%ntid.", "blockDim."}, {"%ctaid.", "blockIdx."}, {"%nctaid.", "gridDim."}}};
  for (const auto& [ptx, cuda] : words)
    if (name.starts_with(ptx)) return std::string(cuda) + name.substr(ptx.size());
  return std::nullopt;
}

std::string compared_by(const std::string& word) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> signs{{{"eq", "=="},
                                                                                        {"ne", "!="},
                                                                                        {"lt", "<"},
                                                                                        {"le", "<="},
                                                                                        {"gt", ">"},
                                                                                        {"ge", ">="},
                                                                                        {"lo", "<"},
                                                                                        {"ls", "<="},
                                                                                        {"hi", ">"},
                                                                                        {"hs", ">="}}};
  for (const auto& [ptx, sign] : signs)
    if (word == ptx) return std::string(sign);
  return {};
}

class Namer {
 public:
  Namer(const simt::Function& function, const std::vector<std::string>& parameters)
      : function_(function),
        parameters_(parameters),
        definitions_(function.registers.size(), nullptr),
        known_(function.registers.size()) {
    std::vector<int> writes(function.registers.size());
    for (const simt::Instruction& i : function.body)
      for (const std::uint32_t r : written_registers(i)) {
        ++writes[r];
        definitions_[r] = i.guard < 0 && i.operands[0].kind == Kind::reg ? &i : nullptr;
      }
    for (std::size_t r = 0; r < writes.size(); ++r)
      if (writes[r] != 1) definitions_[r] = nullptr;
  }

  std::string name(std::uint32_t reg) {
    const std::optional<Term> t = of(reg);
    if (!t) return {};
    if (t->pointer.empty()) return t->text;
    return t->scale == 0 ? t->pointer : "&" + t->pointer + "[" + t->index + "]";
  }

 private:
  std::optional<Term> of(std::uint32_t reg) {
    if (known_[reg].second) return known_[reg].first;
    known_[reg].second = true;  // a register that depends on itself has no name
    if (definitions_[reg] == nullptr) return std::nullopt;
    std::optional<Term> t = result(*definitions_[reg]);
    if (t && (t->text.size() > most_length || t->index.size() > most_length)) t.reset();
    return known_[reg].first = std::move(t);
  }

  std::optional<Term> of(const simt::Operand& o) {
    switch (o.kind) {
      case Kind::reg: return o.negated ? std::nullopt : of(o.index);
      case Kind::integer: return Term{std::to_string(o.value), o.value < 0 ? Level::sum : Level::word, {}, {}, 0, {}};
      case Kind::special:
        if (auto text = special_text(o.name)) return Term{*text, Level::word, {}, {}, 0, {}};
        return std::nullopt;
      case Kind::variable:
      case Kind::symbol: return o.value == 0 ? array(o) : std::nullopt;
      default: return std::nullopt;
    }
  }

  std::optional<Term> array(const simt::Operand& o) const {
    const std::string name = o.kind == Kind::symbol ? o.name : function_.variables[o.index].name;
    return Term{{}, Level::word, {}, {}, 0, variable_name(name)};
  }

  std::optional<Term> result(const simt::Instruction& i) {
    const std::vector<std::string>& words = i.words();
    const std::string& word = words[0];
    const std::size_t count = i.operands.size();
    if (word == "ld") return loaded(i);
    if ((word == "mov" || word == "cvta") && count == 2) return of(i.operands[1]);
    if (word == "cvt" && count == 2) return widened(i);
    if (word == "setp" && count == 3) return compared(i);
    if ((word == "add" || word == "sub") && count == 3)
      return added(of(i.operands[1]), of(i.operands[2]), word == "sub");
    if (word == "mul" && count == 3 && words[1] != "hi") return multiplied(of(i.operands[1]), of(i.operands[2]));
    if (word == "shl" && count == 3) return shifted(i);
    if ((word == "mad" || word == "fma") && count == 4 && words[1] != "hi")
      return added(multiplied(of(i.operands[1]), of(i.operands[2])), of(i.operands[3]), false);
    return std::nullopt;
  }

  // Integers to wider ones.
  std::optional<Term> widened(const simt::Instruction& i) {
    for (std::size_t k = 1; k < i.words().size(); ++k)
      if (const auto type = simt::type_from_name(i.words()[k]); !type || simt::type_is_float(*type))
        return std::nullopt;
    return of(i.operands[1]);
  }

  std::optional<Term> compared(const simt::Instruction& i) {
    const std::string sign = compared_by(i.words()[1]);
    const std::optional<Term> a = of(i.operands[1]), b = of(i.operands[2]);
    if (sign.empty() || !a || !b || !a->pointer.empty() || !b->pointer.empty()) return std::nullopt;
    return Term{in(*a, Level::sum) + " " + sign + " " + in(*b, Level::sum), Level::compared, {}, {}, 0, {}};
  }

  static std::optional<Term> added(const std::optional<Term>& a, const std::optional<Term>& b, bool minus) {
    if (!a || !b) return std::nullopt;
    if (!a->pointer.empty() || !b->pointer.empty()) return minus ? std::nullopt : moved(*a, *b);
    if (a->text == "0" && !minus) return b;
    if (b->text == "0") return a;
    return Term{
        a->text + (minus ? " - " : " + ") + in(*b, minus ? Level::product : Level::sum), Level::sum, {}, {}, 0, {}};
  }

  // A pointer and a multiple of an index.
  static std::optional<Term> moved(const Term& a, const Term& b) {
    const Term &pointer = a.pointer.empty() ? b : a, &by = a.pointer.empty() ? a : b;
    if (!by.pointer.empty() || by.scale == 0 || (pointer.scale != 0 && pointer.scale != by.scale)) return std::nullopt;
    Term t = pointer;
    t.scale = by.scale;
    t.index = pointer.scale == 0 ? by.index : pointer.index + " + " + by.index;
    return t;
  }

  static std::optional<Term> multiplied(const std::optional<Term>& a, const std::optional<Term>& b) {
    if (!a || !b || !a->pointer.empty() || !b->pointer.empty()) return std::nullopt;
    Term t{in(*a, Level::product) + " * " + in(*b, Level::product), Level::product, {}, {}, 0, {}};
    std::int64_t scale = 0;
    const auto [end, error] = std::from_chars(b->text.data(), b->text.data() + b->text.size(), scale);
    if (error == std::errc() && end == b->text.data() + b->text.size() && scale > 0) {
      t.index = a->text;
      t.index_level = a->level;
      t.scale = scale;
    }
    return t;
  }

  std::optional<Term> shifted(const simt::Instruction& i) {
    if (i.operands[2].kind != Kind::integer || i.operands[2].value < 0 || i.operands[2].value > 62) return std::nullopt;
    return multiplied(of(i.operands[1]),
                      Term{std::to_string(std::int64_t{1} << i.operands[2].value), Level::word, {}, {}, 0, {}});
  }

  // A parameter, or an element of an array.
  std::optional<Term> loaded(const simt::Instruction& i) {
    if (i.operands.size() != 2 || i.operands[1].kind != Kind::address || i.operands[1].parts.empty())
      return std::nullopt;
    const simt::Operand &address = i.operands[1], &base = address.parts[0];
    const bool of_parameter = std::ranges::count(i.words(), "param") > 0;
    if (of_parameter) {
      if (base.kind != Kind::variable || address.value != 0 || base.value != 0) return std::nullopt;
      const std::size_t number = base.index - function_.returns.size();
      if (number >= parameters_.size() || parameters_[number].empty()) return std::nullopt;
      const bool is_pointer = simt::type_bytes(function_.registers[i.operands[0].index].type) == 8;
      Term t{parameters_[number], Level::word, {}, {}, 0, {}};
      if (is_pointer) t.pointer = parameters_[number];
      return t;
    }
    const std::optional<Term> at = of(base);
    const auto bytes = static_cast<std::int64_t>(simt::type_bytes(function_.registers[i.operands[0].index].type));
    if (!at || at->pointer.empty() || bytes == 0 || (at->scale != 0 && at->scale != bytes) ||
        address.value % bytes != 0)
      return std::nullopt;
    const std::int64_t further = address.value / bytes;
    std::string index = at->scale == 0 ? std::to_string(further) : at->index;
    if (at->scale != 0 && further != 0)
      index += (further > 0 ? " + " : " - ") + std::to_string(further > 0 ? further : -further);
    return Term{at->pointer + "[" + index + "]", Level::word, {}, {}, 0, {}};
  }

  const simt::Function& function_;
  const std::vector<std::string>& parameters_;
  std::vector<const simt::Instruction*> definitions_;  // null: none, or several
  std::vector<std::pair<std::optional<Term>, bool>> known_;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The code with its comments as blanks.
std::string without_comments(std::string_view code) {
  std::string out(code);
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    if (out[i] != '/' || (out[i + 1] != '/' && out[i + 1] != '*')) continue;
    const std::size_t end = out[i + 1] == '/' ? out.find('\n', i) : out.find("*/", i + 2);
    const std::size_t stop = end == std::string::npos ? out.size() : out[i + 1] == '/' ? end : end + 2;
    for (; i < stop; ++i)
      if (out[i] != '\n') out[i] = ' ';
  }
  return out;
}

std::string last_word(std::string_view parameter) {
  if (const std::size_t bracket = parameter.find('['); bracket != std::string_view::npos)
    parameter = parameter.substr(0, bracket);
  while (!parameter.empty() && !is_word(parameter.back())) parameter.remove_suffix(1);
  std::size_t begin = parameter.size();
  while (begin > 0 && is_word(parameter[begin - 1])) --begin;
  return std::string(parameter.substr(begin));
}

}  // namespace

std::vector<std::string> register_names(const simt::Function& function, const std::vector<std::string>& parameters) {
  Namer namer(function, parameters);
  std::vector<std::string> out;
  for (std::uint32_t r = 0; r < function.registers.size(); ++r) out.push_back(namer.name(r));
  return out;
}

std::string variable_name(std::string_view symbol) {
  if (!symbol.starts_with("_ZZ")) return std::string(symbol);
  for (std::size_t at = symbol.rfind('E'); at != std::string_view::npos && at > 0; at = symbol.rfind('E', at - 1)) {
    std::size_t length = 0;
    const char* const end = symbol.data() + symbol.size();
    const auto [begin, error] = std::from_chars(symbol.data() + at + 1, end, length);
    if (error == std::errc() && length > 0 && static_cast<std::size_t>(end - begin) >= length)
      return std::string(begin, length);
  }
  return std::string(symbol);
}

std::vector<std::string> parameter_names(std::string_view code, std::string_view kernel) {
  const std::string text = without_comments(code);
  for (std::size_t at = text.find(kernel); at != std::string::npos; at = text.find(kernel, at + 1)) {
    std::size_t open = at + kernel.size();
    if ((at > 0 && is_word(text[at - 1])) || (open < text.size() && is_word(text[open]))) continue;
    while (open < text.size() && std::isspace(static_cast<unsigned char>(text[open])) != 0) ++open;
    if (open >= text.size() || text[open] != '(') continue;
    const std::size_t begin_of_statement = text.find_last_of(";{}", at);
    const std::size_t from = begin_of_statement == std::string::npos ? 0 : begin_of_statement;
    if (text.substr(from, at - from).find("__global__") == std::string::npos) continue;
    std::vector<std::string> out;
    int depth = 0;
    std::size_t begin = open + 1;
    for (std::size_t i = open; i < text.size(); ++i) {
      if (text[i] == '(' || text[i] == '<') ++depth;
      if (text[i] == ')' || text[i] == '>') --depth;
      if (depth > 1 || (depth == 1 && text[i] != ',')) continue;
      const std::string one = last_word(std::string_view(text).substr(begin, i - begin));
      if (!one.empty()) out.push_back(one);
      if (depth == 0) return out;
      begin = i + 1;
    }
  }
  return {};
}

}  // namespace ww::sim
