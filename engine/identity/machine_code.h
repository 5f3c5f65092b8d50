// SPDX-License-Identifier: Apache-2.0
// Machine code of a stored candidate.
#pragma once
#include <stop_token>
#include <string>
#include "base/result.h"
#include "compile/sass.h"
#include "store/workspace.h"

namespace ww::identity {

// Compiled again by a worker (or taken from its cache) for `architecture`, then disassembled here: compile/sass.h says
// what it is and why it may be missing.
Result<std::string> machine_code(const store::CandidateRecord& candidate, const std::string& architecture,
                                 std::stop_token stop = {});
// The same as data. Lines of PTX are those of the verdict's PTX; where that was compiled otherwise (another toolkit,
// another architecture) there are none.
Result<compile::Sass> machine_rows(const store::CandidateRecord& candidate, const std::string& architecture,
                                   std::stop_token stop = {});

}  // namespace ww::identity
