// SPDX-License-Identifier: Apache-2.0
// Small kernels: one reads memory to flush the L2 cache, the others copy and read to measure bandwidths. They are PTX,
// assembled by the driver (once per process, about 80 ms), so that no compiler is needed.
#pragma once
#include <cstddef>
#include "cuda/internal.h"
#include "cuda/memory.h"

namespace ww::cuda {

inline constexpr std::size_t kernel_chunk = 32768;  // bytes per block: 256 threads, 8 accesses of 16 bytes each

class TimingKernels {  // loaded once per context, which owns it
 public:
  explicit TimingKernels(Context& context) : context_(context) {}
  ~TimingKernels();
  TimingKernels(const TimingKernels&) = delete;
  TimingKernels& operator=(const TimingKernels&) = delete;
  static Result<std::shared_ptr<const TimingKernels>> of(Context& context);
  // `bytes`: a multiple of kernel_chunk. `sink`: 4 bytes, never written in practice.
  CUresult read(CUdeviceptr from, std::size_t bytes, CUdeviceptr sink) const;
  CUresult copy(CUdeviceptr from, CUdeviceptr to, std::size_t bytes) const;
  // Each of `blocks` blocks reads `repeats` chunks: past L1, one after the other of the `chunks` at `from`; through L1,
  // its own again and again, of which there must be as many as blocks.
  CUresult reread_l2(CUdeviceptr from, unsigned chunks, unsigned blocks, unsigned repeats, CUdeviceptr sink,
                     CUstream stream = nullptr) const;  // null: the context's
  CUresult reread_l1(CUdeviceptr from, unsigned blocks, unsigned repeats, CUdeviceptr sink) const;

 private:
  Status load();
  CUresult launch(CUfunction function, unsigned blocks, void** arguments, CUstream stream = nullptr) const;
  Context& context_;
  CUmodule module_ = nullptr;
  CUfunction read_ = nullptr, copy_ = nullptr, reread_l2_ = nullptr, reread_l1_ = nullptr;
};

class PooledBuffer {  // taken from the context's pool, and returned to it
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

// Flushes the L2 cache: reads a private buffer of at least twice its size, which leaves only clean lines of that
// buffer. (Writing instead leaves dirty lines, which the timed work must write back: on an H200, a sum over 48 MB took
// 30 % longer after it, a copy of 16 MB 14 %. Reading 1.07 times the cache's size was enough there; reading more
// changed nothing.)
class CacheFlush {
 public:
  explicit CacheFlush(Context& context) : context_(context) {}
  Status prepare();
  // On the context's stream. A small kernel of one block runs last, so that the next launch always finds the same
  // state.
  CUresult enqueue() const;
  // Reads a part of the buffer on another stream, for some microseconds, with as many blocks as `seed` says.
  CUresult enqueue_beside(CUstream stream, std::uint32_t seed) const;
  // empty, or a note that it writes because its kernel could not be loaded
  const std::string& note() const { return note_; }

 private:
  Context& context_;
  std::shared_ptr<const TimingKernels> kernels_;
  PooledBuffer buffer_;
  std::string note_;
};

}  // namespace ww::cuda
