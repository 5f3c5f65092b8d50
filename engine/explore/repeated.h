// SPDX-License-Identifier: Apache-2.0
// A run that repeats another from its transcript.
#pragma once
#include <cstdint>
#include "base/result.h"
#include "generator/run_options.h"
#include "store/workspace.h"

namespace ww::explore {

struct Repeated {
  store::RunRecord run;           // whose transcript gives the replies
  generator::RunOptions options;  // to run with
};
// Of a replay, the run that it repeats is repeated: its prompts were made from that run's candidates and scores.
// Code::invalid_argument: it asked no model, or the workspace does not have the run that it repeats.
Result<Repeated> repeated(store::Workspace& workspace, std::int64_t run);

}  // namespace ww::explore
