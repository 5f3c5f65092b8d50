// SPDX-License-Identifier: Apache-2.0
#include "explore/diff.h"
#include <algorithm>
#include <dtl/dtl.hpp>

namespace ww::explore {
namespace {

constexpr std::size_t context = 3;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

std::vector<DiffLine> diff_lines(std::string_view before, std::string_view after) {
  dtl::Diff<std::string> diff(lines_of(before), lines_of(after));
  diff.onHuge();  // correct for long texts, too
  diff.compose();
  std::vector<DiffLine> all;
  for (const auto& [line, info] : diff.getSes().getSequence())
    all.push_back({info.type == dtl::SES_ADD ? '+' : info.type == dtl::SES_DELETE ? '-' : ' ', line});

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
    const auto at = [](std::size_t line, std::size_t count) { return std::to_string(count == 0 ? line - 1 : line) + "," + std::to_string(count); };
    out.push_back({'@', "@@ -" + at(old_line, old_count) + " +" + at(new_line, new_count) + " @@"});
    out.insert(out.end(), all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end));
    old_line += old_count;
    new_line += new_count;
    done = end;
  }
}

}  // namespace ww::explore
