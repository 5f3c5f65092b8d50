// SPDX-License-Identifier: GPL-3.0-or-later
// The hidden rows of a listing, and the positions of the others. Closed folds are merged, so the cost depends on the
// folds, not on the length.
#pragma once
#include <vector>
#include "parts/editor/listing.h"

namespace ww::widgets {

class ListingFolds {
 public:
  void reset(int rows);
  void shut(std::vector<Fold> folds);  // in addition to the closed ones
  void open_at(int row);               // opens every fold that hides the row or begins with it
  void open_all();
  bool any() const { return !shut_.empty(); }
  bool begins(int row) const;        // a closed fold begins there
  int hidden_behind(int row) const;  // number of rows hidden after this one
  bool hidden(int row) const { return shown_row(row) != row; }
  int shown_row(int row) const;  // itself, or the visible row of the fold that hides it
  int shown() const { return rows_ - (shut_.empty() ? 0 : hidden_before_.back()); }
  int place_of(int row) const;  // index among the visible rows
  int row_at(int place) const;

 private:
  void merge();
  std::vector<Fold> shut_;          // as they were closed
  std::vector<Fold> merged_;        // ascending, disjoint
  std::vector<int> hidden_before_;  // for each merged fold, and the end: rows hidden before it
  int rows_ = 0;
};

}  // namespace ww::widgets
