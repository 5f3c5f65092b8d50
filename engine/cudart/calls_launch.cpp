// SPDX-License-Identifier: Apache-2.0
// Calls of the runtime: what nvcc's code registers, launches, and facts about kernels.
#include <algorithm>
#include <vector>
#include "cudart/machine.h"
#include "cudart/runtime.h"
#include "profile/occupancy.h"

using namespace ww::cudart;

namespace {

struct Configuration {
  dim3 grid, block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
};
thread_local std::vector<Configuration> configurations;

Binary* binary_of(void** handle) { return reinterpret_cast<Binary*>(handle); }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  WW_CUDART_HELD;
  return reinterpret_cast<void**>(r.add_binary(wrapper));
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void** handle) {
  WW_CUDART_HELD;
  r.remove_binary(binary_of(handle));
}
char __cudaInitModule(void**) { return 1; }
void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
  WW_CUDART_HELD;
  r.add_kernel(host, binary_of(handle), name);
}
void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, size_t bytes, int, int) {
  WW_CUDART_HELD;
  r.add_variable(host, {binary_of(handle), name, bytes});
}
void __cudaRegisterHostVar(void**, const char*, char*, size_t) {}
void __cudaRegisterManagedVar(void**, void**, char*, const char* name, int, size_t, int, int) {
  WW_CUDART_HELD;
  r.refuse("__managed__ variable " + std::string(name));
}

cudaError_t __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void* stream) {
  configurations.push_back({grid, block, shared, static_cast<cudaStream_t>(stream)});
  return cudaSuccess;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  if (configurations.empty()) return cudaErrorMissingConfiguration;
  const Configuration c = configurations.back();
  configurations.pop_back();
  *grid = c.grid, *block = c.block, *shared = c.shared;
  *static_cast<cudaStream_t*>(stream) = c.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* out, const void* host) {
  WW_CUDART_HELD;
  Kernel* const k = r.kernel(host);
  *out = reinterpret_cast<cudaKernel_t>(k);
  return k ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

}  // extern "C"

namespace {

cudaError_t launch(const void* what, dim3 grid, dim3 block, void** arguments, size_t shared, bool cooperative) {
  WW_CUDART_CALL;
  Kernel* const k = r.kernel(what);
  return k ? r.launch(*k, grid, block, arguments, shared, cooperative) : r.done(cudaErrorInvalidDeviceFunction);
}

}  // namespace

extern "C" {

cudaError_t cudaLaunchKernel(const void* what, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t) {
  return launch(what, grid, block, arguments, shared, false);
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                               cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
cudaError_t cudaLaunchCooperativeKernel(const void* what, dim3 grid, dim3 block, void** arguments, size_t shared,
                                        cudaStream_t) {
  return launch(what, grid, block, arguments, shared, true);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* what, void** arguments) {
  WW_CUDART_CALL;
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& a = config->attrs[i];
    const auto& d = a.val.clusterDim;
    if (a.id == cudaLaunchAttributeClusterDimension && std::uint64_t{d.x} * d.y * d.z > 1)
      return r.refuse("launch with clusters of more than one block");
    cooperative = cooperative || (a.id == cudaLaunchAttributeCooperative && a.val.cooperative != 0);
  }
  return launch(what, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes, cooperative);
}

cudaError_t cudaFuncSetAttribute(const void* what, cudaFuncAttribute attribute, int value) {
  WW_CUDART_CALL;
  Kernel* const k = r.kernel(what);
  if (!k) return r.done(cudaErrorInvalidDeviceFunction);
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || value > machine::shared_optin) return r.done(cudaErrorInvalidValue);
  k->most_shared = static_cast<std::size_t>(value);
  return cudaSuccess;
}
cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) {
  WW_CUDART_CALL;
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* out, const void* what) {
  WW_CUDART_CALL;
  Kernel* const k = r.kernel(what);
  const ww::simt::KernelInfo* const info = k ? r.info(*k) : nullptr;
  if (!info) return r.done(cudaErrorInvalidDeviceFunction);
  *out = {};
  out->sharedSizeBytes = info->static_shared;
  out->localSizeBytes = info->local_bytes;
  out->maxThreadsPerBlock = machine::threads_of_block;
  out->numRegs = machine::registers_of_thread;
  out->ptxVersion = out->binaryVersion = 10 * machine::major + machine::minor;
  out->maxDynamicSharedSizeBytes = static_cast<int>(k->most_shared);
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* what, int threads,
                                                                   size_t dynamic, unsigned int) {
  WW_CUDART_CALL;
  Kernel* const k = r.kernel(what);
  const ww::simt::KernelInfo* const info = k ? r.info(*k) : nullptr;
  if (!info || threads < 1) return r.done(info ? cudaErrorInvalidValue : cudaErrorInvalidDeviceFunction);
  ww::profile::DeviceLimits limits;  // those of compute capability 9.0, but for shared memory
  limits.shared_per_sm = machine::shared_of_multiprocessor;
  limits.max_shared_per_block = machine::shared_optin;
  limits.reserved_shared_per_block = machine::shared_reserved;
  *blocks = ww::profile::occupancy(limits,
                                   {threads, machine::registers_of_thread,
                                    static_cast<std::int64_t>(info->static_shared), static_cast<std::int64_t>(dynamic)})
                .blocks;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* what, int threads, size_t dynamic) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, what, threads, dynamic, 0);
}

}  // extern "C"
#pragma GCC visibility pop
