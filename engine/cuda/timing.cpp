// SPDX-License-Identifier: Apache-2.0
// How kernels are timed, and why. Observations are from an H200 (driver 580, CUDA 13.0), medians of 60 samples of
// kernels of fixed length.
//
// - The work is put on the stream between two events, behind other work that still runs, so that the device never waits
//   for the host. Events around a launch on an idle stream read 2 to 3 us too much and vary by 1 us; behind running
//   work the interquartile range is one step of the timer, 0.032 us. Event nodes within a graph read the same as events
//   around it.
// - Two events with nothing between them read 1.25 us. This constant is measured anew in each call and taken off every
//   sample. What remains agrees with Nsight Compute's gpu__time_duration: 3.6 us (3.6), 6.5 (6.5), 21.6 (21.6), 101.7
//   (102.1), a cold copy of 16 MB 9.6 (9.4).
// - cold: before each sample the L2 cache is overwritten (see CacheFlush), one execution a sample, by plain launches
//   where the host puts them on the stream while the flush runs (some five launches). A graph keeps its launches in
//   device memory, where they are cold, too, and whether one miss more is met depends on where it lies: two graphs of
//   one kernel differed by up to 0.7 us, each quite steadily, so that a comparison of short kernels with themselves was
//   called faster or slower; by plain launches they agree within 0.03 us. Longer plans are replayed as a graph anyway.
// - warm: executions follow each other within one graph, as many as fill sample_seconds, after one untimed replay. Each
//   execution then costs its own time and the gap to the next, some 0.6 us, where Nsight Compute counts a kernel's
//   start and end in full: of kernels below 10 us warm times are shorter than its. Replays of many short graphs would
//   add 0.9 us each; all subjects of like length get the same number of executions, so that no such difference comes
//   between them.
// - Subjects and regimes take turns in random order within a round, and compare() pairs them by round. Of each cold
//   turn the first sample does not count.
// - Clocks, temperature, power and throttle reasons are read after each subject's turn, outside the timed region (about
//   a microsecond; the driver renews them a few times a second, which then takes 1 to 2 ms).
#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include "cuda/faults.h"
#include "cuda/nvml.h"
#include "cuda/timing_kernels.h"
#include "cuda/timing_replay.h"
#include "profile/statistics.h"

namespace ww::cuda {
namespace {

using Seconds = std::chrono::duration<double>;
using HostClock = std::chrono::steady_clock;
using profile::Cache;

constexpr int group = 5;             // samples of the warm-up that make one median
constexpr double stable = 0.01;      // two consecutive medians agree within this
constexpr int most_nodes = 1024;     // of one graph
constexpr double hang_seconds = 10;  // at least, for one sample
constexpr double long_us = 5000;  // from here on what the host adds to a sample on an idle device is below a thousandth

double seconds_since(HostClock::time_point start) { return Seconds(HostClock::now() - start).count(); }

class Events {
 public:
  explicit Events(Context& context) : context_(context) {}
  ~Events() {
    if (!context_.usable) return;
    for (const CUevent e : {first, second})
      if (e) context_.driver->cuEventDestroy_(e);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  Status make() {
    for (CUevent* e : {&first, &second})
      if (auto s = checked(context_, context_.driver->cuEventCreate_(e, CU_EVENT_DEFAULT), "make an event"); !s)
        return s;
    return {};
  }
  CUevent first = nullptr, second = nullptr;

 private:
  Context& context_;
};

struct TimedPlan {
  const device::TimedSubject* given;
  TimedReplay one, many;  // one execution, several
  bool plainly = false;   // cold samples are plain launches
  int launches = 1;       // of `many` in a warm sample
  double us = 0;          // one execution, roughly
  profile::SubjectTiming cold, warm;
};

class Timer {
 public:
  Timer(Context& context, const device::TimeOptions& options)
      : context_(context), options_(options), events_(context), flush_(context) {}

