// SPDX-License-Identifier: Apache-2.0
// Host tensors from numbers, and specs evaluated on them.
#pragma once
#include <map>
#include <string>
#include <vector>
#include "op/evaluate.h"
#include "op/parse.h"

namespace ww::op {

inline HostTensor host_tensor(DType type, const std::vector<std::int64_t>& shape, const std::vector<double>& values) {
  HostTensor t;
  t.dtype = type;
  t.shape = shape;
  t.bytes.resize(values.size() * dtype_size(type));
  for (std::size_t i = 0; i < values.size(); ++i) store_f64(type, t.bytes.data() + i * dtype_size(type), values[i]);
  return t;
}

// One output of `spec` (its first where none is named) for the given values (row-major, one list per input in order),
// as f64.
inline Result<std::vector<double>> evaluate_on(const Spec& spec, const Binding& binding,
                                               const std::vector<std::vector<double>>& values,
                                               const std::string& output = {}) {
  std::map<std::string, HostTensor> inputs;
  for (std::size_t i = 0; i < spec.inputs.size(); ++i) {
    const auto shape = shape_of(spec, spec.inputs[i], binding);
    if (!shape) return fail(shape.error());
    if (i >= values.size() || element_count(*shape) != static_cast<std::int64_t>(values[i].size()))
      return fail(Code::invalid_argument, "the test gives a wrong number of values for " + spec.inputs[i].name);
    inputs[spec.inputs[i].name] = host_tensor(spec.inputs[i].dtype, *shape, values[i]);
  }
  EvaluateOptions options;
  options.bounds = false;
  options.threads = 1;
  auto out = evaluate(spec, binding, inputs, options);
  if (!out) return fail(out.error());
  const ReferenceTensor& y = out->at(output.empty() ? spec.outputs[0].name : output);
  if (is_real(y.dtype)) return y.value;
  std::vector<double> whole;
  for (std::size_t i = 0; i < y.integer.size(); ++i) whole.push_back(y.value_at(i));
  return whole;
}

// Small numbers of both signs without a pattern, all exact in f16.
inline std::vector<double> some_values(std::int64_t count, std::uint32_t seed) {
  std::vector<double> out;
  std::uint32_t state = seed * 2654435761u + 12345u;
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    out.push_back((static_cast<double>(state >> 24) - 128) / 64);
  }
  return out;
}

}  // namespace ww::op
