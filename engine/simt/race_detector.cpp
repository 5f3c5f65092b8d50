// SPDX-License-Identifier: Apache-2.0
#include "simt/race_detector.h"
#include <algorithm>
#include <cstring>
#include "simt/block.h"

namespace ww::simt {
namespace {

using Access = RaceDetector::Access;

void note_shared(Exec& x, const Op& op, unsigned lane, std::uint32_t at, std::uint32_t size, Access access,
                 const std::byte* stored) {
  x.races->note(x, op, {access, Space::shared, lane, at, x.shared + at, size, stored});
}
std::uint64_t bits_of(const std::byte* at, std::uint32_t bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, std::min<std::uint32_t>(bytes, 8));
  return bits;
}

// A load whose value a selection may discard races with nothing, yet a stepped launch shows it.
bool passes_over(const Exec& x, const Op& op) {
  return (op.flags & op_unused) != 0 && static_cast<Worker*>(x.worker)->launch().journal == nullptr;
}
bool is_strong(const Op& op) { return (op.flags & op_strong) != 0; }

}  // namespace

void report_race(Exec& x, const Op& op, const RaceDetector::Touch& touch, const OtherAccess& other) {
  FaultSite site;
  site.kind = FaultKind::race;
  site.lane = touch.lane;
  site.space = touch.space;
  site.address = touch.address;
  site.bytes = touch.size;
  site.is_write = touch.access != Access::read && touch.access != Access::strong_read;
  site.other = other;
  // A write that came first has left its value; a read has seen what is still there.
  const auto held = static_cast<std::uint8_t>(touch.size <= 8 ? touch.size : 0);
  site.other_value = {held, bits_of(touch.place, held)};
  if (touch.access == Access::read || touch.access == Access::strong_read)
    site.value = site.other_value;
  else if (touch.stored != nullptr)
    site.value = {held, bits_of(touch.stored, held)};
  report(x, op, site);
}

void note_shared_read(Exec& x, const Op& op, unsigned lane, std::uint32_t at, std::uint32_t size) {
  if (passes_over(x, op)) return;
  note_shared(x, op, lane, at, size, is_strong(op) ? Access::strong_read : Access::read, nullptr);
}

void note_shared_write(Exec& x, const Op& op, unsigned lane, std::uint32_t at, std::uint32_t size,
                       const std::byte* stored) {
  note_shared(x, op, lane, at, size, is_strong(op) ? Access::atomic : Access::write, stored);
}

void note_shared_atomic(Exec& x, const Op& op, unsigned lane, std::uint32_t at, std::uint32_t size) {
  note_shared(x, op, lane, at, size, Access::atomic, nullptr);
}

void note_global(Exec& x, const Op& op, unsigned lane, std::uint64_t address, const std::byte* place,
                 std::uint32_t size, Access access, const std::byte* stored) {
  if (access == Access::read && passes_over(x, op)) return;
  if (is_strong(op)) access = access == Access::read ? Access::strong_read : Access::atomic;
  x.races->note(x, op, {access, Space::global, lane, address, place, size, stored});
}

void note_strong(Exec& x, unsigned lane, RaceDetector::Order order, const std::byte* place, std::uint32_t bytes) {
  x.races->synchronize(x.warp->index, lane, order, place, bytes);
}

}  // namespace ww::simt
