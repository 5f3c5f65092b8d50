// SPDX-License-Identifier: Apache-2.0
// What a run will take, from runs of the same kind before: the same writer in this workspace, and the same strategies
// where there are such. A forecast limits nothing.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include "base/result.h"
#include "generator/run_options.h"
#include "store/workspace.h"

namespace ww::model_loop {

struct Forecast {
  int runs = 0;                                // that it comes from; 0: there are none, and nothing else is known
  double tokens = 0, least = 0, greatest = 0;  // of the run, or of one candidate where the run has no limit of them
  std::optional<double> money;                 // US dollars; empty: some of it had no known price
};
// `before`: only of runs with smaller numbers.
Result<Forecast> forecast(store::Workspace& workspace, const generator::RunOptions& options, std::int64_t before);
// One sentence. prompt_tokens: of a first request.
std::string forecast_text(const Forecast& forecast, const generator::RunOptions& options, std::int64_t prompt_tokens);

}  // namespace ww::model_loop
