// SPDX-License-Identifier: Apache-2.0
// What a GPU accepts, the SIMT machine judges, too: races, memory that was never written, and results that depend on
// orders, clocks or addresses look right in most of a GPU's runs. A GPU's acceptance without it is incomplete. So it
// judges what ran on a GPU without an end, or lost the device: why, a GPU cannot say.
#pragma once
#include <memory>
#include <stop_token>
#include "evidence/verdict.h"
#include "rpc/supervisor.h"

namespace ww::rpc {

// Not thread-safe, as a Supervisor.
class SecondJudge {
 public:
  explicit SecondJudge(WorkerOptions how);  // of the first judge's workers; the profile is set here

  // `verdict`, which the device of `request` gave, joined with the SIMT machine's (judged_by_both), which uses the same
  // secret. Unchanged if it rejects, if the kernel could not run, or if it is the SIMT machine's. Errors:
  // Code::cancelled.
  Result<evidence::Verdict> judge(evidence::Verdict verdict, GateRequest request, const std::stop_token& stop = {},
                                  const ProgressHandler& progress = {});

  // Asks `first` and the SIMT machine at the same time, with one secret, where judge() asks one after the other: the
  // answer takes as long as the slower of them. What the SIMT machine says of a candidate that the device rejects is
  // not waited for. `progress` tells of the one that is behind, from several threads, one call at a time. Errors: those
  // of `first`; Code::cancelled.
  Result<evidence::Verdict> judge_beside(Supervisor& first, GateRequest request, const std::stop_token& stop = {},
                                         const ProgressHandler& progress = {});

 private:
  Result<evidence::Verdict> joined(evidence::Verdict verdict, const Result<evidence::Verdict>& simt,
                                   const std::stop_token& stop);
  WorkerOptions how_;
  std::unique_ptr<Supervisor> simt_;  // null until it is needed
};

// `verdict`, of a GPU, with what the SIMT machine says: its rejection is the verdict's, anything else only recorded,
// and only where the GPU accepts.
evidence::Verdict judged_by_both(evidence::Verdict verdict, const Result<evidence::Verdict>& simt);

// The request that repeats a judgement: with the verdict's secret, on the device that rejected the candidate.
GateRequest repeated(GateRequest request, const evidence::Verdict& verdict);

}  // namespace ww::rpc
