// SPDX-License-Identifier: Apache-2.0
#include "cuda/execution.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include "base/draw.h"
#include "cuda/faults.h"
#include "cuda/module.h"
#include "cuda/resident.h"

namespace ww::cuda {
namespace {

// What the driver said of a launch, as the candidate's fault.
Fault fault_of(const FaultClass& what, const std::string& kernel, const std::string& why) {
  Fault fault;
  fault.kind = what.kind;
  fault.kernel = kernel;
  const bool unnamed = what.kind == FaultKind::device_lost ||
                       what.kind == FaultKind::device_error;  // the sentence is of the device, not of the kernel
  fault.message = (!what.sticky ? "the launch of " + kernel + " was refused: "
                   : unnamed    ? "the kernel " + kernel + " did not end: "
                                : "the kernel " + kernel + " stopped with ") +
                  what.sentence;
  if (!why.empty()) fault.message += " (" + why + ")";
  return fault;
}

std::string seconds_text(double s) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", s);
  return text;
}

}  // namespace

Status CudaExecution::set_bytes(CUdeviceptr at, std::uint8_t value, std::size_t bytes) const {
  if (bytes == 0) return {};
  return checked(*context_, context_->driver->cuMemsetD8Async_(at, value, bytes, context_->stream), "fill memory");
}

Status CudaExecution::finish(const std::string& doing) const {
  const Waited done = wait(*context_, default_launch_limit, {});
  if (done.code == CUDA_ERROR_NOT_READY)
    return fail(Code::unavailable,
                "the GPU did not answer within " + seconds_text(default_launch_limit) + ": it could not " + doing);
  return checked(*context_, done.code, doing);
}

Result<const CudaExecution::Buffer*> CudaExecution::find(const std::string& name) const {
  WW_TRY(enter(*context_));
  const auto at = buffers_.find(name);
  if (at == buffers_.end()) return fail(Code::internal, "the tensor " + name + " has no memory");
  return &at->second;
}

Result<const CudaExecution::Buffer*> CudaExecution::find(const std::string& name, std::size_t bytes) const {
  const Result<const Buffer*> b = find(name);
  if (b && (*b)->bytes != bytes)
    return fail(Code::internal, "the tensor " + name + " has a different size on the device");
  return b;
}

Status CudaExecution::renew(std::uint64_t place) {
  WW_TRY(enter(*context_));
  buffers_.clear();
  place_ = place;
  return {};
}

Status CudaExecution::allocate(const std::string& name, DType dtype, std::int64_t count, device::Access) {
  if (Status s = enter(*context_); !s) return s;
  if (count < 0)
    return fail(Code::invalid_argument, "the tensor " + name + " would have a negative number of elements");
  if (buffers_.count(name)) return fail(Code::internal, "the tensor " + name + " is allocated twice");
  constexpr std::uint64_t most = std::uint64_t{1} << 56;  // elements
  const std::size_t bytes =
      static_cast<std::size_t>(std::min<std::uint64_t>(static_cast<std::uint64_t>(count), most)) * dtype_size(dtype);
  constexpr std::size_t alignment = 256, most_shifts = 16;
  if (place_ != 0) place_ = splitmix(place_);
  const std::size_t before = guard_bytes + place_ % most_shifts * alignment;
  const std::size_t all = before + (bytes + alignment - 1) / alignment * alignment + guard_bytes;
  Memory memory = WW_TRY(Memory::take(context_, all, "the tensor " + name));
  Buffer b;
  b.memory = std::move(memory);
  b.address = b.memory.address() + before;
  b.bytes = bytes;
  b.dtype = dtype;
  // The content is poison: nothing of an earlier owner is left. A block may be larger than asked for; all of its rest
  // is guard zone.
  if (Status s = set_bytes(b.memory.address(), guard_pattern, before); !s) return s;
  if (Status s = set_bytes(b.address, 0xff, bytes); !s) return s;
  if (Status s = set_bytes(b.address + bytes, guard_pattern, b.behind()); !s) return s;
  buffers_.emplace(name, std::move(b));
  return {};
}

Status CudaExecution::write(const std::string& name, std::span<const std::byte> bytes) {
  const Buffer* b = WW_TRY(find(name, bytes.size()));
  if (bytes.empty()) return {};
  if (Status s = checked(*context_,
                         context_->driver->cuMemcpyHtoDAsync_(b->address, bytes.data(), bytes.size(), context_->stream),
                         "copy to " + name);
      !s)
    return s;
  return finish("copy to " + name);  // the caller's bytes may go away
}

