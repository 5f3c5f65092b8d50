// SPDX-License-Identifier: Apache-2.0
#include "simt/resolver.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace ww::simt {
namespace {

// False: a number of that form does not initialise the type.
bool store_number(const ptx::Number& n, Type type, std::byte* to) {
  const bool real = type == Type::f32 || type == Type::f64, integer = n.kind == ptx::Number::Kind::integer;
  const unsigned size = type_bytes(type);
  if ((real && integer) || !ptx::Number::fits(n.kind, size)) return false;
  const std::int64_t bits = integer || size == 8 ? n.bits : n.single_bits;
  std::memcpy(to, &bits, std::min<std::size_t>(size, sizeof bits));
  return true;
}

class ModuleResolver {
 public:
  explicit ModuleResolver(const ptx::File& file) : r_(file), file_(file) {}

  Result<Module> run() {
    r_.problem = file_.problem;
    if (!r_.problem && whole()) return std::move(r_.module);
    return fail(Code::parse, "PTX " + r_.problem->text());
  }

 private:
  bool whole() {
    if (file_.address_size.value_or(64) != 64)
      return r_.fail_at(file_.address_size_place, "only 64-bit addresses are supported");
    r_.module.version = file_.version;
    r_.module.target = file_.target;
    for (const ptx::Statement& s : file_.items)
      if (s.kind == ptx::Statement::Kind::variables && !variables(s)) return false;
    for (const ptx::Function& f : file_.functions)
      if (!function(f)) return false;
    return !file_.version.empty() || r_.fail_at({}, "no .version directive: this is not PTX");
  }

  bool variables(const ptx::Statement& s) {
    std::vector<Variable> all;
    if (!resolve_variables(r_, s.range, all)) return false;
    Module& m = r_.module;
    for (Variable& v : all) {
      const auto [at, fresh] = m.variable_index.emplace(v.name, m.variables.size());
      if (fresh)
        m.variables.push_back(std::move(v));
      else if (m.variables[at->second].is_extern)
        m.variables[at->second] = std::move(v);
      else if (!v.is_extern)
        return r_.fail_at(s.place, "variable " + v.name + " is defined twice");
    }
    return true;
  }

  bool function(const ptx::Function& from) {
    Function f;
    f.is_entry = from.is_entry;
    f.has_body = from.has_body;
    f.name = from.name;
    f.line = from.place.line;
    if (!resolve_variables(r_, from.results, f.returns) || !resolve_variables(r_, from.parameters, f.params))
      return false;
    for (std::uint32_t i = from.attributes.begin; i < from.attributes.end; ++i)
      if (!attribute(file_.attributes[i], f)) return false;
    Module& m = r_.module;
    const auto [at, fresh] = m.function_index.emplace(f.name, m.functions.size());
    if (!fresh && m.functions[at->second].has_body && f.has_body)
      return r_.fail_at(from.place, "function " + f.name + " is defined twice");
    if (f.has_body) {
      f.variables = f.returns;
      f.variables.insert(f.variables.end(), f.params.begin(), f.params.end());
      if (!BodyResolver(r_, f).run(from)) return false;
    }
    if (fresh)
      m.functions.push_back(std::move(f));
    else if (f.has_body)
      m.functions[at->second] = std::move(f);
    return true;
  }

  bool attribute(const ptx::Attribute& a, Function& f) {
    static constexpr std::array<std::string_view, 4> of_numbers = {"minnctapersm", "maxnctapersm", "maxnreg",
                                                                   "maxclusterrank"};
    static constexpr std::array<std::string_view, 3> flags = {"noreturn", "explicitcluster", "blocksareclusters"};
    std::uint32_t* const dims = a.name == "maxntid"             ? f.maxntid
                                : a.name == "reqntid"           ? f.reqntid
                                : a.name == "reqnctapercluster" ? f.cluster
                                                                : nullptr;
    if (dims == nullptr && std::ranges::find(flags, a.name) != flags.end()) return true;
    if (dims == nullptr && std::ranges::find(of_numbers, a.name) == of_numbers.end())
      return r_.fail_at(a.place, "unknown directive ." + std::string(a.name));
    if (a.count == 0) return r_.fail_at(a.place, "." + std::string(a.name) + " needs a number");
    if (dims != nullptr) std::copy_n(a.values, a.count, dims);
    return true;
  }

  Resolving r_;
  const ptx::File& file_;
};

}  // namespace

const Function* Module::function(std::string_view name) const {
  const auto it = function_index.find(name);
  return it == function_index.end() ? nullptr : &functions[it->second];
}

const Variable* Module::variable(std::string_view name) const {
  const auto it = variable_index.find(name);
  return it == variable_index.end() ? nullptr : &variables[it->second];
}

bool resolve_variables(Resolving& r, ptx::Range range, std::vector<Variable>& out) {
  for (std::uint32_t i = range.begin; i < range.end; ++i) {
    const ptx::Variable& from = r.file.variables[i];
    if (from.space == ptx::Variable::Space::reg && type_bytes(from.type) == 0)
      return r.fail(from.name, "predicate parameters are not supported");
    Variable& v = out.emplace_back();
    v.space = from.space;
    v.name = from.name;
    v.type = from.type;
    v.align = from.align;
    v.count = from.count;
    v.is_array = from.is_array;
    v.is_extern = from.is_extern;
    v.line = from.line;
    if (from.values.size() == 0) continue;
    v.initial.resize(v.bytes());
    const std::size_t size = type_bytes(v.type);
    for (std::size_t k = 0; k < from.values.size(); ++k) {
      const ptx::Value& value = r.file.values[from.values.begin + k];
      if (!value.symbol.empty())
        v.references.push_back({k * size, std::string(value.symbol), value.addend});
      else if (!store_number(value.number, v.type, v.initial.data() + k * size))
        return r.fail(from.name, "a number of the wrong type initialises " + v.name);
    }
  }
  return true;
}

Result<Module> parse_module(std::string_view ptx) { return ModuleResolver(ptx::parse(ptx)).run(); }

}  // namespace ww::simt
