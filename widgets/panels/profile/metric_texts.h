// SPDX-License-Identifier: GPL-3.0-or-later
// A profile's metrics in words: values, and their change against the baseline candidate.
#pragma once
#include <QString>
#include "measure/metrics.h"

namespace ww::widgets {

QString metric_value(double value, measure::MetricUnit unit);  // "79 %", "63.4 µs", "268 MiB"; empty: not known
// "+3.1" of percentages, "−12 %" of all others; "±0"; empty: one of them is not known.
QString metric_change(double value, double base, measure::MetricUnit unit);
// Role of a change's label: "ok", "error", or "muted" where neither is better.
const char* change_role(const measure::ProfileMetric& metric, double base);
// What each of its times is, one a line, the one that all panels show first; empty: none is known.
QString time_definitions(const measure::CandidateProfile& view);
QString section_title(profile::Section section);

}  // namespace ww::widgets
