// SPDX-License-Identifier: Apache-2.0
// Metrics by line of a candidate's text: counts from the SIMT machine or hardware, and program counter samples. Each
// metric keeps its provenance.
#pragma once
#include <map>
#include "base/describe.h"
#include "measure/candidate_profile.h"

namespace ww::measure {

struct LineMetric {
  std::string id, title;  // "simulated.global_sectors", "Global sectors"
  Provenance provenance = Provenance::unknown;
  std::string conditions;        // the case and the device
  std::map<int, double> values;  // by line; a missing line is 0 or unknown
  double most = 0;
};
// Only metrics that are above 0 somewhere.
std::vector<LineMetric> line_metrics(const evidence::Metrics& metrics);
// Samples, in total and by reason; `when`: the time of sampling.
std::vector<LineMetric> line_metrics(const profile::CounterReport& report, const std::string& when);
// Samples first, then counts; empty: nothing is known by line.
std::vector<LineMetric> metrics_by_line(const CandidateProfile& view);

struct HotLine {
  int line = 0;  // 0: not attributed to a line of the text
  double amount = 0, share = 0, cumulative = 0;
  std::string text;    // trimmed
  std::string mostly;  // of samples: the main stall reason; empty: unknown
  WW_FIELDS(HotLine, (line, "null: what belongs to no line of the text", nullable), amount,
            (share, "of all lines, 0 to 1"), (cumulative, "share of this line and those before it"), text,
            (mostly, "of samples: the stall reason of most of them", sparse))
};
std::vector<HotLine> hot_lines(const CandidateProfile& view, const LineMetric& metric);  // most first

std::string source_line(const std::string& text, int line);  // trimmed; empty: no such line

}  // namespace ww::measure
