// SPDX-License-Identifier: Apache-2.0
#include "op/gradient_finish.h"
#include <algorithm>
#include <map>
#include <set>
#include "op/gradient_build.h"
#include "op/gradient_invert.h"
#include "op/gradient_prepare.h"
#include "op/parse.h"
#include "op/walk.h"

namespace ww::op::gradient {
namespace {

void keep_needed(Spec& spec) {
  std::set<std::string> needed;
  for (const Param& p : spec.outputs) needed.insert(p.name);
  for (std::size_t before = 0; before != needed.size();) {
    before = needed.size();
    for (const Equation& e : spec.equations) {
      if (!needed.contains(e.target)) continue;
      for (const std::string& t : tensors_read(*e.value)) needed.insert(t);
    }
  }
  std::erase_if(spec.equations, [&](const Equation& e) { return !needed.contains(e.target); });
  std::erase_if(spec.inputs, [&](const Param& p) { return !needed.contains(p.name); });
}

template <class Visit>
void for_names(const Expr& e, const Visit& visit) {
  for_each(e, [&](const Expr& x) {
    if (x.kind == ExprKind::name) visit(x);
  });
}

template <class Visit>
void for_names(const Spec& spec, const Visit& visit) {
  for (const std::vector<Param>* list : {&spec.inputs, &spec.outputs})
    for (const Param& p : *list) {
      for (const ExprPtr& dim : p.shape) for_names(*dim, visit);
      if (p.lo) for_names(*p.lo, visit);
      if (p.hi) for_names(*p.hi, visit);
    }
  for (const Equation& e : spec.equations) {
    for (const Index& i : e.indices) {
      for_names(*i.lo, visit);
      for_names(*i.hi, visit);
    }
    for_names(*e.value, visit);
  }
}

void keep_used_constants(Spec& spec) {
  std::set<std::string> used;
  for_names(spec, [&](const Expr& e) { used.insert(e.name); });
  for (std::size_t i = spec.constants.size(); i-- > 0;)  // a constant uses earlier ones
    if (used.contains(spec.constants[i].name))
      for_names(*spec.constants[i].value, [&](const Expr& e) { used.insert(e.name); });
  std::erase_if(spec.constants, [&](const Constant& c) { return !used.contains(c.name); });
}

std::vector<std::string> symbols_of(const Spec& spec) {
  std::vector<std::string> out;
  for (const std::vector<Param>* list : {&spec.inputs, &spec.outputs})
    for (const Param& p : *list)
      for (const ExprPtr& dim : p.shape)
        for_names(*dim, [&](const Expr& e) {
          if (e.role == Role::symbol && std::find(out.begin(), out.end(), e.name) == out.end()) out.push_back(e.name);
        });
  return out;
}

void declare_symbols(Spec& spec, const std::vector<Param>& sources) {
  for (const Param& source : sources) {
    const std::vector<std::string> told = symbols_of(spec);
    std::set<std::string> missing;
    for_names(spec, [&](const Expr& e) {
      if (e.role == Role::symbol && std::find(told.begin(), told.end(), e.name) == told.end()) missing.insert(e.name);
    });
    const bool tells = std::any_of(source.shape.begin(), source.shape.end(), [&](const ExprPtr& dim) {
      return std::any_of(missing.begin(), missing.end(), [&](const std::string& s) { return mentions(*dim, s); });
    });
    if (tells) spec.inputs.push_back(source);
  }
  spec.symbols = symbols_of(spec);
  std::erase_if(spec.defaults, [&](const auto& d) {
    return std::find(spec.symbols.begin(), spec.symbols.end(), d.first) == spec.symbols.end();
  });
}

using Renaming = std::map<std::string, std::string>;

ExprPtr renamed(const ExprPtr& e, const Renaming& names) {
  auto copy = std::make_shared<Expr>(*e);
  if (e->kind == ExprKind::name)
    if (const auto found = names.find(e->name); found != names.end()) copy->name = found->second;
  for (Index& i : copy->indices) {
    i.lo = renamed(i.lo, names);
    i.hi = renamed(i.hi, names);
    if (const auto found = names.find(i.name); found != names.end()) i.name = found->second;
  }
  for (ExprPtr& a : copy->args) a = renamed(a, names);
  return copy;
}

// Gives the indices of an equation names without marks.
void name_indices(Equation& e, const std::set<std::string>& tensors) {
  std::vector<std::string> marked;
  std::set<std::string> taken = tensors;
  const auto see = [&](const std::string& name) {
    if (name.find(fresh_mark) == std::string::npos)
      taken.insert(name);
    else if (std::find(marked.begin(), marked.end(), name) == marked.end())
      marked.push_back(name);
  };
  for (const Index& i : e.indices) see(i.name);
  for_each(*e.value, [&](const Expr& x) {
    for (const Index& i : x.indices) see(i.name);
    if (x.kind == ExprKind::name) see(x.name);
  });
  Renaming names;
  for (const std::string& m : marked) names[m] = untaken(base_of(m), taken);
  for (Index& i : e.indices)
    if (const auto found = names.find(i.name); found != names.end()) i.name = found->second;
  e.value = renamed(e.value, names);
}

class Ranges {
 public:
  explicit Ranges(const Spec& spec) : spec_(spec) {
    for (const std::vector<Param>* list : {&spec.inputs, &spec.outputs})
      for (const Param& p : *list) shapes_[p.name] = p.shape;
    for (const Equation& e : spec.equations) {
      if (shapes_.contains(e.target)) continue;
      for (const Index& i : e.indices) shapes_[e.target].push_back(i.hi);
    }
  }

