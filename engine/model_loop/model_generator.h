// SPDX-License-Identifier: Apache-2.0
// The generator "model": language models propose, led by one strategy or by several that race. Asked in rounds. All
// that a resumed run needs stands in the store: lineage, strategy, number and open tune values of each attempt are in
// the origins of its candidates and exchanges (store/origin.h).
//
// The same spec, options and replies give the same candidates: tasks of a round are asked in parallel, and what comes
// of them is taken in their order; the seed of each request follows from the options' seed, the strategy and the task's
// number; where the budget of tokens or money comes to its end, tasks are asked one after the other.
//
// A race: each strategy has an equal share of candidates, tokens and money and sees only what it made itself, and the
// person's candidates. Strategies that write the same text share the candidate; it counts for both.
#pragma once
#include <memory>
#include "generator/generator.h"

namespace ww::model_loop {

std::unique_ptr<generator::Generator> make_model_generator();

}  // namespace ww::model_loop
