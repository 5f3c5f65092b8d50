// SPDX-License-Identifier: Apache-2.0
// Several ops under one budget. The user gives each op's share of the time; after every slice of a few candidates, the
// next slice goes to the op that promises the largest overall gain by Amdahl's law (AFIPS 1967). Each op is one run; a
// campaign can be resumed like a run.
//
// Expected overall gain, for op i with weight w: its current time is t = w / s, where s is the ratio of its first
// accepted score to its best (1 until there are two). The relative reduction p expected of the next slice is one half
// at first, and after each slice the mean of the expected and the actual reduction (0 if no candidate was accepted). If
// the roofline floor of the best is known, p is at most the part of the time above it. The gain is t p over the sum of
// all t. Ties go to the op named first.
//
//   explore::CampaignOptions options;
// RunOptions; their budgets are ignored
// for all ops together: candidates, minutes, tokens, money
//   const auto ended = explore::run_campaign(workspace, options, {on_slice, on_event}, cancel);
//   for (const std::string& line : explore::campaign_lines(*explore::campaign_state(workspace, ended->campaign))) …
//
// Its state is campaigns/N/campaign.json in the workspace's folder, written before and after each slice; the rest is
// read from the runs.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>
#include "base/describe.h"
#include "explore/run.h"

namespace ww::explore {

struct CampaignOp {
  double weight = 1;  // share of the time, on any scale; above 0
  generator::RunOptions options;
};
struct CampaignOptions {
  std::vector<CampaignOp> ops;
  generator::Budget budget;  // for all runs together; at least one limit
  int slice = 4;             // candidates at a time
};

struct CampaignOpState {
  std::string op;        // its name
  double weight = 0;     // share of all weights
  std::int64_t run = 0;  // 0: not started
  int judged = 0, accepted = 0;
  std::int64_t tokens = 0;
  double money = 0;
  std::optional<double> first, best;            // scores: of the first accepted candidate, of the best; lower is better
  std::string unit;                             // of these
  Provenance provenance = Provenance::unknown;  // of these
  double floor = profile::unknown;              // *modelled* floor of the best, if known
  double speedup = 1;                           // first / best
  double expected_reduction = 0.5;              // p above
  double gain = 0;                              // expected overall, relative
  std::string ended;                            // why it gets no more slices; empty: it may get more
  WW_FIELDS(CampaignOpState, op, ((share, weight), "of the whole time"), (run, nullable), judged, accepted, tokens,
            (money, "US dollars"), (first, "score of the first accepted candidate"), (best, "score"), unit,
            (provenance, "of the scores"), (floor, "modelled floor of the best", nullable), (speedup, "first / best"),
            ((expected, gain), "relative gain of the whole by the next slice"),
            (ended, "why it gets no more; empty: it may"))
};
struct CampaignState {
  static constexpr std::string_view described_as = "CAMPAIGN";
  std::int64_t campaign = 0;
  store::RunState state = store::RunState::unknown;
  std::string why;
  generator::Budget budget;
  int slice = 0;
  double minutes = 0;                // used
  std::vector<CampaignOpState> ops;  // in the order of the options
  std::optional<double> whole;       // overall speed-up by Amdahl's law; empty if scores are of different kinds
  int judged() const;
  std::int64_t tokens() const;
  double money() const;
  WW_FIELDS(CampaignState, campaign, state, why, judged, tokens, money, minutes, slice, ops,
            (whole, "how many times faster all of it is"))
};
Result<CampaignState> campaign_state(store::Workspace& workspace, std::int64_t campaign);
std::vector<std::int64_t> campaigns(const store::Workspace& workspace);  // ascending
std::vector<std::string> campaign_lines(
    const CampaignState& state);  // for people: one line per op, then one for the total

struct CampaignSlice {
  std::int64_t campaign = 0;
  std::size_t op = 0;   // index in the options
  int candidates = 0;   // at most
  CampaignState state;  // before it
};
struct CampaignWatch {                              // both may be empty
  std::function<void(const CampaignSlice&)> slice;  // before each; on the calling thread
  EventHandler event;                               // of the runs, see run.h
};
struct CampaignEnded {
  std::int64_t campaign = 0;
  store::RunState state = store::RunState::unknown;
  std::string why;
};

// Returns when the budget is used up, no op can continue, or on cancellation. An op's failure ends that op. Errors
// concern the campaign itself.
Result<CampaignEnded> run_campaign(store::Workspace& workspace, const CampaignOptions& options,
                                   const CampaignWatch& watch, std::stop_token stop = {});
Result<CampaignEnded> resume_campaign(store::Workspace& workspace, std::int64_t campaign, const CampaignWatch& watch,
                                      std::stop_token stop = {}, const std::optional<generator::Budget>& budget = {});

}  // namespace ww::explore
