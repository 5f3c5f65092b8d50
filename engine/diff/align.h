// SPDX-License-Identifier: Apache-2.0
// Aligns the lines of two texts. Matching lines are found first by those that occur once on both sides (patience diff,
// B. Cohen), then by blocks of the rarest lines (histogram diff, JGit), and in the small gaps that are left by dtl's
// O(NP) (Wu, Manber, Myers, Miller 1990). A gap that is larger than what O(NP) does at once, and has no line that is
// rare enough, is cut into pieces of that size, which are taken to belong together in order: `coarse` says that it was.
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
  std::vector<Hunk> hunks;  // ascending, apart from each other
  bool coarse = false;
};

inline constexpr std::int64_t largest_gap = 4'000'000;  // lines of one side times lines of the other that dtl is given
inline constexpr int commonest = 64;                    // a line that occurs more often does not begin a block

std::vector<std::string_view> split_lines(
    std::string_view text);  // without their ends; a line end at the very end begins no line
std::vector<std::uint32_t> numbered(
    std::span<const std::string_view> lines,
    std::unordered_map<std::string_view, std::uint32_t>& known);  // equal lines, equal numbers
// Equal numbers are equal lines.
Alignment align(std::span<const std::uint32_t> left, std::span<const std::uint32_t> right);

}  // namespace ww::diff
