// SPDX-License-Identifier: Apache-2.0
// State shared within engine/cuda: the open device, and an execution's buffers and functions.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>
#include "cuda/driver.h"
#include "device/device.h"

namespace ww::cuda {

class Pool;           // memory.h
class TimingKernels;  // timing_kernels.h
class Service;        // resident.h
class CudaSet;

struct Context {  // one per open device, kept alive by its modules, executions and sets; used by one thread at a time
  const Driver* driver = nullptr;
  std::string name;  // "cuda:0"
  int ordinal = 0;
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUstream stream = nullptr;       // used by all launches, copies and replays
  CUstream side_stream = nullptr;  // of other work beside a launch; made when first needed
  int major = 0, minor = 0, multiprocessors = 0;
  std::int64_t l2_bytes = 0;
  bool usable = true;  // false after a fault that destroyed the context ("sticky" errors, a kernel that never ends)
  std::shared_ptr<Pool> pool;                           // of device memory
  std::shared_ptr<const TimingKernels> timing_kernels;  // loaded with the first timing
  std::shared_ptr<Service>
      service;  // kernels that generate, copy and compare tensors; compiled with the first resident set
  std::vector<const CudaSet*> sets;  // the live sets: no kernel may change them

  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();  // frees everything, or nothing if the context is not usable (the driver would wait forever)

  int attribute(CUdevice_attribute which) const {
    int value = 0;
    driver->cuDeviceGetAttribute_(&value, which, device);
    return value;
  }
};

// Makes the context current on the calling thread; every public entry point begins with it. Code::unavailable if the
// device is no longer usable.
Status enter(Context& context);
// Converts a driver call's result; an error that destroyed the context makes the device unusable and gives
// Code::unavailable.
Status checked(Context& context, CUresult code, const std::string& doing);
// Waits, polling, until all work on context.stream is done. If that takes longer than `seconds`, or more than a quarter
// of a second after a cancellation, the work is abandoned and the device is no longer usable.
struct Waited {
  CUresult code = CUDA_SUCCESS;  // CUDA_ERROR_NOT_READY: still running, abandoned
  bool cancelled = false;        // the token was cancelled while it ran
};
Waited wait(Context& context, double seconds, const std::stop_token& stop);

// Enqueues one launch of an execution's module on `stream` (capturable) without waiting; marshals the arguments.
// Implemented with the execution; used by timing and counters.
Status enqueue(device::Execution& execution, const candidate::PlannedLaunch& launch, CUstream stream);

// timing.cpp, details.cpp, ceilings.cpp
Result<std::vector<profile::SubjectTiming>> time_subjects(Context& context,
                                                          std::span<const device::TimedSubject> subjects,
                                                          const device::TimeOptions& options);
Result<profile::DeviceDetails> read_details(Context& context);
Result<profile::Ceilings> measure_ceilings(Context& context, compile::Compiler& compiler, const std::stop_token& stop);
// counters.cpp
Result<profile::CounterReport> count_launches(Context& context, device::Execution& execution,
                                              std::span<const candidate::PlannedLaunch> launches,
                                              const std::string& set, const std::stop_token& stop);

}  // namespace ww::cuda
