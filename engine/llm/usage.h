// SPDX-License-Identifier: Apache-2.0
// Sums and limits of what requests used.
#pragma once
#include <cstdint>
#include <optional>
#include "llm/catalogue.h"
#include "llm/message.h"

namespace ww::llm {

std::int64_t total(const Usage& usage);  // tokens
void add(Usage& sum, const Usage& more);
// A count without what the request cannot have cost: a part is no more than its whole.
Usage at_most(Usage usage, std::int64_t prompt, std::int64_t completion);
// The maximum cost of a prompt of so many tokens and an answer; empty if the price is unknown.
std::optional<double> worst_cost(const ModelFacts& facts, std::int64_t prompt, std::int64_t output);

}  // namespace ww::llm
