// SPDX-License-Identifier: Apache-2.0
// Memory of the runtime: the device's, the host's, and what both may touch.
#include <cstring>
#include <sys/mman.h>
#include "cudart/runtime.h"

namespace ww::cudart {
namespace {

std::uint64_t place(const void* p) { return reinterpret_cast<std::uint64_t>(p); }

}  // namespace

bool Runtime::is_device(const void* p) const {
  std::byte none{};
  return !is_shared(p) && memory_->read(place(p), &none, 0).has_value();
}

bool Runtime::is_shared(const void* p) const {
  auto at = shared_.upper_bound(place(p));
  if (at == shared_.begin()) return false;
  --at;
  return place(p) - at->first < at->second.bytes;
}

cudaError_t Runtime::copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (bytes == 0) return cudaSuccess;
  const bool to_device = is_device(to), from_device = is_device(from);
  const bool to_wanted = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_wanted = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (!to || !from || (to_wanted && !to_device && !is_shared(to)) || (from_wanted && !from_device && !is_shared(from)))
    return done(cudaErrorInvalidValue);
  if (!to_device && !from_device) {
    std::memmove(to, from, bytes);
    return cudaSuccess;
  }
  if (to_device && !from_device)
    return done(memory_->write(place(to), from, bytes) ? cudaSuccess : cudaErrorInvalidValue);
  if (!to_device) return done(memory_->read(place(from), to, bytes) ? cudaSuccess : cudaErrorInvalidValue);
  std::vector<std::byte> between(bytes);
  const bool moved =
      memory_->read(place(from), between.data(), bytes) && memory_->write(place(to), between.data(), bytes);
  return done(moved ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t Runtime::fill(void* to, int value, std::size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  if (is_shared(to)) {
    std::memset(to, value, bytes);
    return cudaSuccess;
  }
  return done(memory_->fill(place(to), static_cast<std::uint8_t>(value), bytes) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t Runtime::allocate(void** out, std::size_t bytes) {
  if (!out) return done(cudaErrorInvalidValue);
  *out = nullptr;
  if (bytes == 0) return cudaSuccess;
  const auto at = memory_->allocate(bytes, "allocation " + std::to_string(++allocations_));
  if (!at) return done(cudaErrorMemoryAllocation);
  *out = reinterpret_cast<void*>(*at);
  return cudaSuccess;
}

cudaError_t Runtime::free(void* p) {
  if (!p) return cudaSuccess;
  if (shared_.contains(place(p))) return free_shared(p);
  return done(memory_->free(place(p)) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t Runtime::allocate_shared(void** out, std::size_t bytes, const char* name) {
  if (!out) return done(cudaErrorInvalidValue);
  *out = nullptr;
  if (bytes == 0) return cudaSuccess;
  void* const p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return done(cudaErrorMemoryAllocation);
  if (!memory_->adopt({static_cast<std::byte*>(p), bytes}, std::string(name) + " " + std::to_string(++allocations_))) {
    ::munmap(p, bytes);
    return done(cudaErrorMemoryAllocation);
  }
  shared_[place(p)] = {bytes, true};
  *out = p;
  return cudaSuccess;
}

cudaError_t Runtime::free_shared(void* p) {
  if (!p) return cudaSuccess;
  const auto at = shared_.find(place(p));
  if (at == shared_.end() || !at->second.owned) return done(cudaErrorInvalidValue);
  (void)memory_->free(place(p));
  ::munmap(p, at->second.bytes);
  shared_.erase(at);
  return cudaSuccess;
}

cudaError_t Runtime::share(void* p, std::size_t bytes) {
  if (!p || bytes == 0) return done(cudaErrorInvalidValue);
  if (!memory_->adopt({static_cast<std::byte*>(p), bytes}, "host memory"))
    return done(cudaErrorHostMemoryAlreadyRegistered);
  shared_[place(p)] = {bytes, false};
  return cudaSuccess;
}

cudaError_t Runtime::unshare(void* p) {
  const auto at = shared_.find(place(p));
  if (at == shared_.end() || at->second.owned) return done(cudaErrorHostMemoryNotRegistered);
  (void)memory_->free(place(p));
  shared_.erase(at);
  return cudaSuccess;
}

}  // namespace ww::cudart
