// SPDX-License-Identifier: Apache-2.0
// Shared by the measuring commands (time, profile, baseline, compare): parsing the command line and showing results.
// The measuring itself is in measure/bench.h and measure/baselines.h.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>
#include "command.h"
#include "console.h"
#include "measure/candidates.h"
#include "measure/meaning.h"
#include "output.h"
#include "profile/timing_facts.h"
#include "subject.h"

namespace ww::cli {

struct Watch;

struct Target {  // one case of an op, and a candidate for it
  measure::Case what;
  std::optional<measure::Subject> subject;
};
// `given`: FILE.cu, FILE.ptx, or a candidate of the workspace by number or hash prefix. `op` empty: the op that the
// candidate names, or that of its run (with the run's case).
Result<Target> resolve_target(const Common& common, const op::Library& library, const std::string& given,
                              const std::string& op, const std::vector<std::string>& set);
Result<Target> resolve_case(const op::Library& library, const std::string& op, const std::vector<std::string>& set);

// Opens the device and the workspace before anything is measured.
struct Opened {
  measure::Bench bench;
  std::unique_ptr<store::Workspace> workspace;
};
// Errors: no worker, no GPU, a device without a clock, a workspace that cannot be written.
Result<Opened> open_bench(const Common& common, const MeasureArgs& args, bool baselines, std::stop_token stop = {});
measure::ProgressHandler shown_on(LiveLine& live);

std::string device_text(const profile::Measurement& measurement);  // "NVIDIA H200 (cuda:0, driver 580.159.04)"
std::string tuning_text(const measure::Subject& subject);          // a line; empty: none was open
// The members common to all measuring commands: case, roofline, device, ceilings, raw.
Json number_json(double value);  // null: not known
Json common_json(const measure::Case& what, const profile::Measurement& measurement,
                 const std::optional<profile::Roofline>& roofline);
struct Measured {
  measure::Counted counted;
  std::vector<measure::MeasurementIds> kept;  // empty: nothing to store
};
// Measures and stores, as in the window.
Result<Measured> measure_target(Opened& opened, const Target& target, const measure::Request& request,
                                const Watch& watch);
// Stores it under `subjects`: "stored": [{"measurement", "candidate", "run"}].
Result<Json> keep_json(Opened& opened, const measure::Case& what, const std::vector<measure::Subject>& subjects,
                       const profile::Measurement& measurement);

// Median, quartiles, floor, fraction, clocks; "impossible": the reason, or null.
Json timing_json(const profile::SubjectTiming& timing, const std::optional<profile::Roofline>& roofline);
Json timings_json(const profile::MeasuredSubject& subject, const std::optional<profile::Roofline>& roofline);
// A table row: subject, cache, median, quartiles, samples, floor, fraction of it, GB/s, MHz, throttle reasons.
std::vector<std::string> timing_headers();
std::vector<std::string> timing_row(const profile::SubjectTiming& timing,
                                    const std::optional<profile::Roofline>& roofline);
// Remarks on timings beyond the table: notes, impossible times.
std::string timing_remarks(const profile::MeasuredSubject& subject, const std::optional<profile::Roofline>& roofline);
std::string floor_text(const std::optional<profile::Roofline>& roofline);
// The table of one subject's timings, the floor, the remarks.
std::string timing_text(const profile::MeasuredSubject& subject, const std::optional<profile::Roofline>& roofline);

std::string meaning_text(const measure::Meaning& meaning);  // tables, each after an empty line

std::string ratio_text(const profile::Ratio& ratio);  // "0.873 (0.870 to 0.877), faster"

}  // namespace ww::cli
