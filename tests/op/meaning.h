// SPDX-License-Identifier: Apache-2.0
// What a sentence of tests/op/sentences asks for, and whether a spec means the same: equal results on equal inputs, at
// sizes that tell dimensions apart, whatever its tensors and sizes are called.
//   @OP SYMBOL=512 constant=0.5 dtype=f16 out=f32    an op of the library
//   map EXPRESSION @ 128,256                          element by element, over tensors of one shape
//   op f(...) -> ... { ... }                          any other spec; `default` gives the sizes asked for
//   question, cannot                                  no spec
#pragma once
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>
#include "op/inputs.h"
#include "op/library_tensors.h"
#include "op/sentence/phrasebook.h"
#include "op/transform.h"

namespace ww::op {

struct Intended {
  std::optional<Spec> spec;
  bool sized = false;     // the sentence gives sizes: the defaults count
  bool any_rank = false;  // element by element: the number of dimensions is free unless sized
  std::map<std::string, double> constants;
  std::set<std::string> symbols;  // of @OP: those that the sentence sets
  std::string problem;
};

inline Spec retyped(const Spec& spec, DType in, DType out) {
  Spec changed = spec;
  for (Param& p : changed.inputs)
    if (is_real(p.dtype)) p.dtype = in;
  for (Param& p : changed.outputs)
    if (is_real(p.dtype)) p.dtype = out;
  return *parse_spec(print(changed));
}

inline Intended intended_map(const std::string& text) {
  Intended out;
  out.any_rank = true;
  const std::size_t at = text.rfind(" @ ");
  std::string expression = text.substr(4, at == std::string::npos ? std::string::npos : at - 4);
  std::vector<std::string> dims;
  if (at != std::string::npos) {
    std::stringstream list(text.substr(at + 3));
    for (std::string d; std::getline(list, d, ',');) dims.push_back(d);
  }
  out.sized = !dims.empty();
  if (dims.empty()) dims = {"12"};
  std::string shape, index, defaults;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    shape += (i ? ", D" : "D") + std::to_string(i);
    index += (i ? ", i" : "i") + std::to_string(i);
    defaults += (i ? ", D" : " default D") + std::to_string(i) + " = " + dims[i];
  }
  std::string body, inputs;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < expression.size();) {
    std::size_t end = i;
    while (end < expression.size() &&
           (std::isalnum(static_cast<unsigned char>(expression[end])) || expression[end] == '_'))
      ++end;
    const std::string word = expression.substr(i, end - i);
    if (word.empty()) {
      body += expression[i++];
      continue;
    }
    i = end;
    body += word;
    if (std::isdigit(static_cast<unsigned char>(word[0])) || (i < expression.size() && expression[i] == '(')) continue;
    body += "[" + index + "]";
    if (seen.insert(word).second) inputs += (inputs.empty() ? "" : ", ") + word + ": f32[" + shape + "]";
  }
  auto spec = parse_spec("op f(" + inputs + ") -> result: f32[" + shape + "]" + defaults + " { result[" + index +
                         "] = " + body + " }");
  if (spec)
    out.spec = std::move(*spec);
  else
    out.problem = spec.error().text();
  return out;
}

inline Intended intended_op(const Library& library, const std::string& text) {
  Intended out;
  std::stringstream words(text.substr(1));
  std::string name;
  words >> name;
  const LibraryOp* op = library.find(name);
  if (!op) {
    out.problem = "no op " + name;
    return out;
  }
  out.spec = op->spec;
  out.any_rank = op->family == "map" && op->spec.inputs[0].shape.size() == 2;
  DType in = DType::f32;
  std::optional<DType> result;
  for (std::string part; words >> part;) {
    const std::size_t equals = part.find('=');
    const std::string key = part.substr(0, equals), value = part.substr(equals + 1);
    if (key == "dtype")
      in = *dtype_from_name(value);
    else if (key == "out")
      result = *dtype_from_name(value);
    else if (op->spec.defaults.count(key)) {
      out.spec = *with_defaults(*out.spec, {{key, std::stoll(value)}});
      out.sized = true;
      out.symbols.insert(key);
    } else {
      out.spec = *with_constants(*out.spec, {{key, std::stod(value)}});
      out.constants[key] = std::stod(value);
    }
  }
  if (in != DType::f32 || result) out.spec = retyped(*out.spec, in, result.value_or(in));
  return out;
}

