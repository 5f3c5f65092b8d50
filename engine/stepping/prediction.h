// SPDX-License-Identifier: Apache-2.0
// "Predict, then run": a question about a step before its facts are shown.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include "sim/step_facts.h"

namespace ww::stepping {

struct Prediction {
  enum class Asks : std::uint8_t {
    lanes,       // how many run it
    sectors,     // how many its access moves
    wavefronts,  // how many its access takes
    value,       // that a lane writes to its register
  } asks = Asks::lanes;
  std::string subject;  // of `value`: the register's name; of the others the buffer, or empty
  int lane = 0;         // of `value`
  std::string answer;   // as text
};

// What is asked of a step: its accesses first, then that not all lanes run it, then the value in the lane, if that runs
// it. Nothing: none of these.
std::optional<Prediction> prediction_of(const sim::StepFacts& step, int lane);
// Numbers are compared by value, reals to four digits; other text as it is.
bool is_right(const Prediction& prediction, std::string_view answer);

}  // namespace ww::stepping
