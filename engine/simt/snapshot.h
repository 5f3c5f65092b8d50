// SPDX-License-Identifier: Apache-2.0
// The state of a running block at one step. Pages that did not change since an earlier snapshot are shared with it.
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>
#include "simt/block.h"
#include "simt/journal.h"

namespace ww::simt {

struct Page {
  std::byte bytes[1024];
};
inline constexpr std::size_t page_cost = sizeof(Page) + 32;  // with what the heap adds

class Pages {
 public:
  Pages() = default;
  // `before`: of the same bytes earlier, or null.
  Pages(std::span<const std::byte> bytes, const Pages* before);
  void copy_to(std::span<std::byte> bytes) const;
  void count(std::unordered_set<const Page*>& seen) const {
    for (const auto& p : pages_) seen.insert(p.get());
  }
  std::size_t overhead() const { return pages_.capacity() * sizeof(pages_[0]); }
  std::size_t fresh() const { return fresh_; }  // pages that are not shared with those before

 private:
  std::size_t fresh_ = 0;
  std::vector<std::shared_ptr<const Page>> pages_;
};

// Where the machine is in its rounds over a block's warps.
struct StepTurn {
  std::uint64_t block = 0;  // how many began before it
  std::size_t warp = 0;     // in the order of the round
  bool alive = false, ran = false, inside = false, ended = false;
  std::uint32_t polls = 0;
  Strand at;
};

struct WarpSnapshot {
  Warp::State state = Warp::State::ready;
  std::uint32_t live = 0, spins = 0, fair = 0, turn = 0, polls = 0;
  std::size_t room = 0;
  std::vector<CallFrame> frames;
  std::vector<Entry> entries;
  PendingCopies pending;
  std::vector<std::uint32_t> past;
  std::array<std::uint32_t, 32> bulk_group{};
  Warp::Circle circle;
  Pages registers;
};

struct Snapshot {
  std::uint64_t position = 0;
  StepTurn turn;
  Exec exec;
  std::uint64_t drawn = 0, waited = 0, steps = 0, reported = 0, slice_end = 0, block_began = 0;
  std::uint32_t pauses = 0;
  std::uint64_t changes = 0, waits = 0, executed = 0, next_block = 0, latest = 0;
  std::size_t printed = 0;
  bool printed_truncated = false;
  WriteJournal::Cursor written;
  Dim3 index;
  std::uint64_t ordinal = 0;
  std::uint32_t live = 0;
  std::array<Barrier, barrier_count> barriers;
  std::vector<BulkCopy> bulk;
  std::vector<WarpSnapshot> warps;
  Pages local, local_init, shared, shared_init;
  // Host memory beside pages; with those that it does not share with the snapshot before it.
  std::size_t overhead() const;
  std::size_t added() const;
  void count(std::unordered_set<const Page*>& seen) const;
};

}  // namespace ww::simt
