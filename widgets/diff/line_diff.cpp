// SPDX-License-Identifier: GPL-3.0-or-later
#include "diff/line_diff.h"
#include <algorithm>
#include <cctype>
#include <dtl/dtl.hpp>

namespace ww::widgets {

namespace {

constexpr std::size_t longest_line_for_words = 400;  // words of each line, at most

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80); };
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at + 1;
    if (word(line[at]))
      while (end < line.size() && word(line[end])) ++end;
    else if (line[at] == ' ')
      while (end < line.size() && line[end] == ' ') ++end;
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

void extend(std::vector<std::pair<int, int>>& ranges, int begin, int end) {
  if (!ranges.empty() && ranges.back().second == begin)
    ranges.back().second = end;
  else
    ranges.emplace_back(begin, end);
}

void mark_words(DiffRow& row) {
  const auto a = words_of(row.left_text), b = words_of(row.right_text);
  if (a.size() > longest_line_for_words || b.size() > longest_line_for_words) return;
  dtl::Diff<std::string> diff(a, b);
  diff.compose();
  int left = 0, right = 0;
  for (const auto& [word, info] : diff.getSes().getSequence()) {
    const int n = static_cast<int>(word.size());
    if (info.type == dtl::SES_DELETE) {
      extend(row.left_words, left, left + n);
      left += n;
    } else if (info.type == dtl::SES_ADD) {
      extend(row.right_words, right, right + n);
      right += n;
    } else {
      left += n;
      right += n;
    }
  }
}

}  // namespace

SideBySide side_by_side(std::string_view left, std::string_view right) {
  SideBySide out;
  dtl::Diff<std::string> diff(lines_of(left), lines_of(right));
  diff.onHuge();
  diff.compose();
  int left_line = 0, right_line = 0;
  std::vector<std::string> removed, added;
  const auto flush = [&] {
    if (removed.empty() && added.empty()) return;
    out.changes.push_back(static_cast<int>(out.rows.size()));
    out.removed += static_cast<int>(removed.size());
    out.added += static_cast<int>(added.size());
    for (std::size_t i = 0; i < std::max(removed.size(), added.size()); ++i) {
      DiffRow row;
      const bool has_left = i < removed.size(), has_right = i < added.size();
      row.kind = has_left && has_right ? DiffKind::changed : has_left ? DiffKind::removed : DiffKind::added;
      if (has_left) {
        row.left = ++left_line;
        row.left_text = removed[i];
      }
      if (has_right) {
        row.right = ++right_line;
        row.right_text = added[i];
      }
      if (row.kind == DiffKind::changed) mark_words(row);
      out.rows.push_back(std::move(row));
    }
    removed.clear();
    added.clear();
  };
  for (const auto& [line, info] : diff.getSes().getSequence()) {
    if (info.type == dtl::SES_DELETE) {
      removed.push_back(line);
    } else if (info.type == dtl::SES_ADD) {
      added.push_back(line);
    } else {
      flush();
      DiffRow row;
      row.left = ++left_line;
      row.right = ++right_line;
      row.left_text = row.right_text = line;
      out.rows.push_back(std::move(row));
    }
  }
  flush();
  return out;
}

}  // namespace ww::widgets
