// SPDX-License-Identifier: Apache-2.0
// Launches of the runtime, and what they report.
#include <algorithm>
#include <cstdio>
#include "cudart/machine.h"
#include "cudart/runtime.h"
#include "sim/findings.h"

namespace ww::cudart {
namespace {

constexpr std::size_t most_findings = 1000;  // that are reported
constexpr std::size_t most_printed = 64 << 20;

cudaError_t error_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::out_of_bounds:
    case FaultKind::null_pointer:
    case FaultKind::read_only_write: return cudaErrorIllegalAddress;
    case FaultKind::misaligned: return cudaErrorMisalignedAddress;
    case FaultKind::assertion: return cudaErrorAssert;
    case FaultKind::trap: return cudaErrorLaunchFailure;
    case FaultKind::stack_overflow: return cudaErrorHardwareStackError;
    case FaultKind::invalid_instruction: return cudaErrorIllegalInstruction;
    case FaultKind::budget_exceeded: return cudaErrorLaunchTimeout;
    default: return cudaErrorLaunchFailure;
  }
}

}  // namespace

void Runtime::found(const simt::LaunchReport& report_of) {
  const auto one = [&](const simt::MachineFault& f, bool ended) {
    sim::Finding finding = sim::finding_of(f, ended);
    finding.kernel = sim::plain_name(f.kernel);
    const int other = finding.other ? finding.other->ptx_line : 0;
    if (told_.size() < most_findings && told_.insert({f.kernel, f.kind, finding.site.ptx_line, other}).second)
      report({.finding = std::move(finding)});
    else
      ++untold_;
  };
  for (const simt::MachineFault& f : report_of.findings) one(f, false);
  if (report_of.fault && decides(report_of.fault->kind)) one(*report_of.fault, true);
  untold_ += report_of.further_findings;
}

void Runtime::count(const Kernel& kernel, const simt::LaunchReport& report_of) {
  auto at = std::ranges::find(counts_, kernel.plain, &sim::ExecKernel::name);
  if (at == counts_.end()) at = counts_.insert(counts_.end(), sim::ExecKernel{.name = kernel.plain});
  ++at->launches;
  at->warp_instructions += report_of.warp_instructions;
  at->seconds += report_of.seconds;
}

cudaError_t Runtime::launch(Kernel& kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                            bool cooperative) {
  if (!kernel.of) return done(cudaErrorInvalidDeviceFunction);
  const simt::KernelInfo* const k = info(kernel);
  if (!k) return done(cudaErrorNoKernelImageForDevice);
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || threads == 0 || threads > machine::threads_of_block ||
      block.z > machine::block_z || grid.y > machine::grid_yz || grid.z > machine::grid_yz)
    return done(cudaErrorInvalidConfiguration);
  constexpr std::size_t unasked = machine::shared_of_block;
  if (shared > std::max(kernel.most_shared, unasked - std::min(k->static_shared, unasked)) ||
      shared + k->static_shared > machine::shared_optin)
    return done(cudaErrorInvalidValue);
  if (!arguments && !k->params.empty()) return done(cudaErrorInvalidValue);
  if (cooperative && std::uint64_t{grid.x} * grid.y * grid.z > simt::most_cooperative)
    return done(cudaErrorCooperativeLaunchTooLarge);
  simt::LaunchConfig config{{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared, {}};
  config.params.resize(k->param_bytes);
  for (std::size_t i = 0; i < k->params.size(); ++i) {
    const simt::ParamInfo& p = k->params[i];
    const auto* from = static_cast<const std::byte*>(arguments[i]);
    std::copy(from, from + p.size, config.params.begin() + static_cast<std::ptrdiff_t>(p.offset));
  }
  simt::LaunchOptions options = sim::options_for(options_.checks);
  options.cooperative = cooperative;
  options.counters = false;
  options.threads = options_.threads;
  options.instruction_budget = static_cast<std::uint64_t>(options_.budget);
  options.surroundings = options_.seed;
  options.printf_bytes = most_printed;
  const Result<simt::LaunchReport> report_of =
      simt::launch(*kernel.of->program, kernel.name, config, *memory_, options);
  if (!report_of) {
    if (report_of.error().code != Code::unsupported) return done(cudaErrorInvalidConfiguration);
    refuse("kernel " + kernel.plain + ": " + report_of.error().text());
    return done(cudaErrorNotSupported);
  }
  std::fwrite(report_of->printed.data(), 1, report_of->printed.size(), stdout);
  if (report_of->printed_truncated) refuse("kernel " + kernel.plain + ": printf beyond 64 MiB in one launch");
  count(kernel, *report_of);
  found(*report_of);
  if (!report_of->fault) return cudaSuccess;
  if (!decides(report_of->fault->kind)) refuse("kernel " + kernel.plain + ": " + report_of->fault->message);
  broken_ = error_of(report_of->fault->kind);  // seen by the next call, as where launches are asynchronous
  return cudaSuccess;
}

}  // namespace ww::cudart
