// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/plots/pareto.h"
#include <algorithm>
#include <limits>
#include <numeric>

namespace ww::widgets {

std::vector<int> pareto_front(const std::vector<QPointF>& points, bool x_higher_is_better, bool y_higher_is_better) {
  const auto x = [&](int i) {
    return x_higher_is_better ? -points[static_cast<std::size_t>(i)].x() : points[static_cast<std::size_t>(i)].x();
  };
  const auto y = [&](int i) {
    return y_higher_is_better ? -points[static_cast<std::size_t>(i)].y() : points[static_cast<std::size_t>(i)].y();
  };
  std::vector<int> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return std::pair(x(a), y(a)) < std::pair(x(b), y(b)); });
  std::vector<int> front;
  double best = std::numeric_limits<double>::infinity();  // in y, of what is better in x
  for (std::size_t i = 0; i < order.size();) {
    const double here = x(order[i]), least = y(order[i]);  // the first of those with this x has the best y
    for (; i < order.size() && x(order[i]) == here; ++i)
      if (y(order[i]) == least && least < best) front.push_back(order[i]);
    best = std::min(best, least);
  }
  std::stable_sort(front.begin(), front.end(), [&](int a, int b) {
    return points[static_cast<std::size_t>(a)].x() < points[static_cast<std::size_t>(b)].x();
  });
  return front;
}

}  // namespace ww::widgets