Status CudaExecution::poison(const std::string& name, std::uint8_t pattern) {
  const Result<const Buffer*> b = find(name);
  return b ? set_bytes((*b)->address, pattern, (*b)->bytes) : Status(fail(b.error()));
}

Status CudaExecution::zero(const std::string& name) { return poison(name, 0); }

Status CudaExecution::read(const std::string& name, std::span<std::byte> bytes) const {
  const Buffer* b = WW_TRY(find(name, bytes.size()));
  if (bytes.empty()) return {};
  if (Status s = checked(*context_,
                         context_->driver->cuMemcpyDtoHAsync_(bytes.data(), b->address, bytes.size(), context_->stream),
                         "copy from " + name);
      !s)
    return s;
  return finish("copy from " + name);
}

Result<bool> CudaExecution::holds(const std::string& name, std::span<const std::byte> bytes) const {
  const Buffer* b = WW_TRY(find(name, bytes.size()));
  constexpr std::size_t step = std::size_t{1} << 24;
  std::vector<std::byte> part(std::min(step, bytes.size()));
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    const std::size_t n = std::min(step, bytes.size() - at);
    WW_TRY(checked(*context_, context_->driver->cuMemcpyDtoHAsync_(part.data(), b->address + at, n, context_->stream),
                   "copy from " + name));
    WW_TRY(finish("copy from " + name));
    if (std::memcmp(part.data(), bytes.data() + at, n) != 0) return false;
  }
  return true;
}

// Hardware does not track writes; unwritten elements keep the poison, and the comparison finds them.
Result<device::Execution::Unwritten> CudaExecution::unwritten(const std::string& name) const {
  WW_TRY(find(name));
  return Unwritten{};
}

Result<std::optional<Fault>> CudaExecution::check_guards() const {
  WW_TRY(enter(*context_));
  struct Zone {
    const std::string* name;
    std::int64_t offset;  // from the buffer's first byte
    std::size_t bytes, at;
  };
  constexpr std::size_t looked_at = std::size_t{1} << 16;  // of what lies behind a buffer, where its block is larger
  std::vector<Zone> zones;
  std::size_t total = 0;
  for (const auto& [name, b] : buffers_) {
    for (const bool behind : {false, true}) {
      const std::size_t bytes = behind ? std::min(b.behind(), looked_at) : guard_bytes;
      zones.push_back(
          {&name, behind ? static_cast<std::int64_t>(b.bytes) : -static_cast<std::int64_t>(guard_bytes), bytes, total});
      total += bytes;
    }
  }
  std::vector<std::uint8_t> seen(total);
  for (const Zone& z : zones) {
    const CUdeviceptr from = buffers_.at(*z.name).address + static_cast<CUdeviceptr>(z.offset);
    WW_TRY(checked(*context_, context_->driver->cuMemcpyDtoHAsync_(&seen[z.at], from, z.bytes, context_->stream),
                   "read the guard zones"));
  }
  WW_TRY(finish("read the guard zones"));
  for (const Zone& z : zones) {
    const auto begin = seen.begin() + static_cast<std::ptrdiff_t>(z.at),
               end = begin + static_cast<std::ptrdiff_t>(z.bytes);
    const auto changed = [](std::uint8_t byte) { return byte != guard_pattern; };
    const auto first = std::find_if(begin, end, changed);
    if (first == end) continue;
    const Buffer& b = buffers_.at(*z.name);
    // Before the buffer, the nearest byte is the most informative; after it, the first.
    std::ptrdiff_t at = first - begin;
    if (z.offset < 0) {
      at = static_cast<std::ptrdiff_t>(z.bytes) - 1;
      while (!changed(begin[at])) --at;
    }
    Fault fault;
    fault.kind = FaultKind::out_of_bounds;
    fault.buffer = *z.name;
    fault.offset = z.offset + at;
    fault.address = b.address + static_cast<CUdeviceptr>(fault.offset);
    const std::int64_t off = z.offset < 0 ? -fault.offset : fault.offset - static_cast<std::int64_t>(b.bytes);
    fault.message = "memory outside the tensor " + *z.name + " was written: " + std::to_string(off) +
                    (z.offset < 0 ? " bytes before its start" : " bytes past its end") + " (it has " +
                    std::to_string(b.bytes) + " bytes)";
    return std::optional(fault);
  }
  // A stray write may also have met the sets that every candidate is judged by.
  const std::string changed = WW_TRY(damage(*context_));
  if (changed.empty()) return std::optional<Fault>();
  context_->usable = false;
  Fault fault;
  fault.kind = FaultKind::out_of_bounds;
  fault.message =
      "memory outside the candidate's tensors was written: " + changed + ", kept in the device's memory, was changed";
  return std::optional(fault);
}