  // States the ranges that do not follow from the subscripts.
  void state(Equation& e) const {
    const bool output =
        std::any_of(spec_.outputs.begin(), spec_.outputs.end(), [&](const Param& p) { return p.name == e.target; });
    for (std::size_t d = 0; d < e.indices.size(); ++d)
      e.indices[d].given = !follows(e.indices[d], {e.value}, output ? shapes_.at(e.target)[d] : nullptr);
    e.value = stated(e.value);
  }

 private:
  ExprPtr stated(const ExprPtr& e) const {
    auto copy = std::make_shared<Expr>(*e);
    for (ExprPtr& a : copy->args) a = stated(a);
    for (Index& i : copy->indices) i.given = !follows(i, copy->args, nullptr);
    return copy;
  }

  bool follows(const Index& index, const std::vector<ExprPtr>& within, const ExprPtr& extent) const {
    if (!is_number(*index.lo, 0)) return false;
    std::vector<ExprPtr> extents;
    if (extent) extents.push_back(extent);
    for (const ExprPtr& e : within) uses(*e, index.name, false, extents);
    return !extents.empty() &&
           std::all_of(extents.begin(), extents.end(), [&](const ExprPtr& x) { return same_integer(*x, *index.hi); });
  }

  void uses(const Expr& e, const std::string& name, bool padded, std::vector<ExprPtr>& extents) const {
    if (e.kind == ExprKind::access && !padded) {
      const auto shape = shapes_.find(e.name);
      for (std::size_t d = 0; d < e.args.size(); ++d)
        if (e.args[d]->kind == ExprKind::name && e.args[d]->name == name && shape != shapes_.end())
          extents.push_back(shape->second[d]);
    }
    for (const Index& i : e.indices) {
      uses(*i.lo, name, false, extents);
      uses(*i.hi, name, false, extents);
    }
    for (std::size_t a = 0; a < e.args.size(); ++a)
      uses(*e.args[a], name, e.kind == ExprKind::padded && a == 0, extents);
  }

  const Spec& spec_;
  std::map<std::string, std::vector<ExprPtr>> shapes_;
};

}  // namespace

std::variant<Spec, std::string> finished(Spec derived, const std::vector<Param>& sources) {
  keep_needed(derived);
  declare_symbols(derived, sources);
  keep_used_constants(derived);
  std::set<std::string> declared(derived.symbols.begin(), derived.symbols.end());
  for (const std::vector<Param>* list : {&derived.inputs, &derived.outputs})
    for (const Param& p : *list) declared.insert(p.name);
  for (const Constant& c : derived.constants) declared.insert(c.name);
  for (const Equation& e : derived.equations) declared.insert(e.target);
  for (Equation& e : derived.equations) name_indices(e, declared);
  const Ranges ranges(derived);
  for (Equation& e : derived.equations) ranges.state(e);
  ParseOutcome out = parse(print(derived));
  if (out.spec) return std::move(*out.spec);
  return out.diagnostics.front().message;
}

}  // namespace ww::op::gradient
