// SPDX-License-Identifier: Apache-2.0
// Several ops under one budget. A person says which share of the time each op takes; after every slice of a few
// candidates the next op is the one whose next slice promises the largest gain of the whole by Amdahl's law (AFIPS
// 1967). Each op is one run; a campaign is resumable like a run.
//
// Expected gain of the whole, for op i with weight w: its time now is t = w / s, where s is its first accepted score
// over its best one (1 before there are two). What the next slice may take off that time, relative, is p: one half at
// first, and after each slice the mean of what was expected and what the slice took off (nothing, where it had no
// accepted candidate). Where the roofline's floor of the best is known, p is at most what lies above it. The gain is
// t p over the sum of all t. Ties: the op that is named first.
//
//   explore::CampaignOptions options;
//   options.ops = {{0.7, softmax}, {0.3, matmul}};        // RunOptions; their budgets are not looked at
//   options.budget = {60, 30};                            // of all together: candidates, minutes, tokens, money
//   const auto ended = explore::run_campaign(workspace, options, {on_slice, on_event}, cancel);
//   for (const std::string& line : explore::campaign_lines(*explore::campaign_state(workspace, ended->campaign))) …
//
// Its state is campaigns/N/campaign.json in the workspace's folder, written before and after each slice; all the rest
// is read from the runs.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>
#include "explore/run.h"

namespace ww::explore {

struct CampaignOp {
  double weight = 1;  // share of the time, on any scale; above 0
  generator::RunOptions options;
};
struct CampaignOptions {
  std::vector<CampaignOp> ops;
  generator::Budget budget;  // of all runs together; at least one limit
  int slice = 4;             // candidates at a time
};

struct CampaignOpState {
  std::string op;        // its name
  double weight = 0;     // share of all weights
  std::int64_t run = 0;  // 0: not begun
  int judged = 0, accepted = 0;
  std::int64_t tokens = 0;
  double money = 0;
  std::optional<double> first, best;            // scores: of the first accepted candidate, of the best; lower is better
  std::string unit;                             // of these
  Provenance provenance = Provenance::unknown;  // of these
  double floor = profile::unknown;              // *modelled* floor of the best, where it is known
  double speedup = 1;                           // first / best
  double hope = 0.5;                            // p above
  double gain = 0;                              // expected of the whole, relative
  std::string ended;                            // why it gets no more slices; empty: it may
  template <class V>
  static void fields(V&& v) {
    v("op", &CampaignOpState::op);
    v("share", &CampaignOpState::weight, "of the whole time");
    v("run", &CampaignOpState::run, Presence::nullable);
    v("judged", &CampaignOpState::judged);
    v("accepted", &CampaignOpState::accepted);
    v("tokens", &CampaignOpState::tokens);
    v("money", &CampaignOpState::money, "US dollars");
    v("first", &CampaignOpState::first, "score of the first accepted candidate");
    v("best", &CampaignOpState::best, "score");
    v("unit", &CampaignOpState::unit);
    v("provenance", &CampaignOpState::provenance, "of the scores");
    v("floor", &CampaignOpState::floor, {"modelled floor of the best", Presence::nullable});
    v("speedup", &CampaignOpState::speedup, "first / best");
    v("expected", &CampaignOpState::gain, "relative gain of the whole by the next slice");
    v("ended", &CampaignOpState::ended, "why it gets no more; empty: it may");
  }
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
  std::optional<double>
      whole;  // how many times faster all of it is, by Amdahl's law; nothing where scores are of different kinds
  int judged() const;
  std::int64_t tokens() const;
  double money() const;
  template <class V>
  static void fields(V&& v) {
    v("campaign", &CampaignState::campaign);
    v("state", &CampaignState::state);
    v("why", &CampaignState::why);
    v("judged", &CampaignState::judged);
    v("tokens", &CampaignState::tokens);
    v("money", &CampaignState::money);
    v("minutes", &CampaignState::minutes);
    v("slice", &CampaignState::slice);
    v("ops", &CampaignState::ops);
    v("whole", &CampaignState::whole, "how many times faster all of it is");
  }
};
Result<CampaignState> campaign_state(store::Workspace& workspace, std::int64_t campaign);
std::vector<std::int64_t> campaigns(const store::Workspace& workspace);  // ascending
std::vector<std::string> campaign_lines(
    const CampaignState& state);  // for a person: one line an op, the last one of the whole

struct CampaignSlice {
  std::int64_t campaign = 0;
  std::size_t op = 0;   // place in the options
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

// Returns when the budget is used up, no op may go on, or on cancellation. One op's failure ends that op. Errors are of
// the campaign itself.
Result<CampaignEnded> run_campaign(store::Workspace& workspace, const CampaignOptions& options,
                                   const CampaignWatch& watch, std::stop_token stop = {});
Result<CampaignEnded> resume_campaign(store::Workspace& workspace, std::int64_t campaign, const CampaignWatch& watch,
                                      std::stop_token stop = {}, const std::optional<generator::Budget>& budget = {});

}  // namespace ww::explore
