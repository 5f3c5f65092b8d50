// SPDX-License-Identifier: Apache-2.0
// Can the timing be trusted? Compares kernels with themselves and with copies that do 3 % more work, 20 times each,
// with buffers of their own each time, and prints what was called.
//   bench_timing [repetitions]
#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include "compile/compile.h"
#include "cuda/device.h"
#include "device/device.h"
#include "profile/statistics.h"

using namespace ww;
using candidate::PlannedArg;
using profile::Cache;
using profile::Call;

namespace {

constexpr const char* kernels = R"(
extern "C" __global__ void compute(float* y, int iterations) {
  float v = threadIdx.x;
  for (int i = 0; i < iterations; ++i) v = v * 0.999f + 0.5f;
  y[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
extern "C" __global__ void stream(const float4* x, float4* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { float4 v = x[i]; y[i] = make_float4(v.x * 2, v.y * 2, v.z * 2, v.w * 2); }
}
)";

struct Work {
  const char* name;
  const char* kernel;
  std::uint32_t blocks;
  int amount;  // iterations, or elements of 16 bytes
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

template <class T>
T need(Result<T> r) {
  if (r) return std::move(*r);
  fmt::print(stderr, "{}\n", r.error().text());
  std::exit(1);
}
void need(Status s) {
  if (s) return;
  fmt::print(stderr, "{}\n", s.error().text());
  std::exit(1);
}

struct Subject {
  std::unique_ptr<device::Execution> execution;
  candidate::PlannedLaunch launch;
};

Subject subject_of(const device::Module& module, const Work& w, double factor) {
  Subject s;
  s.execution = need(module.execution());
  const int amount = static_cast<int>(w.amount * factor);
  const bool stream = std::string_view(w.kernel) == "stream";
  s.launch.kernel = w.kernel;
  s.launch.block[0] = 256;
  s.launch.grid[0] = stream ? static_cast<std::uint32_t>((amount + 255) / 256) : w.blocks;
  const std::int64_t elements = stream ? std::int64_t{4} * amount : std::int64_t{256} * w.blocks;
  if (stream) {
    need(s.execution->allocate("x", DType::f32, elements, device::Access::read_only));
    need(s.execution->poison("x", 0x3c));
    s.launch.args.push_back({PlannedArg::Kind::tensor, "x", 0, 0});
  }
  need(s.execution->allocate("y", DType::f32, elements, device::Access::read_write));
  need(s.execution->zero("y"));
  s.launch.args.push_back({PlannedArg::Kind::tensor, "y", 0, 0});
  s.launch.args.push_back({PlannedArg::Kind::integer, "", amount, static_cast<double>(amount)});
  return s;
}

struct Tally {
  int calls[4] = {0, 0, 0, 0};
  std::vector<double> ratios, widths, times, spreads;
  int left_out = 0;
};

void compare(device::Device& device, const device::Module& module, const Work& w, double factor, int times) {
  Tally tally[2];
  double seconds = 0;
  for (int i = 0; i < times; ++i) {
    const Subject a = subject_of(module, w, 1), b = subject_of(module, w, factor);
    const device::TimedSubject subjects[] = {{"a", a.execution.get(), {&a.launch, 1}},
                                             {"b", b.execution.get(), {&b.launch, 1}}};
    device::TimeOptions options;
    options.order_seed = static_cast<std::uint64_t>(i);
    const double start = now();
    const auto t = need(device.time(subjects, options));
    for (const int regime : {0, 1}) {
      const profile::Ratio r =
          profile::compare(t[static_cast<std::size_t>(2 + regime)], t[static_cast<std::size_t>(regime)]);
      Tally& y = tally[regime];
      ++y.calls[static_cast<int>(r.call)];
      y.left_out += r.left_out;
      y.ratios.push_back(r.ratio), y.widths.push_back((r.high - r.low) / 2);
      const profile::Summary s = profile::summarise(profile::times_of(t[static_cast<std::size_t>(regime)]));
      y.times.push_back(s.median), y.spreads.push_back(s.iqr() / s.median);
    }
    seconds += now() - start;
  }
  for (const int regime : {0, 1}) {
    const Tally& y = tally[regime];
    const auto count = [&](Call c) { return y.calls[static_cast<int>(c)]; };
    fmt::print(
        "{:<22} {:<5} {:>8.2f} us {:>6.2f} %  {:>6} {:>6} {:>6} {:>6}  {:.4f} [{:.4f}, {:.4f}]  {:>5.2f} %  {:>3}  "
        "{:.2f} s\n",
        fmt::format("{} x {}", w.name, factor), enum_name(regime == 0 ? Cache::cold : Cache::warm),
        profile::quantile(y.times, 0.5), 100 * profile::quantile(y.spreads, 0.5), count(Call::faster),
        count(Call::slower), count(Call::within_noise), count(Call::not_comparable), profile::quantile(y.ratios, 0.5),
        profile::quantile(y.ratios, 0), profile::quantile(y.ratios, 1), 100 * profile::quantile(y.widths, 0.5),
        y.left_out, seconds / times);
  }
  std::fflush(stdout);
}

// How large the planted difference is, from many more samples than a comparison takes.
void verify(device::Device& device, const device::Module& module, const Work& w, double factor) {
  const Subject a = subject_of(module, w, 1), b = subject_of(module, w, factor);
  const device::TimedSubject subjects[] = {{"a", a.execution.get(), {&a.launch, 1}},
                                           {"b", b.execution.get(), {&b.launch, 1}}};
  device::TimeOptions options;
  options.rounds = 60, options.samples = 20;
  const auto t = need(device.time(subjects, options));
  for (const std::size_t regime : {std::size_t{0}, std::size_t{1}}) {
    const profile::Ratio r = profile::compare(t[2 + regime], t[regime]);
    fmt::print("{:<22} {:<5} planted {:.3f}: {:.5f} [{:.5f}, {:.5f}] over {} samples of each\n", w.name,
               enum_name(regime == 0 ? Cache::cold : Cache::warm), factor, r.ratio, r.low, r.high,
               t[regime].samples.size());
  }
}

// Where two copies of one kernel differ all the same: microseconds between their medians, over many comparisons.
void itself(device::Device& device, const device::Module& module, const Work& w, int times) {
  std::vector<double> apart[2];
  int called[2] = {0, 0};
  for (int i = 0; i < times; ++i) {
    const Subject a = subject_of(module, w, 1), b = subject_of(module, w, 1);
    const device::TimedSubject subjects[] = {{"a", a.execution.get(), {&a.launch, 1}},
                                             {"b", b.execution.get(), {&b.launch, 1}}};
    device::TimeOptions options;
    options.order_seed = static_cast<std::uint64_t>(i);
    const auto t = need(device.time(subjects, options));
    for (const std::size_t regime : {std::size_t{0}, std::size_t{1}}) {
      const profile::Ratio r = profile::compare(t[2 + regime], t[regime]);
      called[regime] += r.call != Call::within_noise;
      apart[regime].push_back((r.ratio - 1) * profile::summarise(profile::times_of(t[regime])).median);
    }
  }
  for (const int regime : {0, 1}) {
    fmt::print("{:<22} {:<5} us apart:", w.name, enum_name(regime == 0 ? Cache::cold : Cache::warm));
    for (const double q : {0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0})
      fmt::print(" {:7.3f}", profile::quantile(apart[regime], q));
    fmt::print("  called {} of {}\n", called[regime], times);
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const bool only_itself = argc > 2 && std::string_view(argv[1]) == "itself";
  const int times = argc > 1 ? std::max(1, std::atoi(argv[argc - 1])) : 20;
  cuda::register_devices();
  const auto device = need(device::open("cuda:0"));
  const auto compiler = need(compile::Compiler::open());
  compile::Request request;
  request.code = kernels;
  request.architecture = device->facts().architecture;
  const auto module = need(device->load(need(compiler->compile(request))));
  const auto details = need(device->details());
  fmt::print("{}\n", device->facts().description);
  const auto sm = static_cast<std::uint32_t>(details.multiprocessors);
  // One wave of blocks that fills the device: 16 warps a scheduler, each iteration one instruction of each and a part
  // of the loop's own.
  const auto iterations = [&](double us) { return static_cast<int>(us * details.sm_max_mhz / 20.5); };
  const auto elements = [&](double us) { return static_cast<int>(us * 1e-6 * details.peak_bandwidth * 0.85 / 32); };
  const Work work[] = {{"compute 100 us", "compute", 8 * sm, iterations(100)},
                       {"stream 100 us", "stream", 0, elements(100)},
                       {"compute 10 us", "compute", 8 * sm, iterations(10)},
                       {"stream 10 us", "stream", 0, elements(10)}};
  if (only_itself) {
    for (const Work& w : {Work{"few warps 45 us", "compute", sm / 2, iterations(230)}, work[2], work[3],
                          Work{"compute 3 us", "compute", 8 * sm, iterations(1)}})
      itself(*device, *module, w, times);
    return 0;
  }
  fmt::print("{} comparisons each; margin {:.0f} %\n", times, 100 * profile::default_margin);
  fmt::print("{:<22} {:<5} {:>11} {:>8}  {:>6} {:>6} {:>6} {:>6}  {:<25} {:>8} {:>5} {:>5}\n", "b against a", "cache",
             "a: median", "iqr", "faster", "slower", "noise", "none", "ratio: median, range", "+- (95%)", "left",
             "each");
  for (const Work& w : work) compare(*device, *module, w, 1, times);
  for (const Work& w : work) compare(*device, *module, w, 1.03, times);
  for (const Work& w : {work[0], work[1]}) verify(*device, *module, w, 1.03);
  return 0;
}
