// SPDX-License-Identifier: Apache-2.0
// The compiler options that a candidate's text chooses with "//@ option" lines, read and changed in the text, which may
// be no whole candidate yet.
#pragma once
#include <string>
#include <string_view>

namespace ww::candidate {

struct CompilerOptions {
  bool fast_math = false;
  int max_registers = 0;  // per thread; 0: no limit
  bool operator==(const CompilerOptions&) const = default;
};
inline constexpr int least_max_registers = 16, most_max_registers = 255;

// The first line of each option counts; what is no option is passed over.
CompilerOptions options_of(std::string_view text);
// The text with these options and no others: lines are changed, removed or, behind the other directives, added. Every
// other byte stays.
std::string with_options(std::string_view text, const CompilerOptions& options);

}  // namespace ww::candidate
