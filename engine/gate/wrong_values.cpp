// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include "gate/compare.h"
#include "gate/wrong_map.h"

namespace ww::gate {
namespace {

using evidence::WrongRule;
using evidence::WrongValues;

constexpr double nearly_all = 0.9;    // of the wrong elements have to follow a rule
constexpr double rounding = 1e-3;     // relative: a wrong value carries the errors of the right one
constexpr std::size_t enough = 4;     // elements, to tell a factor or a sum from chance
constexpr double close_error = 0.02;  // relative

class Rules {
 public:
  Rules(const WrongOutput& output, std::size_t begin, const std::vector<bool>& wrong, std::int64_t rows,
        std::int64_t columns)
      : output_(output), begin_(begin), rows_(rows), columns_(columns) {
    for (std::size_t i = 0; i < wrong.size(); ++i)
      if (wrong[i]) at_.push_back(i);
  }

  WrongValues found() const {
    if (at_.empty()) return {};
    if (all([&](std::size_t i) { return output_.unwritten_at(begin_ + i); })) return {WrongRule::unwritten};
    if (all([&](std::size_t i) { return actual(i) == 0; })) return {WrongRule::zero};
    if (all([&](std::size_t i) { return !std::isfinite(actual(i)); })) return {WrongRule::not_finite};
    if (all([&](std::size_t i) { return expected(i) != 0 && near(actual(i), -expected(i)); }))
      return {WrongRule::negated};
    if (all([&](std::size_t i) { return near(actual(i), expected(i)); })) return close();
    if (at_.size() >= enough)
      if (const WrongValues v = of_many(); v.rule != WrongRule::none) return v;
    return close();
  }

 private:
  double expected(std::size_t i) const { return output_.expected_at(begin_ + i); }
  double actual(std::size_t i) const { return output_.actual_at(begin_ + i); }
  static bool near(double a, double b) {
    return std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= rounding * std::max(std::abs(a), std::abs(b));
  }
  bool all(const std::function<bool(std::size_t)>& follows) const {
    return static_cast<double>(std::ranges::count_if(at_, follows)) >= nearly_all * static_cast<double>(at_.size());
  }

  WrongValues of_many() const {
    const std::pair<std::int64_t, std::int64_t> ways[] = {{0, 1}, {0, -1}, {1, 0}, {-1, 0}};
    for (const auto& [down, right] : ways)
      if (of_neighbour(down, right)) return {WrongRule::neighbour, 0, down, right};
    if (transposed()) return {WrongRule::transposed};
    const auto [low, high] = std::ranges::minmax_element(at_, {}, [&](std::size_t i) { return expected(i); });
    if (near(expected(*low), expected(*high))) return {WrongRule::none};  // a factor and a sum would be the same
    const double factor = median([&](std::size_t i) { return actual(i) / expected(i); });
    if (all([&](std::size_t i) { return near(actual(i), factor * expected(i)); }) && !near(factor, 1))
      return {WrongRule::scaled, factor};
    const double sum = median([&](std::size_t i) { return actual(i) - expected(i); });
    const auto added = [&](std::size_t i) {
      const double size = std::max({std::abs(sum), std::abs(actual(i)) * 1e-3});
      return std::abs(actual(i) - expected(i) - sum) <= rounding * size;
    };
    if (sum != 0 && all(added)) return {WrongRule::offset, sum};
    return {WrongRule::none};
  }

  bool of_neighbour(std::int64_t down, std::int64_t right) const {
    std::int64_t follow = 0, inside = 0;
    for (const std::size_t i : at_) {
      const std::int64_t row = static_cast<std::int64_t>(i) / columns_ + down,
                         column = static_cast<std::int64_t>(i) % columns_ + right;
      if (row < 0 || row >= rows_ || column < 0 || column >= columns_) continue;
      ++inside;
      follow += near(actual(i), expected(static_cast<std::size_t>(row * columns_ + column)));
    }
    return inside * 2 >= static_cast<std::int64_t>(at_.size()) &&
           static_cast<double>(follow) >= nearly_all * static_cast<double>(inside);
  }

  bool transposed() const {
    if (rows_ < 2 || columns_ < 2) return false;
    const auto rows = static_cast<std::size_t>(rows_), columns = static_cast<std::size_t>(columns_);
    return all([&](std::size_t i) { return near(actual(i), expected(i % rows * columns + i / rows)); });
  }

  double median(const std::function<double(std::size_t)>& of) const {
    std::vector<double> values;
    for (const std::size_t i : at_)
      if (const double v = of(i); std::isfinite(v)) values.push_back(v);
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }

  WrongValues close() const {
    double largest = 0;
    for (const std::size_t i : at_) {
      const double error = std::abs(actual(i) - expected(i)) / std::abs(expected(i));
      if (!(error <= close_error)) return {WrongRule::none};
      largest = std::max(largest, error);
    }
    return {WrongRule::close, largest};
  }

  const WrongOutput& output_;
  const std::size_t begin_;
  const std::int64_t rows_, columns_;
  std::vector<std::size_t> at_;  // wrong ones
};

}  // namespace

WrongValues values_of(const WrongOutput& output, std::size_t begin, const std::vector<bool>& wrong, std::int64_t rows,
                      std::int64_t columns) {
  return Rules(output, begin, wrong, rows, columns).found();
}

}  // namespace ww::gate
