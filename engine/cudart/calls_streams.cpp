// SPDX-License-Identifier: Apache-2.0
// Calls of the runtime: streams and events. All work is done when a call returns, so they wait for nothing.
#include "cudart/runtime.h"

using namespace ww::cudart;

namespace {

template <class Handle, class All>
cudaError_t make(Runtime& r, Handle* out, All& all) {
  if (!out) return r.done(cudaErrorInvalidValue);
  static std::uintptr_t next = 0x1000;
  next += 16;
  *out = reinterpret_cast<Handle>(next);
  all.insert({*out});
  return cudaSuccess;
}

bool is_default(cudaStream_t s) { return reinterpret_cast<std::uintptr_t>(s) <= 2; }

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* out) {
  WW_CUDART_CALL;
  return make(r, out, r.streams);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned int) { return cudaStreamCreate(out); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* out, unsigned int, int) { return cudaStreamCreate(out); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  WW_CUDART_CALL;
  return r.streams.erase(stream) > 0 ? cudaSuccess : r.done(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  WW_CUDART_CALL;
  return is_default(stream) || r.streams.contains(stream) ? cudaSuccess : r.done(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t, unsigned int) {
  return cudaStreamSynchronize(stream);
}
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* with) {
  { WW_CUDART_CALL; }
  function(with);
  return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* with, unsigned int) {
  { WW_CUDART_CALL; }
  callback(stream, cudaSuccess, with);
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* out) {
  WW_CUDART_CALL;
  if (!out) return r.done(cudaErrorInvalidValue);
  std::set<const void*> made;
  const cudaError_t e = make(r, out, made);
  r.events[*out] = {};
  return e;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned int) { return cudaEventCreate(out); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  WW_CUDART_CALL;
  return r.events.erase(event) > 0 ? cudaSuccess : r.done(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  WW_CUDART_CALL;
  const auto at = r.events.find(event);
  if (at == r.events.end()) return r.done(cudaErrorInvalidResourceHandle);
  at->second = std::chrono::steady_clock::now();
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  WW_CUDART_CALL;
  return r.events.contains(event) ? cudaSuccess : r.done(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  WW_CUDART_CALL;
  const auto a = r.events.find(from), b = r.events.find(to);
  constexpr std::chrono::steady_clock::time_point never{};
  if (a == r.events.end() || b == r.events.end() || a->second == never || b->second == never)
    return r.done(cudaErrorInvalidResourceHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(b->second - a->second).count();
  return cudaSuccess;
}

}  // extern "C"
