// SPDX-License-Identifier: Apache-2.0
// Timing and counting on a GPU: the use cases behind the commands `time`, `compare` and `profile` and the window's
// actions. Everything runs in a worker; nothing is stored here (keep.h). A Bench belongs to one thread at a time.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <stop_token>
#include "measure/subject.h"
#include "profile/launches.h"
#include "profile/measurement_record.h"
#include "profile/roofline.h"
#include "profile/statistics.h"
#include "rpc/supervisor.h"

namespace ww::measure {

struct Setup {
  std::string device = "cuda:0", architecture;  // empty: the device's own
  int rounds = 10, samples = 5;                 // samples: of each subject in each round and cache regime
};

struct Progress {
  double fraction = 0;  // 0 to 1 of the whole request
  std::string text;     // "round 3 of 10: time: candidate 12"
};
using ProgressHandler = std::function<void(const Progress&)>;  // on the calling thread; must return quickly

// Why nothing can be timed or counted on this device, one sentence; empty: it can, as far as its name says.
std::string why_not_measurable(const std::string& device);

class Bench {
 public:
  // Starts a worker and reads the device's facts. Its ceilings are measured the first time, which takes some seconds.
  // Errors say what is missing: a worker, a GPU, a device that has a clock. `baselines`: those of plugins can be timed.
  static Result<Bench> open(const Setup& setup, bool baselines, const std::stop_token& cancel = {},
                            const ProgressHandler& progress = {});

  const Setup& setup() const { return setup_; }
  rpc::Supervisor& worker() { return *worker_; }
  const profile::DeviceDetails& device() const { return device_; }
  const std::optional<profile::Ceilings>& ceilings() const { return ceilings_; }

  rpc::TimeRequest time_request(const Case& what) const;                              // without subjects
  profile::Measurement begin(profile::MeasurementKind kind, const Case& what) const;  // without subjects

 private:
  Setup setup_;
  std::unique_ptr<rpc::Supervisor> worker_;
  profile::DeviceDetails device_;
  std::optional<profile::Ceilings> ceilings_;
};

// What is wrong with a subject is in its why_not; errors are of the spec, the device, the worker, or Code::cancelled.
Result<profile::Measurement> time(Bench& bench, const Case& what, const Subject& subject,
                                  const std::stop_token& cancel = {}, const ProgressHandler& progress = {});
// Two or more, interleaved round by round. Stops at the end of a round after which fewer than two can be timed.
Result<profile::Measurement> compare(Bench& bench, const Case& what, const std::vector<Subject>& subjects,
                                     const std::stop_token& cancel = {}, const ProgressHandler& progress = {});

struct Counted {
  profile::Measurement measurement;
  // Where counters are denied (measurement.counters->why_not) the subject is timed instead, and this is the occupancy
  // that its launches can reach at most. *modelled*
  std::vector<profile::LaunchUse> launches;
};
Result<Counted> count(Bench& bench, const Case& what, const Subject& subject, const std::string& set,
                      const std::stop_token& cancel = {}, const ProgressHandler& progress = {});

// Subjects by name, over all rounds of a timing.
profile::MeasuredSubject& outcome_of(std::vector<profile::MeasuredSubject>& all, const std::string& name);  // or made
void add_timing(profile::MeasuredSubject& outcome, const profile::SubjectTiming& timing);                   // appends
// One round of `request`, as a request of its own: buffers are allocated anew and in every other round in the opposite
// order. Where a kernel's buffers lie makes a difference of some percent to short kernels with a cold cache (3 % of 13
// us, seen on an H200), which would otherwise stay with one subject for the whole comparison and look like a difference
// of the kernels. Outputs are verified in the first round. Subjects that fail are taken out of `request`.
Status time_round(Bench& bench, rpc::TimeRequest& request, int round, std::vector<profile::MeasuredSubject>& all,
                  const std::stop_token& cancel, const ProgressHandler& progress);

// The roofline for the measurement's device and ceilings; empty where this op has none.
std::optional<profile::Roofline> roofline_of(const Case& what, const profile::Measurement& measurement);

struct CacheRatio {
  profile::Cache cache = profile::Cache::cold;
  profile::Ratio ratio;
};
// Ratios of a's time to b's, for each cache regime in which both were timed.
std::vector<CacheRatio> ratios_of(const profile::MeasuredSubject& a, const profile::MeasuredSubject& b);

}  // namespace ww::measure
