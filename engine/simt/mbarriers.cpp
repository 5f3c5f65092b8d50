// SPDX-License-Identifier: Apache-2.0
#include "simt/mbarriers.h"
#include <bit>
#include <cstring>
#include "simt/block.h"
#include "simt/race_detector.h"

namespace ww::simt {
namespace {

constexpr std::uint32_t most_arrivals = (1u << 20) - 1;
constexpr std::int64_t most_bytes = (std::int64_t{1} << 20) - 1;

struct Mbarrier {
  bool parity = false;
  std::uint32_t expected = 0, pending = 0;
  std::int64_t bytes = 0;
  static Mbarrier of(std::uint64_t word) {
    const auto field = [&](unsigned at) { return static_cast<std::uint32_t>(word >> at) & most_arrivals; };
    return {(word >> 63) != 0, field(43), field(23), static_cast<std::int64_t>(word << 41) >> 41};
  }
  std::uint64_t word() const {
    return (std::uint64_t{parity} << 63) | (std::uint64_t{expected} << 43) | (std::uint64_t{pending} << 23) |
           (static_cast<std::uint64_t>(bytes) & ((std::uint64_t{1} << 23) - 1));
  }
  void settle() {  // the phase is complete: the next one begins
    if (pending != 0 || bytes != 0) return;
    parity = !parity;
    pending = expected;
  }
};

[[noreturn]] void misuse(const Op& op, unsigned lane, const char* why) {
  FaultSite site;
  site.kind = FaultKind::invalid_instruction;
  site.lane = lane;
  raise(op, site, why);
}

std::uint64_t address_of(const Exec& x, bool narrow, std::uint32_t at, unsigned lane, std::int64_t offset) {
  return narrow ? std::uint64_t{static_cast<std::uint32_t>(x.at<std::uint32_t>(at)[lane] +
                                                           static_cast<std::uint32_t>(offset))}
                : x.at<std::uint64_t>(at)[lane] + static_cast<std::uint64_t>(offset);
}

template <class F>
void each_lane(std::uint32_t mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<unsigned>(std::countr_zero(mask)));
}

// The object of a lane. `init`: it is written without being read.
std::byte* object_of(Exec& x, const Op& op, unsigned lane, bool init) {
  Space found = op.space;
  const std::uint64_t address = address_of(x, (op.flags & op_address32) != 0, op.a, lane, op.imm);
  std::byte* const place = checked_lane(x, op, lane, op.space, address, 8, true, !init, &found);
  if (found != Space::shared) misuse(op, lane, "an mbarrier lies in shared memory");
  return place;
}
Mbarrier load(const std::byte* place) {
  std::uint64_t word = 0;
  std::memcpy(&word, place, sizeof word);
  return Mbarrier::of(word);
}
void store(std::byte* place, const Mbarrier& b) {
  const std::uint64_t word = b.word();
  std::memcpy(place, &word, sizeof word);
}

void release(Exec& x, const Op& op, unsigned lane, const std::byte* place) {
  if (x.races == nullptr) return;
  note_shared_atomic(x, op, lane, static_cast<std::uint32_t>(place - x.shared), 8);
  x.races->fence(x.warp->index, false);
  note_strong(x, lane, RaceDetector::Order::both, place, 8);
}

void perform(Exec& x, const BulkCopy& c) {
  x.changed = true;
  std::byte* const shared = x.shared + c.shared;
  if (!c.to_shared) {
    if (BufferView* const b = find_buffer(x, c.global_address); b != nullptr && b->by_lane)
      keep_before_write(x, *b, c.global_address - b->address, c.bytes);
    std::memcpy(c.global, shared, c.bytes);
    return;
  }
  std::memcpy(shared, c.global, c.bytes);
  if (x.shared_init != nullptr) std::memset(x.shared_init + c.shared, 1, c.bytes);
  std::byte* const place = x.shared + c.mbarrier;
  Mbarrier b = load(place);
  b.bytes -= c.bytes;
  b.settle();
  store(place, b);
}

template <class F>
void perform_those(Exec& x, F which) {
  auto& copies = x.block->bulk;
  for (std::size_t i = 0; i < copies.size();) {
    if (!which(copies[i])) {
      ++i;
      continue;
    }
    const BulkCopy c = copies[i];
    copies.erase(copies.begin() + static_cast<std::ptrdiff_t>(i));
    perform(x, c);
  }
}

std::uint64_t arrive(const Op& op, unsigned lane, Mbarrier& b, std::uint32_t count) {
  const std::uint64_t state = b.word();
  if (count == 0 || count > b.pending) misuse(op, lane, "more threads arrive at the mbarrier than it waits for");
  b.pending -= count;
  return state;
}

}  // namespace

