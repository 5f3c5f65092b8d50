// SPDX-License-Identifier: Apache-2.0
// What handlers tell of accesses, and of what orders them. A detector belongs to one host thread; those of a launch may
// share what they know, where only one of these threads runs at a time.
#pragma once
#include <cstddef>
#include <cstdint>
#include "simt/machine.h"

namespace ww::simt {

class RaceDetector {
 public:
  enum class Access : std::uint8_t { read, write, strong_read, atomic };
  enum class Order : std::uint8_t { acquire, release, both };
  struct Touch {  // of one lane
    Access access = Access::read;
    Space space = Space::shared;
    unsigned lane = 0;
    std::uint64_t address = 0;  // for messages: in shared memory the offset
    const std::byte* place = nullptr;
    std::uint32_t size = 0;
    const std::byte* stored = nullptr;  // of a write; null: not known yet
  };

  RaceDetector() = default;
  RaceDetector(const RaceDetector&) = delete;
  RaceDetector& operator=(const RaceDetector&) = delete;
  virtual ~RaceDetector() = default;
  virtual void begin_block(std::uint64_t ordinal) = 0;
  virtual void note(Exec& x, const Op& op, const Touch& touch) = 0;  // reports the race with an earlier access
  // A strong operation of one lane on `bytes` at `place`.
  virtual void synchronize(std::uint32_t warp, unsigned lane, Order order, const std::byte* place,
                           std::uint32_t bytes) = 0;
  virtual void fence(std::uint32_t warp, bool beyond_block) = 0;
  virtual void meet(std::uint32_t warp, std::uint32_t mask) = 0;  // bar.warp.sync
  virtual void arrive(std::uint32_t warp, std::uint32_t mask, unsigned barrier) = 0;
  virtual void join(unsigned barrier, std::uint32_t warp) = 0;  // it waited there, or has ended: then call `end` first
  virtual void end(unsigned barrier, std::uint32_t warp) = 0;   // makes the past of an ended warp precede the barrier
  virtual void release(unsigned barrier) = 0;                   // once all who waited have joined
};

// Reports the race of `touch` with an access that came first.
void report_race(Exec& x, const Op& op, const RaceDetector::Touch& touch, const OtherAccess& other);

// For one lane, at a byte of shared memory; they report the race. `stored`: null if the value is not known yet.
void note_shared_read(Exec& x, const Op& op, unsigned lane, std::uint32_t at, std::uint32_t size);
void note_shared_write(Exec& x, const Op& op, unsigned lane, std::uint32_t at, std::uint32_t size,
                       const std::byte* stored);
void note_shared_atomic(Exec& x, const Op& op, unsigned lane, std::uint32_t at, std::uint32_t size);
// The same in global memory, where Exec::races_everywhere.
void note_global(Exec& x, const Op& op, unsigned lane, std::uint64_t address, const std::byte* place,
                 std::uint32_t size, RaceDetector::Access access, const std::byte* stored);
// A strong operation of a lane of the running warp, which may order it with others.
void note_strong(Exec& x, unsigned lane, RaceDetector::Order order, const std::byte* place, std::uint32_t bytes);

}  // namespace ww::simt
