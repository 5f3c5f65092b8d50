// SPDX-License-Identifier: Apache-2.0
#include "explore/far_sizes.h"
#include <cstddef>
#include <string>
#include "op/agreement.h"
#include "op/work.h"

namespace ww::explore {
namespace {

constexpr double most_steps = 2e7;  // of the evaluator
constexpr std::int64_t most_size = std::int64_t{1} << 24;
constexpr std::size_t most_far = 6, most_bindings = 4;  // symbols to combine; sizes to try

}  // namespace

std::vector<op::Binding> sizes_beyond(const op::Spec& spec, std::int64_t number) {
  std::vector<op::Binding> out;
  const std::vector<std::string>& symbols = spec.symbols;
  if (number < 0 || number > most_size || symbols.empty()) return out;
  const op::Binding small = op::small_sizes(spec);
  const auto add = [&](const std::vector<std::size_t>& far) {
    op::Binding sizes = small;
    for (const std::size_t k : far) sizes.symbols[symbols[k]] = number + 5 + static_cast<std::int64_t>(k);
    const Result<double> steps = op::steps_of(spec, sizes);
    if (out.size() < most_bindings && steps && *steps <= most_steps && op::has_elements(spec, sizes))
      out.push_back(std::move(sizes));
    return !out.empty();
  };
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < symbols.size(); ++k) all.push_back(k);
  if (add(all)) return out;
  for (std::size_t a = 0; a < symbols.size() && symbols.size() <= most_far; ++a)
    for (std::size_t b = a + 1; b < symbols.size(); ++b) add({a, b});
  for (std::size_t a = 0; a < symbols.size(); ++a) add({a});
  return out;
}

}  // namespace ww::explore