inline Intended intended_of(const Library& library, const std::string& text) {
  if (text == "question" || text == "cannot") return {};
  if (text.starts_with("map ")) return intended_map(text);
  if (text.starts_with("@")) return intended_op(library, text);
  Intended out;
  auto spec = parse_spec(text);
  if (!spec) {
    out.problem = spec.error().text();
    return out;
  }
  out.spec = std::move(*spec);
  out.sized = !out.spec->defaults.empty();
  return out;
}

using Shapes = std::vector<std::vector<std::int64_t>>;
inline std::optional<Shapes> shapes_at(const Spec& spec, const Binding& binding) {
  Shapes out;
  for (const Param& p : spec.inputs) {
    const auto shape = shape_of(spec, p, binding);
    if (!shape) return std::nullopt;
    out.push_back(*shape);
  }
  return out;
}

// Whether all tensors of `spec` have elements at these sizes.
inline bool has_elements(const Spec& spec, const Binding& binding) {
  for (const std::vector<Param>* list : {&spec.inputs, &spec.outputs})
    for (const Param& p : *list) {
      const auto shape = shape_of(spec, p, binding);
      if (!shape || element_count(*shape) < 1) return false;
    }
  return true;
}

// Sizes of `spec` at which its inputs have the shapes; small numbers are tried where a dimension is no plain symbol.
inline std::optional<Binding> binding_for(const Spec& spec, const Shapes& shapes, const Binding& likely = {}) {
  Binding out;
  for (const std::string& s : spec.symbols)
    if (likely.symbols.count(s)) out.symbols[s] = likely.symbols.at(s);
  if (!out.symbols.empty() && out.symbols.size() == spec.symbols.size() &&
      shapes_at(spec, out) == std::optional(shapes))
    return out;
  out.symbols.clear();
  if (shapes.size() != spec.inputs.size()) return std::nullopt;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (spec.inputs[i].shape.size() != shapes[i].size()) return std::nullopt;
    for (std::size_t k = 0; k < shapes[i].size(); ++k)
      if (const Expr& e = *spec.inputs[i].shape[k]; e.kind == ExprKind::name) {
        const auto [at, fresh] = out.symbols.emplace(e.name, shapes[i][k]);
        if (!fresh && at->second != shapes[i][k]) return std::nullopt;
      }
  }
  std::vector<std::string> open;
  for (const std::string& s : spec.symbols)
    if (!out.symbols.count(s)) open.push_back(s);
  std::function<bool(std::size_t)> choose = [&](std::size_t at) {
    if (at == open.size()) return shapes_at(spec, out) == std::optional(shapes);
    for (std::int64_t v = 1; v <= 12; ++v) {
      out.symbols[open[at]] = v;
      if (choose(at + 1)) return true;
    }
    return false;
  };
  return choose(0) ? std::optional(out) : std::nullopt;
}

// The inputs of `got` in the order of `want`'s: by name where the names are the same, else as they stand.
inline std::vector<std::size_t> input_order(const Spec& want, const Spec& got) {
  std::vector<std::size_t> out;
  for (const Param& p : want.inputs)
    for (std::size_t i = 0; i < got.inputs.size(); ++i)
      if (got.inputs[i].name == p.name) out.push_back(i);
  if (out.size() == want.inputs.size()) return out;
  out.clear();
  for (std::size_t i = 0; i < got.inputs.size(); ++i) out.push_back(i);
  return out;
}

// The functions below say what differs between what is wanted and what was got; empty: nothing. `order`: input_order().

