// SPDX-License-Identifier: Apache-2.0
// Memory traffic of a candidate between its threads, the caches and device memory, from hardware counters or simulated
// counts. Traffic in neither is unknown, with the reason.
#pragma once
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
  template <class V>
  static void fields(V&& v) {
    v("path", &MemoryArrow::path);
    v("bytes", &MemoryArrow::bytes, Presence::nullable);
    v("requests", &MemoryArrow::requests, {"of warps", Presence::sparse});
    v("sectors_each", &MemoryArrow::sectors_each, {"of 32 bytes, per request", Presence::sparse});
    v("wavefronts_each", &MemoryArrow::wavefronts_each, {"per request of shared memory", Presence::sparse});
    v("used", &MemoryArrow::used, {"bytes asked for by threads, of those in the sectors, 0 to 1", Presence::sparse});
    v("why_not", &MemoryArrow::why_not, {"`bytes` is null, and why", Presence::sparse});
  }
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
  template <class V>
  static void fields(V&& v) {
    v("provenance", &MemoryFlow::provenance, "`measured`, `simulated`, or empty: nothing is known");
    v("arrows", &MemoryFlow::arrows, "between kernel, L1, L2, device memory, and shared memory");
    v("l1_hits", &MemoryFlow::l1_hits, {"percent of sectors", Presence::nullable});
    v("l2_hits", &MemoryFlow::l2_hits, {"percent of sectors", Presence::nullable});
    v("hits_why_not", &MemoryFlow::hits_why_not, Presence::sparse);
    v("local_sectors", &MemoryFlow::local_sectors, {"of local memory, measured", Presence::sparse});
    v("local_requests", &MemoryFlow::local_requests, {"of local memory, simulated", Presence::sparse});
    v("l2_sectors", &MemoryFlow::l2_sectors, Presence::sparse);
    v("atomics", &MemoryFlow::atomics, {"on global memory", Presence::sparse});
    v("dram_percent", &MemoryFlow::dram_percent, {"of device memory's peak", Presence::sparse});
    v("bank_conflicts", &MemoryFlow::bank_conflicts, Presence::sparse);
    v("conflicts_each", &MemoryFlow::conflicts_each, {"per access of shared memory", Presence::sparse});
    v("least_read", &MemoryFlow::least_read, {"modelled: bytes that any kernel for this op reads", Presence::sparse});
    v("least_written", &MemoryFlow::least_written, {"modelled: bytes that it writes", Presence::sparse});
    v("why_not", &MemoryFlow::why_not, {"nothing is known, and why", Presence::sparse});
  }
  const MemoryArrow* at(MemoryPath path) const {  // null: nothing is known
    return arrows.empty() ? nullptr : &arrows[static_cast<std::size_t>(path)];
  }
};
MemoryFlow memory_flow(const CandidateProfile& view);

}  // namespace ww::measure