  Result<std::vector<profile::SubjectTiming>> run(std::span<const device::TimedSubject> given) {
    WW_TRY(prepare());
    for (const device::TimedSubject& g : given) WW_TRY(add(g));
    WW_TRY(plan());
    WW_TRY(rounds());
    std::vector<profile::SubjectTiming> out;
    for (TimedPlan& s : subjects_) {
      if (options_.cold) out.push_back(std::move(s.cold));
      if (options_.warm) out.push_back(std::move(s.warm));
    }
    return out;
  }

 private:
  Status prepare() {
    if (auto s = events_.make(); !s) return s;
    if (auto s = flush_.prepare(); !s) return s;
    char bus[32] = "";
    if (context_.driver->cuDeviceGetPCIBusId_(bus, sizeof bus, context_.device) == CUDA_SUCCESS) gpu_ = Gpu::at(bus);
    // The time that two events measure with nothing between them.
    std::vector<double> empty;
    for (int i = 0; i < 21; ++i) {
      auto us = WW_TRY(timed(
          "the timer", [&] { return flush(); }, [] { return Status{}; }));
      empty.push_back(us);
    }
    overhead_us_ = profile::quantile(empty, 0.5);
    std::vector<double> flushes;
    for (int i = 0; i < 5; ++i) {
      auto us = WW_TRY(timed(
          "the timer", [&] { return flush(); }, [&] { return flush(); }));
      flushes.push_back(us);
    }
    flush_us_ = profile::quantile(flushes, 0.5);
    return {};
  }

  Status flush() { return checked(context_, flush_.enqueue(), "overwrite the L2 cache"); }

  // The time between two events around `work`, behind `before`, in microseconds.
  template <class Before, class Work>
  Result<double> timed(const std::string& name, const Before& before, const Work& work) {
    const Driver& d = *context_.driver;
    if (auto s = before(); !s) return fail(fault(name, s.error()));
    if (auto s = checked(context_, d.cuEventRecord_(events_.first, context_.stream), "record an event"); !s)
      return fail(fault(name, s.error()));
    if (auto s = work(); !s) return fail(fault(name, s.error()));
    if (auto s = checked(context_, d.cuEventRecord_(events_.second, context_.stream), "record an event"); !s)
      return fail(fault(name, s.error()));
    WW_TRY(finish(name));
    float ms = 0;
    WW_TRY(checked(context_, d.cuEventElapsedTime_(&ms, events_.first, events_.second), "read an event"));
    return static_cast<double>(ms) * 1000;
  }

  Status finish(const std::string& name) {
    const double limit = std::max(hang_seconds, options_.limit_seconds);
    const Waited w = wait(context_, limit, options_.stop);
    if (w.cancelled || options_.stop.stop_requested()) return fail(Code::cancelled, "the timing was cancelled");
    if (w.code == CUDA_ERROR_NOT_READY)
      return fail(Code::timeout, fmt::format("'{}' did not end within {:.0f} seconds while it was timed", name, limit));
    if (w.code == CUDA_SUCCESS) return {};
    const FaultClass what = classify(w.code);
    return fail(Code::device, fmt::format("'{}' failed while it was timed: {}", name, what.sentence),
                context_.driver->text(w.code));
  }

  // What one execution takes of the host until it is on the stream, and in all; microseconds, the least of three (of
  // one when it is long).
  struct Rough {
    double host_us = INFINITY, whole_us = INFINITY;
  };
  Result<Rough> roughly(const device::TimedSubject& given) {
    Rough r;
    for (int i = 0; i < 3 && (i == 0 || r.whole_us < long_us); ++i) {
      const auto start = HostClock::now();
      if (auto s = enqueue_plainly(context_, given); !s) return fail(fault(given.name, s.error()));
      r.host_us = std::min(r.host_us, seconds_since(start) * 1e6);
      WW_TRY(finish(given.name));
      r.whole_us = std::min(r.whole_us, seconds_since(start) * 1e6);
    }
    return r;
  }

