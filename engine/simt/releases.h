// SPDX-License-Identifier: Apache-2.0
// What orders the writes of a launch's blocks to global memory, with Checks::full. A fence releases what a block wrote
// before it; a later write, or an atomic operation, tells of that. A strong or atomic operation that finds such a
// write, or that accesses the same place, learns of it, and of all that its block knew. Blocks are taken as a whole:
// what one of their threads learns, all of them know.
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include "simt/machine.h"

namespace ww::simt {

class Releases {
 public:
  void begin_block(Exec& x);
  void fence(Exec& x);                       // after a write
  void learn(Exec& x, std::uint8_t writer);  // a tag that it has found
  // An atomic operation tells before it takes place and learns after it, so that of two on one place, by threads of the
  // host at once, the later learns of the earlier.
  void tell_at(Exec& x, const std::byte* place, std::uint32_t bytes);
  void learn_at(Exec& x, const std::byte* place, std::uint32_t bytes);
  // An atomic operation whose scope is wider than the block; `read`: its result is.
  void note_atomic(Exec& x, const std::byte* place, std::uint32_t bytes, bool read);
  // Whether the write that left the tag at this place comes before what the block does now.
  bool orders(const Exec& x, std::uint8_t tag, const std::byte* place) {
    if (tag <= written_before || owns(x, tag) || x.known.holds(tag)) return true;
    return tag == by_atomics && follows_atomics(x, place);
  }

 private:
  // Whether all atomic operations on the word were released to the block, or it has read the word by the last of them.
  bool follows_atomics(const Exec& x, const std::byte* place);
  struct Atomics {
    TagSet writers;
    std::uint8_t reader = 0;  // of the last one's result; 0: it is not read
  };
  void take_tag(Exec& x);
  void learn_all(Exec& x, const TagSet& of);

  std::mutex mutex_;
  std::uint32_t next_ = 0;
  TagSet known_of_[256];  // by tag: what its block knows while it writes with it
  std::atomic<bool> told_any_{false};
  std::unordered_map<std::uintptr_t, TagSet> told_;      // by atomic operations, by word
  std::unordered_map<std::uintptr_t, Atomics> atomics_;  // by word
};

}  // namespace ww::simt
