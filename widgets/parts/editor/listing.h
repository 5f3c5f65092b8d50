// SPDX-License-Identifier: GPL-3.0-or-later
// A listing of PTX or SASS with the facts on each row. Immutable, built off the GUI thread, shared by the views that
// show it. Rows count from 0, lines from 1.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>
#include "compile/sass.h"

namespace ww::widgets {

enum class ListingKind : unsigned char { ptx, sass };

struct Fold {
  int first = 0, last = 0;  // rows; the first stays visible when the others are hidden
};
enum class FoldBy : unsigned char {
  functions,
  blocks,
  lines
};  // blocks: from one label to the next; runs: consecutive rows from one source line

struct Listing {
  ListingKind kind = ListingKind::ptx;
  std::string text;
  std::vector<std::uint32_t> starts;  // offset of each row, and the end
  std::vector<int> lines;             // of the candidate's text, per row; 0: unknown. Empty: unknown for all rows
  std::vector<int> ptx_lines;         // of the PTX, per row of SASS; as above
  std::vector<std::uint16_t> live;    // live registers, per row of SASS; 0: unknown
  int widest = 0;                     // columns
  std::vector<Fold> functions, blocks, runs;  // by first row; within each list they do not overlap

  int rows() const { return static_cast<int>(starts.size()) - 1; }
  std::string_view row(int r) const { return std::string_view(text).substr(starts[r], starts[r + 1] - starts[r] - 1); }
  int row_at(std::size_t byte) const;  // that contains the byte
  int line_of(int row) const {
    return row >= 0 && row < static_cast<int>(lines.size()) ? lines[static_cast<std::size_t>(row)] : 0;
  }
  int ptx_line_of(int row) const {
    return row >= 0 && row < static_cast<int>(ptx_lines.size()) ? ptx_lines[static_cast<std::size_t>(row)] : 0;
  }
  int live_of(int row) const {
    return row >= 0 && row < static_cast<int>(live.size()) ? live[static_cast<std::size_t>(row)] : 0;
  }
  std::vector<int> rows_of_line(int line) const;  // ascending
  std::vector<int> rows_of_ptx_line(int line) const;
  const std::vector<Fold>& folds(FoldBy by) const {
    return by == FoldBy::functions ? functions : by == FoldBy::blocks ? blocks : runs;
  }
  std::size_t bytes() const;  // memory used
};

constexpr int listing_tab = 4;  // columns

std::shared_ptr<const Listing> listing_of_ptx(std::string text, std::vector<int> lines);
std::shared_ptr<const Listing> listing_of_sass(compile::Sass sass);

}  // namespace ww::widgets
