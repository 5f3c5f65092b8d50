// SPDX-License-Identifier: Apache-2.0
// Races between the warps of a block in shared memory: two unordered accesses of one byte, one of them a write that
// changes it; a store of an aligned word that changes one byte writes all four. Where several write one value, a read
// must be ordered after one of them. Accesses are ordered by barriers, and
// by atomic, volatile and stronger operations on one location, shared or global: a store there releases what precedes
// its warp's last fence or barrier, and a load is assumed to acquire what every earlier store there released, with or
// without a fence of its own. Vector clocks, with one or all readers stored per byte: Flanagan and Freund, "FastTrack:
// Efficient and Precise Dynamic Race Detection", PLDI 2009. Accesses of one warp never race here. Not thread-safe.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>
#include "simt/race_detector.h"

namespace ww::simt {

class SharedRaces final : public RaceDetector {
 public:
  struct Earlier {
    std::uint32_t warp = 0, pc = 0;
    bool wrote = false;
  };

  SharedRaces(std::uint32_t bytes, std::uint32_t warps);
  void begin_block(std::uint64_t ordinal) override;
  void note(Exec& x, const Op& op, const Touch& touch) override;
  void synchronize(std::uint32_t warp, unsigned lane, Order order, const std::byte* place,
                   std::uint32_t bytes) override;
  void fence(std::uint32_t warp, bool beyond_block) override;
  void meet(std::uint32_t, std::uint32_t) override {}
  void arrive(std::uint32_t warp, std::uint32_t mask, unsigned barrier) override;
  void join(unsigned barrier, std::uint32_t warp) override;
  void end(unsigned barrier, std::uint32_t warp) override;
  void release(unsigned barrier) override;

 private:
  static constexpr std::uint32_t most_warps = 32, barriers = 16;
  using Clock = std::array<std::uint32_t, most_warps>;
  struct Epoch {
    std::uint32_t clock = 0, pc = 0;  // clock 0: none
    std::uint8_t warp = 0;
    bool atomic = false;
  };
  struct Byte {
    Epoch write, read;  // the last that changed it; the last read since
    Epoch past;         // a read of what was there before
    // One more than an index of `many_`; 0: none. By warp: its last read, where there are others than `read`; likewise
    // of `past`; and its first write of the value that `write` left.
    std::uint32_t readers = 0, past_readers = 0, writers = 0;
    // Of a word's first byte:
    std::uint32_t block = 0;  // the block number; words of other blocks are stale
    bool whole = false;       // it stands for the other three, too
  };
  static constexpr std::uint32_t word = 4;  // bytes

  // The access to an aligned word, or to one byte, that races with this one. `same`: the write changes nothing.
  std::optional<Earlier> racing(Access access, std::uint32_t warp, std::uint32_t pc, std::uint32_t at,
                                std::uint32_t count, bool same);
  std::optional<Earlier> racing(Access access, std::uint32_t warp, std::uint32_t pc, Byte& b, bool same);
  void split(Byte* first);
  bool unordered(const Epoch& before, std::uint32_t warp) const {
    return before.clock != 0 && before.warp != warp && before.clock > clocks_[warp][before.warp];
  }
  void join(Clock& into, const Clock& from) const;
  std::optional<Earlier> racing_reader(const Epoch& last, std::uint32_t readers, std::uint32_t warp) const;
  bool follows_a_writer(const Byte& b, std::uint32_t warp) const;
  bool same_past(const Byte& a, const Byte& b) const;
  std::uint32_t put(const Clock& clock);  // in `many_`
  void note_read(Byte& b, const Epoch& now);
  void note_same_value(Byte& b, const Epoch& now);

  std::uint32_t warps_, block_ = 0;
  std::vector<Byte> bytes_;
  std::vector<Clock> clocks_, many_;  // per warp: what it knows of the others; of bytes
  std::vector<Clock> fenced_;         // per warp: what its strong stores release
  std::array<Clock, barriers> arrived_{};
  std::unordered_map<std::uintptr_t, Clock> released_;  // by word
};

}  // namespace ww::simt
