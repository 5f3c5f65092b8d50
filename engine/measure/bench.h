// SPDX-License-Identifier: Apache-2.0
// Timing and counting on a GPU: the use cases behind the commands `time`, `compare` and `profile` and the window's
// actions. Everything runs in a worker; results are not stored here (see keep.h). Not thread-safe.
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
  int rounds = 10, samples = 5;                 // samples: per subject in each round and cache regime
};

struct Progress {
  double fraction = 0;  // 0 to 1 of the whole request
  std::string text;     // "round 3 of 10: time: candidate 12"
};
using ProgressHandler = std::function<void(const Progress&)>;  // on the calling thread; must return quickly

// Why nothing can be timed or counted on this device, one sentence; empty: no reason is apparent from its name.
std::string why_not_measurable(const std::string& device);

class Bench {
 public:
  // Starts a worker and reads the device's facts. The first time, also measures the device's ceilings, which takes some
  // seconds. Errors name what is missing: a worker, a GPU, a device with a clock. `baselines`: enables those of
  // plugins.
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

// A subject's problem is in its why_not; errors concern the spec, the device, the worker, or are Code::cancelled.
Result<profile::Measurement> time(Bench& bench, const Case& what, const Subject& subject,
                                  const std::stop_token& cancel = {}, const ProgressHandler& progress = {});
// Two or more subjects, interleaved round by round. Stops after a round that leaves fewer than two to time.
Result<profile::Measurement> compare(Bench& bench, const Case& what, const std::vector<Subject>& subjects,
                                     const std::stop_token& cancel = {}, const ProgressHandler& progress = {});

struct Counted {
  profile::Measurement measurement;
  // If counters are denied (measurement.counters->why_not), the subject is timed instead; this is the maximum occupancy
  // of its launches. *modelled*
  std::vector<profile::LaunchUse> launches;
};
Result<Counted> count(Bench& bench, const Case& what, const Subject& subject, const std::string& set,
                      const std::stop_token& cancel = {}, const ProgressHandler& progress = {});

// Subjects by name, over all rounds of a timing.
// found or created
profile::MeasuredSubject& outcome_of(std::vector<profile::MeasuredSubject>& all, const std::string& name);
void add_timing(profile::MeasuredSubject& outcome, const profile::SubjectTiming& timing);  // appends
// One round of `request`, as a separate request: buffers are reallocated, in reverse order in every other round. The
// placement of buffers changes short kernels' cold-cache times by a few percent (3 % of 13 us, seen on an H200), which
// would otherwise affect one subject for the whole comparison and look like a difference of the kernels. Outputs are
// verified in the first round. Failing subjects are removed from `request`.
Status time_round(Bench& bench, rpc::TimeRequest& request, int round, std::vector<profile::MeasuredSubject>& all,
                  const std::stop_token& cancel, const ProgressHandler& progress);

// The roofline for the measurement's device and ceilings; empty if the op has none.
std::optional<profile::Roofline> roofline_of(const Case& what, const profile::Measurement& measurement);

struct CacheRatio {
  profile::Cache cache = profile::Cache::cold;
  profile::Ratio ratio;
};
// Ratios of a's time to b's, for each cache regime with timings of both.
std::vector<CacheRatio> ratios_of(const profile::MeasuredSubject& a, const profile::MeasuredSubject& b);

}  // namespace ww::measure
