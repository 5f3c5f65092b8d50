// SPDX-License-Identifier: Apache-2.0
// Theoretical occupancy: how many blocks of a kernel fit on one multiprocessor at a time, and what limits it.
// *modelled*. Rules: CUDA C++ Programming Guide, "Hardware Multithreading"; allocation units as in NVIDIA's occupancy
// calculator.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>
#include "base/describe.h"
#include "base/result.h"

namespace ww::profile {

struct DeviceLimits {  // of one compute capability; resources/devices/sm_XX.json names the sources
  std::string architecture, examples, source;
  int warp_threads = 32, max_threads_per_block = 1024, max_threads_per_sm = 2048, max_blocks_per_sm = 32;
  int registers_per_sm = 65536, max_registers_per_block = 65536, max_registers_per_thread = 255;
  int register_unit_per_warp = 256, sub_partitions = 4;
  std::int64_t shared_per_sm = 0, max_shared_per_block = 0, reserved_shared_per_block = 0, shared_unit = 128;  // bytes
  int max_warps_per_sm() const { return max_threads_per_sm / warp_threads; }
};
// "sm_80", also with a suffix ("sm_90a"). not_found lists the known architectures. The first call reads and caches the
// files of resources/devices; a process that will be sandboxed must call it before.
Result<DeviceLimits> device_limits(std::string_view architecture);
std::vector<std::string> known_architectures();  // ascending

struct KernelShape {
  int block_threads = 256;
  int registers = 32;                                  // per thread
  std::int64_t static_shared = 0, dynamic_shared = 0;  // bytes per block
};

enum class OccupancyLimit : std::uint8_t { unknown, block_size, blocks, registers, shared_memory };
constexpr auto names_of(OccupancyLimit) {
  using enum OccupancyLimit;
  return std::to_array<Enumerator<OccupancyLimit>>({{unknown, "unknown"},
                                                    {block_size, "block size"},
                                                    {blocks, "blocks per SM"},
                                                    {registers, "registers"},
                                                    {shared_memory, "shared memory"}});
}

struct Occupancy {
  int blocks = 0, warps = 0;  // resident per multiprocessor
  double fraction = 0;        // warps relative to the multiprocessor's maximum
  // Blocks that each resource alone would allow.
  int by_block_size = 0, by_blocks = 0, by_registers = 0, by_shared = 0;
  OccupancyLimit limiter = OccupancyLimit::unknown;  // the smallest of these (the first if tied)
  std::string why_none;                              // if no block fits: a plain sentence
};
Occupancy occupancy(const DeviceLimits& device, const KernelShape& kernel);

struct CurvePoint {
  std::int64_t x = 0;  // threads, registers or bytes
  Occupancy occupancy;
};
// The kernel with one quantity varied over its whole range: block sizes by warps, registers one by one, dynamic shared
// memory by KiB.
std::vector<CurvePoint> over_block_size(const DeviceLimits& device, const KernelShape& kernel);
std::vector<CurvePoint> over_registers(const DeviceLimits& device, const KernelShape& kernel);
std::vector<CurvePoint> over_shared(const DeviceLimits& device, const KernelShape& kernel);

}  // namespace ww::profile
