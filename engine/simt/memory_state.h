// SPDX-License-Identifier: Apache-2.0
// Internals of simt::Memory, for the machine only.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>
#include "simt/buffer.h"
#include "simt/machine.h"
#include "simt/memory.h"

namespace ww::simt {

struct ProgramData;

struct Buffer : BufferView {
  std::string name;
  std::uint64_t original_size = 0;
  std::unique_ptr<std::byte[], void (*)(std::byte*)> storage{nullptr, [](std::byte*) {}};
  std::unique_ptr<std::uint8_t[]> init_storage;
  std::uint64_t owner = 0;  // id of the program that owns the variable or heap block; 0: the host
  bool heap = false;        // by a kernel's malloc
};

struct Memory::State {
  explicit State(std::size_t capacity) : capacity(capacity) {}
  mutable std::shared_mutex mutex;               // guards `buffers` and what follows; buffers themselves never move
  std::vector<std::unique_ptr<Buffer>> buffers;  // ascending addresses, live ones
  std::vector<std::unique_ptr<Buffer>>
      freed;  // kept (without storage): for messages, and so that cached pointers stay valid
  std::uint64_t next = global_base;
  std::uint64_t scatter = 0;  // seed of the gaps; 0: minimal gaps
  std::uint64_t power = 0;    // of two, at whose multiples all buffers begin; 0: they do not
  bool shifted = false;       // buffers begin at multiples of 32 bytes, else of 256
  std::size_t capacity = 0, in_use = 0;
  std::uint64_t elapsed = 0;  // by the launches' timers, in nanoseconds
  struct Instance {
    std::vector<std::uint64_t> variables;  // address by index in Module::variables; 0: not in global memory
  };
  std::map<std::uint64_t, Instance> instances;  // by ProgramData::id

  Result<Buffer*> allocate(std::size_t bytes, std::string name, std::uint64_t owner, bool heap,
                           std::uint64_t ahead = 0);  // unmapped bytes before it
  void place_at_power();
  Status free(std::uint64_t address, bool heap_only);
  Buffer* find(std::uint64_t address) const;  // contains the address (or starts there); takes no lock
  const Buffer* nearest(std::uint64_t address, bool& was_freed) const;  // for messages; takes no lock
  Result<const Instance*> instance(const ProgramData& program);
  void tell_apart();  // before a launch with Checks::full: marks everything so far as written before
  void settle();      // drops the shadow of fully initialised buffers
};

Buffer* empty_buffer();  // size 0: what caches start with

}  // namespace ww::simt
