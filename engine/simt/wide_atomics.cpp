// SPDX-License-Identifier: Apache-2.0
#include "simt/wide_atomics.h"
#include <array>
#include <cstring>
#include <mutex>
#include "simt/buffer.h"
#include "simt/race_detector.h"
#include "simt/releases.h"

namespace ww::simt {
namespace {

using WideValue = std::array<std::uint64_t, 2>;
constexpr std::uint32_t wide_bytes = sizeof(WideValue);

WideValue wide_value(const Exec& x, std::uint32_t at, unsigned lane) {
  return {x.at<std::uint64_t>(at)[lane], x.at<std::uint64_t>(at + wide_half)[lane]};
}

// Before and after the operation, as other atomic operations tell of theirs.
void tell_wide(Exec& x, const Op& op, unsigned lane, Space space, std::uint64_t address, std::byte* place) {
  if (space == Space::global && x.releases != nullptr) x.releases->tell_at(x, place, wide_bytes);
  if (x.races == nullptr) return;
  if (space == Space::shared)
    note_shared_atomic(x, op, lane, static_cast<std::uint32_t>(place - x.shared), wide_bytes);
  else if (x.races_everywhere)
    note_global(x, op, lane, address, place, wide_bytes, RaceDetector::Access::atomic, nullptr);
  note_strong(x, lane, RaceDetector::Order::both, place, wide_bytes);
}
void learn_wide(Exec& x, const Op& op, Space space, std::uint64_t address, const std::byte* place) {
  if (space != Space::global || x.releases == nullptr) return;
  x.releases->learn_at(x, place, wide_bytes);
  BufferView* const b = find_buffer(x, op, address);
  if (b == nullptr || b->init == nullptr) return;
  x.wrote = true;
  std::memset(b->init + (address - b->address), by_atomics, wide_bytes);
  x.releases->note_atomic(x, place, wide_bytes, (op.flags & op_unread) == 0);
}

template <class F>
void each_wide_place(Exec& x, const Op& op, std::uint32_t mask, F new_value) {
  static std::mutex one_at_a_time;  // of the host's threads
  bool global = false;
  for (std::uint32_t k = 0, lane = x.first_lane; k < warp_lanes; ++k, lane = (lane + x.lane_step) % warp_lanes) {
    if (((mask >> lane) & 1) == 0) continue;
    const std::uint64_t address =
        (op.flags & op_address32) != 0
            ? std::uint64_t{x.at<std::uint32_t>(op.a)[lane] + static_cast<std::uint32_t>(op.imm)}
            : x.at<std::uint64_t>(op.a)[lane] + static_cast<std::uint64_t>(op.imm);
    Space found = op.space;
    std::byte* const place = checked_lane(x, op, lane, op.space, address, wide_bytes, true, true, &found);
    global = global || found == Space::global;
    tell_wide(x, op, lane, found, address, place);
    WideValue old;
    {
      const std::scoped_lock lock(one_at_a_time);
      std::memcpy(old.data(), place, wide_bytes);
      const WideValue now = new_value(lane, old);
      x.changed = x.changed || now != old;
      std::memcpy(place, now.data(), wide_bytes);
    }
    learn_wide(x, op, found, address, place);
    x.at<std::uint64_t>(op.d)[lane] = old[0];
    x.at<std::uint64_t>(op.d + wide_half)[lane] = old[1];
    if (x.counts != nullptr) {
      PcCount& n = x.counts[&op - x.code];
      ++(found == Space::shared ? n.shared_threads : n.global_threads);
    }
  }
  if (x.takes_turns && global) pass_turn(x);
}

}  // namespace

void exchange_wide(Exec& x, const Op& op, std::uint32_t mask) {
  each_wide_place(x, op, mask, [&](unsigned lane, const WideValue&) { return wide_value(x, op.b, lane); });
}

void compare_and_swap_wide(Exec& x, const Op& op, std::uint32_t mask) {
  each_wide_place(x, op, mask, [&](unsigned lane, const WideValue& old) {
    return old == wide_value(x, op.b, lane) ? wide_value(x, op.c, lane) : old;
  });
}

}  // namespace ww::simt
