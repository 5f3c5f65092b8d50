// SPDX-License-Identifier: Apache-2.0
// Every transformation edits the tree, prints it and parses the text again: the result is checked like a spec from a
// person.
#include "op/transform.h"
#include <algorithm>
#include <cmath>
#include <set>
#include "op/names.h"
#include "op/parse.h"
#include "op/syntax.h"
#include "op/walk.h"

namespace ww::op {
namespace {

using Names = std::map<std::string, std::string>;
using Exprs = std::map<std::string, ExprPtr>;

Result<Spec> checked(const Spec& edited) {
  const std::string text = print(edited);
  ParseOutcome out = parse(text);
  if (out.spec) return std::move(*out.spec);
  return fail(Code::invalid_argument,
              "the op '" + edited.name + "' would not be valid: " + out.diagnostics.front().message,
              render_all(out.diagnostics, text));
}

std::set<std::string> as_set(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

// Applies `change` to every expression of the spec that its text shows.
template <class Change>
void for_expressions(Spec& spec, const Change& change) {
  for (std::vector<Param>* list : {&spec.inputs, &spec.outputs, &spec.temporaries}) {
    for (Param& p : *list) {
      for (ExprPtr& dim : p.shape) dim = change(dim);
      if (p.lo) p.lo = change(p.lo);
      if (p.hi) p.hi = change(p.hi);
    }
  }
  for (Constant& c : spec.constants) {
    c.value = change(c.value);
    if (c.lo) c.lo = change(c.lo);
    if (c.hi) c.hi = change(c.hi);
  }
  for (Equation& e : spec.equations) {
    for (Index& i : e.indices) {
      i.lo = change(i.lo);
      i.hi = change(i.hi);
    }
    e.value = change(e.value);
  }
}

void rename_in(std::string& name, const Names& names) {
  if (const auto found = names.find(name); found != names.end()) name = found->second;
}

ExprPtr renamed(const ExprPtr& e, const Names& names) {
  auto copy = std::make_shared<Expr>(*e);
  if (e->kind == ExprKind::name || e->kind == ExprKind::access) rename_in(copy->name, names);
  for (Index& i : copy->indices) {
    rename_in(i.name, names);
    i.lo = renamed(i.lo, names);
    i.hi = renamed(i.hi, names);
  }
  for (ExprPtr& a : copy->args) a = renamed(a, names);
  return copy;
}

// Tensors, symbols, constants and indices alike: within one spec no two of them share a name.
Spec renamed(Spec spec, const Names& names) {
  for_expressions(spec, [&](const ExprPtr& e) { return renamed(e, names); });
  for (std::vector<Param>* list : {&spec.inputs, &spec.outputs, &spec.temporaries})
    for (Param& p : *list) rename_in(p.name, names);
  for (Constant& c : spec.constants) rename_in(c.name, names);
  for (Equation& e : spec.equations) {
    rename_in(e.target, names);
    for (Index& i : e.indices) rename_in(i.name, names);
  }
  std::map<std::string, std::int64_t> defaults;
  for (std::string& s : spec.symbols) {
    const auto d = spec.defaults.find(s);
    rename_in(s, names);
    if (d != spec.defaults.end()) defaults[s] = d->second;
  }
  spec.defaults = std::move(defaults);
  return spec;
}

std::set<std::string> declared_names(const Spec& spec) {
  std::set<std::string> out(spec.symbols.begin(), spec.symbols.end());
  for (const std::vector<Param>* list : {&spec.inputs, &spec.outputs, &spec.temporaries})
    for (const Param& p : *list) out.insert(p.name);
  for (const Constant& c : spec.constants) out.insert(c.name);
  return out;
}

std::set<std::string> index_names(const Spec& spec) {
  std::set<std::string> out;
  for (const Equation& e : spec.equations) {
    for (const Index& i : e.indices) out.insert(i.name);
    for_each(*e.value, [&](const Expr& x) {
      for (const Index& i : x.indices) out.insert(i.name);
    });
  }
  return out;
}

std::string fresh(const std::string& base, const std::set<std::string>& taken) {
  for (int n = 2;; ++n) {
    std::string name = base + "_" + std::to_string(n);
    if (!taken.count(name)) return name;
  }
}

}  // namespace

Result<Spec> with_dtype(const Spec& spec, DType real) {
  if (!is_real(real))
    return fail(Code::invalid_argument, "'" + std::string(dtype_name(real)) + "' is not a real element type");
  Spec out = spec;
  for (std::vector<Param>* list : {&out.inputs, &out.outputs})
    for (Param& p : *list)
      if (is_real(p.dtype)) p.dtype = real;
  return checked(out);
}

Result<Spec> with_defaults(const Spec& spec, const std::map<std::string, std::int64_t>& symbols) {
  Spec out = spec;
  for (const auto& [name, value] : symbols) {
    if (std::find(spec.symbols.begin(), spec.symbols.end(), name) == spec.symbols.end())
      return fail(Code::not_found, "op '" + spec.name + "' has no shape symbol '" + name + "'",
                  did_you_mean(name, spec.symbols));
    if (value < 0) return fail(Code::invalid_argument, "the default of '" + name + "' cannot be negative");
    out.defaults[name] = value;
  }
  return checked(out);
}

Result<Spec> with_constants(const Spec& spec, const std::map<std::string, double>& constants) {
  Spec out = spec;
  for (const auto& [name, value] : constants) {
    const auto c = std::find_if(out.constants.begin(), out.constants.end(),
                                [&wanted = name](const Constant& x) { return x.name == wanted; });
    if (c == out.constants.end()) {
      std::vector<std::string> known;
      for (const Constant& x : spec.constants) known.push_back(x.name);
      return fail(Code::not_found, "op '" + spec.name + "' has no constant '" + name + "'", did_you_mean(name, known));
    }
    if (std::isnan(value)) return fail(Code::invalid_argument, "the constant '" + name + "' cannot be NaN");
    if (c->type == Type::integer) {
      if (value != std::floor(value) || std::fabs(value) > 9e15)
        return fail(Code::invalid_argument,
                    "the constant '" + name + "' of op '" + spec.name + "' must be a whole number");
      c->value = integer_literal(static_cast<std::int64_t>(value));
    } else if (c->type == Type::boolean) {
      auto e = std::make_shared<Expr>();
      e->kind = ExprKind::boolean;
      e->type = Type::boolean;
      e->integer = value != 0;
      c->value = std::move(e);
    } else {
      c->value = real_literal(value);
    }
  }
  if (const auto wrong = out_of_range(out, {})) return fail(Code::invalid_argument, wrong->message);
  return checked(out);
}

Result<Spec> widened(const Spec& spec) {
  std::set<std::string> subscripts;  // tensors whose values lead to other elements
  for (const Equation& e : spec.equations)
    for_each(*e.value, [&](const Expr& x) {
      if (x.kind != ExprKind::access) return;
      for (const ExprPtr& subscript : x.args) subscripts.merge(as_set(tensors_read(*subscript)));
    });
  for (auto e = spec.equations.rbegin(); e != spec.equations.rend(); ++e)
    if (subscripts.contains(e->target)) subscripts.merge(as_set(tensors_read(*e->value)));
  Spec edited = spec;
  for (Param& p : edited.inputs) {
    if (subscripts.contains(p.name)) continue;
    p.lo = p.hi = nullptr;
    p.rules = {};
  }
  return checked(edited);
}

Result<Spec> rename(const Spec& spec, const std::map<std::string, std::string>& names) {
  const std::set<std::string> known = declared_names(spec);
  const std::set<std::string> indices = index_names(spec);
  std::set<std::string> taken = known;
  taken.insert(indices.begin(), indices.end());
  for (const auto& [from, to] : names) taken.insert(to);
  Names all;
  std::set<std::string> targets;
  for (const auto& [from, to] : names) {
    if (!known.count(from)) {
      return fail(Code::not_found, "op '" + spec.name + "' has nothing called '" + from + "'",
                  did_you_mean(from, std::vector<std::string>(known.begin(), known.end())));
    }
    if (!targets.insert(to).second)
      return fail(Code::invalid_argument, "two names of op '" + spec.name + "' would become '" + to + "'");
    if (known.count(to) && !names.count(to) && to != from)
      return fail(Code::invalid_argument, "op '" + spec.name + "' has a '" + to + "' already");
    all[from] = to;
    if (indices.count(to)) {  // the index makes room
      const std::string other = fresh(to, taken);
      taken.insert(other);
      all[to] = other;
    }
  }
  return checked(renamed(spec, all));
}

namespace {

// Which symbols of either spec become which expressions, so that first's output fits second's input.
struct Unified {
  Exprs first, second;
};

Result<Unified> unify(const Spec& first, const Param& from, const Spec& second, const Param& into) {
  Unified out;
  const auto is_symbol = [](const Spec& s, const Expr& e) {
    return e.kind == ExprKind::name && std::find(s.symbols.begin(), s.symbols.end(), e.name) != s.symbols.end();
  };
  for (std::size_t i = 0; i < from.shape.size(); ++i) {
    const ExprPtr a = substitute(from.shape[i], out.first);
    const ExprPtr b = substitute(into.shape[i], out.second);
    if (same_integer(*a, *b)) continue;
    if (is_symbol(second, *b)) {
      out.second[b->name] = a;
    } else if (is_symbol(first, *a)) {
      const Exprs one = {{a->name, b}};
      for (auto& [name, e] : out.first) e = substitute(e, one);
      for (auto& [name, e] : out.second) e = substitute(e, one);
      out.first[a->name] = b;
    } else {
      return fail(Code::invalid_argument, "dimension " + std::to_string(i) + " does not fit: '" + first.name +
                                              "' gives " + print(*a) + " and '" + second.name + "' takes " + print(*b));
    }
  }
  return out;
}

void apply(Spec& spec, const Exprs& symbols) {
  if (symbols.empty()) return;
  for_expressions(spec, [&](const ExprPtr& e) { return substitute(e, symbols); });
  std::erase_if(spec.symbols, [&](const std::string& s) { return symbols.count(s) != 0; });
  for (const auto& [name, e] : symbols) spec.defaults.erase(name);
}

// The input of `second` that takes the output of `first`.
Result<std::size_t> fed_input(const Spec& first, const Spec& second, std::string_view into) {
  if (first.outputs.size() != 1) {
    return fail(Code::invalid_argument, "'" + first.name + "' has " + std::to_string(first.outputs.size()) +
                                            " outputs; only an op with one output can feed another");
  }
  if (second.inputs.empty()) return fail(Code::invalid_argument, "'" + second.name + "' has no input to feed");
  const auto chosen = into.empty() ? second.inputs.begin()
                                   : std::find_if(second.inputs.begin(), second.inputs.end(),
                                                  [&](const Param& p) { return p.name == into; });
  if (chosen == second.inputs.end()) {
    std::vector<std::string> known;
    for (const Param& p : second.inputs) known.push_back(p.name);
    return fail(Code::not_found, "'" + second.name + "' has no input '" + std::string(into) + "'",
                did_you_mean(into, known));
  }
  const Param& output = first.outputs[0];
  if (output.shape.size() != chosen->shape.size()) {
    return fail(Code::invalid_argument, "'" + first.name + "' gives a tensor of " +
                                            std::to_string(output.shape.size()) + " dimensions and '" + second.name +
                                            "' takes one of " + std::to_string(chosen->shape.size()));
  }
  if (type_of(output.dtype) != type_of(chosen->dtype)) {
    return fail(Code::invalid_argument, "'" + first.name + "' gives " + std::string(dtype_name(output.dtype)) +
                                            " and '" + second.name + "' takes " +
                                            std::string(dtype_name(chosen->dtype)));
  }
  return static_cast<std::size_t>(chosen - second.inputs.begin());
}

// New names for what two specs would both call the same. `second` makes room for `first`, but its outputs keep their
// names where first's output can give way. The input of `second` at `position` takes the name of what feeds it.
void separate(const Spec& first, const Spec& second, std::size_t position, Names& in_first, Names& in_second) {
  const std::set<std::string> first_indices = index_names(first);
  const std::set<std::string> second_declared = declared_names(second), second_indices = index_names(second);
  std::set<std::string> taken = declared_names(first);
  for (const std::set<std::string>* s : {&first_indices, &second_declared, &second_indices})
    taken.insert(s->begin(), s->end());
  const auto claim = [&](const std::string& base) {
    std::string name = fresh(base, taken);
    taken.insert(name);
    return name;
  };
  const std::string& output = first.outputs[0].name;
  std::string middle = output;
  if (second_declared.count(output) || second_indices.count(output)) {
    middle = !taken.count(first.name) && syntax::reserved_as(first.name).empty() ? first.name : claim(output);
    taken.insert(middle);
    in_first[output] = middle;
  }
  const std::set<std::string> first_declared = declared_names(renamed(first, in_first));
  const std::string& fed = second.inputs[position].name;
  for (const std::string& name : second_declared)
    if (name != fed && (first_declared.count(name) || first_indices.count(name))) in_second[name] = claim(name);
  for (const std::string& name : second_indices)
    if (first_declared.count(name)) in_second[name] = claim(name);
  in_second[fed] = middle;
}

template <class List>
void append(List& to, const List& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// Both specs as one, without the input of `b` at `position`.
Spec joined_specs(const Spec& a, const Spec& b, std::size_t position) {
  Spec out;
  out.inputs = a.inputs;
  for (std::size_t i = 0; i < b.inputs.size(); ++i)
    if (i != position) out.inputs.push_back(b.inputs[i]);
  out.outputs = b.outputs;
  out.constants = a.constants;
  append(out.constants, b.constants);
  out.symbols = a.symbols;
  append(out.symbols, b.symbols);
  out.defaults = a.defaults;
  out.defaults.insert(b.defaults.begin(), b.defaults.end());
  out.equations = a.equations;
  append(out.equations, b.equations);
  return out;
}

bool has_shape(const Spec& spec, const Param& wanted) {
  const Param* t = find_param(spec, wanted.name);
  return t && std::equal(t->shape.begin(), t->shape.end(), wanted.shape.begin(), wanted.shape.end(),
                         [](const ExprPtr& x, const ExprPtr& y) { return same_integer(*x, *y); });
}

}  // namespace

Result<Spec> compose(const Spec& first, const Spec& second, std::string_view into) {
  const std::size_t position = WW_TRY(fed_input(first, second, into));
  Names in_first, in_second;
  separate(first, second, position, in_first, in_second);
  Spec a = renamed(first, in_first), b = renamed(second, in_second);
  const auto symbols = unify(a, a.outputs[0], b, b.inputs[position]);
  if (!symbols)
    return fail(symbols.error().code, "'" + second.name + "' cannot follow '" + first.name + "'",
                symbols.error().message);
  apply(a, symbols->first);
  apply(b, symbols->second);
  apply(b, symbols->first);
  Spec out = joined_specs(a, b, position);
  out.name = first.name + "_" + second.name;
  const Param& middle = a.outputs[0];
  if (auto plain = checked(out); plain && has_shape(*plain, middle)) return plain;
  // As an output the tensor had its ranges from the signature; as a temporary it may need them written down.
  for (Equation& e : out.equations) {
    if (e.target != middle.name) continue;
    for (Index& i : e.indices) i.given = true;
  }
  return checked(out);
}

namespace {

// The symbols of `next` in terms of those of `all`, from the shapes of the inputs that both have.
Result<Names> shared_symbols(const Spec& all, const Spec& next) {
  Names out;
  for (const Param& p : next.inputs) {
    const auto same =
        std::find_if(all.inputs.begin(), all.inputs.end(), [&](const Param& q) { return q.name == p.name; });
    if (same == all.inputs.end()) continue;
    if (same->shape.size() != p.shape.size() || same->dtype != p.dtype)
      return fail(Code::invalid_argument, "'" + p.name + "' would have two shapes or element types");
    for (std::size_t i = 0; i < p.shape.size(); ++i) {
      const Expr &a = *same->shape[i], &b = *p.shape[i];
      const auto symbol = [](const Spec& s, const Expr& e) {
        return e.kind == ExprKind::name && std::find(s.symbols.begin(), s.symbols.end(), e.name) != s.symbols.end();
      };
      if (!symbol(all, a) || !symbol(next, b)) {
        if (print(a) == print(*renamed(p.shape[i], out))) continue;
        return fail(Code::invalid_argument, "'" + p.name + "' would have two shapes");
      }
      const auto [at, fresh_one] = out.emplace(b.name, a.name);
      const auto mine = all.defaults.find(a.name), theirs = next.defaults.find(b.name);
      const bool sized = mine != all.defaults.end() && theirs != next.defaults.end();
      if ((!fresh_one && at->second != a.name) || (sized && mine->second != theirs->second))
        return fail(Code::invalid_argument, "'" + p.name + "' would have two shapes");
    }
  }
  return out;
}

// Adds `next` to `all`. What both would call the same is renamed in `next`.
Status put_beside(Spec& all, Spec next) {
  Names names = WW_TRY(shared_symbols(all, next));
  const std::set<std::string> all_declared = declared_names(all), all_indices = index_names(all);
  const std::set<std::string> next_declared = declared_names(next), next_indices = index_names(next);
  std::set<std::string> taken;
  for (const std::set<std::string>* s : {&all_declared, &all_indices, &next_declared, &next_indices})
    taken.insert(s->begin(), s->end());
  std::set<std::string> shared;  // inputs and constants of both
  for (const Param& p : next.inputs)
    if (std::any_of(all.inputs.begin(), all.inputs.end(), [&](const Param& q) { return q.name == p.name; }))
      shared.insert(p.name);
  for (const Constant& c : next.constants)
    for (const Constant& k : all.constants)
      if (k.name == c.name && print(*k.value) == print(*c.value) && range_text(k) == range_text(c))
        shared.insert(c.name);
  Names in_all;  // an index makes room for a result
  for (const Param& p : next.outputs)
    if (all_indices.count(p.name) && !all_declared.count(p.name)) {
      in_all[p.name] = fresh(p.name, taken);
      taken.insert(in_all[p.name]);
    }
  if (!in_all.empty()) all = renamed(std::move(all), in_all);
  const auto make_room = [&](const std::string& name) {
    names[name] = fresh(name, taken);
    taken.insert(names[name]);
  };
  for (const std::string& name : next_declared)
    if (!names.count(name) && !shared.count(name) && !in_all.count(name) &&
        (all_declared.count(name) || all_indices.count(name)))
      make_room(name);
  for (const std::string& name : next_indices)
    if (all_declared.count(name)) make_room(name);
  next = renamed(std::move(next), names);
  std::erase_if(next.inputs, [&](const Param& p) { return shared.count(p.name) != 0; });
  std::erase_if(next.constants, [&](const Constant& c) { return shared.count(c.name) != 0; });
  std::erase_if(next.symbols, [&](const std::string& s) {
    return std::find(all.symbols.begin(), all.symbols.end(), s) != all.symbols.end();
  });
  append(all.inputs, next.inputs);
  append(all.outputs, next.outputs);
  append(all.temporaries, next.temporaries);
  append(all.constants, next.constants);
  append(all.symbols, next.symbols);
  append(all.equations, next.equations);
  all.defaults.insert(next.defaults.begin(), next.defaults.end());
  return {};
}

// The right side with its indices numbered in the order in which they come up, and their ranges.
std::string shape_of_equation(const Equation& e) {
  Names numbered;
  const auto number = [&](const Index& i) { numbered.emplace(i.name, "#" + std::to_string(numbered.size())); };
  std::string ranges;
  for (const Index& i : e.indices) {
    number(i);
    ranges += print(*i.lo) + ".." + print(*i.hi) + " ";
  }
  for_each(*e.value, [&](const Expr& x) {
    for (const Index& i : x.indices) {
      number(i);
      ranges += print(*i.lo) + ".." + print(*i.hi) + " ";
    }
  });
  return ranges + "= " + print(*renamed(e.value, numbered));
}

// What two ops compute alike ("mean and variance": the mean) is computed once.
bool share_one(Spec& spec) {
  const auto is_output = [&](const std::string& name) {
    return std::any_of(spec.outputs.begin(), spec.outputs.end(), [&](const Param& p) { return p.name == name; });
  };
  std::map<std::string, std::string> known;
  for (const Equation& e : spec.equations) {
    const auto [at, first] = known.emplace(shape_of_equation(e), e.target);
    if (first || (is_output(e.target) && is_output(at->second))) continue;
    const std::string kept = is_output(e.target) ? e.target : at->second;
    const std::string gone = is_output(e.target) ? at->second : e.target;
    std::erase_if(spec.equations, [&](const Equation& x) { return x.target == gone; });
    std::erase_if(spec.temporaries, [&](const Param& p) { return p.name == gone; });
    const bool made_room = kept.starts_with(gone + "_");  // for what is gone now
    spec = renamed(std::move(spec), made_room ? Names{{kept, gone}} : Names{{gone, kept}});
    return true;
  }
  return false;
}

}  // namespace

Result<Spec> beside(const std::vector<Spec>& specs, const std::vector<std::string>& outputs) {
  Spec out;
  std::size_t output = 0;
  std::set<std::string> used;
  for (Spec one : specs) {
    Names named;
    for (const Param& p : one.outputs) {
      std::string name = p.name;
      if (output < outputs.size())
        name = outputs[output];
      else if (one.outputs.size() == 1)
        name = syntax::reserved_as(one.name).empty() ? one.name : one.name + "_value";
      ++output;
      named[p.name] = used.insert(name).second ? name : fresh(name, used);
      used.insert(named[p.name]);
    }
    std::erase_if(named, [](const auto& n) { return n.first == n.second; });
    const std::set<std::string> declared = declared_names(one), indices = index_names(one);
    std::set<std::string> taken = used;
    taken.insert(declared.begin(), declared.end());
    taken.insert(indices.begin(), indices.end());
    Names all = named;
    for (const auto& [from, to] : named) {  // what has the output's name makes room
      const bool input =
          std::any_of(one.inputs.begin(), one.inputs.end(), [&, name = to](const Param& p) { return p.name == name; });
      if (input) return fail(Code::invalid_argument, "'" + to + "' would be an input and a result");
      if (!named.count(to) && (declared.count(to) || indices.count(to))) {
        all[to] = fresh(to, taken);
        taken.insert(all[to]);
      }
    }
    Spec made = renamed(std::move(one), all);
    out.name += (out.name.empty() ? "" : "_") + made.name;
    if (out.inputs.empty() && out.outputs.empty()) {
      const std::string name = out.name;
      out = std::move(made);
      out.name = name;
      out.directives.clear();
    } else {
      WW_TRY(put_beside(out, std::move(made)));
    }
  }
  while (share_one(out)) {}
  return checked(out);
}

}  // namespace ww::op
