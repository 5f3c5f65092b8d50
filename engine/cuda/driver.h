// SPDX-License-Identifier: Apache-2.0
// The CUDA driver API, loaded at run time: nothing here links to libcuda, and a machine without a driver gets a clear
// error. For .cpp files of engine/cuda only (includes cuda.h).
#pragma once
#include <cuda.h>
#include <string>
#include "base/result.h"

// Functions that every supported driver has. cuda.h's versioning macros apply to the names (cuMemAlloc is cuMemAlloc_v2
// and so on).
// clang-format off
#define WW_CUDA_FUNCTIONS(X) \
  X(cuDriverGetVersion) X(cuGetErrorName) X(cuGetErrorString) X(cuDeviceGetCount) X(cuDeviceGet) X(cuDeviceGetName) \
  X(cuDeviceGetUuid) X(cuDeviceTotalMem) X(cuDeviceGetAttribute) X(cuDeviceGetPCIBusId) X(cuDevicePrimaryCtxRetain) \
  X(cuDevicePrimaryCtxRelease) X(cuCtxSetCurrent) X(cuCtxGetCurrent) X(cuCtxSynchronize) X(cuCtxSetLimit) \
  X(cuCtxGetLimit) X(cuMemGetInfo) X(cuMemAlloc) X(cuMemFree) X(cuMemAllocHost) X(cuMemFreeHost) X(cuMemcpyHtoD) \
  X(cuMemcpyDtoH) X(cuMemcpyDtoD) X(cuMemcpyHtoDAsync) X(cuMemcpyDtoHAsync) X(cuMemcpyDtoDAsync) X(cuMemsetD8) \
  X(cuMemsetD8Async) X(cuMemsetD32Async) X(cuModuleLoadDataEx) X(cuModuleUnload) X(cuModuleGetFunction) \
  X(cuModuleGetGlobal) X(cuFuncGetAttribute) X(cuFuncSetAttribute) X(cuFuncSetCacheConfig) X(cuLaunchKernelEx) \
  X(cuStreamCreate) X(cuStreamDestroy) X(cuStreamSynchronize) X(cuStreamQuery) X(cuStreamBeginCapture) \
  X(cuStreamEndCapture) X(cuGraphInstantiate) X(cuGraphLaunch) X(cuGraphExecDestroy) X(cuGraphDestroy) \
  X(cuGraphUpload) X(cuEventCreate) X(cuEventDestroy) X(cuEventRecord) X(cuEventQuery) X(cuEventSynchronize) \
  X(cuEventElapsedTime) X(cuOccupancyMaxActiveBlocksPerMultiprocessor) X(cuOccupancyMaxActiveClusters) \
  X(cuFuncLoad)
// clang-format on

namespace ww::cuda {

struct Driver {
#define WW_CUDA_MEMBER(f) decltype(&::f) f##_ = nullptr;
  WW_CUDA_FUNCTIONS(WW_CUDA_MEMBER)
#undef WW_CUDA_MEMBER
  int version = 0;  // 13000: CUDA 13.0

  // The driver, loaded and initialised on the first call; Code::unavailable with the reason. Thread-safe.
  static Result<const Driver*> get();
  std::string text(CUresult code) const;  // "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"
};

// WW_CU(driver.cuMemFree_(p), "free memory"): returns Code::device from the enclosing function if the call fails.
#define WW_CU(call, doing)                                                              \
  if (const CUresult ww_code = (call); ww_code != CUDA_SUCCESS)                         \
  return ::ww::fail(::ww::Code::device, std::string("the driver could not ") + (doing), \
                    (*::ww::cuda::Driver::get())->text(ww_code))

}  // namespace ww::cuda
