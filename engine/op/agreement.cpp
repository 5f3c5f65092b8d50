// SPDX-License-Identifier: Apache-2.0
#include "op/agreement.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include "op/parse.h"
#include "op/transform.h"
#include "op/work.h"

namespace ww::op {
namespace {

std::string element_difference(const ReferenceTensor& u, const ReferenceTensor& v) {
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

}  // namespace

std::optional<Shapes> shapes_at(const Spec& spec, const Binding& binding) {
  Shapes out;
  for (const Param& p : spec.inputs) {
    const auto shape = shape_of(spec, p, binding);
    if (!shape) return std::nullopt;
    out.push_back(*shape);
  }
  return out;
}

Binding small_sizes(const Spec& want) {
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

std::optional<Binding> binding_for(const Spec& spec, const Shapes& shapes, const Binding& likely) {
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
  if (open.size() > 3) return std::nullopt;
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

std::optional<Binding> binding_of_count(const Spec& spec, const Shapes& shapes, const Binding& likely) {
  if (auto binding = binding_for(spec, shapes, likely)) return binding;
  if (shapes.size() != spec.inputs.size()) return std::nullopt;
  Shapes flat = shapes;
  for (std::size_t i = 0; i < flat.size(); ++i) {
    const std::size_t rank = spec.inputs[i].shape.size();
    const std::int64_t count = element_count(flat[i]);
    flat[i].assign(rank, 1);
    if (rank > 0) flat[i][rank - 1] = count;
    if (rank == 2 && count % 3 == 0) flat[i] = {3, count / 3};
  }
  return binding_for(spec, flat);
}

HostTensor drawn_input(const Spec& spec, std::size_t i, const Binding& binding, Distribution distribution,
                       std::uint64_t seed) {
  const Param& p = spec.inputs[i];
  HostTensor t;
  t.dtype = p.dtype;
  t.shape = *shape_of(spec, p, binding);
  const std::int64_t count = element_count(t.shape);
  t.bytes.resize(static_cast<std::size_t>(count) * dtype_size(p.dtype));
  const auto domain = domain_of(spec, p, binding);
  fill_input(distribution, seed, static_cast<int>(i), p.dtype, domain ? *domain : Domain{}, count, t.bytes.data());
  return t;
}

std::string result_difference(const Spec& want, const Binding& mine, const Spec& got, const Binding& theirs,
                              const std::vector<std::size_t>& order, Distribution distribution) {
  std::map<std::string, HostTensor> a, b;
  for (std::size_t i = 0; i < want.inputs.size(); ++i) {
    HostTensor t = drawn_input(want, i, mine, distribution);
    HostTensor u = t;
    const Param& q = got.inputs[order[i]];
    u.shape = *shape_of(got, q, theirs);
    if (element_count(u.shape) != element_count(t.shape)) return "other dimensions";
    a[want.inputs[i].name] = std::move(t);
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

namespace {

constexpr double most_steps = 5e5;  // of the evaluator, for one spec: some milliseconds

// At the small sizes of `a`.
Agreement agreement_from(const Spec& a, const Spec& b) {
  const std::size_t count = a.inputs.size();
  if (count != b.inputs.size() || a.outputs.size() != b.outputs.size() || count > 4) return Agreement::unknown;
  const Binding mine = small_sizes(a);
  const auto shapes = shapes_at(a, mine);
  if (!shapes) return Agreement::unknown;
  const auto too_large = [](const Spec& spec, const Binding& binding) {
    const Result<double> steps = steps_of(spec, binding);
    return steps && *steps > most_steps;
  };
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Agreement out = Agreement::unknown;
  do {
    Shapes theirs(count);
    bool types = true;
    for (std::size_t i = 0; i < count; ++i) {
      theirs[order[i]] = (*shapes)[i];
      types = types && is_real(a.inputs[i].dtype) == is_real(b.inputs[order[i]].dtype);
    }
    const auto binding = types ? binding_of_count(b, theirs, mine) : std::nullopt;
    if (!binding) continue;
    if (too_large(a, mine) || too_large(b, *binding)) return Agreement::untried;
    bool same = true;
    for (const Distribution d : {Distribution::normal, Distribution::positive})
      same = same && result_difference(a, mine, b, *binding, order, d).empty();
    if (same) return Agreement::same;
    out = Agreement::different;
  } while (std::next_permutation(order.begin(), order.end()));
  return out;
}

}  // namespace

Agreement agreement(const Spec& a, const Spec& b) {
  const auto x = with_dtype(a, DType::f32), y = with_dtype(b, DType::f32);  // what they compute, whatever the precision
  if (!x || !y) return Agreement::unknown;
  const Agreement out = agreement_from(*x, *y);
  return out == Agreement::unknown ? agreement_from(*y, *x) : out;
}

}  // namespace ww::op
