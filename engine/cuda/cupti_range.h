// SPDX-License-Identifier: Apache-2.0
// CUPTI's range profiler for one set of metrics: automatic ranges (each kernel launched between start() and stop() is
// one) and replay by the caller. What it costs, measured on an H200: making ready 90–130 ms once a process, configuring
// 45 ms once a set, the first start after enabling 160–200 ms, then about 6 ms a pass. From the first enabling on, each
// kernel of the process takes a quarter to half a microsecond longer, also after the profiler's end, until
// release_cupti().
#pragma once
#include "cuda/counters.h"
#include "cuda/cupti.h"
#include "cuda/internal.h"

namespace ww::cuda {

// Why this process cannot count on that device, and what to do about it; nothing where it can. Makes CUPTI ready on its
// first call.
struct Refusal {
  std::string why;  // one or two plain sentences; empty: not refused
  explicit operator bool() const { return !why.empty(); }
};

#ifdef WW_HAVE_CUPTI
// Takes CUPTI's hooks out of the process (2 ms): what is timed afterwards is as if nothing had been counted. The next
// enabling puts them in again. Nothing may be enabled or running. Not for several threads at once.
void release_cupti(const Context& context);
Refusal prepare_cupti(const Context& context, CUpti_Profiler_API api);
std::string refusal_text(const Cupti& cupti, CUptiResult code, const std::string& doing);

struct Schedule {               // immutable, kept for the life of the process: one a chip and set
  std::vector<Metric> metrics;  // those that the chip has
  std::vector<const char*> names;
  std::vector<std::uint8_t> config;
  std::size_t passes = 0;
  CUpti_Profiler_Host_Object* host = nullptr;
};
struct Scheduled {
  const Schedule* schedule = nullptr;  // null: refused
  Refusal refusal;
};
Scheduled schedule_of(const Context& context, const CounterSet& set);
// The same for a chip by CUPTI's name ("GH100"); `context` is asked only about chips that this CUPTI does not know.
// Needs no GPU.
Scheduled schedule_for(const std::string& chip, const Context& context, const CounterSet& set);

class RangeProfiler {  // enabled from begin() to its end
 public:
  explicit RangeProfiler(Context& context) : context_(context) {}
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;
  ~RangeProfiler();
  Refusal begin(const Schedule& schedule, std::size_t kernels_per_pass);
  Refusal start();
  Refusal stop(bool& all_passes_done);
  // After the last pass; one value a metric of the schedule for each kernel of a pass, in their order.
  Refusal decode(std::vector<std::vector<double>>& values);

 private:
  Context& context_;
  const Cupti* cupti_ = nullptr;
  const Schedule* schedule_ = nullptr;
  CUpti_RangeProfiler_Object* object_ = nullptr;
  std::vector<std::uint8_t> image_;
  bool started_ = false;
};
#endif

}  // namespace ww::cuda
