// SPDX-License-Identifier: Apache-2.0
// The ceilings of a device: measured once, and kept in the compiler's cache.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <tuple>
#include "base/described_json.h"
#include "cuda/ceilings_cublas.h"
#include "cuda/timing_kernels.h"
#include "profile/statistics.h"

namespace ww::cuda {
namespace {

constexpr int warm_up = 2, samples = 11;

// Times what is enqueued on the context's stream.
class Rate {
 public:
  Rate(Context& context, const std::stop_token& stop) : context_(context), stop_(stop) {}
  ~Rate() {
    if (context_.usable)
      for (const CUevent e : events_)
        if (e) context_.driver->cuEventDestroy_(e);
  }
  Rate(const Rate&) = delete;
  Rate& operator=(const Rate&) = delete;
  Status prepare() {
    for (CUevent& e : events_)
      WW_TRY(checked(context_, context_.driver->cuEventCreate_(&e, CU_EVENT_DEFAULT), "make an event"));
    return {};
  }
  // Bytes per second, the median of several times.
  template <class F>
  Result<double> of(double bytes, const char* what, F&& enqueue) {
    const Driver& d = *context_.driver;
    std::vector<double> rates;
    for (int i = 0; i < samples; ++i) {
      WW_TRY(checked(context_, d.cuEventRecord_(events_[0], context_.stream), "record an event"));
      WW_TRY(checked(context_, enqueue(), what));
      WW_TRY(checked(context_, d.cuEventRecord_(events_[1], context_.stream), "record an event"));
      const Waited w = wait(context_, 60, stop_);
      if (w.cancelled) return fail(Code::cancelled, "measuring the device's ceilings was cancelled");
      if (w.code != CUDA_SUCCESS) return fail(Code::device, std::string("could not ") + what, d.text(w.code));
      float ms = 0;
      WW_TRY(checked(context_, d.cuEventElapsedTime_(&ms, events_[0], events_[1]), "read an event"));
      if (i >= warm_up) rates.push_back(bytes / (static_cast<double>(ms) / 1000));
    }
    return profile::quantile(rates, 0.5);
  }

 private:
  Context& context_;
  const std::stop_token& stop_;
  CUevent events_[2] = {};
};

// Different bytes everywhere would cost a generator; one word is enough to keep the memory from seeing zeros.
Status fill(Context& context, const PooledBuffer& buffer, std::size_t bytes) {
  return checked(context, context.driver->cuMemsetD32Async_(buffer.address(), 0x3f9d70a4, bytes / 4, context.stream),
                 "fill a buffer");
}

// Bytes read and written per second of the better of the driver's own copy and of a plain copy kernel.
Result<double> copy_bandwidth(Context& context, const std::stop_token& stop) {
  const Driver& d = *context.driver;
  std::size_t free = 0, total = 0;
  WW_TRY(checked(context, d.cuMemGetInfo_(&free, &total), "tell how much memory is free"));
  const std::size_t wanted =
      std::min<std::size_t>(std::size_t{2} << 30, std::min(total / 4, free / 3)) / kernel_chunk * kernel_chunk;
  if (wanted < static_cast<std::size_t>(context.l2_bytes) * 4)
    return fail(Code::unsupported, "too little of the device's memory is free to measure its bandwidth");
  const PooledBuffer from = WW_TRY(PooledBuffer::take(context, wanted, "a copy's source")),
                     to = WW_TRY(PooledBuffer::take(context, wanted, "a copy's destination"));
  const auto own = TimingKernels::of(context);
  if (!context.usable) return fail(Code::unavailable, "the GPU was lost");
  Rate rate(context, stop);
  WW_TRY(rate.prepare());
  WW_TRY(fill(context, from, wanted));
  const double bytes = 2 * static_cast<double>(wanted);
  const double best = WW_TRY(rate.of(bytes, "copy memory", [&] {
    return d.cuMemcpyDtoDAsync_(to.address(), from.address(), wanted, context.stream);
  }));
  if (!own) return best;
  return std::max(
      best, WW_TRY(rate.of(bytes, "copy memory", [&] { return (*own)->copy(from.address(), to.address(), wanted); })));
}

// Bytes read per second from L2 and from L1. The first reads a quarter of the L2 cache past L1; in the second, four
// blocks of each multiprocessor read 32 KiB each, again and again, which fits every L1 of 128 KiB or more.
Result<std::pair<double, double>> cache_bandwidths(Context& context, const std::stop_token& stop) {
  const auto own = WW_TRY(TimingKernels::of(context));
  const auto processors = static_cast<unsigned>(std::max(1, context.multiprocessors));
  const auto l2 = static_cast<std::size_t>(std::max<std::int64_t>(context.l2_bytes, 1 << 20));
  const auto chunks = static_cast<unsigned>(std::max<std::size_t>(1, l2 / 4 / kernel_chunk));
  const unsigned per_processor = 4, l1_blocks = processors * per_processor, l2_blocks = processors * 8;
  constexpr unsigned l1_repeats = 2000, l2_repeats = 200;
  const std::size_t bytes = std::max<std::size_t>(chunks, l1_blocks) * kernel_chunk;
  const PooledBuffer buffer = WW_TRY(PooledBuffer::take(context, bytes, "a buffer to read")),
                     sink = WW_TRY(PooledBuffer::take(context, 256, "a word"));
  Rate rate(context, stop);
  WW_TRY(rate.prepare());
  WW_TRY(fill(context, buffer, bytes));
  const auto moved = [](unsigned blocks, unsigned repeats) {
    return static_cast<double>(blocks) * repeats * static_cast<double>(kernel_chunk);
  };
  const double from_l2 = WW_TRY(rate.of(moved(l2_blocks, l2_repeats), "read the L2 cache", [&] {
    return own->reread_l2(buffer.address(), chunks, l2_blocks, l2_repeats, sink.address());
  }));
  const double from_l1 = WW_TRY(rate.of(moved(l1_blocks, l1_repeats), "read the L1 caches", [&] {
    return own->reread_l1(buffer.address(), l1_blocks, l1_repeats, sink.address());
  }));
  return std::pair(from_l2, from_l1);
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
    if (kept && std::isfinite(kept->copy_bandwidth) && std::isfinite(kept->l1_bandwidth) &&
        kept->device == details.gpu && kept->driver == details.driver)
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
  const auto caches = cache_bandwidths(context, stop);
  if (caches)
    std::tie(out.l2_bandwidth, out.l1_bandwidth) = *caches;
  else if (!context.usable || caches.error().code == Code::cancelled)
    return fail(caches.error());
  else
    out.why_not += (out.why_not.empty() ? "" : "; ") + ("no bandwidth of the caches: " + caches.error().text());
  const auto rates = WW_TRY(matrix_rates(context, compiler.toolkit().nvrtc.parent_path(), stop));
  out.matrix_rate = rates.rates;
  if (!rates.why_not.empty()) out.why_not += (out.why_not.empty() ? "" : "; ") + rates.why_not;
  // Without cuBLAS it is not kept: it may be there another time.
  if (std::isfinite(out.copy_bandwidth) && !out.matrix_rate.empty() && compiler.kept())
    compiler.kept()->store(name, json::text_of(out));
  return out;
}

}  // namespace ww::cuda
