// SPDX-License-Identifier: Apache-2.0
// One launch on the SIMT machine in a worker, of code and contents that come with the request.
#pragma once
#include <chrono>
#include "base/describe.h"
#include "sim/job.h"
#include "sim/outcome.h"
#include "sim/run.h"
#include "sim/trace.h"

namespace ww::rpc {

struct SimulateRequest {
  sim::Job job;  // of a listing only its code counts
  std::chrono::milliseconds deadline{300000};
  WW_FIELDS(SimulateRequest, job)
};

struct TraceRequest {
  sim::Job job;
  sim::TraceQuery query;
  std::chrono::milliseconds deadline{300000};
  WW_FIELDS(TraceRequest, job, query)
};

}  // namespace ww::rpc
