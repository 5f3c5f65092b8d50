// SPDX-License-Identifier: Apache-2.0
// Memory traffic of a candidate between its threads, the caches and device memory, from hardware counters or simulated
// counts. Traffic in neither is unknown, with the reason.
#pragma once
#include "base/describe.h"
#include "measure/candidate_profile.h"

namespace ww::measure {

enum class MemoryPath : std::uint8_t {
  load,
  store,
  l2_read,
  l2_write,
  dram_read,
  dram_write,
  shared_load,
  shared_store
};
constexpr auto names_of(MemoryPath) {
  using enum MemoryPath;
  return std::to_array<Enumerator<MemoryPath>>({{load, "load"},
                                                {store, "store"},
                                                {l2_read, "l2_read"},
                                                {l2_write, "l2_write"},
                                                {dram_read, "dram_read"},
                                                {dram_write, "dram_write"},
                                                {shared_load, "shared_load"},
                                                {shared_store, "shared_store"}});
}
std::string title_of(MemoryPath path);  // "L2 to L1"

struct MemoryArrow {
  MemoryPath path = MemoryPath::load;
  double bytes = profile::unknown;
  double requests = profile::unknown;                                          // of warps
  double sectors_each = profile::unknown, wavefronts_each = profile::unknown;  // of a request
  double used = profile::unknown;  // bytes requested by threads, relative to the bytes of the sectors, 0 to 1
  std::string why_not;             // the reason if there are no bytes
  WW_FIELDS(MemoryArrow, path, (bytes, nullable), (requests, "of warps", sparse),
            (sectors_each, "of 32 bytes, per request", sparse),
            (wavefronts_each, "per request of shared memory", sparse),
            (used, "bytes asked for by threads, of those in the sectors, 0 to 1", sparse),
            (why_not, "`bytes` is null, and why", sparse))
};
struct MemoryFlow {
  Provenance provenance = Provenance::unknown;                    // of all but least_*
  std::vector<MemoryArrow> arrows;                                // one per path, in order
  double l1_hits = profile::unknown, l2_hits = profile::unknown;  // percent of sectors
  std::string hits_why_not;
  double local_sectors = profile::unknown, local_requests = profile::unknown;  // of local memory
  double l2_sectors = profile::unknown, atomics = profile::unknown;
  double dram_percent = profile::unknown;                                       // of its peak
  double bank_conflicts = profile::unknown, conflicts_each = profile::unknown;  // all, and per access of shared memory
  // *modelled*: the minimum traffic of device memory; only beside simulated counts
  double least_read = profile::unknown, least_written = profile::unknown;
  std::string why_not;  // the reason if nothing is known
  WW_FIELDS(MemoryFlow, (provenance, "`measured`, `simulated`, or empty: nothing is known"),
            (arrows, "between kernel, L1, L2, device memory, and shared memory"),
            (l1_hits, "percent of sectors", nullable), (l2_hits, "percent of sectors", nullable),
            (hits_why_not, sparse), (local_sectors, "of local memory, measured", sparse),
            (local_requests, "of local memory, simulated", sparse), (l2_sectors, sparse),
            (atomics, "on global memory", sparse), (dram_percent, "of device memory's peak", sparse),
            (bank_conflicts, sparse), (conflicts_each, "per access of shared memory", sparse),
            (least_read, "modelled: bytes that any kernel for this op reads", sparse),
            (least_written, "modelled: bytes that it writes", sparse), (why_not, "nothing is known, and why", sparse))
  const MemoryArrow* at(MemoryPath path) const {  // null: nothing is known
    return arrows.empty() ? nullptr : &arrows[static_cast<std::size_t>(path)];
  }
};
MemoryFlow memory_flow(const CandidateProfile& view);

}  // namespace ww::measure
