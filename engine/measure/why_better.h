// SPDX-License-Identifier: Apache-2.0
// Why one candidate costs less than another, from both profiles. Only facts; front ends make the sentence.
#pragma once
#include "measure/metrics.h"
#include "search/row_place.h"

namespace ww::measure {

struct CostDifference {  // of one group of the simulated cost
  profile::CostGroup group = profile::CostGroup::unknown;
  double share = 0;  // of the total difference; above 1 if other groups got more expensive
  profile::CostGroup dearer = profile::CostGroup::unknown;  // the one of them that adds most, if that is a twentieth
};
struct MetricDifference {
  ProfileMetric better;  // of the better candidate
  double other = 0;      // the same metric of the other one, of the same provenance
};
struct InputLoads {   // *simulated* bytes that threads load / *modelled* bytes of the inputs
  double better = 0;  // 1: each input is loaded once
  double other = 0;
  search::RowPlace row = search::RowPlace::unknown;  // where the better one keeps it meanwhile, if the search made it
};
struct WhyBetter {
  std::optional<CostDifference> cost;  // the group that saves most; absent: a cost is unknown, or nothing is saved
  // the largest reduction in traffic, bank conflicts or instructions, of at least a tenth; among the group's own
  // metrics if `cost` is known
  std::optional<MetricDifference> metric;
  std::optional<InputLoads> loads;         // the better one loads its inputs once, the other one more often
  std::optional<profile::Advice> avoided;  // the other one's, with the largest bound, that does not apply to this one
  std::optional<double> roof_percent;      // *measured*: percentage of the better candidate's roofline
};
WhyBetter why_better(const CandidateProfile& better, const CandidateProfile& other);

}  // namespace ww::measure
