// SPDX-License-Identifier: Apache-2.0
// Verdicts where no worker has given one: what the end of a worker says of the candidate that it judged.
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
  bool twice = false;            // so did the next one, with the same request
  Error error;                   // a sentence
  std::string wrote;             // the end of its stderr
  std::optional<Progress> last;  // what it was at; empty: it had not begun
  double seconds = 0;
};
evidence::Verdict verdict_of_end(const GateRequest& request, const WorkerEnd& end);

// Of a candidate whose text is not sent to any worker.
evidence::Verdict refused(const GateRequest& request, const Error& error);

}  // namespace ww::rpc
