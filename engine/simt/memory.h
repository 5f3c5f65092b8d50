// SPDX-License-Identifier: Apache-2.0
// Simulated memory of one device context. Addresses are the machine's own: a kernel can never reach host memory.
//
// Buffers start on 256-byte boundaries (see scatter) and are separated by at least 256 unmapped bytes, so that every
// access outside a buffer is a fault, which names the buffer that was meant, else the nearest one, and the distance.
// Host calls are not meant to run during a launch on the same Memory; launches on one Memory run one at a time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"

namespace ww::simt {

class Program;

struct BufferInfo {
  std::uint64_t address = 0;
  std::size_t size = 0;
  std::string name;
  bool read_only = false;
};

class Memory {
 public:
  explicit Memory(std::size_t capacity = std::size_t{16} << 30);  // bytes of all buffers together
  ~Memory();
  // `seed` determines the addresses of later allocations and the gaps between them. With an odd seed they start at any
  // multiple of 32 bytes.
  void scatter(std::uint64_t seed);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  Result<std::uint64_t> allocate(std::size_t bytes,
                                 std::string name);  // contents: uninitialised (0xA5); 0 bytes is allowed
  // The end of a larger buffer, of whose address only the last `bytes` exist: what lies before, `ahead` bytes long, is
  // unmapped. Returns the address of the existing part.
  Result<std::uint64_t> allocate_end(std::uint64_t ahead, std::size_t bytes, std::string name);
  // A buffer at the host's own address, whose bytes it shares: what a program may touch on both sides. It counts as
  // initialised. The host keeps the bytes until free(). Errors: the addresses are taken.
  Status adopt(std::span<std::byte> bytes, std::string name);
  Status free(std::uint64_t address);
  // Host access; the range must lie in one buffer. Writing marks the bytes as initialised, reading does not need that.
  Status write(std::uint64_t address, const void* from, std::size_t bytes);
  Status read(std::uint64_t address, void* to, std::size_t bytes) const;
  Status fill(std::uint64_t address, std::uint8_t value, std::size_t bytes);  // initialises
  // Sets the bytes to `value` and marks them uninitialised: reading them before writing is a fault (Checks::full).
  Status poison(std::uint64_t address, std::size_t bytes, std::uint8_t value = 0xA5);
  Status set_read_only(std::uint64_t address, bool read_only);  // writes then fault at every check level
  // The buffer's bytes for host code that wants no copy; valid until it is freed. Does not mark anything as
  // initialised.
  Result<std::span<std::byte>> span(std::uint64_t address);
  // The bytes of [address, address + bytes) not written since allocation or poison(): how many, the first, the last.
  struct Uninitialised {
    std::size_t count = 0;
    std::size_t first = 0, last = 0;
  };
  Result<Uninitialised> uninitialised(std::uint64_t address, std::size_t bytes) const;

  std::vector<BufferInfo> buffers() const;  // live ones, ascending addresses; module variables included
  std::size_t bytes_in_use() const;
  // Address of a module-scope .global or .const variable of `program` in this memory. The variables are created with
  // their initial values at the first launch or the first call of this, and keep their state until release().
  Result<std::uint64_t> symbol(const Program& program, std::string_view name);
  void release(const Program& program);  // frees the program's variables and its kernels' mallocs

  struct State;  // for the machine itself
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace ww::simt
