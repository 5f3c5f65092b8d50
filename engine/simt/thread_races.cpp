// SPDX-License-Identifier: Apache-2.0
#include "simt/thread_races.h"
#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>
#include "simt/block.h"
#include "simt/race_shadow.h"

namespace ww::simt {
namespace races {

constexpr std::uint32_t most_warps = 32;
constexpr std::size_t most_reads = 16, most_writes = 64;  // of a word

using Row = std::array<std::uint32_t, most_warps>;  // by warp of a block: what is before this clock is ordered

inline void join_row(Row& into, const Row& from) {
  for (std::uint32_t v = 0; v < most_warps; ++v) into[v] = std::max(into[v], from[v]);
}

using Knowledge = std::map<std::uint64_t, Row>;  // by block
using Shared = std::shared_ptr<const Knowledge>;

inline void join(Knowledge& into, const Knowledge& from) {
  for (const auto& [block, row] : from) join_row(into.try_emplace(block, Row{}).first->second, row);
}

struct Release {            // at a word
  Shared all;               // what every later acquirer is ordered after
  Shared within;            // what those of the block are
  std::uint64_t block = 0;  // of `within` and of the last one here
  std::uint32_t warps = 0;  // of that block, that released here
};

inline void add(Shared& into, const Shared& from) {
  if (!from || into == from) return;
  if (!into) {
    into = from;
    return;
  }
  auto both = std::make_shared<Knowledge>(*into);
  join(*both, *from);
  into = std::move(both);
}

}  // namespace races

class RaceWorld {
 public:
  races::Shadow global;
  std::unordered_map<std::uintptr_t, races::Release> released;
};

namespace {

using namespace races;

class ThreadRaces final : public RaceDetector {
 public:
  ThreadRaces(std::shared_ptr<RaceWorld> world, std::uint32_t warps, std::span<const std::byte> shared)
      : world_(std::move(world)), warps_(warps), shared_bytes_(shared) {}

  void begin_block(std::uint64_t ordinal) override {
    block_ = ordinal;
    shared_.clear();
    released_.clear();
    for (auto& at : arrived_) at = {};
    for (WarpState& w : warps_) {
      w = WarpState{};
      w.clock = 1;
    }
  }

  void note(Exec& x, const Op& op, const Touch& t) override {
    Instant instant;
    instant.block = block_;
    instant.warp = static_cast<std::uint8_t>(x.warp->index);
    const WarpState& w = warps_[instant.warp];
    instant.clock = w.clock;
    instant.meeting = w.meeting;
    instant.pc = static_cast<std::uint32_t>(&op - x.code);
    instant.wrote = t.access == Access::write || t.access == Access::atomic;
    instant.strong = t.access == Access::strong_read || t.access == Access::atomic;
    Shadow& shadow = t.space == Space::shared ? shared_ : world_->global;
    const auto from = reinterpret_cast<std::uintptr_t>(t.place), end = from + t.size;
    bool reported = false;
    for (std::uintptr_t word = from / 4; word * 4 < end; ++word) {
      std::uint32_t bytes = 0, changed = 0;
      for (unsigned k = 0; k < 4; ++k) {
        const std::uintptr_t byte = word * 4 + k;
        if (byte < from || byte >= end) continue;
        bytes |= 1u << k;
        if (t.stored == nullptr || t.stored[byte - from] != t.place[byte - from]) changed |= 1u << k;
      }
      for (const bool changes : {true, false}) {
        const std::uint32_t some = changes ? changed : bytes & ~changed;
        if (some == 0) continue;
        instant.changed = instant.wrote && changes;
        const std::optional<OtherAccess> other = enter(shadow, word, instant, some, t.lane);
        if (!other || reported) continue;
        report_race(x, op, t, *other);
        reported = true;
      }
    }
  }

  void synchronize(std::uint32_t warp, unsigned lane, Order order, const std::byte* place,
                   std::uint32_t bytes) override {
    WarpState& w = warps_[warp];
    const auto at = reinterpret_cast<std::uintptr_t>(place);
    auto& all = is_shared(place) ? released_ : world_->released;
    for (std::uintptr_t word = at / 4; word <= (at + bytes - 1) / 4; ++word) {
      if (order != Order::release)
        if (const auto found = all.find(word); found != all.end()) acquire(w, warp, lane, found->second);
      if (order == Order::acquire) continue;
      Release& r = all[word];
      add(r.all, w.fenced);
      if (r.block != block_) {
        r.within.reset();
        r.warps = 0;
      }
      add(r.within, w.fenced_within);
      r.block = block_;
      r.warps |= 1u << warp;
    }
  }

  void fence(std::uint32_t warp, bool beyond_block) override {
    WarpState& w = warps_[warp];
    auto past = std::make_shared<Knowledge>(w.others);
    Row own = w.own;
    own[warp] = w.clock;
    (*past)[block_] = own;
    w.fenced_within = past;
    if (beyond_block) w.fenced = std::move(past);
    ++w.clock;
  }

