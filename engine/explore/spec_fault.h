// SPDX-License-Identifier: Apache-2.0
// Specs that parse but cannot be computed: division by zero, an index out of range.
#pragma once
#include <stop_token>
#include <vector>
#include "base/result.h"
#include "evidence/verdict.h"
#include "op/spec.h"

namespace ww::explore {

// A judgement's error that blames the spec rather than the candidate or the environment.
bool of_spec(Code code);
// Computes the smallest case a few times. Code::invalid_argument: it failed with all inputs. Does not cover larger
// cases, or specs whose smallest case is large.
Status check_computable(const op::Spec& spec, const std::vector<evidence::Case>& cases, const std::stop_token& stop);

}  // namespace ww::explore
