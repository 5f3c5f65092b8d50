// SPDX-License-Identifier: Apache-2.0
// The order of accepted candidates. From the SIMT machine's counts: a weighted sum, in *simulated* issue slots, never a
// time; the weights and their sources are in resources/rules/simt_rank.json. From a measurement: the measured
// time. Lower is better.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include "base/describe.h"
#include "base/provenance.h"
#include "base/result.h"
#include "evidence/verdict.h"
#include "profile/cost_group.h"
#include "profile/measurement.h"

namespace ww::appraisal {

// The rank of an accepted candidate, from its metrics. On "simt" the score is *simulated* work, never a time.
struct Score {
  double value = 0;  // lower is better
  Provenance provenance = Provenance::unknown;
  std::string unit;                                     // "simulated issue slots", "µs" …
  double q1 = profile::unknown, q3 = profile::unknown;  // of a measurement: the quartiles around the median
  double floor = profile::unknown;  // of a measurement, *modelled*: what the case's bytes and operations cost at the
                                    // least on that device
  WW_FIELDS(Score, (value, "lower is better; only scores of one provenance can be compared"), provenance, unit)
};

// The spread, as far as it is known: " (quartiles 12.1 to 12.6, 83 % of the roofline)"; else empty.
std::string spread_text(const Score& score);

struct CostPart {
  profile::CostGroup group = profile::CostGroup::unknown;
  double cost = 0;
};
struct Cost {
  double total = 0;
  std::vector<CostPart> parts;  // in the order of rules.groups; they sum to total
};

struct RankRules {
  struct Term {
    profile::CostGroup group = profile::CostGroup::unknown;
    std::string metric, source;
    std::map<int, double> weight;  // by compute capability times 10
  };
  std::string unit;
  std::vector<std::string> about;
  double fill_warps = 0;
  std::string fill_source;
  std::vector<Term> terms;
  std::vector<profile::CostGroup> groups;  // distinct, in order of appearance; idle_schedulers last
  std::string measured_metric, measured_unit;

  static Result<RankRules> load(
      const std::filesystem::path& file = {});  // empty: resources_dir()/"rules/simt_rank.json"
};

// The composition of a simulated cost. An architecture without weights of its own takes those of the nearest older one
// (or the oldest). Fails, naming it, when a metric is missing: a missing number is never 0.
Result<Cost> simulated_cost(const RankRules& rules, const evidence::Metrics& metrics, const std::string& architecture);

// Code::not_found when the verdict carries nothing to rank by (not accepted, not measured, a time that cannot be true).
Result<Score> score_of(const RankRules& rules, const evidence::Verdict& verdict, const std::string& architecture);

// Ranks from 1 of (id, score) pairs, in rank order. Scores up to a thousandth above the first of a rank share it, as in
// 1, 2, 2, 4: counts vary by less with the drawn inputs, times by more.
std::vector<std::pair<std::int64_t, int>> ranks_of(std::vector<std::pair<std::int64_t, double>> scores);

}  // namespace ww::appraisal
