// SPDX-License-Identifier: Apache-2.0
#include "op/fixed_inputs.h"
#include <algorithm>
#include "base/base64.h"

namespace ww::op {
namespace {

std::string name_in(const std::string& value) { return value.substr(0, value.find(' ')); }

}  // namespace

Result<std::map<std::string, HostTensor>> fixed_inputs(const Spec& spec) {
  std::map<std::string, HostTensor> out;
  const auto [first, last] = spec.directives.equal_range(std::string(value_key));
  for (auto at = first; at != last; ++at) {
    const std::string name = name_in(at->second);
    const auto refused = [&](const std::string& why) {
      return fail(Code::invalid_argument, "the line //@ value of '" + name + "' " + why);
    };
    const auto param = std::ranges::find(spec.inputs, name, &Param::name);
    if (param == spec.inputs.end()) return refused("names no input of the op");
    HostTensor tensor{param->dtype, {}, {}};
    for (const ExprPtr& size : param->shape) {
      if (size->kind != ExprKind::integer || size->integer < 0) return refused("is of an input whose shape varies");
      tensor.shape.push_back(size->integer);
    }
    std::optional<std::vector<std::byte>> bytes =
        from_base64(std::string_view(at->second).substr(std::min(at->second.size(), name.size() + 1)));
    if (!bytes) return refused("is not in base64");
    if (bytes->size() != static_cast<std::size_t>(element_count(tensor.shape)) * dtype_size(tensor.dtype))
      return refused("does not have the bytes of the input");
    tensor.bytes = std::move(*bytes);
    if (!out.emplace(name, std::move(tensor)).second) return refused("is there twice");
  }
  return out;
}

bool has_fixed_value(const Spec& spec, const std::string& input) {
  const auto [first, last] = spec.directives.equal_range(std::string(value_key));
  return std::any_of(first, last, [&](const auto& d) { return name_in(d.second) == input; });
}

void keep_fixed_values(const Spec& spec, Spec& derived) {
  const auto [first, last] = spec.directives.equal_range(std::string(value_key));
  for (auto at = first; at != last; ++at)
    if (std::ranges::find(derived.inputs, name_in(at->second), &Param::name) != derived.inputs.end())
      derived.directives.insert(*at);
}

}  // namespace ww::op