void mbarrier_act(Exec& x, const Op& op, std::uint32_t mask) {
  const auto action = static_cast<MbarrierAction>(op.target);
  x.changed = true;
  each_lane(mask, [&](unsigned lane) {
    const bool init = action == MbarrierAction::init;
    std::byte* const place = object_of(x, op, lane, init);
    const std::uint32_t given = op.b == 0 ? 1 : x.at<std::uint32_t>(op.b)[lane];
    if (init) {
      if (given == 0 || given > most_arrivals) misuse(op, lane, "an mbarrier waits for 1 to 1048575 arrivals");
      const Mbarrier made{false, given, given, 0};
      const std::uint64_t word = made.word();
      if (x.races != nullptr)
        note_shared_write(x, op, lane, static_cast<std::uint32_t>(place - x.shared), 8,
                          reinterpret_cast<const std::byte*>(&word));
      store(place, made);
      return;
    }
    release(x, op, lane, place);
    if (action == MbarrierAction::inval) {
      if (x.shared_init != nullptr) std::memset(x.shared_init + (place - x.shared), 0, 8);
      return;
    }
    Mbarrier b = load(place);
    std::uint64_t state = 0;
    switch (action) {
      case MbarrierAction::arrive:
      case MbarrierAction::no_complete: state = arrive(op, lane, b, given); break;
      case MbarrierAction::drop:
        if (given > b.expected) misuse(op, lane, "more threads leave the mbarrier than it waits for");
        b.expected -= given;
        state = arrive(op, lane, b, given);
        break;
      case MbarrierAction::arrive_expect:
        b.bytes += given;
        state = arrive(op, lane, b, 1);
        break;
      case MbarrierAction::expect: b.bytes += given; break;
      case MbarrierAction::complete: b.bytes -= given; break;
      case MbarrierAction::init:
      case MbarrierAction::inval: break;
    }
    if (b.bytes > most_bytes || b.bytes < -most_bytes) misuse(op, lane, "an mbarrier expects at most 1048575 bytes");
    if (action == MbarrierAction::no_complete && b.pending == 0 && b.bytes == 0)
      misuse(op, lane, "the arrival completes the phase, which .noComplete excludes");
    if (action != MbarrierAction::expect) b.settle();
    store(place, b);
    if (op.d != 0) x.at<std::uint64_t>(op.d)[lane] = state;
  });
}

void mbarrier_wait(Exec& x, const Op& op, std::uint32_t mask) {
  std::uint32_t done = 0;
  each_lane(mask, [&](unsigned lane) {
    std::byte* const place = object_of(x, op, lane, false);
    const auto at = static_cast<std::uint32_t>(place - x.shared);
    perform_those(x, [&](const BulkCopy& c) { return c.to_shared && c.mbarrier == at; });
    const bool before = op.target != 0 ? (x.at<std::uint32_t>(op.b)[lane] & 1) != 0
                                       : Mbarrier::of(x.at<std::uint64_t>(op.b)[lane]).parity;
    if (x.races != nullptr) {
      note_shared_atomic(x, op, lane, at, 8);
      note_strong(x, lane, RaceDetector::Order::acquire, place, 8);
    }
    if (load(place).parity != before) done |= 1u << lane;
  });
  std::uint32_t& d = *x.at<std::uint32_t>(op.d);
  d = (d & ~mask) | done;
}

