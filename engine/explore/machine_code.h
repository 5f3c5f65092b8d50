// SPDX-License-Identifier: Apache-2.0
// Machine code of a stored candidate.
#pragma once
#include <string>
#include "base/cancel.h"
#include "base/result.h"
#include "store/workspace.h"

namespace ww::explore {

// Compiled again by a worker (or taken from its cache) for `architecture`, then disassembled here: compile/sass.h says what it is and why it may be missing.
Result<std::string> machine_code(const store::CandidateRecord& candidate, const std::string& architecture, CancelToken cancel = {});

}  // namespace ww::explore
