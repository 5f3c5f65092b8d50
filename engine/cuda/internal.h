// SPDX-License-Identifier: Apache-2.0
// What the parts of engine/cuda know of each other: the open device, and an execution's buffers and functions.
#pragma once
#include <map>
#include <memory>
#include <string>
#include "cuda/driver.h"
#include "device/device.h"

namespace ww::cuda {

struct Context {                       // one per open device; its primary context, current on the calling thread while in use
  const Driver* driver = nullptr;
  std::string name;                    // "cuda:0"
  int ordinal = 0;
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUstream stream = nullptr;           // every launch, copy and replay goes here
  int major = 0, minor = 0, multiprocessors = 0;
  std::int64_t l2_bytes = 0;
  bool usable = true;                  // false after a fault that took the context with it ("sticky" errors, a kernel that never ends)

  int attribute(CUdevice_attribute which) const {
    int value = 0;
    driver->cuDeviceGetAttribute_(&value, which, device);
    return value;
  }
};

// Enqueues one launch of an execution's module on `stream` (capturable); arguments are marshalled. Nothing is waited for.
// Implemented with the execution; the timing and the counters use it.
Status enqueue(device::Execution& execution, const candidate::PlannedLaunch& launch, CUstream stream);

// timing.cpp, details.cpp, ceilings.cpp
Result<std::vector<profile::SubjectTiming>> time_subjects(Context& context, std::span<const device::TimedSubject> subjects, const device::TimeOptions& options);
Result<profile::DeviceDetails> read_details(Context& context);
Result<profile::Ceilings> measure_ceilings(Context& context, compile::Compiler& compiler, const CancelToken& cancel);
// counters.cpp
Result<profile::CounterReport> count_launches(Context& context, device::Execution& execution, std::span<const candidate::PlannedLaunch> launches,
                                              const std::string& set, const CancelToken& cancel);

}  // namespace ww::cuda
