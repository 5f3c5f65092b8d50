// SPDX-License-Identifier: Apache-2.0
// Launches of the runtime, and what they report.
#include <algorithm>
#include <cstdio>
#include "cudart/runtime.h"
#include "sim/findings.h"

namespace ww::cudart {
namespace {

constexpr std::size_t most_findings = 1000;  // that are reported
constexpr std::size_t most_shared = 227 << 10, most_printed = 64 << 20;

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

simt::LaunchOptions options_for(const sim::ExecOptions& o) {
  const auto on = [&](sim::Check c) { return std::ranges::count(o.checks, c) > 0; };
  simt::LaunchOptions out;
  out.checks =
      on(sim::Check::races) || on(sim::Check::init) || on(sim::Check::sync) ? simt::Checks::full : simt::Checks::bounds;
  out.races = on(sim::Check::races) ? simt::Races::threads : simt::Races::none;
  out.uninitialised = on(sim::Check::init);
  out.synchronisation = on(sim::Check::sync);
  out.goes_on = out.unsupported_on_use = true;
  out.counters = false;
  out.threads = o.threads;
  out.instruction_budget = static_cast<std::uint64_t>(o.budget);
  out.surroundings = o.seed;
  out.printf_bytes = most_printed;
  return out;
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

cudaError_t Runtime::launch(Kernel& kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared) {
  if (!kernel.of) return done(cudaErrorInvalidDeviceFunction);
  const simt::KernelInfo* const k = info(kernel);
  if (!k) return done(cudaErrorNoKernelImageForDevice);
  constexpr std::uint64_t most_threads = 1024;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || threads == 0 || threads > most_threads || block.z > 64 ||
      grid.y > 65535 || grid.z > 65535)
    return done(cudaErrorInvalidConfiguration);
  if (shared >
          std::max(kernel.most_shared, (std::size_t{48} << 10) - std::min(k->static_shared, std::size_t{48} << 10)) ||
      shared + k->static_shared > most_shared)
    return done(cudaErrorInvalidValue);
  if (!arguments && !k->params.empty()) return done(cudaErrorInvalidValue);
  simt::LaunchConfig config{{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared, {}};
  config.params.resize(k->param_bytes);
  for (std::size_t i = 0; i < k->params.size(); ++i) {
    const simt::ParamInfo& p = k->params[i];
    const auto* from = static_cast<const std::byte*>(arguments[i]);
    std::copy(from, from + p.size, config.params.begin() + static_cast<std::ptrdiff_t>(p.offset));
  }
  const Result<simt::LaunchReport> report_of =
      simt::launch(*kernel.of->program, kernel.name, config, *memory_, options_for(options_));
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
