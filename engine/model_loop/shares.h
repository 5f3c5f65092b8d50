// SPDX-License-Identifier: Apache-2.0
// Divides a run's budget equally among its strategies.
#pragma once
#include "generator/run_options.h"
#include "model_loop/racer.h"

namespace ww::model_loop {

// The number of tasks racers[place] may have now, at most `wanted`; 0: none, with the reason in its `ended`.
std::size_t allowance(std::vector<Racer>& racers, std::size_t place, const generator::Budget& budget,
                      const std::vector<generator::Feedback>& history, std::size_t wanted);

}  // namespace ww::model_loop
