// SPDX-License-Identifier: Apache-2.0
// CUPTI, loaded at run time: the range profiler (counters) and program counter sampling. For .cpp files of engine/cuda
// only. Source of names and signatures: NVIDIA's CUPTI headers of CUDA 13. Built without them, get() reports that.
#pragma once
#if __has_include(<cupti_range_profiler.h>) && __has_include(<cupti_profiler_host.h>) && \
    __has_include(<cupti_pcsampling.h>)
#define WW_HAVE_CUPTI 1
#include <cupti_activity.h>
#include <cupti_pcsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#endif
#include <filesystem>
#include <string>
#include "base/result.h"

// Required for counting; a CUPTI that lacks one is too old.
// clang-format off
#define WW_CUPTI_FUNCTIONS(X) \
  X(cuptiGetErrorMessage) X(cuptiProfilerInitialize) X(cuptiProfilerDeviceSupported) \
  X(cuptiProfilerGetCounterAvailability) X(cuptiDeviceGetChipName) X(cuptiProfilerHostInitialize) \
  X(cuptiProfilerHostDeinitialize) X(cuptiProfilerHostConfigAddMetrics) X(cuptiProfilerHostGetConfigImageSize) \
  X(cuptiProfilerHostGetConfigImage) X(cuptiProfilerHostGetNumOfPasses) X(cuptiProfilerHostEvaluateToGpuValues) \
  X(cuptiRangeProfilerEnable) X(cuptiRangeProfilerDisable) X(cuptiRangeProfilerSetConfig) \
  X(cuptiRangeProfilerStart) X(cuptiRangeProfilerStop) X(cuptiRangeProfilerDecodeData) \
  X(cuptiRangeProfilerGetCounterDataSize) X(cuptiRangeProfilerCounterDataImageInitialize) \
  X(cuptiRangeProfilerGetCounterDataInfo) X(cuptiFinalize)
// clang-format on
// Required for sampling; null if this CUPTI lacks it.
// clang-format off
#define WW_CUPTI_SAMPLING(X) \
  X(cuptiPCSamplingEnable) X(cuptiPCSamplingDisable) X(cuptiPCSamplingStart) X(cuptiPCSamplingStop) \
  X(cuptiPCSamplingGetData) X(cuptiPCSamplingSetConfigurationAttribute) X(cuptiPCSamplingGetNumStallReasons) \
  X(cuptiPCSamplingGetStallReasons) X(cuptiGetSassToSourceCorrelation)
// clang-format on

namespace ww::cuda {

struct Cupti {
#ifdef WW_HAVE_CUPTI
#define WW_CUPTI_MEMBER(f) decltype(&::f) f##_ = nullptr;
  WW_CUPTI_FUNCTIONS(WW_CUPTI_MEMBER)
  WW_CUPTI_SAMPLING(WW_CUPTI_MEMBER)
#undef WW_CUPTI_MEMBER
  std::string text(CUptiResult code) const;  // "CUPTI_ERROR_…" as CUPTI words it, with the number
  bool samples() const {
    return cuptiPCSamplingEnable_ && cuptiPCSamplingDisable_ && cuptiPCSamplingStart_ && cuptiPCSamplingStop_ &&
           cuptiPCSamplingGetData_ && cuptiPCSamplingSetConfigurationAttribute_ && cuptiPCSamplingGetNumStallReasons_ &&
           cuptiPCSamplingGetStallReasons_ && cuptiGetSassToSourceCorrelation_;
  }
#endif
  std::filesystem::path path;  // what was loaded

  // Loaded on the first call; never closed. Code::unavailable with the reason. Thread-safe.
  static Result<const Cupti*> get();
};

}  // namespace ww::cuda
