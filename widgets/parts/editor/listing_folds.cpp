// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/editor/listing_folds.h"
#include <algorithm>

namespace ww::widgets {

void ListingFolds::reset(int rows) {
  rows_ = rows;
  shut_.clear();
  merge();
}

void ListingFolds::shut(std::vector<Fold> folds) {
  shut_.insert(shut_.end(), folds.begin(), folds.end());
  merge();
}

void ListingFolds::open_at(int row) {
  std::erase_if(shut_, [row](const Fold& f) { return f.first <= row && row <= f.last; });
  merge();
}

void ListingFolds::open_all() {
  shut_.clear();
  merge();
}

void ListingFolds::merge() {
  std::sort(shut_.begin(), shut_.end(),
            [](const Fold& a, const Fold& b) { return a.first != b.first ? a.first < b.first : a.last > b.last; });
  shut_.erase(std::unique(shut_.begin(), shut_.end(),
                          [](const Fold& a, const Fold& b) { return a.first == b.first && a.last == b.last; }),
              shut_.end());
  merged_.clear();
  for (const Fold& f : shut_) {
    if (!merged_.empty() && f.first <= merged_.back().last)
      merged_.back().last = std::max(merged_.back().last, f.last);
    else
      merged_.push_back(f);
  }
  hidden_before_.assign(1, 0);
  for (const Fold& f : merged_) hidden_before_.push_back(hidden_before_.back() + f.last - f.first);
}

bool ListingFolds::begins(int row) const { return hidden_behind(row) > 0; }

int ListingFolds::hidden_behind(int row) const {
  const auto at =
      std::lower_bound(merged_.begin(), merged_.end(), row, [](const Fold& f, int r) { return f.first < r; });
  return at != merged_.end() && at->first == row ? at->last - at->first : 0;
}

int ListingFolds::shown_row(int row) const {
  const auto at =
      std::upper_bound(merged_.begin(), merged_.end(), row, [](int r, const Fold& f) { return r < f.first; });
  return at != merged_.begin() && row <= (at - 1)->last ? (at - 1)->first : row;
}

int ListingFolds::place_of(int row) const {
  row = shown_row(row);
  const auto at =
      std::lower_bound(merged_.begin(), merged_.end(), row, [](const Fold& f, int r) { return f.first < r; });
  return row - hidden_before_[static_cast<std::size_t>(at - merged_.begin())];
}

int ListingFolds::row_at(int place) const {
  // The merged fold whose first row is still before the place.
  std::size_t low = 0, high = merged_.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (merged_[middle].first - hidden_before_[middle] < place)
      low = middle + 1;
    else
      high = middle;
  }
  return place + hidden_before_[low];
}

}  // namespace ww::widgets
