// SPDX-License-Identifier: Apache-2.0
// Meanings and stickiness: the comments of cuda.h beside each code ("leaves the process in an inconsistent state").
#include "cuda/faults.h"

namespace ww::cuda {
namespace {

struct Row {
  CUresult code;
  FaultKind kind;
  const char* sentence;
  bool sticky;
};

constexpr FaultKind lost = FaultKind::device_lost;

constexpr Row rows[] = {
    // While the kernel ran.
    {CUDA_ERROR_ILLEGAL_ADDRESS, FaultKind::out_of_bounds,
     "an illegal memory access: a thread read or wrote an address where it has no memory", true},
    {CUDA_ERROR_MISALIGNED_ADDRESS, FaultKind::misaligned,
     "a misaligned memory access: the address is not a multiple of the access's size", true},
    {CUDA_ERROR_INVALID_ADDRESS_SPACE, FaultKind::out_of_bounds,
     "an access to the wrong kind of memory: the instruction and its address are of different memory spaces", true},
    {CUDA_ERROR_HARDWARE_STACK_ERROR, FaultKind::stack_overflow,
     "a stack overflow: calls nest too deeply, or the stack was overwritten", true},
    {CUDA_ERROR_ASSERT, FaultKind::assertion, "a failed assertion", true},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, FaultKind::invalid_instruction,
     "an illegal instruction: a trap, or an instruction that this device does not know or that was used wrongly", true},
    {CUDA_ERROR_INVALID_PC, FaultKind::invalid_instruction,
     "execution left the kernel's code: a call or return went to an address without instructions", true},
    {CUDA_ERROR_LAUNCH_FAILED, FaultKind::trap,
     "an exception that the hardware does not name: a trap, an access outside shared memory, or a broken stack", true},
    {CUDA_ERROR_LAUNCH_TIMEOUT, FaultKind::budget_exceeded, "the kernel ran longer than the driver allows", true},
    {CUDA_ERROR_TENSOR_MEMORY_LEAK, FaultKind::invalid_instruction,
     "the kernel ended without giving back its tensor memory", true},
    // The launch itself was refused; nothing ran.
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, FaultKind::launch_refused,
     "the launch needs more registers, threads or shared memory than the device has for one block", false},
    {CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, FaultKind::launch_refused,
     "the cooperative launch has more blocks than the device can run at the same time", false},
    {CUDA_ERROR_INVALID_CLUSTER_SIZE, FaultKind::launch_refused, "the device cannot fit clusters of this size", false},
    {CUDA_ERROR_INVALID_VALUE, FaultKind::launch_refused,
     "the device does not accept a number of the launch (grid, block, cluster, shared memory or an argument)", false},
    {CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, FaultKind::launch_refused,
     "the device does not accept the launch's resources", false},
    {CUDA_ERROR_NOT_SUPPORTED, FaultKind::launch_refused, "the device does not support this kind of launch", false},
    {CUDA_ERROR_INVALID_IMAGE, FaultKind::launch_refused, "the compiled code is not valid for this device", false},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, FaultKind::launch_refused, "the compiled code is for a different architecture",
     false},
    {CUDA_ERROR_INVALID_PTX, FaultKind::launch_refused, "the driver does not accept the PTX", false},
    {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, FaultKind::launch_refused, "the PTX version is newer than the driver supports",
     false},
    {CUDA_ERROR_JIT_COMPILER_NOT_FOUND, FaultKind::launch_refused, "the driver has no compiler for PTX here", false},
    {CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, FaultKind::launch_refused,
     "the compiled code refers to something that is not in it", false},
    {CUDA_ERROR_NOT_FOUND, FaultKind::launch_refused, "the compiled code does not have what the launch names", false},
    {CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC, FaultKind::launch_refused,
     "the code waits on the device for its own launches, which this device does not support", false},
    {CUDA_ERROR_OUT_OF_MEMORY, FaultKind::out_of_memory, "the device does not have enough free memory", false},
    // The device or the process's hold on it, for reasons outside the kernel.
    {CUDA_ERROR_ECC_UNCORRECTABLE, lost, "the device's memory had an uncorrectable error (ECC)", true},
    {CUDA_ERROR_NVLINK_UNCORRECTABLE, lost, "the device's NVLink had an uncorrectable error", true},
    {CUDA_ERROR_CONTAINED, lost, "the device contained a hardware error", true},
    {CUDA_ERROR_EXTERNAL_DEVICE, lost, "another device that this one waited for reported an error", true},
    {CUDA_ERROR_DEVICE_UNAVAILABLE, lost,
     "the device is not available: another process has it for itself, or it is switched off for computing", true},
    {CUDA_ERROR_NO_DEVICE, lost, "the CUDA device is gone", true},
    {CUDA_ERROR_INVALID_DEVICE, lost, "the device has disappeared", true},
    {CUDA_ERROR_CONTEXT_IS_DESTROYED, lost, "the process's context on the device is gone", true},
    {CUDA_ERROR_INVALID_CONTEXT, lost, "the process's context on the device is not valid", true},
    {CUDA_ERROR_INVALID_HANDLE, lost, "the process's hold on the device's objects is not valid", true},
    {CUDA_ERROR_NOT_INITIALIZED, lost, "the driver is not initialised in this process", true},
    {CUDA_ERROR_DEINITIALIZED, lost, "the driver is shutting down in this process", true},
    {CUDA_ERROR_SYSTEM_NOT_READY, lost, "the system's CUDA services are not ready", true},
    {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, lost, "the installed driver and its libraries are of different versions", true},
    {CUDA_ERROR_OPERATING_SYSTEM, lost, "a call of the driver to the operating system failed", true},
    {CUDA_ERROR_MPS_CLIENT_TERMINATED, lost,
     "the service that shares the device between processes ended this one's use of it", true},
    {CUDA_ERROR_MPS_RPC_FAILURE, lost, "the service that shares the device between processes does not answer", true},
    {CUDA_ERROR_UNKNOWN, FaultKind::device_error, "the driver reported an unknown error", true},
};

}  // namespace

FaultClass classify(CUresult code) {
  if (code == CUDA_SUCCESS) return {};
  for (const Row& row : rows)
    if (row.code == code) return {row.kind, row.sentence, row.sticky};
  return {FaultKind::device_error, "the driver reported error " + std::to_string(static_cast<int>(code)), true};
}

}  // namespace ww::cuda
