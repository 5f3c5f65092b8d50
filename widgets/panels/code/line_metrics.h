// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of the lines of a candidate's text: counts of the SIMT machine or of hardware, and what they say of how
// the lines reach memory. Each metric keeps where it comes from.
#pragma once
#include <QHash>
#include <QString>
#include <vector>
#include "evidence/verdict.h"
#include "profile/measurement.h"

namespace ww::widgets {

struct LineMetric {
  QString id, title;               // "simulated.global_sectors", "Global sectors"
  QString provenance, conditions;  // "simulated"; the case and the device
  QHash<int, double> values;       // by line; what is not there is 0 or not known
  double most = 0;
};

// Only metrics that are above 0 somewhere.
std::vector<LineMetric> line_metrics(const evidence::Metrics& metrics);
std::vector<LineMetric> line_metrics(const profile::CounterReport& report,
                                     const QString& when);  // samples of the program counter, by reason

struct AccessHint {  // how a line reaches global memory
  enum class Pattern { unknown, coalesced, partly, strided, broadcast } pattern = Pattern::unknown;
  double sectors_per_request = 0;  // of 32 bytes; of a warp instruction
  QString word, tip;               // "strided 32"; a sentence with the numbers
};
QHash<int, AccessHint> access_hints(const evidence::Metrics& metrics);  // of lines whose requests were counted

}  // namespace ww::widgets
