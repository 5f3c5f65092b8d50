// SPDX-License-Identifier: Apache-2.0
// Requests to the writer that an earlier process of the run sent as part of a batch, and whose answers it did not read:
// it died, or was stopped, or could not reach the service any more.
#pragma once
#include <vector>
#include "model_loop/round.h"

namespace ww::model_loop {

struct Unanswered {
  store::ExchangeRecord exchange;  // without its texts
  llm::Earlier earlier;
  llm::Settings settings;  // of the model that it was sent to
};

// In order of their attempts. Left out: those whose model no longer has a part in the run, and those that were asked
// again since.
Result<std::vector<Unanswered>> unanswered(store::Workspace& workspace, std::int64_t run, const Cast& cast);

// Its attempt goes on where it stopped. `later`: how many others at the same parent follow it.
Job job_of(Unanswered unanswered, Racer& racer, const std::vector<generator::Feedback>& history, const Survey& survey,
           std::size_t later);

}  // namespace ww::model_loop
