// SPDX-License-Identifier: Apache-2.0
// Two texts side by side. Pure; may run on any thread.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>
#include "diff/listing.h"

namespace ww::diff {

struct Line {
  std::uint32_t offset = 0, length = 0;  // of Text::text
  int number = 0;                        // in the original text, from 1
};
struct Text {
  std::string text;
  std::vector<Line> lines;  // shown lines only
  std::string_view line(int i) const {
    return std::string_view(text).substr(lines[static_cast<std::size_t>(i)].offset,
                                         lines[static_cast<std::size_t>(i)].length);
  }
};

enum class RowKind : std::uint8_t {
  same,
  changed,   // similar lines: their words are compared
  replaced,  // both exist but have little in common
  removed,
  added,
};
struct Row {
  RowKind kind = RowKind::same;
  int left = -1, right = -1;  // indices of Text::lines; -1: nothing on that side
};
struct Change {
  int first = 0, end = 0, added = 0, removed = 0;
};  // rows [first, end); lines

struct TextDiff {
  Rules rules;
  Text left, right;
  std::vector<Row> rows;
  std::vector<Change> changes;
  int added = 0, removed = 0;  // lines
  bool coarse = false;         // long stretches of frequent lines were aligned piecewise
};
TextDiff compare_texts(std::string_view left, std::string_view right, const Rules& rules);

}  // namespace ww::diff
