// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <string>
#include <string_view>

namespace ww {

// Of a Markdown code block that this text cannot end: at least three backticks, and more than any run in it.
inline std::string fence_for(std::string_view text) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  return std::string(longest + 1, '`');
}

}  // namespace ww
