// SPDX-License-Identifier: Apache-2.0
// The judge of one thread: owns a worker process, and retries once with a fresh one if it fails.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include "explore/device_turn.h"
#include "explore/run_setup.h"
#include "rpc/second_judge.h"

namespace ww::explore {

class Judge {
 public:
  // warm: may be null. turn: on the run's device; outlives the judge.
  Judge(const RunSetup& setup, std::stop_token stop, std::unique_ptr<rpc::Supervisor> warm, DeviceTurn& turn)
      : setup_(setup), stop_(std::move(stop)), turn_(turn), supervisor_(std::move(warm)) {}
  std::string identity_of(const store::CandidateRecord& item);  // of its program; empty: unknown
  // Whether a worker without cache that has seen no other candidate finds the same. If not, the worker that found it
  // first is not used again.
  bool confirms(const store::CandidateRecord& item, const std::string& identity);
  struct Watch {
    std::function<void(const rpc::Progress&)> progress;
    // called if a new worker judged because the previous one had ended; 0: unknown
    std::function<void(int process)> fresh_worker;
  };
  // Errors are unrelated to the candidate.
  Result<evidence::Verdict> judge(const store::CandidateRecord& item, const Watch& watch);
  rpc::Supervisor& worker();  // starts one if there is none

 private:
  std::string identity_by(rpc::Supervisor& worker, const store::CandidateRecord& item) const;
  rpc::WorkerOptions worker_options(int sharing) const;  // sharing: so many workers share the processor
  Result<evidence::Verdict> judge_on_device(const rpc::GateRequest& request, const Watch& watch);

  const RunSetup& setup_;
  const std::stop_token stop_;
  DeviceTurn& turn_;
  std::unique_ptr<rpc::Supervisor> supervisor_;
  rpc::SecondJudge second_{worker_options(setup_.workers)};
  int started_ = 0;    // workers started by the time of the last verdict
  bool used_ = false;  // a worker has judged
};

}  // namespace ww::explore
