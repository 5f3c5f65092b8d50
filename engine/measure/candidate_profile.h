// SPDX-License-Identifier: Apache-2.0
// The profile of one candidate: all facts about its behaviour in the workspace. meaning.h interprets them. Plain data.
// Each number keeps its provenance: *measured*, *simulated* and *modelled* numbers are separate members; an unknown
// number is NaN or absent, with a sentence that gives the reason.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "candidate/candidate.h"
#include "profile/advice.h"
#include "profile/datasheet.h"
#include "profile/measurement.h"
#include "profile/occupancy.h"
#include "profile/roofline.h"
#include "store/workspace.h"

namespace ww::measure {

struct LaunchView {  // of the plan at the run's case, in order
  std::string kernel;
  std::int64_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  profile::KernelShape shape;                   // registers and static shared memory of the compiled kernel
  std::optional<profile::Occupancy> occupancy;  // *modelled*
  std::int64_t spill_bytes = 0, local_bytes = 0;
  std::string why_not;  // if there is no occupancy: the reason
};

struct TimeView {  // *measured*, microseconds of the whole plan
  double median = profile::unknown, q1 = profile::unknown, q3 = profile::unknown;
  int samples = 0;
  std::string from;  // "of the run", "by 'compare', 2026-11-20T22:38:38Z"
};

struct CandidateProfile {
  store::CandidateRecord
      record;  // with its verdict; verdict->metrics has the simulated or measured counts and those by line
  std::filesystem::path workspace;
  std::string name;                             // "#12 tiled 64x64"
  std::string problem;                          // why it cannot be read; nothing else is known then
  std::string device;                           // the run's: "simt", "cuda:0"
  std::string architecture, case_name;          // "sm_90"; "C = 8192, R = 4096" of the run
  std::optional<profile::DeviceLimits> limits;  // of the GPU, measured or modelled; else of the architecture
  std::vector<LaunchView> launches;
  std::string launches_why_not;
  profile::CostShares cost;  // *simulated*: the cost used for ranking, in cost_unit; the parts sum to cost_total
  double cost_total = profile::unknown;
  std::string cost_unit, cost_why_not;
  // *measured*, the latest of each; if empty, with the reason
  // launch by launch; counter_of() also reads those measured in the run
  std::optional<profile::CounterReport> counters;
  std::string counters_when;                    // "set small of 2026-11-20T22:42:56Z", "set small, of the run"
  std::string counters_case;                    // empty: the run's
  std::string counters_why_not;                 // no counters, neither from the run nor from later
  std::vector<profile::SubjectTiming> timings;  // cold and warm samples of this candidate
  std::optional<TimeView> cold, warm;           // of the run, which ranks by it; else from `timings`
  std::vector<TimeView> measured_later;  // medians of `timings`, cold first, if the members above are those of the run
  std::string timings_why_not;
  std::string timings_case;                   // empty: the run's
  std::optional<profile::DeviceDetails> gpu;  // that it was measured on
  std::optional<profile::Ceilings> ceilings;  // of that GPU
  std::string gpu_why_not, ceilings_why_not;
  std::optional<profile::Datasheet> modelled_gpu;  // that numbers are modelled for; absent if one was measured
  std::optional<profile::Roofline>
      roofline;  // *modelled*: operations, bytes and floor for the case of the timings, else the run's
  std::string roofline_why_not;
  std::vector<profile::Advice> advice;  // of the rules, largest bound first
  std::string advice_why_not;
  std::int64_t newest_measurement = 0;  // its id; 0: there is none
};
// The verdict's numbers, if they have that provenance.
const evidence::Metrics* simulated(const CandidateProfile& view);
const evidence::Metrics* measured(const CandidateProfile& view);
double value_of(const std::vector<std::pair<std::string, double>>& values, std::string_view name);  // NaN: absent
double simulated_of(const CandidateProfile& view, std::string_view name);
// *measured* hardware counter by Nsight Compute's name. launch -1: the whole plan, which for several launches is known
// only for sums. NaN: not measured.
double counter_of(const CandidateProfile& view, std::string_view name, int launch = -1);
bool has_counters(const CandidateProfile& view);

// Reads profiles. Thread-safe; caches the rules and the facts of GPUs.
class ProfileReader {
 public:
  ProfileReader();
  ~ProfileReader();
  // `known` is returned if verdict, measurements and the modelled GPU have not changed since; may be null. `gpu`: the
  // one to model if none was measured (profile::modelled_gpu); empty: the first of the run's architecture.
  Result<std::shared_ptr<const CandidateProfile>> read(store::Workspace& workspace, std::int64_t candidate,
                                                       const std::shared_ptr<const CandidateProfile>& known,
                                                       const std::string& gpu = {});
  // For another case than the run's: only what belongs to that case.
  Result<std::shared_ptr<const CandidateProfile>> read_at(store::Workspace& workspace, std::int64_t candidate,
                                                          const op::Binding& binding);

 private:
  struct Rules;
  struct Gpu {
    std::optional<profile::DeviceDetails> details;
    std::optional<profile::Ceilings> ceilings;
  };
  class Filler;
  std::shared_ptr<const Rules> rules();
  // Facts of that GPU from all measurements in this workspace.
  Gpu facts_of(store::Workspace& workspace, const std::string& gpu, const std::string& driver);
  std::mutex mutex_;
  std::shared_ptr<const Rules> rules_;
  std::map<std::string, Gpu> gpus_;  // those found so far, by folder, GPU and driver
};

}  // namespace ww::measure
