// SPDX-License-Identifier: Apache-2.0
// CUPTI's range profiler for one set of metrics: automatic ranges (each kernel launched between start() and stop() is one) and replay by
// the caller. What it costs, measured on an H200: initialise 90–130 ms once a process, configure 45 ms once a set, the first start after
// enabling 150–200 ms, then about 6 ms a pass. While enabled, each kernel of the context takes about half a microsecond longer, and
// about a quarter from the first enabling to the end of the process: whoever times kernels should know.
#pragma once
#include "cuda/counters.h"
#include "cuda/cupti.h"
#include "cuda/internal.h"

namespace ww::cuda {

// Why this process cannot count on that device, and what to do about it; nothing where it can. Makes CUPTI ready on its first call.
struct Refusal {
  std::string why;  // one or two plain sentences; empty: not refused
  explicit operator bool() const { return !why.empty(); }
};

#ifdef WW_HAVE_CUPTI
Refusal prepare_cupti(const Context& context, CUpti_Profiler_API api);
std::string refusal_text(const Cupti& cupti, CUptiResult code, const std::string& doing);

struct Schedule {                      // immutable, kept for the life of the process: one a chip and set
  std::vector<Metric> metrics;         // those that the chip has
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
// The same for a chip by CUPTI's name ("GH100"); `context` is asked only about chips that this CUPTI does not know. Needs no GPU.
Scheduled schedule_for(const std::string& chip, const Context& context, const CounterSet& set);

class RangeProfiler {                  // enabled from begin() to its end
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