Result<Enqueued> CudaExecution::enqueue(const candidate::PlannedLaunch& launch, CUstream stream) {
  return code_->enqueue(
      launch,
      [&](const std::string& tensor) -> std::optional<std::uint64_t> {
        const auto at = buffers_.find(tensor);
        return at == buffers_.end() ? std::nullopt : std::optional<std::uint64_t>(at->second.address);
      },
      stream);
}

Result<bool> CudaExecution::prepare_surroundings(const device::LaunchOptions& options) {
  if (!options.cold && options.beside == 0) return true;
  if (!flush_) {
    flush_.emplace(*context_);
    if (Status s = flush_->prepare(); !s) {
      flush_.reset();
      if (!context_->usable) return fail(s.error());
      return false;
    }
  }
  if (options.cold) WW_TRY(checked(*context_, flush_->enqueue(), "overwrite the L2 cache"));
  if (options.beside == 0) return true;
  const Driver& d = *context_->driver;
  if (!context_->side_stream)
    WW_TRY(checked(*context_, d.cuStreamCreate_(&context_->side_stream, CU_STREAM_NON_BLOCKING), "make a stream"));
  WW_TRY(finish("prepare memory"));  // the buffer is filled
  WW_TRY(checked(*context_, flush_->enqueue_beside(context_->side_stream, options.beside), "start other work"));
  return true;
}

Result<device::LaunchOutcome> CudaExecution::launch(const candidate::PlannedLaunch& launch,
                                                    const device::LaunchOptions& options) {
  WW_TRY(enter(*context_));
  if (options.stop.stop_requested())
    return fail(Code::cancelled, "cancelled before " + launch.kernel + " was launched");
  device::LaunchOutcome out;
  out.undisturbed = !WW_TRY(prepare_surroundings(options));
  const auto start = std::chrono::steady_clock::now();
  Enqueued begun = WW_TRY(enqueue(launch, context_->stream));
  if (begun.code != CUDA_SUCCESS) {
    const FaultClass what = classify(begun.code);
    if (what.sticky) context_->usable = false;
    out.fault = fault_of(what, launch.kernel, begun.why);
    return out;
  }
  const double limit = options.seconds > 0 ? options.seconds : default_launch_limit;
  const Waited done = wait(*context_, limit, options.stop);
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (done.code == CUDA_ERROR_NOT_READY && !done.cancelled) {
    out.fault = Fault{};
    out.fault->kind = FaultKind::budget_exceeded;
    out.fault->kernel = launch.kernel;
    out.fault->message = "the kernel " + launch.kernel + " had not ended after " + seconds_text(limit);
    return out;
  }
  if (done.code != CUDA_SUCCESS && done.code != CUDA_ERROR_NOT_READY) {
    out.fault = fault_of(classify(done.code), launch.kernel, context_->driver->text(done.code));
    return out;
  }
  if (done.cancelled) return fail(Code::cancelled, "cancelled while " + launch.kernel + " ran");
  if (options.beside != 0 && context_->side_stream)  // its memory may be taken away
    WW_TRY(checked(*context_, context_->driver->cuStreamSynchronize_(context_->side_stream), "end other work"));
  return out;
}

Result<std::uint64_t> CudaExecution::address(const std::string& name) const {
  const Buffer* b = WW_TRY(find(name));
  return b->address;
}

Result<Block> CudaExecution::extent(const std::string& name) const {
  const Buffer* b = WW_TRY(find(name));
  return Block{b->address, b->bytes};
}

Result<std::unique_ptr<device::Execution>> make_execution(std::shared_ptr<Context> context,
                                                          std::unique_ptr<LoadedCode> code) {
  return std::make_unique<CudaExecution>(std::move(context), std::move(code));
}

Status enqueue(device::Execution& execution, const candidate::PlannedLaunch& launch, CUstream stream) {
  auto* here = dynamic_cast<CudaExecution*>(&execution);
  if (!here) return fail(Code::internal, "an execution of another device cannot be enqueued on a GPU");
  const Enqueued done = WW_TRY(here->enqueue(launch, stream));
  if (done.code == CUDA_SUCCESS) return {};
  const FaultClass what = classify(done.code);
  return fail(what.sticky ? Code::unavailable : Code::device, fault_of(what, launch.kernel, done.why).message);
}

}  // namespace ww::cuda
