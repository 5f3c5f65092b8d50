// SPDX-License-Identifier: Apache-2.0
// Starts, watches and kills worker processes. Everything that compiles or runs a candidate goes through here. A crash,
// a hang or a corrupt reply is the outcome of that request; the next request gets a fresh worker. The same applies
// after a request that destroyed the device's context: the worker announces its exit, its reply counts, and its end is
// not awaited.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>
#include "base/architecture.h"
#include "base/describe.h"
#include "base/result.h"
#include "evidence/verdict.h"
#include "evidence/wrong_map.h"
#include "gate/reproduce.h"
#include "profile/measurement.h"
#include "rpc/worker_report.h"

namespace ww::sim {
struct Listing;
struct Outcome;
struct Trace;
}  // namespace ww::sim

namespace ww::rpc {

struct SimulateRequest;  // rpc/simulate.h
struct TraceRequest;     // rpc/simulate.h

struct WorkerOptions {
  std::filesystem::path program;        // empty: worker_program()
  std::filesystem::path compile_cache;  // results of workers for later ones; empty: cache_dir()/"compile"
  bool use_cache = true;                // off: a verdict uses nothing that an earlier worker produced
  std::chrono::milliseconds start_deadline{60000};
  // Bytes for the worker itself: the compiler, and a driver's host memory beyond driver_memory. The memory for a
  // request's cases is added (limits.h). 0: no limit.
  std::int64_t memory_limit = std::int64_t{1} << 30;
  int threads = 0;  // host threads, for references and simulated devices; 0: all
  WorkerProfile profile = WorkerProfile::simt;
  bool require_sandbox = false;        // refuses workers that lack a protection (as WARPWRIGHT_REQUIRE_SANDBOX=1 does)
  bool baselines = false;              // load the baseline plugins before entering the sandbox (needed to time them)
  std::vector<std::string> arguments;  // of the program
  WW_FIELDS(WorkerOptions, program, compile_cache, ((start_deadline_ms, start_deadline)),
            (memory_limit, "bytes that a worker may take beyond what its cases need; 0: no limit",
             {"--memory-limit", 0, 1e15}),
            (require_sandbox, "refuse to run where a protection of the worker is missing; 'doctor' names them",
             defaulted, {"--require-sandbox"}))
};

struct GateRequest {
  std::string spec;       // op spec text
  std::string candidate;  // candidate text
  candidate::Language language = candidate::Language::cuda;
  std::string device = "simt";
  std::string architecture;  // empty: the device's own
  op::Binding binding;       // the default case; empty: the spec's defaults
  int seeds = 5;             // per case
  bool measure = true;       // count the default case after acceptance
  std::string secret;        // of a judgement to repeat (gate/secret.h); empty: the supervisor draws one
  double launch_budget = 1;  // multiple of a launch's usual budget
  op::Precision precision = op::Precision::usual;
  double most_work = 0;  // of the default case, which is reduced beyond; 0: as the device can
  std::chrono::milliseconds deadline{60000};
  WW_FIELDS(GateRequest, (spec, defaulted), (candidate, defaulted), (language, defaulted), (device, defaulted),
            (architecture, defaulted), (binding, defaulted), (seeds, defaulted), (measure, defaulted),
            (secret, defaulted), (launch_budget, defaulted), (precision, "as in the verdict's `proof`", defaulted),
            (most_work, "of the default case, which is reduced beyond; 0: as the device can", sparse))
};

// One input set of one case alone (gate/reproduce.h).
struct ReproduceRequest {
  GateRequest judgement;  // with the secret of the one that failed
  gate::OneCase one;
  WW_FIELDS(ReproduceRequest, (judgement, "the parameters of `gate`; its `secret` draws what surrounds the runs"),
            (one, "what is run"))
};

// Selects the device's own architecture, as an empty one does ("sm_80" on the SIMT machine, which accepts any). Not for
// compile().
inline constexpr const char* native_architecture = "native";

struct CompileRequest {
  std::string candidate;
  candidate::Language language = candidate::Language::cuda;
  std::string architecture = default_architecture;
  bool debug = false;  // as compile::Request
  std::chrono::milliseconds deadline{30000};
  WW_FIELDS(CompileRequest, (candidate, defaulted), (language, defaulted), (architecture, defaulted),
            (debug, defaulted))
};

// Times several subjects, interleaved: candidates, and baselines by name.
struct TimeSubject {
  std::string name;       // chosen by the caller; distinct within the request
  std::string candidate;  // text; empty: a baseline
  candidate::Language language = candidate::Language::cuda;
  std::string baseline;  // "naive", "cublas", …
  WW_FIELDS(TimeSubject, (name, defaulted), (candidate, sparse), (language, sparse), (baseline, sparse))
};
struct TimeRequest {
  std::string spec;
  std::string device = "cuda:0";
  std::string architecture;  // empty: the device's own
  op::Binding binding;       // the timed case; empty: the spec's defaults
  std::vector<TimeSubject> subjects;
  int rounds = 10, samples = 5;  // see device::TimeOptions
  bool cold = true, warm = true;
  std::uint64_t order_seed = 0;
  int round_offset =
      0;  // added to the samples' round numbers (and to the inputs' seeds), for a timing split over several requests
  bool verify = true;  // compares outputs of timed launches with the reference
  std::chrono::milliseconds deadline{180000};
  WW_FIELDS(TimeRequest, (spec, defaulted), (device, defaulted), (architecture, defaulted), (binding, defaulted),
            (subjects, defaulted), (rounds, defaulted), (samples, defaulted), (cold, defaulted), (warm, defaulted),
            (order_seed, defaulted), (round_offset, defaulted), (verify, defaulted))
};
struct TimedOutcome {
  std::string name;
  std::string error;      // why it was not timed, or why its results are wrong; empty: timed
  bool verified = false;  // its outputs after timed launches were compared and are correct
  std::string note;       // "reference on the device", why it is not verified, the baseline's library …
  std::vector<profile::SubjectTiming> timings;  // one per cache regime; empty if there is an `error`
  WW_FIELDS(TimedOutcome, name, error, verified, note, timings)
};
struct TimeReply {
  profile::DeviceDetails device;
  std::vector<TimedOutcome> subjects;  // in the request's order
  double seconds = 0;                  // in the worker
  WW_FIELDS(TimeReply, device, subjects, seconds)
};

// Hardware counters of one candidate, launch by launch.
struct CountRequest {
  std::string spec;
  std::string candidate;
  candidate::Language language = candidate::Language::cuda;
  std::string device = "cuda:0";
  std::string architecture;
  op::Binding binding;
  std::string set = "small";  // "small", "full", …: see resources/counters
  std::chrono::milliseconds deadline{120000};
  WW_FIELDS(CountRequest, (spec, defaulted), (candidate, defaulted), (language, defaulted), (device, defaulted),
            (architecture, defaulted), (binding, defaulted), (set, defaulted))
};

struct DeviceRequest {
  std::string name = "cuda:0";
  bool ceilings = false;  // measured on first use (takes seconds), then cached
  std::chrono::milliseconds deadline{120000};
  WW_FIELDS(DeviceRequest, (name, defaulted), (ceilings, defaulted))
};
struct DeviceReply {
  profile::DeviceDetails details;
  std::optional<profile::Ceilings> ceilings;
  WW_FIELDS(DeviceReply, details, (ceilings, sparse))
};

// The resources that a worker had used when it was ended.
enum class Limit : std::uint8_t { none, memory, processor_time };

struct Progress {
  std::string stage;    // stage_name
  std::string message;  // "case odd, seed 3 of 5"
  double fraction = 0;  // 0 to 1 of the whole request
};
using ProgressHandler = std::function<void(const Progress&)>;  // on the calling thread

// One worker process at a time, reused while healthy. Not thread-safe; use several for several workers. A stop request
// (from any thread, through the token) ends a call at once with Code::cancelled; the worker is asked to stop, then
// terminated, then killed.
class Supervisor {
 public:
  explicit Supervisor(WorkerOptions options = {});
  ~Supervisor();  // ends the worker: shutdown, then terminate, then kill
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  Status warm_up();  // starts the worker and loads the compiler; optional
  // A candidate's own failures (refused, wrong, faulty, hung, killed the worker) are returned as a Verdict that is not
  // accepted, at the stage where they happened. Errors concern the environment: no worker program, no compiler,
  // cancelled, a worker that was killed from outside (after a second try) or reached a limit (Code::crashed: the
  // candidate is not judged). On a GPU, a fault or a device's error that another program's kernel may have caused is
  // judged once more by a fresh worker.
  Result<evidence::Verdict> gate(const GateRequest& request, std::stop_token stop = {},
                                 const ProgressHandler& progress = {});
  // Repeats a judgement (the request's secret is that of its verdict) and maps the output for which it rejects the
  // candidate. Code::not_found if there is no wrong element.
  Result<evidence::WrongMap> show_wrong(const GateRequest& request, std::stop_token stop = {},
                                        const ProgressHandler& progress = {});
  // Errors: what keeps the case from being run, the worker's death among it.
  Result<gate::Reproduction> reproduce(const ReproduceRequest& request, std::stop_token stop = {});
  Result<compile::Output> compile(const CompileRequest& request, std::stop_token stop = {});
  // A subject's problem is in its `error`; the others are timed. Errors: the spec, the device, a device that cannot
  // measure, the worker's death (Code::crashed, timeout, corrupt), cancelled.
  Result<TimeReply> time(const TimeRequest& request, std::stop_token stop = {}, const ProgressHandler& progress = {});
  // Denied counters are not an error: see CounterReport::why_not. A candidate that does not compile, or faults, is.
  Result<profile::CounterReport> count(const CountRequest& request, std::stop_token stop = {});
  // Whether the device's ceilings are cached, so that device() needs no measurement.
  bool keeps_ceilings(const std::string& device) const;
  Result<DeviceReply> device(const DeviceRequest& request, std::stop_token stop = {});
  // See sim::run; further errors: the worker's death (Code::crashed, timeout, corrupt).
  Result<sim::Outcome> simulate(const SimulateRequest& request, std::stop_token stop = {});
  Result<sim::Trace> trace(const TraceRequest& request, std::stop_token stop = {});
  Result<sim::Listing> list_code(const SimulateRequest& request, std::stop_token stop = {});
  // The running worker's report from its start; starts one if none runs.
  Result<WorkerReport> describe();
  int process_id() const;  // of the running worker; 0: none. Thread-safe.
  int started() const;     // workers started so far. Thread-safe.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ww::rpc
