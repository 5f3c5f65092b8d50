// SPDX-License-Identifier: Apache-2.0
// Derived gradients with numbers, for gradients.py to compare with torch.autograd: for each op of the library that has
// a PyTorch expression, in f64 at small sizes, one JSON object a line with random inputs, random gradients of the
// results, and the gradients of the inputs as the derived spec gives them. An op without a gradient: why not.
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include "op/agreement.h"
#include "op/evaluate.h"
#include "op/gradient.h"
#include "op/inputs.h"
#include "op/parse.h"
#include "op/sentence/phrasebook.h"
#include "op/transform.h"
#include "op/work.h"

using namespace ww;
using namespace ww::op;
using Json = nlohmann::ordered_json;

namespace {

constexpr double most_steps = 3e7;  // of one evaluation

std::vector<double> numbers(const HostTensor& t) {
  std::vector<double> out;
  for (std::size_t at = 0; at < t.bytes.size(); at += dtype_size(t.dtype))
    out.push_back(load_f64(t.dtype, t.bytes.data() + at));
  return out;
}

Json tensor_json(const std::string& name, const HostTensor& t) {
  return {{"name", name}, {"dtype", std::string(dtype_name(t.dtype))}, {"shape", t.shape}, {"values", numbers(t)}};
}

HostTensor drawn(const Spec& spec, const Param& p, const Binding& binding, std::uint64_t seed, int index) {
  HostTensor t;
  t.dtype = p.dtype;
  t.shape = *shape_of(spec, p, binding);
  const std::int64_t count = element_count(t.shape);
  t.bytes.resize(static_cast<std::size_t>(count) * dtype_size(p.dtype));
  const auto domain = domain_of(spec, p, binding);
  fill_input(Distribution::normal, seed, index, p.dtype, domain ? *domain : Domain{}, count, t.bytes.data(),
             t.shape.empty() ? 1 : t.shape.back());
  return t;
}

Binding of_backward(const Spec& backward, const Binding& b) {
  Binding out;
  for (const std::string& s : backward.symbols) out.symbols[s] = b.symbols.at(s);
  return out;
}

// Different small sizes for each symbol, one larger where `grown`, or all the same; none: evaluating takes too long.
std::optional<Binding> sizes_of(const Spec& spec, const Spec& backward, int grown) {
  const auto possible = [&](const Binding& b) {
    const auto forth = steps_of(spec, b), behind = steps_of(backward, of_backward(backward, b));
    return shapes_at(spec, b) && has_elements(spec, b) && forth && *forth <= most_steps && behind &&
           *behind <= 10 * most_steps;
  };
  Binding b = small_sizes(spec);
  for (auto& [name, size] : b.symbols) size += grown;
  if (possible(b)) return b;
  for (auto& [name, size] : b.symbols) size = 2 + grown;
  return possible(b) ? std::optional(b) : std::nullopt;
}

Json tried(const Spec& spec, const Backward& derived, const Binding& binding, std::uint64_t seed) {
  Json out = {{"sizes", binding.symbols}, {"constants", Json::object()}};
  const auto resolved = resolve(spec, binding);
  for (const ResolvedConstant& c : resolved->constants)
    out["constants"][c.name] = c.type == Type::real ? Json(c.real) : Json(c.integer);
  std::map<std::string, HostTensor> known;
  int index = 0;
  for (const Param& p : spec.inputs) {
    known[p.name] = drawn(spec, p, binding, seed, index++);
    out["inputs"].push_back(tensor_json(p.name, known[p.name]));
  }
  for (const Param& p : spec.outputs) {
    const auto incoming = derived.incoming.find(p.name);
    const HostTensor gradient = drawn(spec, p, binding, seed, index++);
    out["results"].push_back(incoming == derived.incoming.end() ? Json() : tensor_json(p.name, gradient));
    if (incoming != derived.incoming.end()) known[incoming->second] = gradient;
  }
  std::map<std::string, HostTensor> inputs;
  for (const Param& p : derived.spec.inputs) inputs[p.name] = known.at(p.name);
  EvaluateOptions options;
  options.bounds = false;
  const auto found = evaluate(derived.spec, of_backward(derived.spec, binding), inputs, options);
  if (!found) return {{"why", found.error().text()}};
  for (const auto& [input, gradient] : derived.outgoing) out["gradients"][input] = found->at(gradient).value;
  return out;
}

}  // namespace

int main(int, char** argv) {
  const auto library = Library::load(argv[1] ? argv[1] : WW_SOURCE_DIR "/resources/ops");
  if (!library) {
    std::fprintf(stderr, "%s\n", library.error().text().c_str());
    return 1;
  }
  for (const LibraryOp& one : library->ops()) {
    const auto expression = one.spec.directives.find("torch");
    if (expression == one.spec.directives.end()) continue;
    Json line = {{"op", one.spec.name}, {"torch", expression->second}};
    const auto spec = with_dtype(one.spec, DType::f64);
    if (!spec) {
      line["why"] = spec.error().text();
    } else if (const Gradient gradient = gradient_of(*spec); const auto* no = std::get_if<NoGradient>(&gradient)) {
      line["refused"] = explain(*no, *spec);
    } else {
      const Backward& derived = std::get<Backward>(gradient);
      for (int grown = 0; grown < 2; ++grown)
        if (const auto sizes = sizes_of(*spec, derived.spec, grown))
          line["tries"].push_back(tried(*spec, derived, *sizes, 100 + grown));
      if (!line.contains("tries")) line["why"] = "no small sizes";
    }
    std::puts(line.dump().c_str());
  }
  return 0;
}
