// SPDX-License-Identifier: Apache-2.0
#include "diff/texts.h"
#include <algorithm>
#include <unordered_map>
#include "base/lines.h"
#include "diff/align.h"

namespace ww::diff {
namespace {

constexpr int largest_pairing =
    4096;                      // lines of one side of a change times lines of the other that are paired by likeness
constexpr double alike = 0.5;  // share of words in common

using Numbers = std::unordered_map<std::string, std::uint32_t>;

std::uint32_t number_of(Numbers& numbers, std::string key) {
  return numbers.emplace(std::move(key), static_cast<std::uint32_t>(numbers.size())).first->second;
}

Text text_of(std::string_view given, const Rules& rules, Numbers& numbers, std::vector<std::uint32_t>& keys) {
  Text out;
  out.text.assign(given);
  int number = 0;
  for (const std::string_view line : split_lines(given)) {
    ++number;
    std::string key = key_of(line, rules);
    if (key.empty() && rules.form != Form::text) continue;
    const std::string_view shown = shown_of(line, rules.form);
    out.lines.push_back(
        {static_cast<std::uint32_t>(shown.data() - given.data()), static_cast<std::uint32_t>(shown.size()), number});
    keys.push_back(number_of(numbers, std::move(key)));
  }
  return out;
}

class Pairing {  // of the lines of one change: in order, the alike ones together
 public:
  Pairing(TextDiff& out, Numbers& words) : out_(out), words_(words) {}

  void add(const Hunk& h) {
    const int n = h.left_end - h.left, m = h.right_end - h.right;
    Change change{static_cast<int>(out_.rows.size()), 0, m, n};
    if (n > 0 && m > 0 && n * static_cast<std::int64_t>(m) <= largest_pairing)
      alike_first(h, n, m);
    else
      rest(h.left, h.left_end, h.right, h.right_end);
    change.end = static_cast<int>(out_.rows.size());
    out_.changes.push_back(change);
    out_.added += m;
    out_.removed += n;
  }

 private:
  std::vector<std::uint32_t> bag(std::string_view line) {
    std::vector<std::uint32_t> list;
    for (Token& t : tokens_of(line, out_.rules))
      if (t.key.find_first_not_of(" \t,;()") != std::string::npos) list.push_back(number_of(words_, std::move(t.key)));
    std::sort(list.begin(), list.end());
    return list;
  }

  static double likeness(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    if (a.empty() || b.empty()) return a.empty() && b.empty() ? 1 : 0;
    std::size_t common = 0;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
      if (a[i] == b[j])
        ++common, ++i, ++j;
      else if (a[i] < b[j])
        ++i;
      else
        ++j;
    }
    const double share = 2.0 * static_cast<double>(common) / static_cast<double>(a.size() + b.size());
    return share >= alike ? share : 0;
  }

  void alike_first(const Hunk& h, int n, int m) {  // the chain of pairs with the largest sum of likeness
    std::vector<std::vector<std::uint32_t>> left, right;
    for (int i = h.left; i < h.left_end; ++i) left.push_back(bag(out_.left.line(i)));
    for (int j = h.right; j < h.right_end; ++j) right.push_back(bag(out_.right.line(j)));
    std::vector<double> one(static_cast<std::size_t>(n * m)), best(static_cast<std::size_t>((n + 1) * (m + 1)), 0.0);
    const auto at = [m](int i, int j) { return static_cast<std::size_t>(i * (m + 1) + j); };
    for (int i = n - 1; i >= 0; --i)
      for (int j = m - 1; j >= 0; --j) {
        const double l = one[static_cast<std::size_t>(i * m + j)] =
            likeness(left[static_cast<std::size_t>(i)], right[static_cast<std::size_t>(j)]);
        best[at(i, j)] = std::max({best[at(i + 1, j)], best[at(i, j + 1)], l > 0 ? l + best[at(i + 1, j + 1)] : 0.0});
      }
    int i = 0, j = 0, from_left = 0, from_right = 0;
    while (i < n && j < m) {
      const double l = one[static_cast<std::size_t>(i * m + j)];
      if (l > 0 && best[at(i, j)] == l + best[at(i + 1, j + 1)]) {
        rest(h.left + from_left, h.left + i, h.right + from_right, h.right + j);
        out_.rows.push_back({RowKind::changed, h.left + i, h.right + j});
        from_left = ++i;
        from_right = ++j;
      } else if (best[at(i, j)] == best[at(i + 1, j)]) {
        ++i;
      } else {
        ++j;
      }
    }
    rest(h.left + from_left, h.left_end, h.right + from_right, h.right_end);
  }

  void rest(int left, int left_end, int right, int right_end) {
    while (left < left_end || right < right_end) {
      const bool l = left < left_end, r = right < right_end;
      out_.rows.push_back({l && r ? RowKind::replaced
                           : l    ? RowKind::removed
                                  : RowKind::added,
                           l ? left++ : -1, r ? right++ : -1});
    }
  }

  TextDiff& out_;
  Numbers& words_;
};

}  // namespace

TextDiff compare_texts(std::string_view left, std::string_view right, const Rules& rules) {
  TextDiff out;
  out.rules = rules;
  Numbers numbers, words;
  std::vector<std::uint32_t> left_keys, right_keys;
  out.left = text_of(left, rules, numbers, left_keys);
  out.right = text_of(right, rules, numbers, right_keys);
  const Alignment aligned = align(left_keys, right_keys);
  out.coarse = aligned.coarse;
  out.rows.reserve(std::max(left_keys.size(), right_keys.size()));
  Pairing pairing(out, words);
  int i = 0, j = 0;
  const auto same_upto = [&](int l) {
    for (; i < l; ++i, ++j) out.rows.push_back({RowKind::same, i, j});
  };
  for (const Hunk& h : aligned.hunks) {
    same_upto(h.left);
    pairing.add(h);
    i = h.left_end;
    j = h.right_end;
  }
  same_upto(static_cast<int>(left_keys.size()));
  return out;
}

}  // namespace ww::diff
