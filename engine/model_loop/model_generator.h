// SPDX-License-Identifier: Apache-2.0
// The generator "model": language models propose, led by one strategy or by several that race. Called in rounds. All
// state for resuming a run is in the store: lineage, strategy, number and open tune values of each attempt are in the
// origins of its candidates and exchanges (store/origin.h).
//
// The same spec, options and replies give the same candidates: the tasks of a round run in parallel, and their results
// are taken in task order; the seed of each request follows from the options' seed, the strategy and the task's number;
// near the end of the token or money budget, tasks run one after another.
//
// A race: each strategy has an equal share of candidates, tokens and money and sees only its own candidates and the
// user's. Strategies that write the same text share the candidate; it counts for both.
#pragma once
#include <memory>
#include "generator/generator.h"

namespace ww::model_loop {

std::unique_ptr<generator::Generator> make_model_generator();

}  // namespace ww::model_loop
