// SPDX-License-Identifier: Apache-2.0
// Two small kernels of our own: one reads memory, to put other lines into the L2 cache, the other copies, to measure
// bandwidth. They are PTX that the driver assembles (once in a process, some 80 ms), so that no compiler is needed.
#pragma once
#include <cstddef>
#include "cuda/internal.h"
#include "cuda/memory.h"

namespace ww::cuda {

inline constexpr std::size_t kernel_chunk = 32768;  // bytes of one block: 256 threads, 8 accesses of 16 bytes each

class TimingKernels {  // loaded once into a context, and kept by it
 public:
  explicit TimingKernels(Context& context) : context_(context) {}
  ~TimingKernels();
  TimingKernels(const TimingKernels&) = delete;
  TimingKernels& operator=(const TimingKernels&) = delete;
  static Result<std::shared_ptr<const TimingKernels>> of(Context& context);
  // `bytes`: a multiple of kernel_chunk. `sink`: 4 bytes that are never written in practice.
  CUresult read(CUdeviceptr from, std::size_t bytes, CUdeviceptr sink) const;
  CUresult copy(CUdeviceptr from, CUdeviceptr to, std::size_t bytes) const;

 private:
  Status load();
  CUresult launch(CUfunction function, CUdeviceptr from, CUdeviceptr to, std::size_t bytes) const;
  Context& context_;
  CUmodule module_ = nullptr;
  CUfunction read_ = nullptr, copy_ = nullptr;
};

class PooledBuffer {  // from the context's pool, and back to it
 public:
  PooledBuffer() = default;
  static Result<PooledBuffer> take(Context& context, std::size_t bytes, const std::string& what);
  PooledBuffer(PooledBuffer&& other) noexcept
      : context_(std::exchange(other.context_, nullptr)), block_(std::exchange(other.block_, {})) {}
  PooledBuffer& operator=(PooledBuffer&& other) noexcept {
    std::swap(context_, other.context_), std::swap(block_, other.block_);
    return *this;
  }
  ~PooledBuffer() {
    if (context_ && context_->usable) context_->pool->give(block_);
  }
  CUdeviceptr address() const { return block_.address; }
  std::size_t bytes() const { return block_.bytes; }

 private:
  Context* context_ = nullptr;
  Block block_;
};

// Overwrites the L2 cache: reads a private buffer of at least twice its size, which leaves only clean lines of that
// buffer there. (Writing instead leaves dirty lines, which the work that is timed has to write back: a sum over 48 MB
// took 30 % longer after it on an H200, a copy of 16 MB 14 %. Reading 1.07 times the cache's size was enough there;
// reading more changed nothing.)
class CacheFlush {
 public:
  explicit CacheFlush(Context& context) : context_(context) {}
  Status prepare();
  // On the context's stream. A last small kernel of one block follows: what is launched next then finds the same state
  // each time.
  CUresult enqueue() const;
  const std::string& note() const { return note_; }  // empty, or that it writes because its kernel could not be loaded

 private:
  Context& context_;
  std::shared_ptr<const TimingKernels> kernels_;
  PooledBuffer buffer_;
  std::string note_;
};

}  // namespace ww::cuda
