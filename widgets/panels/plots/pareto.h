// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QPointF>
#include <vector>

namespace ww::widgets {

// Places of the points that no other point is better than in one and at least as good as in the other, by x. Equal
// points are all there.
std::vector<int> pareto_front(const std::vector<QPointF>& points, bool x_higher_is_better, bool y_higher_is_better);

}  // namespace ww::widgets
