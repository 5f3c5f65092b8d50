// SPDX-License-Identifier: Apache-2.0
// Inputs and small cases for the tests of the oracle.
#pragma once
#include "op/inputs.h"
#include "op/evaluate.h"
#include "support/library_ops.h"

namespace testing {

inline std::map<std::string, ww::op::HostTensor> drawn(const ww::op::Spec& spec, const ww::op::Binding& binding,
                                                       ww::op::Distribution d, std::uint64_t seed) {
  std::map<std::string, ww::op::HostTensor> out;
  int ordinal = 0;
  for (const ww::op::Param& p : spec.inputs) {
    const auto shape = ww::op::shape_of(spec, p, binding);
    const auto domain = ww::op::domain_of(spec, p, binding);
    if (!shape || !domain) qFatal("%s", p.name.c_str());
    const std::int64_t count = ww::op::element_count(*shape);
    ww::op::HostTensor t{p.dtype, *shape,
                         std::vector<std::byte>(static_cast<std::size_t>(count) * ww::dtype_size(p.dtype))};
    ww::op::fill_input(d, seed, ordinal++, p.dtype, *domain, count, t.bytes.data());
    out[p.name] = std::move(t);
  }
  return out;
}

// The defaults with the largest symbols halved until the spec's work is within the limit.
inline ww::op::Binding small_binding(const ww::op::Spec& spec, double limit) {
  ww::op::Binding binding;
  binding.symbols = spec.defaults;
  for (;;) {
    const auto work = ww::op::work_of(spec, binding);
    if (!work) qFatal("%s: %s", spec.name.c_str(), work.error().text().c_str());
    if (work->flops + 8 * work->special + (work->bytes_read + work->bytes_written) / 4 <= limit) return binding;
    std::string largest;
    for (const auto& [name, value] : binding.symbols)
      if (value > 1 && (largest.empty() || value > binding.symbols[largest])) largest = name;
    if (largest.empty()) return binding;
    binding.symbols[largest] /= 2;
  }
}

}  // namespace testing
