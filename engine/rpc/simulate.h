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
  std::int64_t launch = 0;
  WW_FIELDS(TraceRequest, job, query,
            (launch, "a number by which `trace_further` names the launch as long as the worker keeps it; 0: none",
             defaulted))
};
// A further query about that launch.
struct FurtherTraceRequest {
  std::int64_t launch = 0;
  sim::TraceQuery query;
  WW_FIELDS(FurtherTraceRequest,
            (launch, "as in `trace`; the worker keeps the last one until another method is called"), query)
};

}  // namespace ww::rpc
