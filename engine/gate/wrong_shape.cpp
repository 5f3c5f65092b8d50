// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include "gate/wrong_map.h"

namespace ww::gate {
namespace {

using evidence::WrongLines;
using evidence::WrongPattern;
using evidence::WrongShape;

constexpr double mostly = 0.9;  // of a pattern's elements have to be wrong: some are right by chance

class Places {
 public:
  void add(std::int64_t at) {
    if (count_ == 0) first_ = at;
    if (count_ == 1) step_ = at - last_;
    if (count_ > 1 && at - last_ != step_) step_ = 0;
    if (count_ > 0) spacing_ = std::gcd(spacing_, at - last_);
    last_ = at;
    ++count_;
  }
  WrongLines lines() const { return {first_, step_, count_}; }
  std::int64_t count() const { return count_; }
  std::int64_t extent() const { return last_ - first_ + 1; }
  // Lines of one spacing, from the first place to the last, if chance is unlikely to have put `elements` there; else
  // all `of` lines.
  WrongLines spaced(std::int64_t of, std::int64_t elements) const {
    const WrongLines all{0, 1, of};
    if (count_ == 0) return all;
    if (step_ > 0 && 2 * count_ <= of + 1 && elements >= 2 * count_)
      return lines();  // each of them, and several in each
    if (spacing_ < 2 || count_ < 4) return all;
    const std::int64_t between = extent() / spacing_ + 1;
    const double chance_bits = static_cast<double>(count_ - 1) * std::log2(static_cast<double>(spacing_));
    return chance_bits >= 8 || 5 * count_ >= 4 * between ? WrongLines{first_, spacing_, between} : all;
  }

 private:
  std::int64_t first_ = 0, step_ = 1, count_ = 0, last_ = 0, spacing_ = 0;
};

Places lines_with_any(const std::vector<std::int64_t>& wrong_in) {
  Places places;
  for (std::size_t i = 0; i < wrong_in.size(); ++i)
    if (wrong_in[i] > 0) places.add(static_cast<std::int64_t>(i));
  return places;
}

struct Count {
  std::int64_t all = 0, on = 0, above = 0, below = 0;  // of wrong elements: on, above, below the diagonal
  Places rows, columns, elements;
};

Count count_of_wrong(const std::vector<bool>& wrong, std::int64_t rows, std::int64_t columns) {
  Count n;
  std::vector<std::int64_t> by_row(static_cast<std::size_t>(rows)), by_column(static_cast<std::size_t>(columns));
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) {
      if (!wrong[static_cast<std::size_t>(r * columns + c)]) continue;
      ++n.all, ++by_row[static_cast<std::size_t>(r)], ++by_column[static_cast<std::size_t>(c)];
      n.on += c == r, n.above += c > r, n.below += c < r;
      n.elements.add(r * columns + c);
    }
  n.rows = lines_with_any(by_row);
  n.columns = lines_with_any(by_column);
  return n;
}

// Of the elements on, above or below the diagonal.
bool triangle(const Count& n, std::int64_t rows, std::int64_t columns, WrongShape& shape) {
  std::int64_t on = std::min(rows, columns), above = 0, below = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    above += std::max<std::int64_t>(0, columns - r - 1);
    below += std::min(r, columns);
  }
  const auto fits = [&](std::int64_t wrong, std::int64_t of, WrongPattern pattern) {
    if (wrong != n.all || static_cast<double>(wrong) < mostly * static_cast<double>(of)) return false;
    shape.pattern = pattern;
    shape.share = static_cast<double>(wrong) / static_cast<double>(of);
    return true;
  };
  return fits(n.on, on, WrongPattern::diagonal) || fits(n.above, above, WrongPattern::above_diagonal) ||
         fits(n.below, below, WrongPattern::below_diagonal);
}

}  // namespace

WrongShape shape_of(const std::vector<bool>& wrong, std::int64_t rows, std::int64_t columns) {
  WrongShape shape;
  const Count n = count_of_wrong(wrong, rows, columns);
  if (n.all == 0) return shape;
  shape.rows = n.rows.lines();
  shape.columns = n.columns.lines();
  const auto fits = [&](double of, WrongPattern pattern) {
    if (static_cast<double>(n.all) < mostly * of) return false;
    shape.pattern = pattern;
    shape.share = static_cast<double>(n.all) / of;
    return true;
  };
  const auto d = [](std::int64_t v) { return static_cast<double>(v); };
  const double meet = d(n.rows.count()) * d(n.columns.count());
  if (n.all == 1 && fits(1, WrongPattern::single)) return shape;
  if (fits(d(rows) * d(columns), WrongPattern::all)) return shape;
  if (rows > 1 && fits(d(n.rows.count()) * d(columns), WrongPattern::rows)) return shape;
  if (fits(d(rows) * d(n.columns.count()), WrongPattern::columns)) return shape;
  if (n.rows.extent() > 1 && n.columns.extent() > 1 &&
      fits(d(n.rows.extent()) * d(n.columns.extent()), WrongPattern::tile))
    return shape;
  if (triangle(n, rows, columns, shape)) return shape;
  if (shape.rows.step > 0 && shape.columns.step > 0 && fits(meet, WrongPattern::grid)) return shape;
  shape.elements = n.elements.lines();
  if (shape.elements.step > 0 && n.all > 2 && fits(d(n.all), WrongPattern::elements)) return shape;
  if (shape.elements = {shape.elements.first, 1, n.elements.extent()};
      fits(d(n.elements.extent()), WrongPattern::elements))
    return shape;
  shape.elements = {};
  const WrongLines in_rows = n.rows.spaced(rows, n.all), in_columns = n.columns.spaced(columns, n.all);
  if (in_rows.count < rows || in_columns.count < columns) {
    shape.rows = in_rows;
    shape.columns = in_columns;
    shape.pattern = WrongPattern::among_lines;
    shape.share = d(n.all) / (d(in_rows.count) * d(in_columns.count));
    return shape;
  }
  shape.pattern = WrongPattern::scattered;
  return shape;
}

}  // namespace ww::gate
