// SPDX-License-Identifier: Apache-2.0
#include "diff/align.h"
#include <algorithm>
#include <cmath>
#include <dtl/dtl.hpp>
#include <unordered_map>

namespace ww::diff {
namespace {

using Keys = std::span<const std::uint32_t>;

struct Block {
  int left = 0, right = 0, length = 0;
};  // equal lines
struct Range {
  int left = 0, left_end = 0, right = 0, right_end = 0;
  bool empty() const { return left == left_end || right == right_end; }
  std::int64_t product() const { return std::int64_t{left_end - left} * (right_end - right); }
};
struct Seen {
  int left = 0, right = 0, left_at = 0, right_at = 0;
};  // how often, and where at last

class Aligner {
 public:
  Aligner(Keys left, Keys right) : left_(left), right_(right) {}

  Alignment run() {
    work_.push_back({0, static_cast<int>(left_.size()), 0, static_cast<int>(right_.size())});
    while (!work_.empty()) {  // not by recursion: long texts make deep splits
      const Range r = work_.back();
      work_.pop_back();
      split(r);
    }
    std::sort(blocks_.begin(), blocks_.end(), [](const Block& a, const Block& b) { return a.left < b.left; });
    Alignment out;
    out.coarse = coarse_;
    int left = 0, right = 0;
    const auto upto = [&](int l, int r) {
      if (l > left || r > right) out.hunks.push_back({left, l, right, r});
    };
    for (const Block& b : blocks_) {
      upto(b.left, b.right);
      left = b.left + b.length;
      right = b.right + b.length;
    }
    upto(static_cast<int>(left_.size()), static_cast<int>(right_.size()));
    return out;
  }

 private:
  void take(int left, int right, int length) {
    if (length > 0) blocks_.push_back({left, right, length});
  }

  void split(Range r) {
    const Range whole = r;
    while (!r.empty() && left_[r.left] == right_[r.right]) ++r.left, ++r.right;
    take(whole.left, whole.right, r.left - whole.left);
    int same = 0;
    while (!r.empty() && left_[r.left_end - 1] == right_[r.right_end - 1]) --r.left_end, --r.right_end, ++same;
    take(r.left_end, r.right_end, same);
    if (r.empty()) return;
    if (r.product() <= small_gap) return exact(r);
    seen_.clear();
    for (int i = r.left; i < r.left_end; ++i) {
      Seen& s = seen_[left_[i]];
      ++s.left, s.left_at = i;
    }
    for (int i = r.right; i < r.right_end; ++i) {
      Seen& s = seen_[right_[i]];
      ++s.right, s.right_at = i;
    }
    if (std::none_of(seen_.begin(), seen_.end(), [](const auto& s) { return s.second.left > 0 && s.second.right > 0; }))
      return;
    if (by_unique(r) || by_rarest(r)) return;
    const auto pieces = static_cast<int>(std::ceil(
        std::sqrt(static_cast<double>(r.product()) / static_cast<double>(largest_gap))));  // of both sides, in order
    if (pieces <= 1) return exact(r);
    coarse_ = true;
    const auto at = [&](int begin, int end, int piece) {
      return begin + static_cast<int>(std::int64_t{end - begin} * piece / pieces);
    };
    for (int p = 0; p < pieces; ++p)
      exact({at(r.left, r.left_end, p), at(r.left, r.left_end, p + 1), at(r.right, r.right_end, p),
             at(r.right, r.right_end, p + 1)});
  }

