// SPDX-License-Identifier: Apache-2.0
// Which lines of a kernel ran, and which conditions went both ways, over any number of launches on a machine that
// executes its PTX.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>
#include "base/describe.h"

namespace ww::ptx {

enum ReachFlags : std::uint8_t {
  reach_known = 1,  // the instruction could have run: its kernel was launched
  reach_ran = 2,
  reach_yes = 4,  // a branch was taken, or a select chose its first operand
  reach_no = 8,
};

struct Reach {
  std::vector<std::uint8_t> lines;  // ReachFlags by line of the PTX; empty: nothing was launched, or not known
  void add(int line, std::uint8_t flags);
  Reach& operator+=(const Reach& other);
};

enum class Miss : std::uint8_t {
  line,     // never executed
  one_way,  // executed, but its condition always had the same value
};
constexpr auto names_of(Miss) {
  using enum Miss;
  return std::to_array<Enumerator<Miss>>({{line, "line"}, {one_way, "one way"}});
}

struct Missed {
  Miss kind = Miss::line;
  int line = 0;  // of the source
  bool operator==(const Missed&) const = default;

  WW_FIELDS(Missed, kind, (line, "of the candidate"))
};

// Ascending by line; conditions in code from headers are left out. `own_source`: the PTX is its own source.
std::vector<Missed> missed_in(std::string_view ptx, const Reach& reach, bool own_source);

}  // namespace ww::ptx