inline std::string type_difference(const Spec& want, const Spec& got, const std::vector<std::size_t>& order) {
  for (std::size_t i = 0; i < order.size(); ++i)
    if (want.inputs[i].dtype != got.inputs[order[i]].dtype) return "another element type of " + want.inputs[i].name;
  for (std::size_t i = 0; i < want.outputs.size(); ++i)
    if (want.outputs[i].dtype != got.outputs[i].dtype) return "another element type of an output";
  return {};
}

inline std::string constant_difference(const Intended& intended, const Spec& got) {
  for (const auto& [name, value] : intended.constants) {
    const auto same = [&](const Constant& c) { return c.name == name; };
    if (std::none_of(got.constants.begin(), got.constants.end(), same)) continue;  // written out: the results tell
    const auto all = resolve(got, {});
    for (const ResolvedConstant& c : all ? all->constants : std::vector<ResolvedConstant>())
      if (c.name == name && std::fabs(c.real - value) > 1e-12)
        return "the constant " + name + " is " + std::to_string(c.real);
  }
  return {};
}

// Of the default sizes.
inline std::string size_difference(const Intended& intended, const Spec& got, const std::vector<std::size_t>& order) {
  const Spec& want = *intended.spec;
  const auto a = shapes_at(want, {}), b = shapes_at(got, {});
  if (!a || !b) return "no default sizes";
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!intended.symbols.empty()) {  // only the sizes that the sentence sets
      for (std::size_t k = 0; k < (*a)[i].size(); ++k) {
        const Expr& e = *want.inputs[i].shape[k];
        if (e.kind == ExprKind::name && !intended.symbols.count(e.name)) continue;
        if ((*b)[order[i]].size() <= k || (*a)[i][k] != (*b)[order[i]][k])
          return "other sizes of " + want.inputs[i].name;
      }
    } else if ((*a)[i] != (*b)[order[i]]) {
      return "other sizes of " + want.inputs[i].name;
    }
  }
  return {};
}

// Sizes that tell the dimensions apart.
inline Binding small_sizes(const Spec& want) {
  Binding small;
  std::int64_t next = 3;
  for (const std::string& s : want.symbols) small.symbols[s] = next++;
  if (small.symbols.count("KH")) small.symbols["KH"] = small.symbols["KW"] = 3;
  for (const char* image : {"H", "W", "L", "D"})
    if (small.symbols.count(image) && want.symbols.size() >= 4) small.symbols[image] += 7;
  for (const char* window : {"KD", "KL"})
    if (small.symbols.count(window)) small.symbols[window] = 3;
  for (int grown = 0; grown < 4 && !has_elements(want, small); ++grown)  // a window larger than the small sizes
    for (auto& [name, size] : small.symbols) size += 8;
  return small;
}

// Sizes of `got` at which its inputs have these shapes, or, where the sentence leaves the rank open, the same number of
// elements at another rank.
inline std::optional<Binding> sizes_like(const Intended& intended, const Spec& got, const Shapes& shapes,
                                         const Binding& small) {
  if (auto binding = binding_for(got, shapes, small); binding || intended.sized) return binding;
  Shapes flat = shapes;
  for (std::size_t i = 0; i < flat.size(); ++i) {
    const std::size_t rank = got.inputs[i].shape.size();
    const std::int64_t count = element_count(flat[i]);
    flat[i].assign(rank, 1);
    if (rank > 0) flat[i][rank - 1] = count;
    if (rank == 2 && count % 3 == 0) flat[i] = {3, count / 3};
  }
  return binding_for(got, flat);
}

// Gives a constant that the sentence leaves open the value that it has in what is wanted: it may have any.
inline void bind_open_constants(const Intended& intended, const Spec& got, const Binding& small, Binding& binding) {
  const Spec& want = *intended.spec;
  for (const Constant& c : want.constants)
    if (!intended.constants.count(c.name))
      for (const Constant& other : got.constants)
        if (other.name == c.name)
          if (const auto r = resolve(want, small))
            for (const ResolvedConstant& v : r->constants)
              if (v.name == c.name && c.value->kind != ExprKind::name) binding.constants[c.name] = v.real;
}