  void meet(std::uint32_t warp, std::uint32_t mask) override {
    WarpState& w = warps_[warp];
    ++w.meeting;
    std::array<std::uint32_t, warp_lanes> all{};
    for (std::uint32_t m = mask; m != 0; m &= m - 1) {
      const auto& known = w.known[static_cast<unsigned>(std::countr_zero(m))];
      for (unsigned v = 0; v < warp_lanes; ++v) all[v] = std::max(all[v], known[v]);
    }
    for (std::uint32_t m = mask; m != 0; m &= m - 1) all[static_cast<unsigned>(std::countr_zero(m))] = w.meeting;
    for (std::uint32_t m = mask; m != 0; m &= m - 1) w.known[static_cast<unsigned>(std::countr_zero(m))] = all;
  }

  void arrive(std::uint32_t warp, std::uint32_t mask, unsigned barrier) override {
    end(barrier, warp);
    arrived_[barrier].lanes[warp] |= mask;
    ++warps_[warp].clock;
  }
  void end(unsigned barrier, std::uint32_t warp) override {
    Arrived& a = arrived_[barrier];
    const WarpState& w = warps_[warp];
    join_row(a.own, w.own);
    a.own[warp] = std::max(a.own[warp], w.clock);
    races::join(a.others, w.others);
    add(a.fenced, w.fenced);
    add(a.fenced_within, w.fenced_within);
  }
  void join(unsigned barrier, std::uint32_t warp) override {
    Arrived& a = arrived_[barrier];
    WarpState& w = warps_[warp];
    join_row(w.own, a.own);
    if (!a.others.empty()) races::join(w.others, a.others);
    // A thread may release after the barrier what others have fenced before it.
    w.fenced = a.fenced;
    w.fenced_within = a.fenced_within;
    if (a.lanes[warp] != 0) meet(warp, a.lanes[warp]);
    a.lanes[warp] = 0;
  }
  void release(unsigned barrier) override { arrived_[barrier] = {}; }

 private:
  struct WarpState {
    std::uint32_t clock = 1, meeting = 0;
    Row own{};                     // of the other warps of its block
    Knowledge others;              // of other blocks
    Shared fenced, fenced_within;  // what its last fence was ordered after
    Shared joined, joined_within;  // what it acquired last
    // By two lanes: what the second did before this meeting is ordered before what the first does now.
    std::array<std::array<std::uint32_t, warp_lanes>, warp_lanes> known{};
  };
  struct Arrived {
    Row own{};
    Knowledge others;
    Shared fenced, fenced_within;
    std::array<std::uint32_t, most_warps> lanes{};
  };

  bool is_shared(const std::byte* place) const {
    return place >= shared_bytes_.data() && place < shared_bytes_.data() + shared_bytes_.size();
  }

  void acquire(WarpState& w, std::uint32_t warp, unsigned lane, const Release& r) {
    const auto take = [&](const Shared& from) {
      for (const auto& [block, row] : *from)
        if (block == block_)
          join_row(w.own, row);
        else
          join_row(w.others.try_emplace(block, Row{}).first->second, row);
    };
    if (r.all && w.joined != r.all) take(w.joined = r.all);
    if (r.block != block_) return;
    if (r.within && w.joined_within != r.within) take(w.joined_within = r.within);
    if (((r.warps >> warp) & 1) != 0) {
      ++w.meeting;
      w.known[lane].fill(w.meeting);
    }
  }

  // Of `lanes`, those whose accesses `before` nothing orders before `lane` of the warp of `now`.
  std::uint32_t unordered(const Instant& before, std::uint32_t lanes, const Instant& now, unsigned lane) const {
    const WarpState& w = warps_[now.warp];
    if (before.block == block_ && before.warp == now.warp) {
      std::uint32_t left = 0;
      for (std::uint32_t m = lanes & ~(1u << lane); m != 0; m &= m - 1) {
        const auto other = static_cast<unsigned>(std::countr_zero(m));
        if (before.meeting >= w.known[lane][other]) left |= 1u << other;
      }
      return left;
    }
    if (before.block == block_) return before.clock > w.own[before.warp] ? lanes : 0;
    const auto found = w.others.find(before.block);
    return found == w.others.end() || before.clock > found->second[before.warp] ? lanes : 0;
  }

  static OtherAccess other_of(const Instant& before, std::uint32_t lanes) {
    OtherAccess other;
    other.known = other.thread_known = true;
    other.wrote = before.wrote;
    other.pc = before.pc;
    other.thread = before.warp * warp_lanes + static_cast<unsigned>(std::countr_zero(lanes));
    other.block = before.block;
    return other;
  }

