// SPDX-License-Identifier: Apache-2.0
// What the measuring commands (time, profile, baseline, compare) share: what is measured, on which device, how it is
// kept and shown.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include "command.h"
#include "output.h"
#include "profile/roofline.h"
#include "profile/statistics.h"
#include "rpc/supervisor.h"
#include "subject.h"

namespace ww::cli {

struct Measured {  // one case of an op, and (text not empty) a candidate for it, its tuning chosen
  op::Spec spec;
  std::string spec_text;
  op::Binding binding;
  std::string label;  // "relu.cu", "candidate 12"
  std::string text, hash, title, structure, tuning;
  candidate::Language language = candidate::Language::cuda;
};
// `given`: FILE.cu, FILE.ptx, or a candidate of the workspace by number or beginning of its hash. `op` empty: the op
// that the candidate names, or that of its run (with the run's case).
Result<Measured> resolve_measured(const Common& common, const op::Library& library, const std::string& given,
                                  const std::string& op, const std::vector<std::string>& set);
Result<Measured> resolve_case(const op::Library& library, const std::string& op, const std::vector<std::string>& set);

// The device and the workspace, both there before anything is measured.
class Bench {
 public:
  // Errors name what is missing: no worker, no GPU, a device that has no clock, a workspace that cannot be written.
  static Result<Bench> open(const Common& common, const MeasureArgs& args, bool baselines);

  rpc::Supervisor& worker() { return *worker_; }
  store::Workspace& workspace() { return *workspace_; }
  const profile::DeviceDetails& device() const { return device_; }
  const std::optional<profile::Ceilings>& ceilings() const { return ceilings_; }
  std::string device_text() const;  // "NVIDIA H200 (cuda:0, driver 580.159.04)"

  rpc::TimeRequest time_request(const Measured& what) const;
  // Stores it under each candidate (under the op alone where there is none), and adds candidates that the workspace
  // does not hold, as a run of their own: generator "manual", not judged. Gives "stored": [{"measurement", "candidate",
  // "run"}].
  Result<Json> keep(const std::vector<const Measured*>& whose, const std::string& kind, const Json& members);

 private:
  const MeasureArgs* args_ = nullptr;
  std::unique_ptr<rpc::Supervisor> worker_;
  std::unique_ptr<store::Workspace> workspace_;
  profile::DeviceDetails device_;
  std::optional<profile::Ceilings> ceilings_;
};

struct Outcome {                  // of one subject, over all rounds
  std::string name, error, note;  // error: why it was not timed
  bool verified = false;          // its outputs were compared at least once and are right
  std::vector<profile::SubjectTiming> timings;
};
Outcome& outcome_of(std::vector<Outcome>& all, const std::string& name);  // made when absent
void add_timing(Outcome& outcome, const profile::SubjectTiming& timing);  // its samples behind those that are there

// One round of `request`, as a request of its own: buffers are allocated anew and in every other round in the opposite
// order. Where a kernel's buffers lie makes a difference of some percent to short kernels with a cold cache (3 % of 13
// us, seen on an H200), which would otherwise stay with one subject for the whole comparison and look like a difference
// of the kernels. Outputs are verified in the first round. Subjects that fail are taken out of `request`.
Status time_round(Bench& bench, rpc::TimeRequest& request, int round, std::vector<Outcome>& all,
                  const rpc::ProgressHandler& progress);

std::string case_text(const Measured& what);  // "matmul, M = 256, N = 256, K = 256" with the spec's defaults filled in
Json case_json(const Measured& what);         // of the whole case: {"op", "symbols", "constants"}
Json candidate_json(const Measured& what);    // {"label", "hash", "title", "tuning"}
Json number_json(double value);               // null where it is not known

std::optional<profile::Roofline> roofline_of(const Bench& bench, const Measured& what);
Json roofline_json(const std::optional<profile::Roofline>& roofline);
// Median, quartiles, floor, fraction, clocks; "impossible": why, or null.
Json timing_json(const profile::SubjectTiming& timing, const std::optional<profile::Roofline>& roofline);
// A table row: subject, cache, median, quartiles, samples, floor, fraction of it, GB/s, MHz, what held the clocks down.
std::vector<std::string> timing_headers();
std::vector<std::string> timing_row(const profile::SubjectTiming& timing,
                                    const std::optional<profile::Roofline>& roofline);
// What a reader must know of timings beyond the table: notes, impossible times.
std::string timing_remarks(const std::vector<profile::SubjectTiming>& timings,
                           const std::optional<profile::Roofline>& roofline);
std::string floor_text(const std::optional<profile::Roofline>& roofline);

const profile::SubjectTiming* find_timing(const std::vector<profile::SubjectTiming>& all, const std::string& subject,
                                          profile::Cache cache);
Json ratio_json(const profile::Ratio& ratio);
std::string ratio_text(const profile::Ratio& ratio);  // "0.873 (0.870 to 0.877), faster"
std::string us_text(double us);                       // "12.35"; "-" where it is not known

}  // namespace ww::cli
