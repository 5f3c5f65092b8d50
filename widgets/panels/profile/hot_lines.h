// SPDX-License-Identifier: GPL-3.0-or-later
// The lines of a candidate's text by one metric, most first.
#pragma once
#include <QList>
#include <QString>
#include "panels/code/line_metrics.h"
#include "session/profile_view.h"

namespace ww::widgets {

std::vector<LineMetric> metrics_by_line(
    const ProfileView& view);  // samples first, then counts; empty: nothing is known by line

struct HotLine {
  int line;
  double amount, share, cumulative;
  QString text;
};  // line 0: what belongs to no line of the text
QList<HotLine> hot_lines(const ProfileView& view, const LineMetric& metric);  // most first, without those of nothing

QString source_line(const std::string& text, int line);  // without blanks around it; empty: there is none

}  // namespace ww::widgets