  // Adds an access to some bytes of a word to those before; the one that races with it, if there is one.
  std::optional<OtherAccess> enter(Shadow& shadow, std::uintptr_t word, const Instant& instant, std::uint32_t bytes,
                                   unsigned lane) {
    Seen now;
    now.instant = shadow.number_of(instant) & 0x7ffffff;
    now.lanes = 1u << lane;
    now.bytes = bytes & 0xf;
    Shadow::Records records = shadow.at(word);
    std::optional<OtherAccess> found;
    if (!instant.wrote) {
      found = racing_write(shadow, records, now, lane);
      if (found && shadow.crowded.contains(word)) found.reset();
    } else {
      found = racing_access(shadow, records, now, lane);
      if (instant.changed) {
        overwrite(shadow, records, now, lane);
        if (now.bytes == 0xf) shadow.crowded.erase(word);
      }
    }
    if (!insert(shadow, records, now)) shadow.crowded.insert(word);
    return found;
  }

  // With a read races a write that changed the value, unless one of the same value is ordered before the read: this
  // finds the value whichever of the two is the last.
  std::optional<OtherAccess> racing_write(const Shadow& shadow, Shadow::Records records, const Seen& now,
                                          unsigned lane) const {
    const Instant& instant = shadow.instant(now);
    std::uint32_t open = now.bytes;  // those that no write ordered before has left as they are
    for (std::size_t i = 0; i < records.size(); ++i) {
      const Seen& e = records[i];
      if (const Instant& before = shadow.instant(e); (e.bytes & open) != 0 && before.wrote)
        if (unordered(before, e.lanes, instant, lane) != e.lanes) open &= ~e.bytes;
    }
    for (std::size_t i = 0; i < records.size(); ++i) {
      const Seen& e = records[i];
      const Instant& before = shadow.instant(e);
      if ((e.bytes & open) != 0 && before.changed && !(before.strong && instant.strong))
        return other_of(before, e.lanes);
    }
    return std::nullopt;
  }

  // With a write that changes the value races each other access; with one that leaves it, a read of what was there
  // before the last change.
  std::optional<OtherAccess> racing_access(const Shadow& shadow, Shadow::Records records, const Seen& now,
                                           unsigned lane) const {
    const Instant& instant = shadow.instant(now);
    for (std::size_t i = 0; i < records.size(); ++i) {
      const Seen& e = records[i];
      const Instant& before = shadow.instant(e);
      if ((e.bytes & now.bytes) == 0 || (before.strong && instant.strong)) continue;
      if (instant.changed == (e.past != 0) || (!instant.changed && before.wrote)) continue;
      if (const std::uint32_t others = unordered(before, e.lanes, instant, lane); others != 0)
        return other_of(before, others);
    }
    return std::nullopt;
  }

  // A change hides the writes before it. The reads ordered before it are of the past from now on.
  void overwrite(const Shadow& shadow, Shadow::Records records, const Seen& now, unsigned lane) const {
    std::array<Seen, most_reads> past;
    std::size_t count = 0;
    for (std::size_t i = 0; i < records.size();) {
      Seen& e = records[i];
      const std::uint32_t both = e.bytes & now.bytes;
      if (both == 0) {
        ++i;
        continue;
      }
      const Instant& before = shadow.instant(e);
      if (!before.wrote && e.past == 0 && count < past.size() &&
          unordered(before, e.lanes, shadow.instant(now), lane) == 0) {
        past[count] = e;
        past[count].past = 1;
        past[count++].bytes = both & 0xf;
      }
      if (const std::uint32_t left = e.bytes & ~both; left != 0) {
        e.bytes = left & 0xf;
        ++i;
      } else {
        records.replace_by_last(i);
      }
    }
    for (std::size_t i = 0; i < count; ++i) records.push_back(past[i]);
  }

  // False: a write had to go.
  static bool insert(const Shadow& shadow, Shadow::Records records, const Seen& now) {
    std::size_t reads = 0, first_read = 0, first_kept = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
      Seen& e = records[i];
      const Instant& before = shadow.instant(e);
      if (e.bytes == now.bytes && e.past == 0 && before == shadow.instant(now)) {
        e.lanes |= now.lanes;
        return true;
      }
      if (!before.wrote && reads++ == 0) first_read = i;
      if (before.wrote && !before.changed && first_kept == 0) first_kept = i;
    }
    const bool read = !shadow.instant(now).wrote;
    bool whole = true;
    if (read && reads >= most_reads) {
      records.erase(first_read);
    } else if (!read && records.size() - reads >= most_writes) {
      records.erase(first_kept);
      whole = false;
    }
    records.push_back(now);
    return whole;
  }

  std::shared_ptr<RaceWorld> world_;
  std::vector<WarpState> warps_;
  std::span<const std::byte> shared_bytes_;
  std::uint64_t block_ = 0;
  Shadow shared_;
  std::unordered_map<std::uintptr_t, Release> released_;  // in shared memory
  std::array<Arrived, barrier_count> arrived_{};
};

}  // namespace

std::shared_ptr<RaceWorld> make_race_world() { return std::make_shared<RaceWorld>(); }

std::unique_ptr<RaceDetector> make_thread_races(std::shared_ptr<RaceWorld> world, std::uint32_t warps,
                                                std::span<const std::byte> shared) {
  return std::make_unique<ThreadRaces>(std::move(world), warps, shared);
}

}  // namespace ww::simt