  // Where the context is gone, it went with work that was enqueued before.
  Error fault(const std::string& name, Error error) const {
    if (!context_.usable)
      return {Code::device, "'" + name + "' failed while it was timed: the GPU's context is lost", error.text()};
    return error;
  }

  Status add(const device::TimedSubject& given) {
    if (!given.enqueue && (!given.execution || given.launches.empty()))
      return fail(Code::invalid_argument, "'" + given.name + "' has nothing to time");
    // Plainly first: libraries allocate and choose on their first call, and a fault shows here.
    const auto rough = WW_TRY(roughly(given));
    auto one = WW_TRY(TimedReplay::make(context_, given, 1));
    auto many = WW_TRY(TimedReplay::make(context_, given, 1));
    TimedPlan s{&given, std::move(one), std::move(many), rough.host_us < flush_us_ / 2};
    const bool is_long = rough.whole_us > long_us;
    for (auto [t, cache] : {std::pair{&s.cold, Cache::cold}, std::pair{&s.warm, Cache::warm}}) {
      t->subject = given.name, t->cache = cache;
      t->graph = s.one.captured() && !(cache == Cache::cold && s.plainly);
      if (!s.one.captured())
        remark(*t, "plain launches, because the work could not be captured in a graph: " + s.one.why_not());
      if (cache == Cache::cold) remark(*t, flush_.note());
      if (!gpu_.known()) remark(*t, "no clocks: " + gpu_.why_not());
    }
    // Until the medians of two consecutive groups agree.
    const auto start = HostClock::now();
    double last = 0;
    do {
      std::vector<double> us;
      for (int i = 0; i < group; ++i) {
        auto t = WW_TRY(timed(
            given.name, [&] { return is_long ? Status{} : s.one.enqueue(); }, [&] { return s.one.enqueue(); }));
        us.push_back(std::max(t - overhead_us_, 0.01));
        if (seconds_since(start) > options_.warm_up_seconds) break;
      }
      last = s.us;
      s.us = profile::quantile(us, 0.5);
    } while (std::abs(s.us - last) > stable * s.us && seconds_since(start) < options_.warm_up_seconds);
    subjects_.push_back(std::move(s));
    return {};
  }

  static void remark(profile::SubjectTiming& t, const std::string& text) {
    if (!text.empty()) t.note += (t.note.empty() ? "" : "; ") + text;
  }

  // How many executions make a warm sample, and how many samples fit in the time.
  Status plan() {
    double least = INFINITY;
    for (const TimedPlan& s : subjects_) least = std::min(least, s.us);
    double round = 0;
    for (TimedPlan& s : subjects_) {
      const double us = s.us <= 4 * least ? least : s.us;
      const int wanted = static_cast<int>(std::clamp(std::ceil(options_.sample_seconds * 1e6 / us), 1.0, 1e5));
      const int nodes = static_cast<int>(std::max<std::size_t>(1, s.given->launches.size() + s.given->zeroed.size()));
      const int copies = s.one.captured() ? std::clamp(wanted, 1, std::max(1, most_nodes / nodes)) : 1;
      if (options_.warm && copies > 1) {
        auto many = WW_TRY(TimedReplay::make(context_, *s.given, copies));
        if (many.captured()) s.many = std::move(many);
      }
      s.launches = (wanted + s.many.copies() - 1) / s.many.copies();
      const double replays = static_cast<double>(s.launches) * s.many.copies();
      if (options_.cold) round += s.us + flush_us_ + host_us;
      if (options_.warm) round += s.us * (replays + (s.us * replays < long_us ? s.many.copies() : 0)) + host_us;
    }
    round /= 1e6;
    samples_ = std::max(1, options_.samples);
    const double limit = options_.limit_seconds > 0 ? options_.limit_seconds : INFINITY;
    if (round * options_.rounds * (samples_ + 1) > limit) {
      samples_ = std::clamp(static_cast<int>(limit / (round * options_.rounds)) - 1, 1, samples_);
      if (samples_ < options_.samples)
        for (TimedPlan& s : subjects_)
          for (profile::SubjectTiming* t : {&s.cold, &s.warm})
            remark(*t, fmt::format("{} samples a round in place of {}, to end within {:.3g} s", samples_,
                                   options_.samples, limit));
    }
    return {};
  }

