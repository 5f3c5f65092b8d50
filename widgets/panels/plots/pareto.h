// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QPointF>
#include <vector>

namespace ww::widgets {

// Indices of the nondominated points (no other point is better in one and at least as good in the other), by x.
// Includes all of several equal points.
std::vector<int> pareto_front(const std::vector<QPointF>& points, bool x_higher_is_better, bool y_higher_is_better);

}  // namespace ww::widgets
