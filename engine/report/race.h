// SPDX-License-Identifier: Apache-2.0
// Results and costs of a run's strategies: what each found when, and the spend on models. All from the store; simulated
// and measured scores are never compared, since a run has scores of one kind.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>
#include "base/describe.h"
#include "base/provenance.h"
#include "base/result.h"
#include "store/states.h"

namespace ww::store {
class Workspace;
}

namespace ww::report {

struct Find {  // a candidate better than all earlier ones of its strategy
  std::int64_t candidate = 0;
  std::string note;
  double score = 0;
  bool best_of_all = false;  // also better than all that the others had found by then
  // What the strategy had used by then.
  int candidates = 0;  // judged
  std::int64_t tokens = 0;
  double money = 0;    // US dollars; see RacerResult::money_known
  double minutes = 0;  // since the run began, including waiting and breaks
  WW_FIELDS(Find, (candidate, "number of one that was better than all before it of its strategy"), score,
            (best_of_all, "also better than all that the others had found by then"), (candidates, "judged by then"),
            (tokens, "used by then"), (money, "US dollars, used by then"), (minutes, "since the run began"), note)
};
struct RacerResult {
  std::string strategy;
  int candidates = 0, accepted = 0, duplicates = 0,
      failed = 0;  // judged; failed: requests to the writer without a candidate
  std::int64_t tokens = 0;
  double money = 0;
  bool money_known = true;
  std::vector<Find> finds;  // in order; the last is its best
  WW_FIELDS(RacerResult, strategy, (candidates, "judged"), accepted, duplicates,
            (failed, "requests that gave no candidate"), tokens, (money, "US dollars"), money_known,
            (finds, "in order; the last is its best"))
};
struct ModelUse {
  std::string model;
  store::AgentRole role = store::AgentRole::unknown;
  int exchanges = 0, failed = 0;  // failed: without a reply
  std::int64_t prompt = 0, cached = 0, completion = 0, reasoning = 0;
  std::optional<double> money;  // empty: some prices are unknown
  bool reported = true;         // tokens by the service; false: some are estimated
  WW_FIELDS(ModelUse, model, role, exchanges, (failed, "without a reply"), ((prompt_tokens, prompt)),
            ((cached_tokens, cached)), ((completion_tokens, completion)), ((reasoning_tokens, reasoning)),
            (money, "US dollars; null: of some the price is not known"),
            ((tokens_reported, reported), "by the service; false: some are estimated"))
};
struct Race {
  static constexpr std::string_view described_as = "RACE";
  std::string unit;                             // of the scores; empty: none
  Provenance provenance = Provenance::unknown;  // of these
  std::vector<RacerResult> racers;              // ordered by name; one: not a race, but the same facts
  std::vector<ModelUse> models;                 // by model and role
  std::map<std::string, int> outcomes;          // of the replies
  WW_FIELDS(Race, (unit, "of the scores"), (provenance, "of the scores"), (racers, "one a strategy"), models,
            (outcomes, "of the replies"))
};
// Empty lists for a run without models.
Result<Race> race_of(store::Workspace& workspace, std::int64_t run);

// Sections of the HTML report; empty for a run without models.
std::string race_html(const Race& race);

}  // namespace ww::report
