// SPDX-License-Identifier: Apache-2.0
// CUPTI's range profiler for one set of metrics: automatic ranges (each kernel launched between start() and stop() is
// one), replayed by the caller. Costs measured on an H200: initialisation 90–130 ms once per process, configuration 45
// ms once per set, the first start after enabling 160–200 ms, then about 6 ms per pass. Once enabled, each kernel of
// the process takes 0.25 to 0.5 µs longer, even after the profiler ends, until release_cupti().
#pragma once
#include "cuda/counters.h"
#include "cuda/cupti.h"
#include "cuda/internal.h"

namespace ww::cuda {

// Why this process cannot count on that device, and what to do about it; empty if it can. Initialises CUPTI on the
// first call.
struct Refusal {
  std::string why;  // one or two plain sentences; empty: not refused
  explicit operator bool() const { return !why.empty(); }
};

#ifdef WW_HAVE_CUPTI
// Removes CUPTI's hooks from the process (2 ms), so that later timings are unaffected. The next enabling reinstalls
// them. Nothing may be enabled or running. Not thread-safe.
void release_cupti(const Context& context);
Refusal prepare_cupti(const Context& context, CUpti_Profiler_API api);
std::string refusal_text(const Cupti& cupti, CUptiResult code, const std::string& doing);

struct Schedule {               // immutable, lives as long as the process: one per chip and set
  std::vector<Metric> metrics;  // those that the chip supports
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
// The same for a chip by CUPTI's name ("GH100"); `context` is only used for chips that this CUPTI does not know. Needs
// no GPU.
Scheduled schedule_for(const std::string& chip, const Context& context, const CounterSet& set);

class RangeProfiler {  // enabled from begin() until destruction
 public:
  explicit RangeProfiler(Context& context) : context_(context) {}
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;
  ~RangeProfiler();
  Refusal begin(const Schedule& schedule, std::size_t kernels_per_pass);
  Refusal start();
  Refusal stop(bool& all_passes_done);
  // After the last pass: one value per metric of the schedule for each kernel of a pass, in launch order.
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
