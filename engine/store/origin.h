// SPDX-License-Identifier: Apache-2.0
// The attempt of a strategy that a candidate or an exchange with a model belongs to; a resumed run, a report and a
// replay read it.
#pragma once
#include <cstdint>
#include <string>
#include "base/describe.h"

namespace ww::store {

enum class Step : std::uint8_t {
  unknown,  // none, or not recorded
  fresh,    // from the spec alone
  fix,
  improve,
  combine,
  ready,    // no model was asked: tuning, seeds of the search
  analyse,  // before an improvement
  revise,   // what a reviewer asked for
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
  std::string strategy, lineage;  // "beam", "2"; empty: of no strategy
  std::uint64_t task = 0;         // of the strategy within the run, from 1
  Step step = Step::unknown;
  std::string subject;  // hash of the candidate that it starts from, or empty
  std::string move;     // of a candidate: the diagnosed move that it follows, or empty
};
std::string origin_text(const Origin& origin);  // for a person: "beam/2 #17"; empty for none

}  // namespace ww::store
