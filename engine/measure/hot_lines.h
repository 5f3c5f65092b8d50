// SPDX-License-Identifier: Apache-2.0
// Metrics by line of a candidate's text: counts of the SIMT machine or of hardware, and samples of the program counter.
// Each metric keeps where it comes from.
#pragma once
#include <map>
#include "measure/candidate_profile.h"

namespace ww::measure {

struct LineMetric {
  std::string id, title;  // "simulated.global_sectors", "Global sectors"
  Provenance provenance = Provenance::unknown;
  std::string conditions;        // the case and the device
  std::map<int, double> values;  // by line; what is not there is 0 or not known
  double most = 0;
};
// Only metrics that are above 0 somewhere.
std::vector<LineMetric> line_metrics(const evidence::Metrics& metrics);
// Samples, of all reasons and by reason; `when`: they were read.
std::vector<LineMetric> line_metrics(const profile::CounterReport& report, const std::string& when);
// Samples first, then counts; empty: nothing is known by line.
std::vector<LineMetric> metrics_by_line(const CandidateProfile& view);

struct HotLine {
  int line = 0;  // 0: what belongs to no line of the text
  double amount = 0, share = 0, cumulative = 0;
  std::string text;    // without blanks around it
  std::string mostly;  // of samples: what they mostly wait for; empty: not known
  template <class V>
  static void fields(V&& v) {
    v("line", &HotLine::line, {"null: what belongs to no line of the text", Presence::nullable});
    v("amount", &HotLine::amount);
    v("share", &HotLine::share, "of all lines, 0 to 1");
    v("cumulative", &HotLine::cumulative, "share of this line and those before it");
    v("text", &HotLine::text);
    v("mostly", &HotLine::mostly, {"of samples: the stall reason of most of them", Presence::sparse});
  }
};
std::vector<HotLine> hot_lines(const CandidateProfile& view, const LineMetric& metric);  // most first

std::string source_line(const std::string& text, int line);  // without blanks around it; empty: there is none

}  // namespace ww::measure
