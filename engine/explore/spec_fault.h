// SPDX-License-Identifier: Apache-2.0
// Specs that can be read but not computed: a division by zero, an index out of range.
#pragma once
#include <stop_token>
#include <vector>
#include "base/result.h"
#include "evidence/verdict.h"
#include "op/spec.h"

namespace ww::explore {

// An error of a judgement that says so of the spec, not of the candidate or the environment.
bool of_spec(Code code);
// Computes the smallest case a few times. Code::invalid_argument: it failed with all inputs. Says nothing of larger
// cases, or of a spec whose smallest case is large.
Status check_computable(const op::Spec& spec, const std::vector<evidence::Case>& cases, const std::stop_token& stop);

}  // namespace ww::explore
