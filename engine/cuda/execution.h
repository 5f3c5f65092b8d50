// SPDX-License-Identifier: Apache-2.0
// Memory and launches of one execution on a GPU. Buffers lie between guard zones with a known pattern, which
// check_guards() reads back: the hardware does not detect an access beyond a buffer if it falls into another
// allocation.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include "cuda/code.h"
#include "cuda/internal.h"
#include "cuda/memory.h"
#include "cuda/timing_kernels.h"

namespace ww::cuda {

inline constexpr double default_launch_limit = 10;  // seconds
inline constexpr std::size_t guard_bytes = 1024;    // before each buffer, and at least as many after it
inline constexpr std::uint8_t guard_pattern = 0xa7;

class CudaExecution final : public device::Execution {
 public:
  CudaExecution(std::shared_ptr<Context> context, std::unique_ptr<LoadedCode> code)
      : context_(std::move(context)), code_(std::move(code)) {}

  // The driver chooses the blocks of memory, `place` where tensors begin in them.
  Status renew(std::uint64_t place) override;
  Status allocate(const std::string& name, DType dtype, std::int64_t count, device::Access access) override;
  Status write(const std::string& name, std::span<const std::byte> bytes) override;
  Status poison(const std::string& name, std::uint8_t pattern) override;
  Status zero(const std::string& name) override;
  Status read(const std::string& name, std::span<std::byte> bytes) const override;
  Result<bool> holds(const std::string& name, std::span<const std::byte> bytes) const override;
  Result<Unwritten> unwritten(const std::string& name) const override;
  Result<std::optional<Fault>> check_guards() const override;
  Result<device::LaunchOutcome> launch(const candidate::PlannedLaunch& launch,
                                       const device::LaunchOptions& options) override;
  // this and the next two: in resident.cpp
  Status fill(const std::string& name, const device::ResidentSet& set) override;
  Result<bool> holds_set(const std::string& name, const device::ResidentSet& set) const override;
  Result<device::ResidentComparison> compare_set(const std::string& name,
                                                 const device::ResidentSet& set) const override;
  Result<std::uint64_t> address(const std::string& name) const override;

  Result<Enqueued> enqueue(const candidate::PlannedLaunch& launch, CUstream stream);
  Result<Block> extent(const std::string& name) const;  // the tensor's bytes, without its guard zones
  const std::shared_ptr<const Image>& image() const { return code_->image(); }

 private:
  struct Buffer {
    Memory memory;
    CUdeviceptr address = 0;  // of the first element
    std::size_t bytes = 0;
    DType dtype = DType::f32;
    std::size_t before() const { return address - memory.address(); }
    std::size_t behind() const { return memory.bytes() - before() - bytes; }  // size of the guard zone after it
  };
  Result<const Buffer*> find(const std::string& name) const;  // also makes the context current
  Result<const Buffer*> find(const std::string& name, std::size_t bytes) const;
  Status set_bytes(CUdeviceptr at, std::uint8_t value, std::size_t bytes) const;
  Status finish(const std::string& doing) const;  // waits for the stream
  // Overwrites the L2 cache and starts other work, as the options ask; without memory for it, neither.
  // False: there is no memory for what the options ask for.
  Result<bool> prepare_surroundings(const device::LaunchOptions& options);

  const std::shared_ptr<Context> context_;
  const std::unique_ptr<LoadedCode> code_;
  std::map<std::string, Buffer> buffers_;
  std::uint64_t place_ = 0;
  std::optional<CacheFlush> flush_;
};

}  // namespace ww::cuda
