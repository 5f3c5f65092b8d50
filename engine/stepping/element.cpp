// SPDX-License-Identifier: Apache-2.0
#include "stepping/element.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include "gate/compare.h"
#include "gate/reference.h"
#include "op/parse.h"
#include "op/walk.h"
#include "sim/bytes.h"

namespace ww::stepping {
namespace {

std::string access_text(const std::string& tensor, const std::vector<std::string>& subscripts) {
  return subscripts.empty() ? tensor : fmt::format("{}[{}]", tensor, fmt::join(subscripts, ", "));
}

}  // namespace

std::optional<SpecElement> spec_element(const op::Spec& spec, const Prepared& prepared, const std::string& buffer,
                                        std::int64_t element) {
  const auto tensor = std::ranges::find(prepared.buffers, buffer, &Buffer::name);
  if (tensor == prepared.buffers.end() || element < 0 || element >= op::element_count(tensor->shape))
    return std::nullopt;
  SpecElement out;
  out.tensor = buffer;
  out.index = gate::subscripts(element, tensor->shape);
  std::vector<std::string> numbers;
  for (const std::int64_t i : out.index) numbers.push_back(std::to_string(i));
  out.here = access_text(buffer, numbers);
  const op::Equation* const equation = op::find_equation(spec, buffer);
  if (equation == nullptr || equation->indices.size() != out.index.size()) return out;
  std::vector<std::string> names;
  std::map<std::string, op::ExprPtr> values;
  for (std::size_t i = 0; i < out.index.size(); ++i) {
    const std::string& name = equation->indices[i].name;
    names.push_back(name);
    out.names.emplace_back(name, out.index[i]);
    values[name] = op::integer_literal(out.index[i]);
  }
  out.equation = access_text(buffer, names) + " = " + op::print(*equation->value);
  out.here += " = " + op::print(*op::substitute(equation->value, values));
  const std::size_t begin = std::min<std::size_t>(equation->span.begin, spec.text.size());
  out.line =
      1 + static_cast<int>(std::count(spec.text.begin(), spec.text.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
  return out;
}

Result<std::vector<double>> errors_of(const SteppedLaunch& subject, const Prepared& prepared, const std::string& buffer,
                                      const std::string& content, std::stop_token stop) {
  const op::Spec spec = WW_TRY(op::parse_spec(subject.spec));
  const std::string bytes = WW_TRY(sim::bytes_of_hex(content));
  const auto reference = WW_TRY(gate::make_reference(
      spec, {prepared.binding, subject.distribution, subject.seed, prepared.planted, op::Precision::usual}, 0, stop));
  const auto expected = reference->outputs.find(buffer);
  if (expected == reference->outputs.end())
    return fail(Code::invalid_argument, buffer + " is no output of the op, so it has no reference");
  const auto count = static_cast<std::size_t>(op::element_count(expected->second.shape));
  if (bytes.size() != count * dtype_size(expected->second.dtype))
    return fail(Code::invalid_argument, buffer + " does not have the size that the op gives it");
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) {
    const gate::Judgement j =
        gate::judge_element(expected->second, std::as_bytes(std::span(bytes.data(), bytes.size())), i);
    out.push_back(j.checked || !j.right ? j.ratio : std::nan(""));
  }
  return out;
}

}  // namespace ww::stepping
