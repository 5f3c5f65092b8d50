// SPDX-License-Identifier: Apache-2.0
// Line information of PTX: .file and .loc (PTX ISA 9.0, section 11.5).
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>
#include "ptx/syntax.h"

namespace ww::ptx {

inline constexpr std::string_view candidate_file = "candidate.cu";

// Lines of one source file. For code inlined from a header, the location of the inlining in that file is used. Feed it
// the locations in text order.
class LineTable {
 public:
  explicit LineTable(const File& file, std::string_view own_file = candidate_file);  // not named by .file: file 1
  int line_of(const Location& location);  // 0: no location of its own; the previous one applies
  bool owns(const Location& location) const { return location.place.file == own_; }  // not inlined from another file

 private:
  int own_ = 1;
  std::map<SourcePlace, SourcePlace> inlined_;
};

// For each line of the PTX (the first is at 0) the line of `own_file` that it belongs to; 0: unknown.
std::vector<int> source_lines(const File& file, std::string_view own_file = candidate_file);

// PTX with its .file and .loc directives blanked out, so that lines and columns do not move: a PTX candidate is its own
// source, and lines of another file would be mistaken for its own.
std::string without_line_information(std::string text);

}  // namespace ww::ptx
