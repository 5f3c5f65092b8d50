// SPDX-License-Identifier: Apache-2.0
#include "exporter/backward.h"
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <vector>
#include "op/parse.h"

namespace ww::exporter {
namespace {

using Reason = NotBackward::Reason;

const op::Param* named(const std::vector<op::Param>& list, const std::string& name) {
  const auto at = std::ranges::find(list, name, &op::Param::name);
  return at == list.end() ? nullptr : &*at;
}

std::string equations_of(op::Spec spec) {
  spec.name = "op";
  spec.directives.clear();
  spec.defaults.clear();
  return op::print(spec);
}

// Inputs of the op whose gradients are outputs of `backward`. Gradients that cannot be derived all at once have their
// usual names.
std::vector<std::string> differentiated(const op::Spec& spec, const op::Backward* whole, const op::Spec& backward) {
  std::vector<std::string> inputs;
  for (const op::Param& p : spec.inputs) {
    std::string name = "d" + p.name;
    if (whole) {
      const auto known = whole->outgoing.find(p.name);
      if (known == whole->outgoing.end()) continue;
      name = known->second;
    }
    if (named(backward.outputs, name)) inputs.push_back(p.name);
  }
  return inputs;
}

std::optional<NotBackward> other_tensors(const std::vector<op::Param>& have, const std::vector<op::Param>& wanted,
                                         Reason missing, Reason extra) {
  for (const op::Param& p : wanted) {
    const op::Param* mine = named(have, p.name);
    if (!mine) return NotBackward{missing, p.name, {}, op::print(p)};
    if (op::print(*mine) != op::print(p))
      return NotBackward{Reason::other_tensor, p.name, op::print(*mine), op::print(p)};
  }
  for (const op::Param& p : have)
    if (!named(wanted, p.name)) return NotBackward{extra, p.name, {}, {}};
  return std::nullopt;
}

std::optional<NotBackward> other_values(const Asked& forward, const Asked& backward) {
  const Result<op::Resolved> theirs = op::resolve(forward.spec, forward.binding);
  const Result<op::Resolved> mine = op::resolve(backward.spec, backward.binding);
  if (!theirs || !mine) return NotBackward{Reason::equations, {}, {}, {}};
  for (const op::ResolvedConstant& c : mine->constants) {
    const auto at = std::ranges::find(theirs->constants, c.name, &op::ResolvedConstant::name);
    const auto text = [&](const op::ResolvedConstant& value) {
      return c.type == op::Type::integer ? std::to_string(value.integer) : fmt::format("{}", value.real);
    };
    if (at != theirs->constants.end() && text(*at) != text(c))
      return NotBackward{Reason::other_value, c.name, text(c), text(*at)};
  }
  return std::nullopt;
}

}  // namespace

bool same_equations(const op::Spec& a, const op::Spec& b) { return equations_of(a) == equations_of(b); }

std::variant<op::Backward, NotBackward> fit_backward(const Asked& forward, const Asked& backward) {
  op::Gradient derived = op::gradient_of(forward.spec);
  const op::Backward* whole = std::get_if<op::Backward>(&derived);
  const std::vector<std::string> inputs = differentiated(forward.spec, whole, backward.spec);
  if (inputs.empty() && whole) {
    std::vector<std::string> names;
    for (const op::Param& p : whole->spec.outputs) names.push_back(p.name);
    return NotBackward{Reason::no_output, {}, {}, fmt::format("{}", fmt::join(names, ", "))};
  }
  if (!inputs.empty() && (!whole || inputs.size() < whole->outgoing.size()))
    derived = op::gradient_of(forward.spec, inputs);
  if (const auto* no = std::get_if<op::NoGradient>(&derived))
    return NotBackward{Reason::no_gradient, {}, op::explain(*no, forward.spec), {}};
  op::Backward fit = std::get<op::Backward>(std::move(derived));
  if (const auto other =
          other_tensors(backward.spec.outputs, fit.spec.outputs, Reason::equations, Reason::extra_output))
    return *other;
  if (const auto other =
          other_tensors(backward.spec.inputs, fit.spec.inputs, Reason::missing_input, Reason::extra_input))
    return *other;
  if (!same_equations(backward.spec, fit.spec)) return NotBackward{Reason::equations, {}, {}, {}};
  if (const auto other = other_values(forward, backward)) return *other;
  return fit;
}

std::string explain(const NotBackward& why) {
  switch (why.reason) {
    case Reason::no_gradient: return why.detail;
    case Reason::no_output: return "its spec has none of the outputs " + why.wanted;
    case Reason::extra_output: return "its output " + why.name + " is not a gradient of that op";
    case Reason::missing_input: return "its spec has no input " + why.wanted;
    case Reason::extra_input: return "the gradients do not need its input " + why.name;
    case Reason::other_tensor: return fmt::format("its spec has {} instead of {}", why.detail, why.wanted);
    case Reason::other_value: return fmt::format("its {} is {} instead of {}", why.name, why.detail, why.wanted);
    case Reason::equations: return "its equations are not the derived ones";
  }
  return {};
}

}  // namespace ww::exporter
