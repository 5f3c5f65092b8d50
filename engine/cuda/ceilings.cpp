// SPDX-License-Identifier: Apache-2.0
// The ceilings of a device: measured once, and kept in the compiler's cache.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <ctime>
#include "base/described_json.h"
#include "cuda/ceilings_cublas.h"
#include "cuda/timing_kernels.h"
#include "profile/statistics.h"

namespace ww::cuda {
namespace {

constexpr int warm_up = 2, samples = 11;

// Bytes read and written per second of the better of the driver's own copy and of a plain copy kernel.
Result<double> copy_bandwidth(Context& context, const std::stop_token& stop) {
  const Driver& d = *context.driver;
  std::size_t free = 0, total = 0;
  WW_TRY(checked(context, d.cuMemGetInfo_(&free, &total), "tell how much memory is free"));
  const std::size_t wanted =
      std::min<std::size_t>(std::size_t{2} << 30, std::min(total / 4, free / 3)) / kernel_chunk * kernel_chunk;
  if (wanted < static_cast<std::size_t>(context.l2_bytes) * 4)
    return fail(Code::unsupported, "too little of the device's memory is free to measure its bandwidth");
  auto from = PooledBuffer::take(context, wanted, "a copy's source"),
       to = PooledBuffer::take(context, wanted, "a copy's destination");
  for (const auto* b : {&from, &to})
    if (!*b) return fail(b->error());
  const auto own = TimingKernels::of(context);
  if (!context.usable) return fail(Code::unavailable, "the GPU was lost");
  CUevent events[2] = {};
  for (CUevent& e : events) WW_TRY(checked(context, d.cuEventCreate_(&e, CU_EVENT_DEFAULT), "make an event"));
  const auto measure = [&](auto&& enqueue) -> Result<double> {
    std::vector<double> rates;
    for (int i = 0; i < samples; ++i) {
      WW_TRY(checked(context, d.cuEventRecord_(events[0], context.stream), "record an event"));
      WW_TRY(checked(context, enqueue(), "copy memory"));
      WW_TRY(checked(context, d.cuEventRecord_(events[1], context.stream), "record an event"));
      const Waited w = wait(context, 60, stop);
      if (w.cancelled) return fail(Code::cancelled, "measuring the device's ceilings was cancelled");
      if (w.code != CUDA_SUCCESS) return fail(Code::device, "a copy failed", d.text(w.code));
      float ms = 0;
      WW_TRY(checked(context, d.cuEventElapsedTime_(&ms, events[0], events[1]), "read an event"));
      if (i >= warm_up) rates.push_back(2 * static_cast<double>(wanted) / (static_cast<double>(ms) / 1000));
    }
    return profile::quantile(rates, 0.5);
  };
  // Different bytes everywhere would cost a generator; two values are enough to keep the memory from seeing one
  // pattern.
  Status filled =
      checked(context, d.cuMemsetD32Async_(from->address(), 0x3f9d70a4, wanted / 4, context.stream), "fill a buffer");
  auto best =
      filled ? measure([&] { return d.cuMemcpyDtoDAsync_(to->address(), from->address(), wanted, context.stream); })
             : Result<double>(fail(filled.error()));
  if (best && own) {
    const auto kernel = measure([&] { return (*own)->copy(from->address(), to->address(), wanted); });
    best = kernel ? Result<double>(std::max(*best, *kernel)) : kernel;
  }
  if (context.usable)
    for (const CUevent e : events) d.cuEventDestroy_(e);
  return best;
}

std::string kept_as(const profile::DeviceDetails& details) {
  std::string name = "ceilings-" + details.uuid + "-" + details.driver;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.') c = '_';
  return name;
}

}  // namespace

Result<profile::Ceilings> measure_ceilings(Context& context, compile::Compiler& compiler, const std::stop_token& stop) {
  const auto details = WW_TRY(read_details(context));
  const std::string name = kept_as(details);
  if (const auto text = compiler.kept() ? compiler.kept()->load(name) : std::nullopt) {
    const auto kept = json::read_text<profile::Ceilings>(*text, "these are not a device's ceilings");
    if (kept && std::isfinite(kept->copy_bandwidth) && kept->device == details.gpu && kept->driver == details.driver)
      return *kept;
  }
  profile::Ceilings out;
  out.device = details.gpu, out.driver = details.driver;
  out.measured = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  const auto copy = copy_bandwidth(context, stop);
  if (copy)
    out.copy_bandwidth = *copy;
  else if (!context.usable || copy.error().code == Code::cancelled)
    return fail(copy.error());
  else
    out.why_not = "no copy bandwidth: " + copy.error().text();
  const auto rates = WW_TRY(matrix_rates(context, compiler.toolkit().nvrtc.parent_path(), stop));
  out.matrix_rate = rates.rates;
  if (!rates.why_not.empty()) out.why_not += (out.why_not.empty() ? "" : "; ") + rates.why_not;
  // Without cuBLAS it is not kept: it may be there another time.
  if (std::isfinite(out.copy_bandwidth) && !out.matrix_rate.empty() && compiler.kept())
    compiler.kept()->store(name, json::text_of(out));
  return out;
}

}  // namespace ww::cuda
