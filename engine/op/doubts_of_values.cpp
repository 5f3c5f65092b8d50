// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include "op/agreement.h"
#include "op/doubts.h"
#include "op/work.h"

namespace ww::op {
namespace {

constexpr double most_steps_each = 5e5;  // of the evaluator, for one set of inputs: some milliseconds

constexpr std::uint64_t most_draws = 8;  // of each distribution, until each output varies

// The first ones are of about 1, where a bound that is wider than the output leaves nothing to compare.
constexpr std::array usual_sets{Distribution::normal, Distribution::uniform, Distribution::positive};
constexpr std::array other_sets{Distribution::large,   Distribution::ramp,     Distribution::constant,
                                Distribution::zeros,   Distribution::tiny,     Distribution::huge,
                                Distribution::special, Distribution::few,      Distribution::shared,
                                Distribution::crowded, Distribution::nonfinite};

// What is seen of an output on all sets of inputs.
struct SeenOutput {
  std::vector<std::optional<double>> first;  // finite value of each element
  bool varies = false;
  double lowest = INFINITY, highest = -INFINITY;  // on the usual sets
  std::vector<double> bounds;                     // on them

  void look(const ReferenceTensor& t) {
    const std::size_t count = std::max(t.value.size(), t.integer.size());
    first.resize(std::max(first.size(), count));
    for (std::size_t i = 0; i < count; ++i) {
      const double v = t.value_at(i);
      if (!std::isfinite(v)) continue;
      varies = varies || first[i].value_or(v) != v;
      if (!first[i]) first[i] = v;
    }
  }
  void measure(const ReferenceTensor& t) {
    for (std::size_t i = 0; i < t.value.size() && i < t.bound.size(); ++i) {
      if (!std::isfinite(t.value[i])) continue;
      lowest = std::min(lowest, t.value[i]);
      highest = std::max(highest, t.value[i]);
      bounds.push_back(t.bound[i]);
    }
  }
  bool constant() const {
    return !varies && std::ranges::any_of(first, [](const auto& v) { return v.has_value(); });
  }
  bool unchecked() const {  // by most of its bounds
    const double range = highest - lowest;
    const auto wide = std::ranges::count_if(bounds, [&](double b) { return b >= range; });
    return range > 0 && 2 * static_cast<std::size_t>(wide) > bounds.size();
  }
};

}  // namespace

std::vector<std::string> doubts_of_values(const Spec& spec) {
  const Binding sizes = small_sizes(spec);
  const Result<double> steps = steps_of(spec, sizes);
  if (spec.inputs.empty() || !steps || *steps > most_steps_each || !shapes_at(spec, sizes)) return {};
  std::map<std::string, SeenOutput> seen;
  int sets = 0;
  const auto look = [&](Distribution d, std::uint64_t seed, bool measured) {
    std::map<std::string, HostTensor> inputs;
    for (std::size_t i = 0; i < spec.inputs.size(); ++i)
      inputs[spec.inputs[i].name] = drawn_input(spec, i, sizes, d, seed);
    EvaluateOptions options;
    options.bounds = measured;
    options.threads = 1;
    const auto outputs = evaluate(spec, sizes, inputs, options);
    if (!outputs) return;
    ++sets;
    for (const auto& [name, tensor] : *outputs) {
      seen[name].look(tensor);
      if (measured) seen[name].measure(tensor);
    }
  };
  const auto any_constant = [&] {
    return std::ranges::any_of(seen, [](const auto& named) { return named.second.constant(); });
  };
  for (std::uint64_t seed = 1; seed <= most_draws && (seed == 1 || any_constant()); ++seed) {
    for (const Distribution d : usual_sets) look(d, seed, seed == 1);
    for (const Distribution d : other_sets) look(d, seed, false);
  }
  std::vector<std::string> out;
  if (sets < 2) return out;
  for (const Param& o : spec.outputs) {
    const SeenOutput& one = seen[o.name];
    if (one.constant())
      out.push_back("The output '" + o.name + "' is the same for all " + std::to_string(sets) +
                    " sets of inputs that were tried.");
    else if (one.unchecked())
      out.push_back("Rounding alone may move most elements of the output '" + o.name +
                    "' by more than its values differ: hardly any error of a kernel could be seen in it.");
  }
  return out;
}

}  // namespace ww::op
