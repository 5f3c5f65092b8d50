// SPDX-License-Identifier: Apache-2.0
#include "ptx/conditions.h"
#include <algorithm>
#include <array>
#include <optional>
#include <vector>
#include "ptx/definitions.h"

namespace ww::ptx {
namespace {

constexpr int most_steps = 12;  // back

bool is_one_of(std::string_view opcode, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view p) { return opcode.starts_with(p); });
}

bool is_logic(std::string_view opcode) {
  return is_one_of(opcode, {"and.pred", "or.pred", "xor.pred", "not.pred", "mov.pred"});
}

std::vector<const Operand*> operands(const File& file, const Statement& s) {
  std::vector<const Operand*> all;
  for (const Operand& o : file.operands_of(s)) all.push_back(&o);
  return all;
}

// "lt" of "setp.lt.s32".
std::string_view comparison(std::string_view opcode) {
  const std::string_view rest = opcode.substr(opcode.find('.') + 1);
  return rest.substr(0, rest.find('.'));
}

std::optional<bool> compared(std::string_view how, std::int64_t a, std::int64_t b) {
  if (how == "lt" || how == "lo") return a < b;
  if (how == "le" || how == "ls") return a <= b;
  if (how == "gt" || how == "hi") return a > b;
  if (how == "ge" || how == "hs") return a >= b;
  if (how == "eq") return a == b;
  if (how == "ne") return a != b;
  return {};
}

}  // namespace

Conditions::Conditions(const File& file, const Function& function)
    : file_(file), definitions_(only_definitions(file, function)) {}

const Statement* Conditions::definition_of(std::string_view name) const {
  const auto at = definitions_.find(name);
  return at == definitions_.end() ? nullptr : at->second;
}

std::string Conditions::parameter(const Operand& o, int depth) const {
  const Statement* s = o.kind == Operand::Kind::name ? definition_of(o.text) : nullptr;
  if (!s || depth > most_steps) return {};
  const auto all = operands(file_, *s);
  if (all.size() != 2) return {};
  if (s->name.starts_with("ld.param.")) return std::string(s->text.substr(s->text.find('[') + 1));
  return is_one_of(s->name, {"mov.", "cvt.s64.s32", "cvt.u64.u32"}) ? parameter(*all[1], depth + 1) : std::string();
}

bool Conditions::of_thread(const Operand& o, int depth) const {
  if (o.kind == Operand::Kind::number) return true;
  if (o.kind != Operand::Kind::name || depth > most_steps) return false;
  if (is_one_of(o.text, {"%tid.", "%ntid.", "%laneid"})) return true;
  const Statement* s = definition_of(o.text);
  if (!s || !is_one_of(s->name, {"mov.", "cvt.", "add.", "sub.", "mul.", "mad.", "shl.", "shr.", "and.", "or.", "xor.",
                                 "not.", "setp.", "min.", "max.", "bfe."}))
    return false;
  const auto all = operands(file_, *s);
  return all.size() > 1 &&
         std::all_of(all.begin() + 1, all.end(), [&](const Operand* from) { return of_thread(*from, depth + 1); });
}

bool Conditions::settled(std::string_view predicate, int depth) const {
  const Statement* s = definition_of(predicate);
  if (!s || depth > most_steps) return false;
  const auto all = operands(file_, *s);
  if (is_logic(s->name))
    return all.size() > 1 &&
           std::all_of(all.begin() + 1, all.end(), [&](const Operand* o) { return settled(o->text, depth + 1); });
  if (!s->name.starts_with("setp.") || all.size() != 3) return false;
  if (of_thread(*all[1], depth + 1) && of_thread(*all[2], depth + 1)) return true;
  const bool turned = all[1]->kind == Operand::Kind::number;
  const Operand &value = *all[turned ? 2 : 1], &number = *all[turned ? 1 : 2];
  if (number.kind != Operand::Kind::number || number.number.kind != Number::Kind::integer ||
      parameter(value, depth + 1).empty())
    return false;
  const auto n = static_cast<std::int64_t>(number.number.bits);
  const auto at = [&](std::int64_t v) {
    return turned ? compared(comparison(s->name), n, v) : compared(comparison(s->name), v, n);
  };
  constexpr std::int64_t many = 0x7fffffff;
  return at(1) && at(1) == at(many) && (n < 1 || n > many || at(n) == at(1));
}

std::string Conditions::shape(std::string_view predicate, int depth) const {
  const Statement* s = definition_of(predicate);
  if (!s || depth > most_steps) return {};
  const auto all = operands(file_, *s);
  std::vector<std::string> parts;
  if (is_logic(s->name)) {
    for (std::size_t i = 1; i < all.size(); ++i) parts.push_back(shape(all[i]->text, depth + 1));
    if (parts.size() == 1) return parts.front();
    if (std::ranges::count(parts, std::string()) > 0) return {};
    std::ranges::sort(parts);
    std::string out = "(";
    for (const std::string& p : parts) out += p + ' ';
    return out + ')';
  }
  if (!s->name.starts_with("setp.") || all.size() != 3) return {};
  bool anchored = false;
  for (std::size_t i = 1; i < 3; ++i) {
    const std::string from = parameter(*all[i], depth + 1);
    const bool number = all[i]->kind == Operand::Kind::number;
    parts.push_back(!from.empty() ? from : number ? std::to_string(all[i]->number.bits) : "_");
    anchored = anchored || parts.back() != "_";
  }
  if (!anchored) return {};
  std::ranges::sort(parts);
  const std::string_view how = comparison(s->name);
  const bool equality = how == "eq" || how == "ne";
  return (equality ? "= " : "< ") + std::string(s->name.substr(s->name.rfind('.'))) + ' ' + parts[0] + ' ' + parts[1];
}

}  // namespace ww::ptx
