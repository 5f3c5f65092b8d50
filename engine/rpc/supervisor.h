// SPDX-License-Identifier: Apache-2.0
// Starts, watches and kills worker processes. Everything that compiles or runs a candidate goes through here.
// A crash, a hang or a corrupt reply is an outcome of that request; the next request gets a fresh worker.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include "base/cancel.h"
#include "base/result.h"
#include "gate/verdict.h"

namespace ww::rpc {

struct WorkerOptions {
  std::filesystem::path program;                   // empty: worker_program()
  std::filesystem::path compile_cache;             // empty: cache_dir()/"compile"
  std::chrono::milliseconds start_deadline{10000};
  std::int64_t memory_limit = std::int64_t{6} << 30;  // bytes of address space beyond the program's own; 0: none
  int threads = 0;                                 // of the host, for references and simulated devices; 0: all
  std::string profile = "simt";                    // what its sandbox lets through: "cuda" where it must reach a driver
  std::vector<std::string> arguments;              // of the program
};

struct GateRequest {
  std::string spec;                                // op spec text
  std::string candidate;                           // candidate text
  candidate::Language language = candidate::Language::cuda;
  std::string device = "simt";
  std::string architecture = "sm_80";
  op::Binding binding;                             // the default case; empty: the spec's defaults
  int seeds = 5;                                   // per case
  bool measure = true;                             // count the default case after acceptance
  std::chrono::milliseconds deadline{60000};
};

struct CompileRequest {
  std::string candidate;
  candidate::Language language = candidate::Language::cuda;
  std::string architecture = "sm_80";
  std::chrono::milliseconds deadline{30000};
};

struct Progress {
  std::string stage;        // stage_name
  std::string message;      // "case odd, seed 3 of 5"
  double fraction = 0;      // 0 to 1 of the whole request
};
using ProgressHandler = std::function<void(const Progress&)>;  // called on the calling thread

// One worker process at a time, reused while healthy. A Supervisor belongs to one thread at a time; use several for several workers.
// cancel (any thread, through the token) answers at once: the call returns Code::cancelled, the worker is asked, then terminated, then killed.
class Supervisor {
 public:
  explicit Supervisor(WorkerOptions options = {});
  ~Supervisor();            // ends the worker: shutdown, then terminate, then kill
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  Status warm_up();         // starts the worker and loads the compiler; optional
  // A candidate's own failures (refused, wrong, faulty, hung, killed the worker) come back as a Verdict that is not accepted, at the stage where
  // it happened; errors are of the environment: no worker program, no compiler, cancelled.
  Result<gate::Verdict> gate(const GateRequest& request, CancelToken cancel = {}, const ProgressHandler& progress = {});
  Result<compile::Output> compile(const CompileRequest& request, CancelToken cancel = {});
  // Facts for `doctor`: a JSON text {"worker":…, "compiler":…, "devices":[…]}.
  Result<std::string> describe();
  int process_id() const;   // of the running worker; 0: none. Any thread may ask.
  int started() const;      // workers started so far. Any thread may ask.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ww::rpc