  // The longest ascending chain of lines that occur once on both sides.
  bool by_unique(const Range& r) {
    std::vector<Block> anchors;
    for (int i = r.left; i < r.left_end; ++i)
      if (const Seen& s = seen_[left_[i]]; s.left == 1 && s.right == 1) anchors.push_back({i, s.right_at, 1});
    if (anchors.empty()) return false;
    std::vector<int> tops, before(anchors.size(), -1);  // tops: last of the best chain of each length
    for (int i = 0; i < static_cast<int>(anchors.size()); ++i) {
      const auto at = std::lower_bound(tops.begin(), tops.end(), i,
                                       [&](int t, int v) { return anchors[t].right < anchors[v].right; });
      if (at != tops.begin()) before[i] = *(at - 1);
      if (at == tops.end())
        tops.push_back(i);
      else
        *at = i;
    }
    Range gap = r;
    std::vector<Block> chain;
    for (int i = tops.back(); i >= 0; i = before[i]) chain.push_back(anchors[i]);
    for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
      gap.left_end = it->left, gap.right_end = it->right;
      if (!gap.empty()) work_.push_back(gap);
      take(it->left, it->right, 1);
      gap.left = it->left + 1, gap.right = it->right + 1;
    }
    gap.left_end = r.left_end, gap.right_end = r.right_end;
    if (!gap.empty()) work_.push_back(gap);
    return true;
  }

  // The block of equal lines whose rarest line is the rarest, and the longest of those.
  bool by_rarest(const Range& r) {
    std::unordered_map<std::uint32_t, std::vector<int>> places;
    for (int i = r.left; i < r.left_end; ++i)
      if (const Seen& s = seen_[left_[i]]; s.right > 0 && s.left <= commonest) places[left_[i]].push_back(i);
    Block best;
    int rarity = commonest + 1;
    for (int j = r.right; j < r.right_end;) {
      int next = j + 1;
      const auto known = places.find(right_[j]);
      if (known != places.end() && seen_[right_[j]].left <= rarity) {
        int past = -1;
        for (const int i : known->second) {
          if (i < past) continue;  // within the block that was just looked at
          int begin = i, other = j, end = i + 1, other_end = j + 1, rare = seen_[right_[j]].left;
          while (begin > r.left && other > r.right && left_[begin - 1] == right_[other - 1])
            --begin, --other, rare = std::min(rare, seen_[left_[begin]].left);
          while (end < r.left_end && other_end < r.right_end && left_[end] == right_[other_end])
            rare = std::min(rare, seen_[left_[end]].left), ++end, ++other_end;
          if (rare < rarity || (rare == rarity && end - begin > best.length)) {
            best = {begin, other, end - begin};
            rarity = rare;
          }
          past = end;
          next = std::max(next, other_end);
        }
      }
      j = next;
    }
    if (best.length == 0) return false;
    take(best.left, best.right, best.length);
    const Range before{r.left, best.left, r.right, best.right},
        after{best.left + best.length, r.left_end, best.right + best.length, r.right_end};
    for (const Range& part : {before, after})
      if (!part.empty()) work_.push_back(part);
    return true;
  }

  void exact(const Range& r) {
    using Sequence = std::vector<std::uint32_t>;
    dtl::Diff<std::uint32_t, Sequence> diff(Sequence(left_.begin() + r.left, left_.begin() + r.left_end),
                                            Sequence(right_.begin() + r.right, right_.begin() + r.right_end));
    diff.onHuge();
    diff.compose();
    int left = r.left, right = r.right;
    for (const auto& [key, info] : diff.getSes().getSequence()) {
      if (info.type == dtl::SES_DELETE)
        ++left;
      else if (info.type == dtl::SES_ADD)
        ++right;
      else
        take(left++, right++, 1);
    }
  }

  static constexpr std::int64_t small_gap = 40'000;
  Keys left_, right_;
  std::vector<Range> work_;
  std::vector<Block> blocks_;
  std::unordered_map<std::uint32_t, Seen> seen_;
  bool coarse_ = false;
};

}  // namespace

std::vector<std::uint32_t> numbered(std::span<const std::string_view> lines,
                                    std::unordered_map<std::string_view, std::uint32_t>& known) {
  std::vector<std::uint32_t> list;
  list.reserve(lines.size());
  for (const std::string_view line : lines)
    list.push_back(known.emplace(line, static_cast<std::uint32_t>(known.size())).first->second);
  return list;
}

Alignment align(Keys left, Keys right) { return Aligner(left, right).run(); }

}  // namespace ww::diff
