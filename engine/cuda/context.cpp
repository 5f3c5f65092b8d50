// SPDX-License-Identifier: Apache-2.0
#include "cuda/context.h"
#include <chrono>
#include <thread>
#include "base/files.h"
#include "cuda/faults.h"
#include "cuda/memory.h"
#include "cuda/resident.h"
#include "cuda/timing_kernels.h"

namespace ww::cuda {
namespace {

constexpr const char* lost_message =
    "this process can no longer use the GPU: an earlier kernel, or another program's, destroyed its context";

}  // namespace

Context::~Context() {
  if (!context) return;
  service.reset();
  if (!usable) {  // every call would fail or wait for a kernel that never ends
    if (pool) pool->forget();
    return;
  }
  driver->cuCtxSetCurrent_(context);
  timing_kernels.reset();
  pool.reset();
  if (side_stream) driver->cuStreamDestroy_(side_stream);
  if (stream) driver->cuStreamDestroy_(stream);
  driver->cuCtxSetCurrent_(nullptr);
  driver->cuDevicePrimaryCtxRelease_(device);
}

Result<std::shared_ptr<Context>> open_context(int ordinal) {
  const Driver* driver = WW_TRY(Driver::get());
  const Driver& d = *driver;
  const std::string name = "cuda:" + std::to_string(ordinal);
  int count = 0;
  WW_CU(d.cuDeviceGetCount_(&count), "count its GPUs");
  if (count == 0) return fail(Code::unavailable, "there is no CUDA device: the NVIDIA driver sees no GPU");
  if (ordinal < 0 || ordinal >= count)
    return fail(Code::unavailable,
                "there is no device " + name + ": this machine has " +
                    (count == 1 ? "one GPU, cuda:0"
                                : std::to_string(count) + " GPUs, cuda:0 to cuda:" + std::to_string(count - 1)));
  auto context = std::make_shared<Context>();
  Context& c = *context;
  c.driver = &d;
  c.name = name;
  c.ordinal = ordinal;
  WW_CU(d.cuDeviceGet_(&c.device, ordinal), "open " + name);
  WW_CU(d.cuDevicePrimaryCtxRetain_(&c.context, c.device), "make a context on " + name);
  WW_CU(d.cuCtxSetCurrent_(c.context), "use the context of " + name);
  WW_CU(d.cuStreamCreate_(&c.stream, CU_STREAM_NON_BLOCKING), "make a stream on " + name);
  c.major = c.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  c.minor = c.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  c.multiprocessors = c.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  c.l2_bytes = c.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  c.pool = std::make_shared<Pool>(c);
  return context;
}

std::string driver_release() {
  const Result<std::string> text = read_file("/proc/driver/nvidia/version", 1 << 12);
  if (!text) return {};
  // "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build …": the first word of digits
  //                                                                       and dots.
  for (std::size_t at = 0; at < text->size();) {
    std::size_t end = text->find_first_of(" \t\n", at);
    if (end == std::string::npos) end = text->size();
    const std::string word = text->substr(at, end - at);
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos) return word;
    at = end + 1;
  }
  return {};
}

Status enter(Context& context) {
  if (!context.usable) return fail(Code::unavailable, lost_message);
  return checked(context, context.driver->cuCtxSetCurrent_(context.context), "use the context of " + context.name);
}

Status checked(Context& context, CUresult code, const std::string& doing) {
  if (code == CUDA_SUCCESS) return {};
  const FaultClass what = classify(code);
  if (what.sticky) {
    context.usable = false;
    return fail(Code::unavailable, lost_message, "it could not " + doing + ": " + context.driver->text(code));
  }
  return fail(Code::device, "the driver could not " + doing, context.driver->text(code));
}

Waited wait(Context& context, double seconds, const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  double asked = 0;  // when the cancellation was seen
  Waited out;
  for (;;) {
    out.code = context.driver->cuStreamQuery_(context.stream);
    if (out.code != CUDA_ERROR_NOT_READY) {
      if (classify(out.code).sticky) context.usable = false;
      return out;
    }
    const double waited = std::chrono::duration<double>(Clock::now() - start).count();
    if (!out.cancelled && stop.stop_requested()) out.cancelled = true, asked = waited;
    if (waited > seconds || (out.cancelled && waited - asked > 0.25)) {
      context.usable = false;
      return out;
    }
    if (waited > 0.05)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    else if (waited > 0.0005)
      std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

}  // namespace ww::cuda
