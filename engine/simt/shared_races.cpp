// SPDX-License-Identifier: Apache-2.0
#include "simt/shared_races.h"
#include <algorithm>
#include "simt/block.h"

namespace ww::simt {
namespace {

void raise_race(Exec& x, const Op& op, unsigned lane, std::uint32_t at, std::uint32_t size, bool write,
                const SharedRaces::Other& other) {
  const Worker& worker = *static_cast<Worker*>(x.worker);
  const int line = worker.source_line(other.pc);
  std::string text = "that warp " + std::to_string(other.warp) + " of its block " + (other.wrote ? "wrote" : "read");
  if (line > 0) text += " at line " + std::to_string(line);
  FaultSite site;
  site.kind = FaultKind::race;
  site.lane = lane;
  site.space = Space::shared;
  site.address = at;
  site.bytes = size;
  site.is_write = write;
  raise_text(op, site, text + ", and nothing orders the two");
}

void note(Exec& x, const Op& op, unsigned lane, std::uint32_t at, std::uint32_t size, SharedRaces::Access access,
          const std::byte* stored) {
  const auto pc = static_cast<std::uint32_t>(&op - x.code);
  for (std::uint32_t k = 0; k < size; ++k) {
    const bool same = stored != nullptr && stored[k] == x.shared[at + k];
    if (const auto other = x.races->note(access, x.warp->index, pc, at + k, same))
      raise_race(x, op, lane, at, size, access != SharedRaces::Access::read, *other);
  }
}

}  // namespace

SharedRaces::SharedRaces(std::uint32_t bytes, std::uint32_t warps)
    : warps_(warps), bytes_(bytes), clocks_(warps), fenced_(warps) {}

void SharedRaces::begin_block() {
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

std::optional<SharedRaces::Other> SharedRaces::racing_reader(const Byte& b, std::uint32_t warp) const {
  if (b.readers == 0)
    return unordered(b.read, warp) ? std::optional(Other{b.read.warp, b.read.pc, false}) : std::nullopt;
  const Clock& read = readers_[b.readers - 1];
  for (std::uint32_t v = 0; v < warps_; ++v)
    if (v != warp && read[v] > clocks_[warp][v]) return Other{v, b.read.pc, false};
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

std::optional<SharedRaces::Other> SharedRaces::note(Access access, std::uint32_t warp, std::uint32_t pc,
                                                    std::uint32_t byte, bool same) {
  Byte& b = bytes_[byte];
  if (b.block != block_) {
    b = Byte{};
    b.block = block_;
  }
  if (access == Access::read_strong) {
    if (unordered(b.write, warp) && !b.write.atomic) return Other{b.write.warp, b.write.pc, true};
    return std::nullopt;
  }
  const Epoch now{clocks_[warp][warp], pc, static_cast<std::uint8_t>(warp), access == Access::atomic};
  const bool written = unordered(b.write, warp) && !(b.write.atomic && now.atomic);
  if (same) {  // of several that write the same value any may be the last
    if (written) b.write = {};
    return std::nullopt;
  }
  if (written) return Other{b.write.warp, b.write.pc, true};
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

void SharedRaces::synchronize(std::uint32_t warp, Order order, const std::byte* place, std::uint32_t bytes) {
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

void SharedRaces::fence(std::uint32_t warp) {
  fenced_[warp] = clocks_[warp];
  ++clocks_[warp][warp];
}

void SharedRaces::end(unsigned barrier, std::uint32_t warp) { join(arrived_[barrier], clocks_[warp]); }

void SharedRaces::arrive(std::uint32_t warp, unsigned barrier) {
  end(barrier, warp);
  fence(warp);
}

void SharedRaces::join(unsigned barrier, std::uint32_t warp) {
  join(clocks_[warp], arrived_[barrier]);
  join(fenced_[warp], arrived_[barrier]);
}

void SharedRaces::release(unsigned barrier) { arrived_[barrier] = {}; }

void note_shared_read(Exec& x, const Op& op, unsigned lane, std::uint32_t at, std::uint32_t size) {
  if ((op.flags & op_unused) != 0) return;
  const bool strong = (op.flags & op_strong) != 0;
  if (strong && (op.flags & op_data) == 0) return;  // it may say by itself whether it is there
  note(x, op, lane, at, size, strong ? SharedRaces::Access::read_strong : SharedRaces::Access::read, nullptr);
}

void note_shared_write(Exec& x, const Op& op, unsigned lane, std::uint32_t at, std::uint32_t size,
                       const std::byte* stored) {
  const bool strong = (op.flags & op_strong) != 0;
  note(x, op, lane, at, size, strong ? SharedRaces::Access::atomic : SharedRaces::Access::write, stored);
}

void note_shared_atomic(Exec& x, const Op& op, unsigned lane, std::uint32_t at, std::uint32_t size) {
  note(x, op, lane, at, size, SharedRaces::Access::atomic, nullptr);
}

void note_strong(Exec& x, SharedRaces::Order order, const std::byte* place, std::uint32_t bytes) {
  x.races->synchronize(x.warp->index, order, place, bytes);
}

}  // namespace ww::simt
