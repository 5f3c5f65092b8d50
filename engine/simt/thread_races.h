// SPDX-License-Identifier: Apache-2.0
// Races between any two threads of a launch, in shared and global memory: two unordered accesses of one byte, at least
// one a write, not both strong (volatile, relaxed or stronger, atomic). Writes of one value do not race with each
// other, and a read does not race with them if it is ordered after one. What orders accesses:
//  - barriers of the block: whoever took part, and with them the past of their warps;
//  - bar.warp.sync: the lanes that its mask names. Other instructions of a warp order no memory (PTX ISA, section
//    "Memory Consistency Model");
//  - a strong store or an atomic operation, and a strong load or an atomic operation of the same word after it: all
//    that the first thread's last fence was ordered after. A fence of the block's scope orders only within the block.
//    The reader's fence is not asked for; and after a barrier a thread releases what others have fenced before it.
// Clocks are of warps, so that what a lane releases covers the past of its whole warp; lanes of one warp are told apart
// by their meetings. Of a word 16 reads and 64 writes of one value are kept. So some races are missed; none is made up.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include "simt/race_detector.h"

namespace ww::simt {

class RaceWorld;  // what the detectors of a launch share
std::shared_ptr<RaceWorld> make_race_world();
// `shared`: the shared memory of the host thread's blocks; `warps`: of a block.
std::unique_ptr<RaceDetector> make_thread_races(std::shared_ptr<RaceWorld> world, std::uint32_t warps,
                                                std::span<const std::byte> shared);

}  // namespace ww::simt
