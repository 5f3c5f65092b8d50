// SPDX-License-Identifier: Apache-2.0
#include "simt/shared_races.h"
#include <algorithm>
#include <cstring>
#include "simt/block.h"

namespace ww::simt {
namespace {

bool equal_words(const std::byte* a, const std::byte* b) {
  std::uint32_t u = 0, v = 0;
  std::memcpy(&u, a, sizeof u);
  std::memcpy(&v, b, sizeof v);
  return u == v;
}

}  // namespace

void SharedRaces::note(Exec& x, const Op& op, const Touch& touch) {
  if (touch.space != Space::shared) return;
  // A strong read may say by itself whether what it reads is there.
  if (touch.access == Access::strong_read && (op.flags & op_data) == 0) return;
  const auto pc = static_cast<std::uint32_t>(&op - x.code);
  const auto at = static_cast<std::uint32_t>(touch.address);
  for (std::uint32_t k = 0, count = 0; k < touch.size; k += count) {
    count = (at + k) % word == 0 && touch.size - k >= word ? word : 1;
    const bool same = touch.stored != nullptr && (count == word ? equal_words(touch.stored + k, touch.place + k)
                                                                : touch.stored[k] == touch.place[k]);
    const auto earlier = racing(touch.access, x.warp->index, pc, at + k, count, same);
    if (!earlier) continue;
    OtherAccess other;
    other.known = true;
    other.pc = earlier->pc;
    other.block = x.block->ordinal;
    other.thread = earlier->warp * warp_lanes;
    other.wrote = earlier->wrote;
    return report_race(x, op, touch, other);
  }
}

SharedRaces::SharedRaces(std::uint32_t bytes, std::uint32_t warps)
    : warps_(warps), bytes_((bytes + word - 1) / word * word), clocks_(warps), fenced_(warps) {}

void SharedRaces::begin_block(std::uint64_t) {
  if (++block_ == 0) std::fill(bytes_.begin(), bytes_.end(), Byte{});
  readers_.clear();
  arrived_.fill({});
  released_.clear();
  for (std::uint32_t w = 0; w < warps_; ++w) {
    clocks_[w] = {};
    clocks_[w][w] = 1;
    fenced_[w] = {};
  }
}

std::optional<SharedRaces::Earlier> SharedRaces::racing_reader(const Byte& b, std::uint32_t warp) const {
  if (b.readers == 0)
    return unordered(b.read, warp) ? std::optional(Earlier{b.read.warp, b.read.pc, false}) : std::nullopt;
  const Clock& read = readers_[b.readers - 1];
  for (std::uint32_t v = 0; v < warps_; ++v)
    if (v != warp && read[v] > clocks_[warp][v]) return Earlier{v, b.read.pc, false};
  return std::nullopt;
}

void SharedRaces::note_read(Byte& b, const Epoch& now) {
  if (b.readers != 0) {
    readers_[b.readers - 1][now.warp] = now.clock;
  } else if (unordered(b.read, now.warp)) {
    Clock all{};
    all[b.read.warp] = b.read.clock;
    all[now.warp] = now.clock;
    readers_.push_back(all);
    b.readers = static_cast<std::uint32_t>(readers_.size());
  }
  b.read = now;
}

void SharedRaces::split(Byte* first) {
  first->whole = false;
  for (std::uint32_t k = 1; k < word; ++k) {
    first[k] = *first;
    if (first->readers == 0) continue;
    readers_.push_back(Clock(readers_[first->readers - 1]));
    first[k].readers = static_cast<std::uint32_t>(readers_.size());
  }
}

std::optional<SharedRaces::Earlier> SharedRaces::racing(Access access, std::uint32_t warp, std::uint32_t pc,
                                                        std::uint32_t at, std::uint32_t count, bool same) {
  Byte* const first = &bytes_[at / word * word];
  if (first->block != block_) {
    *first = Byte{};
    first->block = block_;
    first->whole = true;
  }
  if (first->whole && count == word) return racing(access, warp, pc, *first, same);
  if (first->whole) split(first);
  for (std::uint32_t k = 0; k < count; ++k)
    if (const auto earlier = racing(access, warp, pc, first[at % word + k], same)) return earlier;
  first->whole = count == word && !same && (access == Access::write || access == Access::atomic);
  return std::nullopt;
}

std::optional<SharedRaces::Earlier> SharedRaces::racing(Access access, std::uint32_t warp, std::uint32_t pc, Byte& b,
                                                        bool same) {
  if (access == Access::strong_read) {
    if (unordered(b.write, warp) && !b.write.atomic) return Earlier{b.write.warp, b.write.pc, true};
    return std::nullopt;
  }
  const Epoch now{clocks_[warp][warp], pc, static_cast<std::uint8_t>(warp), access == Access::atomic};
  const bool written = unordered(b.write, warp) && !(b.write.atomic && now.atomic);
  if (same) {  // of several that write the same value any may be the last
    if (written) b.write = {};
    return std::nullopt;
  }
  if (written) return Earlier{b.write.warp, b.write.pc, true};
  if (access == Access::read) {
    note_read(b, now);
    return std::nullopt;
  }
  if (const auto reader = racing_reader(b, warp)) return reader;
  b.write = now;
  b.read = {};
  b.readers = 0;
  return std::nullopt;
}

void SharedRaces::join(Clock& into, const Clock& from) const {
  for (std::uint32_t v = 0; v < warps_; ++v) into[v] = std::max(into[v], from[v]);
}

void SharedRaces::synchronize(std::uint32_t warp, unsigned, Order order, const std::byte* place, std::uint32_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(place);
  for (std::uintptr_t word = at / 4; word <= (at + bytes - 1) / 4; ++word) {
    if (order != Order::release)
      if (const auto found = released_.find(word); found != released_.end()) {
        join(clocks_[warp], found->second);
        join(fenced_[warp], found->second);
      }
    if (order != Order::acquire) join(released_[word], fenced_[warp]);
  }
}

void SharedRaces::fence(std::uint32_t warp, bool) {
  fenced_[warp] = clocks_[warp];
  ++clocks_[warp][warp];
}

void SharedRaces::end(unsigned barrier, std::uint32_t warp) { join(arrived_[barrier], clocks_[warp]); }

void SharedRaces::arrive(std::uint32_t warp, std::uint32_t, unsigned barrier) {
  end(barrier, warp);
  fence(warp, false);
}

void SharedRaces::join(unsigned barrier, std::uint32_t warp) {
  join(clocks_[warp], arrived_[barrier]);
  join(fenced_[warp], arrived_[barrier]);
}

void SharedRaces::release(unsigned barrier) { arrived_[barrier] = {}; }

}  // namespace ww::simt
