// SPDX-License-Identifier: Apache-2.0
// Stall reasons of warps. *measured*: as a share of a warp's time between two instructions (counters), or by program
// counter samples.
#pragma once
#include "base/describe.h"
#include "measure/candidate_profile.h"

namespace ww::measure {

// Reasons have the names of CUPTI's counters and samples.
std::string stall_title(const std::string& reason);    // "long_scoreboard": "Global memory"
std::string stall_meaning(const std::string& reason);  // the cause and the remedy; empty: unknown
bool stall_is_none(const std::string& reason);         // "selected": the warp issued

enum class StallSource : std::uint8_t { counters, samples };
constexpr auto names_of(StallSource) {
  return std::to_array<Enumerator<StallSource>>(
      {{StallSource::counters, "counters"}, {StallSource::samples, "samples"}});
}

struct StallPart {
  std::string reason;
  double amount = 0;  // cycles per instruction, or samples
  std::string title() const { return stall_title(reason); }
  std::string meaning() const { return stall_meaning(reason); }
  WW_FIELDS(StallPart, (reason, "CUPTI's name"), (title, "the same in plain words: what the warp waits for"),
            (amount, "cycles per instruction, or samples"), (meaning, "what it is, and what to do"))
};
struct StallProfile {
  std::string kernel;            // empty: the plan has one launch
  std::vector<StallPart> parts;  // largest first, only those above 0
  double total = 0;
  WW_FIELDS(StallProfile, (kernel, "absent: the plan has one launch", sparse), total, (parts, "largest first"))
};
struct Stalls {
  StallSource source = StallSource::counters;
  std::vector<StallProfile> launches;  // of each launch with data
  std::string why_not;                 // the reason if there are none
  WW_FIELDS(Stalls, (source, "measured by `counters` (cycles per instruction) or by `samples`"), launches,
            (why_not, "there are none, and why", sparse))
};
Stalls stalls(const CandidateProfile& view, StallSource source);

struct StallLine {
  int line = 0;
  double samples = 0;
  std::string main;  // the most frequent reason, except for issued warps
  double main_samples = 0;
};
// most samples first; without samples that have no line
std::vector<StallLine> stall_lines(const CandidateProfile& view);

}  // namespace ww::measure
