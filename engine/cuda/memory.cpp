// SPDX-License-Identifier: Apache-2.0
#include "cuda/memory.h"
#include <algorithm>
#include <bit>
#include <cstdio>

namespace ww::cuda {
namespace {

std::size_t rounded(std::size_t bytes) {  // few distinct sizes, so that blocks are found again
  constexpr std::size_t small = std::size_t{1} << 12, large = std::size_t{2} << 20;
  if (bytes <= small) return small;
  if (bytes < large) return std::bit_ceil(bytes);
  return (bytes + large - 1) / large * large;
}

}  // namespace

std::string bytes_text(std::size_t bytes) {
  char text[40];
  const auto v = static_cast<double>(bytes);
  if (bytes >= std::size_t{1} << 30)
    std::snprintf(text, sizeof text, "%.4g GiB", v / (1 << 30));
  else if (bytes >= std::size_t{1} << 20)
    std::snprintf(text, sizeof text, "%.4g MiB", v / (1 << 20));
  else if (bytes >= std::size_t{1} << 10)
    std::snprintf(text, sizeof text, "%.4g KiB", v / (1 << 10));
  else
    std::snprintf(text, sizeof text, "%zu bytes", bytes);
  return text;
}

std::size_t memory_reserve(const Context& context) {
  std::size_t total = 0;
  context.driver->cuDeviceTotalMem_(&total, context.device);
  return std::min<std::size_t>(std::size_t{1} << 30, total / 16);
}

Result<Block> Pool::take(std::size_t bytes, const std::string& what) {
  const Driver& d = *context_.driver;
  std::size_t free = 0, total = 0;
  const auto too_large = [&] {
    return fail(Code::unsupported,
                "there is no room on " + context_.name + " for " + what + ": " + bytes_text(bytes) + " are needed, " +
                    bytes_text(free > memory_reserve(context_) ? free - memory_reserve(context_) : 0) + " of " +
                    bytes_text(total) + " are free");
  };
  const auto measure = [&] {
    return checked(context_, d.cuMemGetInfo_(&free, &total), "tell how much memory is free");
  };
  if (bytes > std::size_t{1} << 50) {  // also keeps the sums below from wrapping
    WW_TRY(measure());
    return too_large();
  }
  const std::size_t size = rounded(bytes);
  auto best = free_.end();
  for (auto at = free_.begin(); at != free_.end(); ++at)
    if (at->bytes >= size && at->bytes <= size + size / 4 && (best == free_.end() || at->bytes < best->bytes))
      best = at;
  if (best != free_.end()) {
    const Block block = *best;
    free_.erase(best);
    return block;
  }
  if (size >= std::size_t{1} << 26) {  // small allocations may use the reserve
    WW_TRY(measure());
    if (free < size + memory_reserve(context_)) {
      trim(0);
      WW_TRY(measure());
      if (free < size + memory_reserve(context_)) return too_large();
    }
  }
  Block block{0, size};
  CUresult code = d.cuMemAlloc_(&block.address, size);
  if (code == CUDA_ERROR_OUT_OF_MEMORY) {
    trim(0);
    code = d.cuMemAlloc_(&block.address, size);
  }
  if (code == CUDA_ERROR_OUT_OF_MEMORY) {
    WW_TRY(measure());
    return too_large();
  }
  WW_TRY(checked(context_, code, "allocate memory"));
  return block;
}

void Pool::give(Block block) {
  if (!block.address) return;
  free_.push_back(block);
  std::size_t total = 0;
  context_.driver->cuDeviceTotalMem_(&total, context_.device);
  if (free_.size() > 64 || unused() > total / 4) trim(total / 8);
}

void Pool::trim(std::size_t keep) {
  for (std::size_t held = unused(); !free_.empty() && (held > keep || free_.size() > 48); free_.pop_front()) {
    held -= free_.front().bytes;
    context_.driver->cuMemFree_(free_.front().address);
  }
}

std::size_t Pool::unused() const {
  std::size_t sum = 0;
  for (const Block& b : free_) sum += b.bytes;
  return sum;
}

Memory::~Memory() {
  if (!context_ || !context_->usable || !context_->pool) return;
  context_->driver->cuCtxSetCurrent_(context_->context);
  context_->pool->give(block_);
}

Result<Memory> Memory::take(const std::shared_ptr<Context>& context, std::size_t bytes, const std::string& what) {
  const Block block = WW_TRY(context->pool->take(bytes, what));
  return Memory(context, block);
}

}  // namespace ww::cuda
