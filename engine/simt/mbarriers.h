// SPDX-License-Identifier: Apache-2.0
// mbarrier objects and bulk copies (PTX ISA 9.0, sections 9.7.13.15 and 9.7.9.25.4), of blocks that are clusters of
// their own. An object is 64 bits of shared memory:
//   bit 63: parity of the phase; 62 to 43: arrivals of each phase; 42 to 23: arrivals that are missing; 22 to 0: bytes
//   that are missing, in two's complement.
// A bulk copy takes place when a thread looks at its mbarrier, or waits for its group, or at the end of the block.
// Until then its destination in shared memory counts as never written, so that a missing wait is found.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include "simt/machine.h"

namespace ww::simt {

struct BulkCopy {
  std::uint32_t warp = 0, group = 0;  // group: of its thread
  std::uint8_t lane = 0;
  bool to_shared = false;
  std::uint32_t shared = 0, bytes = 0;  // offset in shared memory
  std::byte* global = nullptr;
  std::uint64_t global_address = 0;
  std::uint32_t mbarrier = 0;  // offset in shared memory; of copies to shared memory
};

enum class MbarrierAction : std::uint8_t { init, inval, arrive, drop, expect, complete, arrive_expect, no_complete };

// Handlers. Op: a, imm: address; b: count, bytes, state or parity (0: one arrival); d: state or predicate; target: the
// action, or 1 of a wait for a parity.
void mbarrier_act(Exec& x, const Op& op, std::uint32_t mask);
void mbarrier_wait(Exec& x, const Op& op, std::uint32_t mask);
void mbarrier_pending(Exec& x, const Op& op, std::uint32_t mask);
void mbarrier_copies(Exec& x, const Op& op, std::uint32_t mask);  // cp.async.mbarrier.arrive
// cp.async.bulk. lists[target …]: destination, source, size, mbarrier (frame offsets), then their offsets and whether
// the addresses have 32 bits.
void bulk_copy(Exec& x, const Op& op, std::uint32_t mask);
void bulk_commit(Exec& x, const Op& op, std::uint32_t mask);
void bulk_wait(Exec& x, const Op& op, std::uint32_t mask);  // imm: groups that may be pending
void finish_bulk_copies(Exec& x);                           // at the end of a block

}  // namespace ww::simt