  Status rounds() {
    std::vector<std::pair<TimedPlan*, Cache>> turns;
    for (TimedPlan& s : subjects_) {
      if (options_.cold) turns.emplace_back(&s, Cache::cold);
      if (options_.warm) turns.emplace_back(&s, Cache::warm);
    }
    std::mt19937_64 random(options_.order_seed);
    const auto start = HostClock::now();
    for (int round = 0; round < options_.rounds; ++round) {
      if (options_.limit_seconds > 0 && round > 0 && seconds_since(start) > options_.limit_seconds) {
        for (auto [s, cache] : turns)
          remark(cache == Cache::cold ? s->cold : s->warm,
                 fmt::format("{} rounds in place of {}, because {:.3g} s were over", round, options_.rounds,
                             options_.limit_seconds));
        break;
      }
      if (options_.before_round) {
        if (auto s = options_.before_round(round); !s) return s;
        if (auto s = enter(context_); !s) return s;
      }
      // Fisher and Yates; the library's own shuffle differs between machines.
      for (std::size_t i = turns.size(); i > 1; --i) std::swap(turns[i - 1], turns[random() % i]);
      for (auto [s, cache] : turns)
        if (auto done = turn(*s, cache, round); !done) return done;
    }
    return {};
  }

  Status turn(TimedPlan& s, Cache cache, int round) {
    profile::SubjectTiming& t = cache == Cache::cold ? s.cold : s.warm;
    const std::string& name = s.given->name;
    const std::size_t begin = t.samples.size();
    const int replays = cache == Cache::cold ? 1 : s.launches * s.many.copies();
    for (int i = -1; i < samples_; ++i) {  // the first warms up and is discarded
      if (i < 0 && (cache == Cache::warm || s.us > long_us))
        continue;  // warm samples begin with an untimed replay, or follow another
      auto us = WW_TRY(cache == Cache::cold
                           ? timed(
                                 name, [&] { return flush(); },
                                 [&] { return s.plainly ? enqueue_plainly(context_, *s.given) : s.one.enqueue(); })
                           : timed(
                                 name, [&] { return i == 0 || s.us * replays < long_us ? s.many.enqueue() : Status{}; },
                                 [&] {
                                   for (int k = 0; k < s.launches; ++k)
                                     if (auto done = s.many.enqueue(); !done) return done;
                                   return Status{};
                                 }));
      if (i < 0) continue;
      profile::TimedSample sample;
      sample.us = std::max(0.0, us - overhead_us_) / replays;
      sample.replays = replays, sample.round = round;
      t.samples.push_back(sample);
    }
    const profile::ClockState clocks = gpu_.clocks();
    for (std::size_t i = begin; i < t.samples.size(); ++i) t.samples[i].clocks = clocks;
    return {};
  }

  static constexpr double host_us = 20;  // of each sample, roughly

  Context& context_;
  const device::TimeOptions& options_;
  Events events_;
  CacheFlush flush_;
  Gpu gpu_;
  double overhead_us_ = 0;  // of two events
  double flush_us_ = 0;
  int samples_ = 1;
  std::vector<TimedPlan> subjects_;
};

}  // namespace

Result<std::vector<profile::SubjectTiming>> time_subjects(Context& context,
                                                          std::span<const device::TimedSubject> subjects,
                                                          const device::TimeOptions& options) {
  if (options.rounds < 1 || options.samples < 1)
    return fail(Code::invalid_argument, "a timing needs at least one round of one sample");
  if (!options.cold && !options.warm)
    return fail(Code::invalid_argument, "a timing needs a cold or a warm cache, or both");
  if (subjects.empty()) return fail(Code::invalid_argument, "there is nothing to time");
  WW_TRY(enter(context));
  Timer timer(context, options);
  return timer.run(subjects);
}

}  // namespace ww::cuda