inline std::string element_difference(const ReferenceTensor& u, const ReferenceTensor& v) {
  const std::size_t count = std::max(u.value.size(), u.integer.size());
  if (std::max(v.value.size(), v.integer.size()) != count) return "another number of results";
  if (u.shape.size() == v.shape.size() && u.shape != v.shape) return "another shape of the result";
  for (std::size_t i = 0; i < count; ++i) {
    const double p = u.value.empty() ? static_cast<double>(u.integer[i]) : u.value[i];
    const double q = v.value.empty() ? static_cast<double>(v.integer[i]) : v.value[i];
    if (std::isnan(p) && std::isnan(q)) continue;
    if (!(std::fabs(p - q) <= 1e-9 * std::max(1.0, std::fabs(p)) || p == q))
      return "element " + std::to_string(i) + " is " + std::to_string(q) + ", not " + std::to_string(p);
  }
  return {};
}

// Of the results on equal inputs.
inline std::string result_difference(const Spec& want, const Binding& mine, const Spec& got, const Binding& theirs,
                                     const std::vector<std::size_t>& order, Distribution distribution) {
  std::map<std::string, HostTensor> a, b;
  for (std::size_t i = 0; i < want.inputs.size(); ++i) {
    const Param& p = want.inputs[i];
    HostTensor t;
    t.dtype = p.dtype;
    t.shape = *shape_of(want, p, mine);
    const std::int64_t count = element_count(t.shape);
    t.bytes.resize(static_cast<std::size_t>(count) * dtype_size(p.dtype));
    const auto domain = domain_of(want, p, mine);
    fill_input(distribution, 7, static_cast<int>(i), p.dtype, domain ? *domain : Domain{}, count, t.bytes.data());
    HostTensor u = t;
    const Param& q = got.inputs[order[i]];
    u.shape = *shape_of(got, q, theirs);
    if (element_count(u.shape) != count) return "other dimensions";
    a[p.name] = std::move(t);
    b[q.name] = std::move(u);
  }
  EvaluateOptions options;
  options.bounds = false;
  options.threads = 1;
  const auto x = evaluate(want, mine, a, options), y = evaluate(got, theirs, b, options);
  if (!x) return "the intended spec fails: " + x.error().text();
  if (!y) return "fails: " + y.error().text();
  for (std::size_t i = 0; i < want.outputs.size(); ++i)
    if (const std::string d = element_difference(x->at(want.outputs[i].name), y->at(got.outputs[i].name)); !d.empty())
      return d;
  return {};
}

// Empty when `got` means what is intended; else what differs.
inline std::string difference(const Intended& intended, const Spec& got) {
  const Spec& want = *intended.spec;
  if (want.inputs.size() != got.inputs.size()) return "another number of inputs";
  if (want.outputs.size() != got.outputs.size()) return "another number of outputs";
  const std::vector<std::size_t> order = input_order(want, got);
  if (const std::string d = type_difference(want, got, order); !d.empty()) return d;
  if (const std::string d = constant_difference(intended, got); !d.empty()) return d;
  if (intended.sized)
    if (const std::string d = size_difference(intended, got, order); !d.empty()) return d;
  const Binding small = small_sizes(want);
  const auto shapes = shapes_at(want, small);
  if (!shapes) return "the intended spec has no small sizes";
  Shapes theirs(shapes->size());
  for (std::size_t i = 0; i < order.size(); ++i) theirs[order[i]] = (*shapes)[i];
  auto binding = sizes_like(intended, got, theirs, small);
  if (!binding) return "other dimensions";
  bind_open_constants(intended, got, small, *binding);
  for (const Distribution d : {Distribution::normal, Distribution::positive})
    if (const std::string said = result_difference(want, small, got, *binding, order, d); !said.empty()) return said;
  return {};
}

}  // namespace ww::op
