// SPDX-License-Identifier: Apache-2.0
// Calls of the runtime: the device, its facts, and errors.
#include <cstring>
#include "cudart/machine.h"
#include "cudart/runtime.h"

using namespace ww::cudart;

namespace {

struct ErrorName {
  cudaError_t error;
  const char *name, *text;
};
#define WW_ERROR(name, text) \
  { name, #name, text }
constexpr ErrorName error_names[] = {
    WW_ERROR(cudaSuccess, "no error"),
    WW_ERROR(cudaErrorInvalidValue, "invalid argument"),
    WW_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    WW_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    WW_ERROR(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    WW_ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    WW_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    WW_ERROR(cudaErrorMissingConfiguration, "__global__ function call is not configured"),
    WW_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    WW_ERROR(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"),
    WW_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    WW_ERROR(cudaErrorNotReady, "device not ready"),
    WW_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    WW_ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    WW_ERROR(cudaErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"),
    WW_ERROR(cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
    WW_ERROR(cudaErrorAssert, "device-side assert triggered"),
    WW_ERROR(cudaErrorHardwareStackError, "hardware stack error"),
    WW_ERROR(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
    WW_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    WW_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    WW_ERROR(cudaErrorNotSupported, "operation not supported"),
};
#undef WW_ERROR

const ErrorName* named(cudaError_t e) {
  for (const ErrorName& n : error_names)
    if (n.error == e) return &n;
  return nullptr;
}

constexpr int version = 13000;

// Unknown ones are 0, as on a device that lacks what they ask for.
int attribute(cudaDeviceAttr what) {
  switch (what) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY: return machine::threads_of_block;
    case cudaDevAttrMaxBlockDimZ: return machine::block_z;
    case cudaDevAttrMaxGridDimX: return machine::grid_x;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ: return machine::grid_yz;
    case cudaDevAttrMaxSharedMemoryPerBlock: return machine::shared_of_block;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return machine::shared_optin;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return machine::shared_of_multiprocessor;
    case cudaDevAttrReservedSharedMemoryPerBlock: return machine::shared_reserved;
    case cudaDevAttrTotalConstantMemory: return machine::constant_memory;
    case cudaDevAttrWarpSize: return 32;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor: return machine::registers;
    case cudaDevAttrMultiProcessorCount: return machine::multiprocessors;
    case cudaDevAttrMaxThreadsPerMultiProcessor: return machine::threads_of_multiprocessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor: return machine::blocks_of_multiprocessor;
    case cudaDevAttrComputeCapabilityMajor: return machine::major;
    case cudaDevAttrComputeCapabilityMinor: return machine::minor;
    case cudaDevAttrL2CacheSize: return machine::l2_cache;
    case cudaDevAttrClockRate:
    case cudaDevAttrMemoryClockRate: return 1000000;
    case cudaDevAttrGlobalMemoryBusWidth: return 4096;
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrAsyncEngineCount: return 1;
    default: return 0;
  }
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  WW_CUDART_CALL;
  return device == 0 ? cudaSuccess : r.done(cudaErrorInvalidDevice);
}
cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) { return cudaSetDevice(device); }
cudaError_t cudaSetDeviceFlags(unsigned int) { return cudaSuccess; }
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }
cudaError_t cudaDeviceSynchronize() {
  WW_CUDART_CALL;
  return cudaSuccess;
}
cudaError_t cudaDeviceReset() {
  WW_CUDART_CALL;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return cudaSuccess;
}
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* out) {
  *out = version;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* out) { return cudaRuntimeGetVersion(out); }

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr what, int device) {
  WW_CUDART_CALL;
  if (device != 0) return r.done(cudaErrorInvalidDevice);
  *value = attribute(what);
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  WW_CUDART_CALL;
  if (device != 0) return r.done(cudaErrorInvalidDevice);
  *p = {};
  std::strncpy(p->name, machine::name, sizeof p->name - 1);
  p->major = machine::major, p->minor = machine::minor;
  p->totalGlobalMem = machine::memory;
  p->totalConstMem = machine::constant_memory;
  p->sharedMemPerBlock = machine::shared_of_block;
  p->sharedMemPerBlockOptin = machine::shared_optin;
  p->sharedMemPerMultiprocessor = machine::shared_of_multiprocessor;
  p->reservedSharedMemPerBlock = machine::shared_reserved;
  p->regsPerBlock = p->regsPerMultiprocessor = machine::registers;
  p->warpSize = 32;
  p->maxThreadsPerBlock = machine::threads_of_block;
  p->maxThreadsPerMultiProcessor = machine::threads_of_multiprocessor;
  p->maxBlocksPerMultiProcessor = machine::blocks_of_multiprocessor;
  p->multiProcessorCount = machine::multiprocessors;
  const int block[3] = {machine::threads_of_block, machine::threads_of_block, machine::block_z},
            grid[3] = {machine::grid_x, machine::grid_yz, machine::grid_yz};
  std::memcpy(p->maxThreadsDim, block, sizeof block);
  std::memcpy(p->maxGridSize, grid, sizeof grid);
  p->memPitch = 0x7fffffff;
  p->textureAlignment = 512;
  p->l2CacheSize = machine::l2_cache;
  p->memoryBusWidth = attribute(cudaDevAttrGlobalMemoryBusWidth);
  p->unifiedAddressing = p->managedMemory = p->concurrentManagedAccess = p->concurrentKernels = 1;
  p->canMapHostMemory = p->asyncEngineCount = 1;
  return cudaSuccess;
}

const char* cudaGetErrorName(cudaError_t e) {
  const ErrorName* const n = named(e);
  return n ? n->name : "unrecognized error code";
}
const char* cudaGetErrorString(cudaError_t e) {
  const ErrorName* const n = named(e);
  return n ? n->text : "unrecognized error code";
}
cudaError_t cudaGetLastError() {
  WW_CUDART_HELD;
  return r.last(true);
}
cudaError_t cudaPeekAtLastError() {
  WW_CUDART_HELD;
  return r.last(false);
}

}  // extern "C"
