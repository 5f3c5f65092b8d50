// SPDX-License-Identifier: Apache-2.0
// The attempt of a strategy that a candidate or an exchange with a model belongs to; used to resume runs, for reports
// and for replays.
#pragma once
#include <cstdint>
#include <string>
#include "base/describe.h"

namespace ww::store {

enum class Step : std::uint8_t {
  unknown,  // none, or not recorded
  fresh,    // from the spec only
  fix,
  improve,
  combine,
  ready,    // no model was called: tuning, seeds of the search
  analyse,  // before an improvement
  revise,   // requested by a reviewer
};

constexpr auto names_of(Step) {
  using enum Step;
  return std::to_array<Enumerator<Step>>({{unknown, ""},
                                          {fresh, "fresh"},
                                          {fix, "fix"},
                                          {improve, "improve"},
                                          {combine, "combine"},
                                          {ready, "ready"},
                                          {analyse, "analyse"},
                                          {revise, "revise"}});
}

struct Origin {
  std::string strategy, lineage;  // "beam", "2"; empty: not from a strategy
  std::uint64_t task = 0;         // of the strategy within the run, from 1
  Step step = Step::unknown;
  std::string subject;  // hash of the candidate it starts from, or empty
  std::string move;     // of a candidate: the name of what was changed, or empty
};
std::string origin_text(const Origin& origin);  // for people: "beam/2 #17"; empty for none

}  // namespace ww::store
