// SPDX-License-Identifier: Apache-2.0
// What the accesses of one step cost: different bytes, sectors, lines, and passes over the banks.
#include <algorithm>
#include <array>
#include <vector>
#include "simt/stepping.h"

namespace ww::simt {
namespace {

struct Stretch {
  std::uint64_t begin = 0, end = 0;
};

// Ascending, without overlaps.
std::vector<Stretch> merged(std::span<const StepAccess> accesses, Space space) {
  std::vector<Stretch> all;
  all.reserve(accesses.size());
  for (const StepAccess& a : accesses)
    if (a.space == space && a.bytes > 0) all.push_back({a.address, a.address + a.bytes});
  std::ranges::sort(all, {}, &Stretch::begin);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].begin <= all[kept].end)
      all[kept].end = std::max(all[kept].end, all[i].end);
    else
      all[++kept] = all[i];
  }
  if (!all.empty()) all.resize(kept + 1);
  return all;
}

std::uint32_t units_of(const std::vector<Stretch>& stretches, std::uint64_t unit) {
  std::uint64_t count = 0, next = 0;  // next: the first that is not counted yet
  for (const Stretch& s : stretches) {
    const std::uint64_t first = std::max(next, s.begin / unit), end = (s.end - 1) / unit + 1;
    if (end > first) count += end - first;
    next = std::max(next, end);
  }
  return static_cast<std::uint32_t>(count);
}

// Passes over the 32 banks: of 8 bytes by half-warps, of 16 by quarters.
void count_banks(std::span<const StepAccess> accesses, Space space, AccessCost& cost) {
  std::uint32_t size = 0;
  for (const StepAccess& a : accesses)
    if (a.space == space) size = std::max(size, a.bytes);
  const std::uint32_t lanes = size <= 4 ? 32 : size == 8 ? 16 : size == 16 ? 8 : 4;
  std::vector<std::uint64_t> words;
  for (std::uint32_t first = 0; first < 32; first += lanes) {
    words.clear();
    for (const StepAccess& a : accesses) {
      if (a.space != space || a.bytes == 0 || a.lane < first || a.lane >= first + lanes) continue;
      for (std::uint64_t word = a.address / 4; word <= (a.address + a.bytes - 1) / 4; ++word) words.push_back(word);
    }
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::array<std::uint32_t, 32> banks{};
    for (const std::uint64_t word : words) ++banks[word % 32];
    const std::uint32_t most = *std::ranges::max_element(banks);
    cost.wavefronts += most;
    cost.conflicts += most == 0 ? 0 : most - 1;
  }
}

}  // namespace

AccessCost cost_of(std::span<const StepAccess> accesses, Space space) {
  AccessCost cost;
  std::uint32_t lanes = 0;
  for (const StepAccess& a : accesses)
    if (a.space == space && a.bytes > 0) lanes |= 1u << a.lane;
  cost.lanes = static_cast<std::uint32_t>(__builtin_popcount(lanes));
  if (lanes == 0) return cost;
  const std::vector<Stretch> stretches = merged(accesses, space);
  for (const Stretch& s : stretches) cost.bytes += static_cast<std::uint32_t>(s.end - s.begin);
  if (space == Space::shared) {
    count_banks(accesses, space, cost);
  } else {
    cost.sectors = units_of(stretches, 32);
    cost.lines = units_of(stretches, 128);
  }
  return cost;
}

}  // namespace ww::simt
