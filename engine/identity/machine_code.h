// SPDX-License-Identifier: Apache-2.0
// Machine code of a stored candidate.
#pragma once
#include <stop_token>
#include <string>
#include "base/result.h"
#include "compile/sass.h"
#include "store/workspace.h"

namespace ww::identity {

// A worker recompiles it for `architecture` (or takes it from its cache); it is disassembled here. See compile/sass.h
// for the result and for why it may be missing.
Result<std::string> machine_code(const store::CandidateRecord& candidate, const std::string& architecture,
                                 std::stop_token stop = {});
// The same as data. PTX line numbers refer to the verdict's PTX; if that was compiled differently (another toolkit or
// architecture), there are none.
Result<compile::Sass> machine_rows(const store::CandidateRecord& candidate, const std::string& architecture,
                                   std::stop_token stop = {});

}  // namespace ww::identity
