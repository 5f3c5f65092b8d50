// SPDX-License-Identifier: Apache-2.0
// Verdicts for judgements without a reply: what the end of a worker says about the candidate that it judged.
#pragma once
#include <optional>
#include <string>
#include "base/fault.h"
#include "base/result.h"
#include "evidence/verdict.h"
#include "rpc/supervisor.h"

namespace ww::rpc {

// How a worker ended during a judgement.
struct WorkerEnd {
  FaultKind kind = FaultKind::crash;
  bool twice = false;            // the next one ended the same way, with the same request
  Error error;                   // a sentence
  std::string wrote;             // the end of its stderr
  std::optional<Progress> last;  // the last stage reported; empty: it had not begun
  double seconds = 0;
};
evidence::Verdict verdict_of_end(const GateRequest& request, const WorkerEnd& end);

// For a candidate whose text is never sent to a worker.
evidence::Verdict refused(const GateRequest& request, const Error& error);

}  // namespace ww::rpc