void mbarrier_pending(Exec& x, const Op& op, std::uint32_t mask) {
  each_lane(mask, [&](unsigned lane) {
    x.at<std::uint32_t>(op.d)[lane] = Mbarrier::of(x.at<std::uint64_t>(op.b)[lane]).pending;
  });
}

void mbarrier_copies(Exec& x, const Op& op, std::uint32_t mask) {
  wait_copies(x, op, mask, -1);
  each_lane(mask, [&](unsigned lane) {
    std::byte* const place = object_of(x, op, lane, false);
    release(x, op, lane, place);
    if (op.target == 0) return;  // without .noinc it adds an arrival of its own
    Mbarrier b = load(place);
    (void)arrive(op, lane, b, 1);
    b.settle();
    store(place, b);
  });
}

void bulk_copy(Exec& x, const Op& op, std::uint32_t mask) {
  const std::uint32_t* const list = x.lists + op.target;
  const bool to_shared = op.n != 0;
  const auto address = [&](unsigned k, unsigned lane) {
    return address_of(x, ((list[8] >> k) & 1) != 0, list[k], lane, static_cast<std::int32_t>(list[4 + k]));
  };
  each_lane(mask, [&](unsigned lane) {
    BulkCopy c;
    c.warp = x.warp->index;
    c.lane = static_cast<std::uint8_t>(lane);
    c.group = x.warp->bulk_group[lane];
    c.to_shared = to_shared;
    c.bytes = x.at<std::uint32_t>(list[2])[lane];
    if (c.bytes % 16 != 0) misuse(op, lane, "a bulk copy moves a multiple of 16 bytes");
    if (c.bytes == 0) return;
    const auto range = [&](Space space, std::uint64_t at, bool write) {  // all of it, in pieces of 16 bytes
      std::byte* first = nullptr;
      for (std::uint32_t k = 0; k < c.bytes; k += 16) {
        std::byte* const place = checked_lane(x, op, lane, space, at + k, 16, write, !write);
        if (k == 0) first = place;
      }
      return first;
    };
    const std::uint64_t shared_at = address(to_shared ? 0 : 1, lane), global_at = address(to_shared ? 1 : 0, lane);
    std::byte* const shared = range(Space::shared, shared_at, to_shared);
    c.global = range(Space::global, global_at, !to_shared);
    c.global_address = global_at;
    c.shared = static_cast<std::uint32_t>(shared - x.shared);
    if (x.races != nullptr)
      for (std::uint32_t k = 0; k < c.bytes; k += 16) {
        to_shared ? note_shared_write(x, op, lane, c.shared + k, 16, nullptr)
                  : note_shared_read(x, op, lane, c.shared + k, 16);
        if (x.races_everywhere)
          note_global(x, op, lane, global_at + k, c.global + k, 16,
                      to_shared ? RaceDetector::Access::read : RaceDetector::Access::write, nullptr);
      }
    if (to_shared) {
      std::byte* const mbarrier = checked_lane(x, op, lane, Space::shared, address(3, lane), 8, true, true);
      c.mbarrier = static_cast<std::uint32_t>(mbarrier - x.shared);
      if (x.shared_init != nullptr) std::memset(x.shared_init + c.shared, 0, c.bytes);
      release(x, op, lane, mbarrier);
    }
    x.block->bulk.push_back(c);
  });
}

void bulk_commit(Exec& x, const Op&, std::uint32_t mask) {
  each_lane(mask, [&](unsigned lane) { ++x.warp->bulk_group[lane]; });
}

void bulk_wait(Exec& x, const Op& op, std::uint32_t mask) {
  perform_those(x, [&](const BulkCopy& c) {
    return !c.to_shared && c.warp == x.warp->index && ((mask >> c.lane) & 1) != 0 &&
           std::int64_t{c.group} + op.imm < std::int64_t{x.warp->bulk_group[c.lane]};
  });
}

void finish_bulk_copies(Exec& x) {
  perform_those(x, [](const BulkCopy& c) { return !c.to_shared; });
  x.block->bulk.clear();
}

}  // namespace ww::simt
