// SPDX-License-Identifier: Apache-2.0
// Running the launches of a plan again and again on the same content of memory and, as Nsight Compute does by default,
// with cold caches.
#pragma once
#include <span>
#include <string>
#include <vector>
#include "cuda/execution.h"
#include "cuda/memory.h"

namespace ww::cuda {

class Replay {
 public:
  // Keeps a copy of every tensor that the launches name. Code::unsupported with the numbers where the device's memory
  // does not hold the copies.
  static Result<Replay> make(Context& context, CudaExecution& execution,
                             std::span<const candidate::PlannedLaunch> launches);
  Replay(Replay&&) = default;
  ~Replay();
  Status restore();  // the tensors' content as it was at make(); waits
  // Leaves the L2 cache full of clean lines of memory that no tensor lies in, with one launch of a kernel of its own:
  // what is read afterwards comes from memory, and no foreign write is counted. Waits.
  Status chill();
  Status launch(std::size_t which);  // waits; Code::unavailable where the kernel took the device with it
  Status launch(std::size_t which, LoadedCode& code);  // the same with another instance of the execution's code
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
  struct Module {  // unloaded at the end
    Context* context = nullptr;
    CUmodule module = nullptr;
    CUfunction read = nullptr;
    Module() = default;
    Module(Module&& other) noexcept
        : context(other.context), module(std::exchange(other.module, nullptr)), read(other.read) {}
    ~Module();
  } module_;
  Memory cold_;  // what is read, and behind it one word that is never written
  std::size_t cold_bytes_ = 0;
};

}  // namespace ww::cuda
