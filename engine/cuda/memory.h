// SPDX-License-Identifier: Apache-2.0
// Device memory: plain allocations (cuMemAlloc), reused for requests of similar size, since large allocations are slow.
// Contents are undefined. Not thread-safe.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include "cuda/internal.h"

namespace ww::cuda {

struct Block {
  CUdeviceptr address = 0;  // a multiple of 256
  std::size_t bytes = 0;
};

class Pool {  // belongs to its context
 public:
  explicit Pool(Context& context) : context_(context) {}
  ~Pool() { trim(0); }
  // At least `bytes` (0 counts as 1). Code::unsupported if device memory cannot hold them; the sentence calls them
  // `what`.
  Result<Block> take(std::size_t bytes, const std::string& what);
  void give(Block block);
  void forget() { free_.clear(); }
  void trim(std::size_t keep);  // frees unused blocks, the oldest first, until they total at most `keep` bytes
  std::size_t unused() const;   // bytes held but unused

 private:
  Context& context_;
  std::deque<Block> free_;  // oldest first
};

class Memory {  // one block, returned to the pool on destruction
 public:
  Memory() = default;
  Memory(std::shared_ptr<Context> context, Block block) : context_(std::move(context)), block_(block) {}
  Memory(Memory&& other) noexcept : context_(std::move(other.context_)), block_(std::exchange(other.block_, {})) {}
  Memory& operator=(Memory&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(block_, other.block_);
    return *this;
  }
  ~Memory();
  CUdeviceptr address() const { return block_.address; }
  std::size_t bytes() const { return block_.bytes; }
  static Result<Memory> take(const std::shared_ptr<Context>& context, std::size_t bytes, const std::string& what);

 private:
  std::shared_ptr<Context> context_;
  Block block_;
};

std::string bytes_text(std::size_t bytes);  // "256 MiB", "139.8 GiB", "12 bytes"
std::size_t memory_reserve(
    const Context& context);  // bytes left to the driver (stacks, modules, graphs), never allocated

}  // namespace ww::cuda
