// SPDX-License-Identifier: Apache-2.0
#include "gate/limits.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include "base/architecture.h"
#include "op/parse.h"
#include "profile/occupancy.h"

namespace ww::gate {

double bytes_of(const op::Spec& spec, const std::vector<op::Param>& params, const op::Binding& binding, double each) {
  double bytes = 0;
  for (const op::Param& p : params)
    if (const auto shape = op::shape_of(spec, p, binding))
      bytes +=
          static_cast<double>(op::element_count(*shape)) * (each > 0 ? each : static_cast<double>(dtype_size(p.dtype)));
  return bytes;
}

double product(const std::array<std::uint32_t, 3>& dims) { return double{1} * dims[0] * dims[1] * dims[2]; }

double tensor_bytes(const op::Spec& spec, const op::Binding& binding, const candidate::Plan& plan) {
  double bytes = bytes_of(spec, spec.inputs, binding, 0) + output_bytes(spec, binding);
  for (const candidate::PlannedTensor& t : plan.temps)
    bytes += static_cast<double>(t.count) * static_cast<double>(dtype_size(t.dtype));
  return bytes;
}

double output_bytes(const op::Spec& spec, const op::Binding& binding) {
  return bytes_of(spec, spec.outputs, binding, 0);
}

double set_bytes(const op::Spec& spec, const op::Binding& binding) {
  return bytes_of(spec, spec.inputs, binding, 0) + bytes_of(spec, spec.outputs, binding, 16);
}

double warps_of(const candidate::Plan& plan) {
  double warps = 0;
  for (const candidate::PlannedLaunch& l : plan.launches) warps += product(l.grid) * std::ceil(product(l.block) / 32);
  return warps;
}

std::uint64_t budget_for(double work, const candidate::Plan& plan) {
  double warps = 0;
  for (const candidate::PlannedLaunch& l : plan.launches)
    warps = std::max(warps, std::min(product(l.grid), 1000 + work) * std::ceil(product(l.block) / 32));
  return static_cast<std::uint64_t>(std::min(2e6 + 100 * work + 500 * warps, 1e14));
}

// CUDA C++ Programming Guide, section "Thread Block Clusters".
static std::string refused_cluster(const std::string& architecture, const candidate::PlannedLaunch& launch) {
  constexpr int first_with_clusters = 90;
  constexpr double most_portable = 8;  // blocks
  const double blocks = product(launch.cluster);
  if (blocks <= 1) return {};
  const std::string asks =
      launch.kernel + " is launched in clusters of " + std::to_string(std::llround(blocks)) + " blocks; ";
  if (const auto known = read_architecture(architecture); known && known->capability < first_with_clusters)
    return asks + architecture + " has no clusters, only sm_90 and later do";
  if (blocks > most_portable) return asks + "more than 8 do not run on every GPU";
  return {};
}

std::string refused_by(const std::string& architecture, const candidate::PlannedLaunch& launch,
                       const std::vector<compile::KernelResources>& resources) {
  const Result<profile::DeviceLimits> known = profile::device_limits(architecture);
  profile::DeviceLimits limits;
  limits.max_shared_per_block = 48 << 10;  // of an unknown architecture what all have
  if (known) limits = *known;
  const auto kernel = std::find_if(resources.begin(), resources.end(),
                                   [&](const compile::KernelResources& r) { return r.kernel == launch.kernel; });
  const bool compiled = kernel != resources.end();
  const auto shared = static_cast<std::int64_t>(launch.shared_bytes) + (compiled ? kernel->static_shared : 0);
  if (shared > limits.max_shared_per_block)
    return launch.kernel + " needs " + std::to_string(shared) + " bytes of shared memory per block; " + architecture +
           " allows at most " + std::to_string(limits.max_shared_per_block);
  const std::int64_t threads = std::int64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  const std::int64_t unit = limits.register_unit_per_warp;
  const std::int64_t of_warp = compiled ? (32 * kernel->registers + unit - 1) / unit * unit : 0;
  if ((threads + 31) / 32 * of_warp > limits.max_registers_per_block)
    return launch.kernel + " needs " + std::to_string(kernel->registers) + " registers for each of " +
           std::to_string(threads) + " threads; a block has at most " + std::to_string(limits.max_registers_per_block);
  return refused_cluster(architecture, launch);
}

bool may_depend_on_architecture(const std::string& text) {
  std::string whole;  // without the ends of lines that go on
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '\n')
      ++i;
    else
      whole += text[i];
  for (const char* name : {"__CUDA", "NV_", "%:"})
    if (whole.find(name) != std::string::npos) return true;
  constexpr std::array<std::string_view, 6> harmless = {"include", "pragma", "define", "undef", "error", "warning"};
  for (std::size_t at = whole.find('#'); at != std::string::npos; at = whole.find('#', at + 1))
    if (std::none_of(harmless.begin(), harmless.end(),
                     [&](std::string_view word) { return whole.compare(at + 1, word.size(), word) == 0; }))
      return true;
  return false;
}

}  // namespace ww::gate
