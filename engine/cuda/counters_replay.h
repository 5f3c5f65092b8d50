// SPDX-License-Identifier: Apache-2.0
// Replays the launches of a plan on the same memory contents and, as Nsight Compute does by default, with cold caches.
#pragma once
#include <span>
#include <string>
#include <vector>
#include "cuda/execution.h"
#include "cuda/memory.h"

namespace ww::cuda {

class Replay {
 public:
  // Copies every tensor that the launches name. Code::unsupported with the numbers if device memory cannot hold the
  // copies.
  static Result<Replay> make(Context& context, CudaExecution& execution,
                             std::span<const candidate::PlannedLaunch> launches);
  Replay(Replay&&) = default;
  ~Replay();
  Status restore();  // the tensors' contents at make(); waits
  // Fills the L2 cache with clean lines of memory outside all tensors, by launching a dedicated kernel: later reads
  // come from memory, and no unrelated write is counted. Waits.
  Status chill();
  Status launch(std::size_t which);  // waits; Code::unavailable if the kernel destroyed the device's context
  Status launch(std::size_t which, LoadedCode& code);  // with another instance of the execution's code
  std::size_t size() const { return launches_.size(); }

 private:
  struct TensorCopy {
    Block tensor;
    Memory copy;
  };
  explicit Replay(Context& context, CudaExecution& execution, std::span<const candidate::PlannedLaunch> launches)
      : context_(&context), execution_(&execution), launches_(launches) {}
  Status finish(const std::string& doing);

  Context* context_;
  CudaExecution* execution_;
  std::span<const candidate::PlannedLaunch> launches_;
  std::vector<TensorCopy> kept_;
  struct Module {  // unloaded on destruction
    Context* context = nullptr;
    CUmodule module = nullptr;
    CUfunction read = nullptr;
    Module() = default;
    Module(Module&& other) noexcept
        : context(other.context), module(std::exchange(other.module, nullptr)), read(other.read) {}
    ~Module();
  } module_;
  Memory cold_;  // the memory that is read, followed by one word that is never written
  std::size_t cold_bytes_ = 0;
};

}  // namespace ww::cuda
