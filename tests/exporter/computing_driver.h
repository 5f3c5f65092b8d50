// SPDX-License-Identifier: Apache-2.0
// A CUDA driver on the host that computes y = F(x) for each element, in the place of the kernel that an exported header
// launches. X, Y: which of its parameters they are; F: the function.
#pragma once
#include <cstdlib>
#include <cstring>
#include <map>

static std::map<CUdeviceptr, std::size_t> blocks;
static std::size_t bytes_at(CUdeviceptr at) { return blocks.at(at); }

extern "C" {
CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice* device, int) { return *device = 0, CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxRetain(CUcontext*, CUdevice) { return CUDA_SUCCESS; }
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxSynchronize() { return CUDA_SUCCESS; }
CUresult cuMemAlloc(CUdeviceptr* at, std::size_t bytes) {
  void* block = nullptr;
  if (posix_memalign(&block, 256, bytes) != 0) return CUDA_ERROR_OUT_OF_MEMORY;
  *at = reinterpret_cast<CUdeviceptr>(block);
  blocks[*at] = bytes;
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8(CUdeviceptr at, unsigned char value, std::size_t bytes) {
  return std::memset(reinterpret_cast<void*>(at), value, bytes), CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
  return std::memcpy(reinterpret_cast<void*>(to), from, bytes), CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
  return std::memcpy(to, reinterpret_cast<void*>(from), bytes), CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr at, unsigned char value, std::size_t bytes, CUstream) {
  return cuMemsetD8(at, value, bytes);
}
CUresult cuGetErrorString(CUresult, const char** text) { return *text = "an error", CUDA_SUCCESS; }
CUresult cuCtxGetCurrent(CUcontext* context) { return *context = reinterpret_cast<CUcontext>(1), CUDA_SUCCESS; }
CUresult cuModuleLoadData(CUmodule* module, const void*) {
  return *module = reinterpret_cast<CUmodule>(1), CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char*) {
  return *function = reinterpret_cast<CUfunction>(1), CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }
CUresult cuLaunchKernelEx(const CUlaunchConfig*, CUfunction, void** arguments, void**) {
  const CUdeviceptr x = *static_cast<CUdeviceptr*>(arguments[X]), y = *static_cast<CUdeviceptr*>(arguments[Y]);
  for (std::size_t i = 0; i < bytes_at(y) / sizeof(float); ++i)
    reinterpret_cast<float*>(y)[i] = F(reinterpret_cast<const float*>(x)[i]);
  return CUDA_SUCCESS;
}
}
