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
#include "base/ascii.h"
#include "op/agreement.h"
#include "op/inputs.h"
#include "op/library_tensors.h"
#include "op/sentence/phrasebook.h"
#include "op/sentence/phrasebook_rank.h"
#include "op/transform.h"

namespace ww::op {

struct Intended {
  std::optional<Spec> spec;
  bool sized = false;     // the sentence gives sizes: the defaults count
  bool steps = false;     // a recurrence of the library: over one sequence or several
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
  out.steps = op->family == "recurrence";
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
    } else if (auto other = with_constants(*out.spec, {{key, std::stod(value)}})) {
      out.spec = std::move(*other);
      out.constants[key] = std::stod(value);
    } else {
      out.problem = "no size or constant " + key + " of " + name;
      return out;
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

// The inputs of `got` in the order of `want`'s: by name (A as a) where all names are the same, else as they stand, by
// type where they would not fit as they stand.
inline std::vector<std::size_t> input_order(const Spec& want, const Spec& got) {
  const auto assigned = [&](const auto& fits) {
    std::vector<std::size_t> out;
    for (const Param& w : want.inputs)
      for (std::size_t g = 0; g < got.inputs.size(); ++g)
        if (std::find(out.begin(), out.end(), g) == out.end() && fits(w, got.inputs[g])) {
          out.push_back(g);
          break;
        }
    return out;
  };
  const auto names =
      assigned([](const Param& w, const Param& g) { return ascii_lower(w.name) == ascii_lower(g.name); });
  if (names.size() == want.inputs.size()) return names;
  const auto types = assigned([](const Param& w, const Param& g) { return w.dtype == g.dtype; });
  if (types.size() == want.inputs.size()) return types;
  std::vector<std::size_t> out;
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

// Sizes of `got` at which its inputs have these shapes, or, where the sentence leaves the rank open, the same number of
// elements at another rank.
inline std::optional<Binding> sizes_like(const Intended& intended, const Spec& got, const Shapes& shapes,
                                         const Binding& small) {
  return intended.sized ? binding_for(got, shapes, small) : binding_of_count(got, shapes, small);
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

// "cumsum of 4096 values" is of a vector: the op without a first dimension that the sentence leaves open.
inline std::string difference(const Intended& intended, const Spec& got);
inline std::optional<Intended> of_vectors(const Intended& intended, const Spec& got) {
  const Spec& want = *intended.spec;
  const auto open = [&](const Param& p) {
    return p.shape.size() == 2 && p.shape[0]->kind == ExprKind::name && p.shape[1]->kind == ExprKind::name &&
           !intended.symbols.count(p.shape[0]->name);
  };
  const auto vector = [](const Param& p) { return p.shape.size() == 1; };
  if ((intended.symbols.empty() && !intended.steps) || want.inputs.size() != got.inputs.size()) return std::nullopt;
  if (!std::all_of(want.inputs.begin(), want.inputs.end(), open)) return std::nullopt;
  if (!std::all_of(got.inputs.begin(), got.inputs.end(), vector)) return std::nullopt;
  auto spec = phrases::at_shape(want, {want.defaults.at(want.inputs[0].shape[1]->name)});
  if (!spec) return std::nullopt;
  Intended out = intended;
  out.spec = std::move(*spec);
  return out;
}

// Empty when `got` means what is intended; else what differs.
inline std::string difference(const Intended& intended, const Spec& got) {
  if (const auto vectors = of_vectors(intended, got)) return difference(*vectors, got);
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
