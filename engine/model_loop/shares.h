// SPDX-License-Identifier: Apache-2.0
// The equal shares of a run's budget that its strategies have.
#pragma once
#include "generator/run_options.h"
#include "model_loop/racer.h"

namespace ww::model_loop {

// How many tasks racers[place] may have now, at most `wanted`; 0: none, and its `ended` says why.
std::size_t allowance(std::vector<Racer>& racers, std::size_t place, const generator::Budget& budget,
                      const std::vector<generator::Feedback>& history, std::size_t wanted);

}  // namespace ww::model_loop
