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
  many_.clear();
  arrived_.fill({});
  released_.clear();
  for (std::uint32_t w = 0; w < warps_; ++w) {
    clocks_[w] = {};
    clocks_[w][w] = 1;
    fenced_[w] = {};
  }
}

std::uint32_t SharedRaces::put(const Clock& clock) {
  many_.push_back(clock);
  return static_cast<std::uint32_t>(many_.size());
}

std::optional<SharedRaces::Earlier> SharedRaces::racing_reader(const Epoch& last, std::uint32_t readers,
                                                               std::uint32_t warp) const {
  if (readers == 0) return unordered(last, warp) ? std::optional(Earlier{last.warp, last.pc, false}) : std::nullopt;
  const Clock& read = many_[readers - 1];
  for (std::uint32_t v = 0; v < warps_; ++v)
    if (v != warp && read[v] > clocks_[warp][v]) return Earlier{v, last.pc, false};
  return std::nullopt;
}

bool SharedRaces::follows_a_writer(const Byte& b, std::uint32_t warp) const {
  if (b.writers == 0) return false;
  const Clock& wrote = many_[b.writers - 1];
  for (std::uint32_t v = 0; v < warps_; ++v)
    if (wrote[v] != 0 && (v == warp || wrote[v] <= clocks_[warp][v])) return true;
  return false;
}

void SharedRaces::note_read(Byte& b, const Epoch& now) {
  if (b.readers != 0) {
    many_[b.readers - 1][now.warp] = now.clock;
  } else if (unordered(b.read, now.warp)) {
    Clock all{};
    all[b.read.warp] = b.read.clock;
    all[now.warp] = now.clock;
    b.readers = put(all);
  }
  b.read = now;
}

void SharedRaces::note_same_value(Byte& b, const Epoch& now) {
  if (!unordered(b.write, now.warp)) return;
  if (b.writers == 0) b.writers = put(Clock{});
  if (std::uint32_t& first = many_[b.writers - 1][now.warp]; first == 0) first = now.clock;
}

bool SharedRaces::same_past(const Byte& a, const Byte& b) const {
  if (a.past.clock != b.past.clock || a.past.warp != b.past.warp) return false;
  if (a.past_readers == 0 || b.past_readers == 0) return a.past_readers == b.past_readers;
  return many_[a.past_readers - 1] == many_[b.past_readers - 1];
}

void SharedRaces::split(Byte* first) {
  first->whole = false;
  for (std::uint32_t k = 1; k < word; ++k) {
    first[k] = *first;
    for (std::uint32_t* const of : {&first[k].readers, &first[k].past_readers, &first[k].writers})
      if (*of != 0) *of = put(Clock(many_[*of - 1]));
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
  first->whole = count == word && !same && (access == Access::write || access == Access::atomic) &&
                 std::all_of(first + 1, first + word, [&](const Byte& b) { return same_past(b, *first); });
  return std::nullopt;
}

std::optional<SharedRaces::Earlier> SharedRaces::racing(Access access, std::uint32_t warp, std::uint32_t pc, Byte& b,
                                                        bool same) {
  const bool raced = unordered(b.write, warp);
  if (access == Access::strong_read) {
    if (raced && !b.write.atomic && !follows_a_writer(b, warp)) return Earlier{b.write.warp, b.write.pc, true};
    return std::nullopt;
  }
  const Epoch now{clocks_[warp][warp], pc, static_cast<std::uint8_t>(warp), access == Access::atomic};
  if (same) {
    if (const auto reader = racing_reader(b.past, b.past_readers, warp)) return reader;
    note_same_value(b, now);
    return std::nullopt;
  }
  if (raced && !(b.write.atomic && now.atomic) && !(access == Access::read && follows_a_writer(b, warp)))
    return Earlier{b.write.warp, b.write.pc, true};
  if (access == Access::read) {
    note_read(b, now);
    return std::nullopt;
  }
  if (const auto reader = racing_reader(b.read, b.readers, warp)) return reader;
  const bool again = b.write.clock == now.clock && b.write.warp == now.warp && b.write.pc == now.pc;  // its next lane
  b.write = now;
  if (!again || b.read.clock != 0) {
    b.past = b.read;
    b.past_readers = b.readers;
  }
  b.read = {};
  b.readers = b.writers = 0;
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
