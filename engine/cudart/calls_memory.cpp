// SPDX-License-Identifier: Apache-2.0
// Calls of the runtime: memory.
#include <algorithm>
#include "cudart/machine.h"
#include "cudart/runtime.h"

using namespace ww::cudart;

namespace {

constexpr std::size_t pitch_step = 512;

char* row(void* p, std::size_t i, std::size_t pitch) { return static_cast<char*>(p) + i * pitch; }
const char* row(const void* p, std::size_t i, std::size_t pitch) { return static_cast<const char*>(p) + i * pitch; }

cudaError_t symbol(Runtime& r, const void* host, std::size_t offset, std::size_t bytes, void** out) {
  std::size_t size = 0;
  const auto at = r.address_of(host, &size);
  if (!at) return r.done(cudaErrorInvalidSymbol);
  if (offset > size || bytes > size - offset) return r.done(cudaErrorInvalidValue);
  *out = reinterpret_cast<void*>(*at + offset);
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** out, size_t bytes) {
  WW_CUDART_CALL;
  return r.allocate(out, bytes);
}
cudaError_t cudaMallocAsync(void** out, size_t bytes, cudaStream_t) { return cudaMalloc(out, bytes); }
cudaError_t cudaMallocPitch(void** out, size_t* pitch, size_t width, size_t height) {
  if (pitch) *pitch = (width + pitch_step - 1) / pitch_step * pitch_step;
  return cudaMalloc(out, pitch ? *pitch * height : 0);
}
cudaError_t cudaFree(void* p) {
  WW_CUDART_CALL;
  return r.free(p);
}
cudaError_t cudaFreeAsync(void* p, cudaStream_t) { return cudaFree(p); }

cudaError_t cudaMallocManaged(void** out, size_t bytes, unsigned int) {
  WW_CUDART_CALL;
  return r.allocate_shared(out, bytes, "managed memory");
}
cudaError_t cudaHostAlloc(void** out, size_t bytes, unsigned int) {
  WW_CUDART_CALL;
  return r.allocate_shared(out, bytes, "host memory");
}
cudaError_t cudaMallocHost(void** out, size_t bytes) { return cudaHostAlloc(out, bytes, 0); }
cudaError_t cudaFreeHost(void* p) {
  WW_CUDART_CALL;
  return r.free_shared(p);
}
cudaError_t cudaHostRegister(void* p, size_t bytes, unsigned int) {
  WW_CUDART_CALL;
  return r.share(p, bytes);
}
cudaError_t cudaHostUnregister(void* p) {
  WW_CUDART_CALL;
  return r.unshare(p);
}
cudaError_t cudaHostGetDevicePointer(void** out, void* p, unsigned int) {
  WW_CUDART_CALL;
  if (!r.is_shared(p)) return r.done(cudaErrorInvalidValue);
  *out = p;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  WW_CUDART_CALL;
  return r.copy(to, from, bytes, kind);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  WW_CUDART_CALL;
  if (width > to_pitch || width > from_pitch) return r.done(cudaErrorInvalidPitchValue);
  for (std::size_t i = 0; i < height; ++i)
    if (const cudaError_t e = r.copy(row(to, i, to_pitch), row(from, i, from_pitch), width, kind)) return e;
  return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemset(void* p, int value, size_t bytes) {
  WW_CUDART_CALL;
  return r.fill(p, value, bytes);
}
cudaError_t cudaMemsetAsync(void* p, int value, size_t bytes, cudaStream_t) { return cudaMemset(p, value, bytes); }
cudaError_t cudaMemset2D(void* p, size_t pitch, int value, size_t width, size_t height) {
  WW_CUDART_CALL;
  for (std::size_t i = 0; i < height; ++i)
    if (const cudaError_t e = r.fill(row(p, i, pitch), value, width)) return e;
  return cudaSuccess;
}
cudaError_t cudaMemset2DAsync(void* p, size_t pitch, int value, size_t width, size_t height, cudaStream_t) {
  return cudaMemset2D(p, pitch, value, width, height);
}

cudaError_t cudaMemcpyToSymbol(const void* symbol_of, const void* from, size_t bytes, size_t offset, cudaMemcpyKind) {
  WW_CUDART_CALL;
  void* to = nullptr;
  if (const cudaError_t e = symbol(r, symbol_of, offset, bytes, &to)) return e;
  return r.copy(to, from, bytes);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol_of, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpyToSymbol(symbol_of, from, bytes, offset, kind);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol_of, size_t bytes, size_t offset, cudaMemcpyKind) {
  WW_CUDART_CALL;
  void* from = nullptr;
  if (const cudaError_t e = symbol(r, symbol_of, offset, bytes, &from)) return e;
  return r.copy(to, from, bytes);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol_of, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t) {
  return cudaMemcpyFromSymbol(to, symbol_of, bytes, offset, kind);
}
cudaError_t cudaGetSymbolAddress(void** out, const void* symbol_of) {
  WW_CUDART_CALL;
  return symbol(r, symbol_of, 0, 0, out);
}
cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol_of) {
  WW_CUDART_CALL;
  return r.address_of(symbol_of, bytes) ? cudaSuccess : r.done(cudaErrorInvalidSymbol);
}

cudaError_t cudaMemGetInfo(size_t* left, size_t* all) {
  WW_CUDART_CALL;
  *all = machine::memory;
  *left = machine::memory - std::min(machine::memory, r.memory().bytes_in_use());
  return cudaSuccess;
}
cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned int, cudaStream_t) {
  WW_CUDART_CALL;
  return cudaSuccess;
}
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, cudaMemLocation) {
  WW_CUDART_CALL;
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* out, const void* p) {
  WW_CUDART_CALL;
  *out = {};
  out->device = 0;
  const bool device = r.is_device(p), both = r.is_shared(p);
  out->type = device ? cudaMemoryTypeDevice : both ? cudaMemoryTypeManaged : cudaMemoryTypeUnregistered;
  out->devicePointer = device || both ? const_cast<void*>(p) : nullptr;
  out->hostPointer = device ? nullptr : const_cast<void*>(p);
  return cudaSuccess;
}

}  // extern "C"
