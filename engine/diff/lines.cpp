// SPDX-License-Identifier: Apache-2.0
#include "diff/lines.h"
#include <algorithm>
#include "base/lines.h"
#include "diff/align.h"

namespace ww::diff {
namespace {

constexpr std::size_t context = 3;

}  // namespace

std::vector<DiffLine> diff_lines(std::string_view before, std::string_view after) {
  const std::vector<std::string_view> old_lines = split_lines(before), new_lines = split_lines(after);
  std::unordered_map<std::string_view, std::uint32_t> known;
  const std::vector<std::uint32_t> old_keys = diff::numbered(old_lines, known),
                                   new_keys = diff::numbered(new_lines, known);
  std::vector<DiffLine> all;
  const auto take = [&](char mark, const std::vector<std::string_view>& lines, int begin, int end) {
    for (int i = begin; i < end; ++i) all.push_back({mark, std::string(lines[static_cast<std::size_t>(i)])});
  };
  int at = 0;
  for (const diff::Hunk& h : diff::align(old_keys, new_keys).hunks) {
    take(' ', old_lines, at, h.left);
    take('-', old_lines, h.left, h.left_end);
    take('+', new_lines, h.right, h.right_end);
    at = h.left_end;
  }
  take(' ', old_lines, at, static_cast<int>(old_lines.size()));

  std::vector<DiffLine> out;
  std::size_t done = 0, old_line = 1, new_line = 1;  // of all[done]
  for (;;) {
    std::size_t change = done;
    while (change < all.size() && all[change].mark == ' ') ++change;
    if (change == all.size()) return out;
    const std::size_t begin = std::max(done, change > context ? change - context : 0);
    std::size_t last = change;  // of the changes that are near enough for one hunk
    for (std::size_t i = change; i < all.size() && i - last <= 2 * context; ++i)
      if (all[i].mark != ' ') last = i;
    const std::size_t end = std::min(all.size(), last + context + 1);
    old_line += begin - done;
    new_line += begin - done;
    std::size_t old_count = 0, new_count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      old_count += all[i].mark != '+';
      new_count += all[i].mark != '-';
    }
    const auto place = [](std::size_t line, std::size_t count) {
      return std::to_string(count == 0 ? line - 1 : line) + "," + std::to_string(count);
    };
    out.push_back({'@', "@@ -" + place(old_line, old_count) + " +" + place(new_line, new_count) + " @@"});
    out.insert(out.end(), all.begin() + static_cast<std::ptrdiff_t>(begin),
               all.begin() + static_cast<std::ptrdiff_t>(end));
    old_line += old_count;
    new_line += new_count;
    done = end;
  }
}

}  // namespace ww::diff
