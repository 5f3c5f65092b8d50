// SPDX-License-Identifier: Apache-2.0
// The compiler options in the "//@ option" lines of a candidate's text, which need not be a complete candidate yet.
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

// The first line of each option counts; unknown options are skipped.
CompilerOptions options_of(std::string_view text);
// The text with exactly these options: lines are changed, removed or added after the other directives. All other bytes
// are kept.
std::string with_options(std::string_view text, const CompilerOptions& options);

}  // namespace ww::candidate
