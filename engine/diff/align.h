// SPDX-License-Identifier: Apache-2.0
// Aligns the lines of two texts. Lines that occur once on both sides are matched first (patience diff, B. Cohen), then
// blocks of the rarest lines (histogram diff, JGit), and the remaining small gaps by dtl's O(NP) (Wu, Manber, Myers,
// Miller 1990). A gap that is too large for O(NP) and has no rare line is cut into pieces of that size, which are
// matched in order; `coarse` reports that.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ww::diff {

struct Hunk {  // [left, left_end) became [right, right_end); from 0
  int left = 0, left_end = 0, right = 0, right_end = 0;
  bool operator==(const Hunk&) const = default;
};
struct Alignment {
  std::vector<Hunk> hunks;  // ascending, disjoint
  bool coarse = false;
};

inline constexpr std::int64_t largest_gap = 4'000'000;  // lines of one side times lines of the other passed to dtl
inline constexpr int commonest = 64;                    // a more frequent line does not begin a block

std::vector<std::uint32_t> numbered(
    std::span<const std::string_view> lines,
    std::unordered_map<std::string_view, std::uint32_t>& known);  // equal lines, equal numbers
// Equal numbers are equal lines.
Alignment align(std::span<const std::uint32_t> left, std::span<const std::uint32_t> right);

}  // namespace ww::diff
