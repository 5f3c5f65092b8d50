// SPDX-License-Identifier: Apache-2.0
// Exchanges as JSONL, one line each, ready for fine-tuning: {"schema", "run", "op", "device", "role", "model",
// "messages":[…], "reply", "usage", "outcome", "candidate", "verdict":{"accepted", "stage", "summary"}, "reward":{…}}.
// The reward says how it is made: verdict and speed relative to the run's best and to its first accepted candidate,
// each with its provenance; absent where there is none. docs/json.md describes it.
#pragma once
#include <cstdint>
#include <functional>
#include <string_view>
#include "base/result.h"

namespace ww::store {
class Workspace;
}

namespace ww::llm {

inline constexpr int trajectory_schema = 1;

// Calls `line` for each exchange in order (without a newline); an error from it stops. Returns the number of lines.
// Texts are read one exchange at a time. `run` 0: exchanges outside runs.
Result<std::int64_t> export_trajectories(store::Workspace& workspace, std::int64_t run,
                                         const std::function<Status(std::string_view)>& line);

}  // namespace ww::llm
