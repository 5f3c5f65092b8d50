// SPDX-License-Identifier: Apache-2.0
// Measures the selected candidates of a workspace. Each result is stored before the next begins.
#pragma once
#include "measure/bench.h"
#include "measure/keep.h"

namespace ww::measure {

struct Request {
  // time: one candidate alone, or several interleaved (stored as `compare`); counters and baseline: one after another.
  profile::MeasurementKind kind = profile::MeasurementKind::time;
  std::vector<std::int64_t> candidates;  // of one run, at its case
  Setup setup;
  std::string set = "small";  // of counters
  bool torch = true;          // of baselines
};
// One subject on an open bench, as in the request except for its candidates and set-up.
Result<Counted> measure_one(Bench& bench, const Case& what, const Subject& subject, const Request& request,
                            const std::stop_token& cancel = {}, const ProgressHandler& progress = {});
// Stores the result; empty: nothing to store, the first subject gives the reason. `origin`: see keep().
Result<std::vector<MeasurementIds>> keep_one(store::Workspace& workspace, const Case& what, const Subject& subject,
                                             const profile::Measurement& measurement, const std::string& origin);

struct NotMeasured {
  std::int64_t candidate = 0;
  std::string why;
};
struct Done {
  std::vector<MeasurementIds> kept;
  std::vector<NotMeasured> failed;
};
// Errors concern the device, the worker or the workspace, or are Code::cancelled; results stored before an error
// remain.
Result<Done> measure(store::Workspace& workspace, const Request& request, const std::stop_token& cancel = {},
                     const ProgressHandler& progress = {});

}  // namespace ww::measure
