// SPDX-License-Identifier: Apache-2.0
#include "cuda/counters.h"
#include <chrono>
#include <map>
#include <mutex>
#include "base/log.h"
#include "cuda/counters_replay.h"
#include "cuda/cupti_range.h"
#include "cuda/pc_sampling.h"

namespace ww::cuda {
namespace {

constexpr std::size_t most_launches = 64;  // CUPTI's buffers grow by about 2 MB for each

Result<const CounterSet*> find_set(const std::string& name) {
  const std::vector<CounterSet>* sets = WW_TRY(counter_sets());
  std::string known;
  for (const CounterSet& s : *sets) {
    if (s.name == name) return &s;
    known += (known.empty() ? "" : ", ") + s.name;
  }
  return fail(Code::invalid_argument, "there is no set of counters '" + name + "'; there are: " + known);
}

#ifdef WW_HAVE_CUPTI
// A pass: every launch of the plan in order, each after one launch of the kernel that empties the cache. So the ranges
// alternate.
Status run_pass(Replay& replay) {
  for (std::size_t i = 0; i < replay.size(); ++i) {
    if (Status s = replay.chill(); !s) return s;
    if (Status s = replay.launch(i); !s) return s;
  }
  return {};
}

Result<Refusal> collect(Context& context, Replay& replay, const CounterSet& set,
                        std::span<const candidate::PlannedLaunch> launches, const std::stop_token& stop,
                        profile::CounterReport& report) {
  const Scheduled scheduled = schedule_of(context, set);
  if (!scheduled.schedule) return scheduled.refusal;
  const Schedule& schedule = *scheduled.schedule;
  RangeProfiler profiler(context);
  if (Refusal no = profiler.begin(schedule, 2 * launches.size())) return no;
  bool done = false;
  for (int pass = 0; !done; ++pass) {
    if (stop.stop_requested()) return fail(Code::cancelled, "cancelled while counters were read");
    if (pass > 0) WW_TRY(replay.restore());
    if (Refusal no = profiler.start()) return no;
    const Status ran = run_pass(replay);
    const Refusal no = ran ? profiler.stop(done) : Refusal{};
    WW_CHECK(ran);
    if (no) return no;
    report.passes = pass + 1;
    if (!done && report.passes > 4 * static_cast<int>(schedule.passes) + 8)
      return Refusal{"there are no hardware counters: CUPTI asks for pass after pass (" +
                     std::to_string(report.passes) + ", where " + std::to_string(schedule.passes) + " were planned)"};
  }
  std::vector<std::vector<double>> values;
  if (Refusal no = profiler.decode(values)) return no;
  if (values.size() != 2 * launches.size())
    return Refusal{"there are no hardware counters: CUPTI saw " + std::to_string(values.size()) + " kernels where " +
                   std::to_string(2 * launches.size()) + " ran"};
  for (std::size_t i = 0; i < launches.size(); ++i) {
    profile::KernelCounters k;
    k.kernel = launches[i].kernel;
    k.launch = static_cast<int>(i);
    std::map<std::string, double> by_name;
    for (std::size_t m = 0; m < schedule.metrics.size(); ++m) by_name[schedule.metrics[m].name] = values[2 * i + 1][m];
    for (const Metric& m : set.metrics) {  // metrics that the chip lacks stay unknown
      const auto at = by_name.find(m.name);
      k.values.push_back({m.name, m.unit, at == by_name.end() ? profile::unknown : at->second});
    }
    report.kernels.push_back(std::move(k));
  }
  return Refusal{};
}
#endif

}  // namespace

Status preload_counters() {
  WW_TRY(counter_sets());
  const Driver* driver = WW_TRY(Driver::get());
  WW_TRY(Cupti::get());
#ifdef WW_HAVE_CUPTI
  int count = 0;
  if (driver->cuDeviceGetCount_(&count) != CUDA_SUCCESS || count == 0)
    return fail(Code::unavailable, "there is no CUDA device");
  Context probe;  // CUPTI's first steps need only a device's number
  probe.driver = driver;
  probe.name = "cuda:0";
  if (driver->cuDeviceGet_(&probe.device, 0) != CUDA_SUCCESS) return fail(Code::unavailable, "there is no CUDA device");
  if (const Refusal no = prepare_cupti(probe, CUPTI_PROFILER_RANGE_PROFILING)) return fail(Code::unavailable, no.why);
  const CounterSet& first = (**counter_sets()).front();  // scheduling it loads all that scheduling needs
  if (const Scheduled s = schedule_of(probe, first); !s.schedule)
    log::info("counter set '" + first.name + "': " + s.refusal.why);
#endif
  return {};
}

Result<profile::CounterReport> count_launches(Context& context, device::Execution& execution,
                                              std::span<const candidate::PlannedLaunch> launches,
                                              const std::string& set_name, const std::stop_token& stop) {
  const auto start = std::chrono::steady_clock::now();
  const CounterSet* set = WW_TRY(find_set(set_name));
  auto* here = dynamic_cast<CudaExecution*>(&execution);
  if (!here) return fail(Code::internal, "an execution of another device cannot be counted on a GPU");
  profile::CounterReport report;
  report.set = set_name;
  const auto finished = [&] {
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return report;
  };
  if (launches.empty()) return finished();
  WW_TRY(enter(context));
#ifdef WW_HAVE_CUPTI
  static std::mutex one_at_a_time;  // of the process: CUPTI is released at the end
  std::lock_guard lock(one_at_a_time);
  if (launches.size() > most_launches) {
    report.why_not = "counters are read for plans of at most " + std::to_string(most_launches) +
                     " launches; this one has " + std::to_string(launches.size());
    return finished();
  }
  if (const Refusal no = prepare_cupti(context, CUPTI_PROFILER_RANGE_PROFILING)) {
    report.why_not = no.why;
    return finished();
  }
  Result<Replay> replay = Replay::make(context, *here, launches);
  if (!replay) {
    if (replay.error().code != Code::unsupported) return fail(replay.error());
    report.why_not = "counters need a copy of the tensors to replay on: " + replay.error().message;
    return finished();
  }
  const Result<Refusal> no = collect(context, *replay, *set, launches, stop, report);
  Result<std::string> lines{std::string()};
  if (no && !*no && set_name == "full") lines = sample_lines(context, *here, *replay, report.kernels, stop);
  release_cupti(context);
  WW_CHECK(no);
  WW_CHECK(lines);
  report.why_not = no->why;
  if (!lines->empty()) log::warn(*lines);  // the counters exist: why_not would mean that they do not
#else
  report.why_not = "there are no hardware counters: " + Cupti::get().error().message;
#endif
  return finished();
}

}  // namespace ww::cuda
