// SPDX-License-Identifier: GPL-3.0-or-later
// Scores and a profile's metrics as text: values, and their change from the baseline.
#pragma once
#include <QString>
#include "appraisal/rank.h"
#include "measure/metrics.h"

namespace ww::widgets {

QString percent_text(double fraction, int decimals = 0);       // "12 %"; a dash: unknown
QString metric_value(double value, measure::MetricUnit unit);  // "79 %", "63.4 µs", "268 MiB"; empty: unknown
// "+3.1 pp" (percentage points) for percentages, "−12 %" for all others, "±0 %"; empty: one of them is unknown.
QString metric_change(double value, double base, measure::MetricUnit unit);
// Role of a change's label: "ok", "error", or "muted" if neither is better.
const char* change_role(const measure::ProfileMetric& metric, double base);
// An explanation of each of its times, one per line, the one that all panels show first; empty: none is known.
QString time_definitions(const measure::CandidateProfile& view);
QString unit_text(const appraisal::Score& score);   // "issue slots (simulated)"; the provenance once
QString score_text(const appraisal::Score& score);  // "2 133 709 simulated issue slots", "63.4 µs (measured)"
QString section_title(profile::Section section);

}  // namespace ww::widgets
