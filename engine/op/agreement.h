// SPDX-License-Identifier: Apache-2.0
// Whether two specs compute the same, by evaluating both at small sizes that tell their dimensions apart.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include "op/evaluate.h"
#include "op/inputs.h"
#include "op/spec.h"

namespace ww::op {

using Shapes = std::vector<std::vector<std::int64_t>>;  // of the inputs
std::optional<Shapes> shapes_at(const Spec& spec, const Binding& binding);
// Sizes, all different and small, at which every tensor has elements.
Binding small_sizes(const Spec& spec);
// Sizes of `spec` at which its inputs have these shapes, `likely` where they fit; numbers to 12 are tried where a
// dimension is no plain symbol.
std::optional<Binding> binding_for(const Spec& spec, const Shapes& shapes, const Binding& likely = {});
// The same, or, for an op of another rank that works element by element, as many elements.
std::optional<Binding> binding_of_count(const Spec& spec, const Shapes& shapes, const Binding& likely);
// Input i of the spec, drawn at `binding`, which gives it a shape.
HostTensor drawn_input(const Spec& spec, std::size_t i, const Binding& binding, Distribution distribution,
                       std::uint64_t seed = 7);
// What differs between the results on equal inputs; empty: nothing. order[i]: the input of `got` that is input i of
// `want`.
std::string result_difference(const Spec& want, const Binding& mine, const Spec& got, const Binding& theirs,
                              const std::vector<std::size_t>& order, Distribution distribution);

enum class Agreement : std::uint8_t {
  same,
  different,
  unknown,  // their inputs or outputs do not match
  untried,  // even at small sizes, evaluating them would take too long
};
// For specs of at most four inputs, in any order of them; the element types of reals do not count.
Agreement agreement(const Spec& a, const Spec& b);

}  // namespace ww::op
