// SPDX-License-Identifier: Apache-2.0
// Numbers in a kernel's text that it compares something with, which may be a size or a position.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ww::candidate {

struct ComparedLiteral {
  int line = 0;            // of the text, from 1
  std::int64_t value = 0;  // of the whole side of the comparison where that is a number, else of one number in it
  std::string text;        // as written: "1024", "(1 << 30)"
  bool operator==(const ComparedLiteral&) const = default;
};
// Whole numbers on either side of a comparison, in text order; 0, 1 and -1 are left out.
std::vector<ComparedLiteral> compared_literals(std::string_view cuda);

}  // namespace ww::candidate
