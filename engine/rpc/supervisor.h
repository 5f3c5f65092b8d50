// SPDX-License-Identifier: Apache-2.0
// Starts, watches and kills worker processes. Everything that compiles or runs a candidate goes through here.
// A crash, a hang or a corrupt reply is an outcome of that request; the next request gets a fresh worker. So does the
// request after one that took the device's context with it: the worker says that it leaves, its reply counts, and
// nobody waits for its end.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include "base/cancel.h"
#include "base/result.h"
#include "gate/verdict.h"
#include "profile/measurement.h"

namespace ww::rpc {

struct WorkerOptions {
  std::filesystem::path program;        // empty: worker_program()
  std::filesystem::path compile_cache;  // empty: cache_dir()/"compile"
  std::chrono::milliseconds start_deadline{10000};
  std::int64_t memory_limit = std::int64_t{6} << 30;  // bytes of address space beyond the program's own; 0: none
  int threads = 0;                                    // of the host, for references and simulated devices; 0: all
  std::string profile = "simt";        // what its sandbox lets through: "cuda" where it must reach a driver
  bool baselines = false;              // load the baseline plugins before the sandbox closes (needed to time them)
  std::vector<std::string> arguments;  // of the program
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
  std::chrono::milliseconds deadline{60000};
};

// Stands for the device's own architecture, as an empty one does ("sm_80" on the SIMT machine, which takes any). Not
// for compile().
inline constexpr const char* native_architecture = "native";

struct CompileRequest {
  std::string candidate;
  candidate::Language language = candidate::Language::cuda;
  std::string architecture = "sm_80";
  std::chrono::milliseconds deadline{30000};
};

// Times several subjects in one run, interleaved: candidates, and baselines by name.
struct TimeSubject {
  std::string name;       // of the caller's choice; distinct within the request
  std::string candidate;  // text; empty: a baseline
  candidate::Language language = candidate::Language::cuda;
  std::string baseline;  // "naive", "cublas", …
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
      0;  // added to the rounds of the samples (and to the inputs' seeds): for a timing in several requests
  bool verify = true;  // outputs of timed launches against the reference
  std::chrono::milliseconds deadline{180000};
};
struct TimedOutcome {
  std::string name;
  std::string error;      // why it was not timed, or why what it computed is wrong; empty: timed
  bool verified = false;  // its outputs after timed launches were compared and are right
  std::string note;       // "reference on the device", why it is not verified, the baseline's library …
  std::vector<profile::SubjectTiming> timings;  // one per cache regime; empty where `error` says why
};
struct TimeReply {
  profile::DeviceDetails device;
  std::vector<TimedOutcome> subjects;  // in the request's order
  double seconds = 0;                  // of the worker
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
};

struct DeviceRequest {
  std::string name = "cuda:0";
  bool ceilings = false;  // measured on first need (seconds), then from the cache
  std::chrono::milliseconds deadline{120000};
};
struct DeviceReply {
  profile::DeviceDetails details;
  std::optional<profile::Ceilings> ceilings;
};

// One candidate on one input set. Tensors stay in the worker: what comes back are statistics and the worst element.
struct ExecuteRequest {
  std::string spec;
  std::string candidate;
  candidate::Language language = candidate::Language::cuda;
  std::string device = "simt";
  std::string architecture;
  op::Binding binding;
  op::Distribution distribution = op::Distribution::normal;
  std::uint64_t seed = 0;
  std::chrono::milliseconds deadline{60000};
};
struct ExecutedOutput {
  std::string tensor;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::int64_t total = 0, unchecked = 0, wrong = 0;
  double largest_ratio = 0;  // of error to tolerance over the elements that are right
  std::optional<gate::FailingElement> worst;
  double least = profile::unknown, most = profile::unknown,
         mean = profile::unknown;  // of the numbers among the elements
  std::int64_t nans = 0, infinities = 0;
};
struct ExecuteReply {
  bool right = false;
  std::string message;  // one plain sentence where it is not right
  std::optional<gate::Fault> fault;
  std::string printed;                  // by the kernels
  std::vector<ExecutedOutput> outputs;  // empty after a fault
  std::vector<compile::KernelResources> resources;
  double seconds = 0;  // of the worker
};

struct Progress {
  std::string stage;    // stage_name
  std::string message;  // "case odd, seed 3 of 5"
  double fraction = 0;  // 0 to 1 of the whole request
};
using ProgressHandler = std::function<void(const Progress&)>;  // called on the calling thread

// One worker process at a time, reused while healthy. A Supervisor belongs to one thread at a time; use several for
// several workers. cancel (any thread, through the token) answers at once: the call returns Code::cancelled, the worker
// is asked, then terminated, then killed.
class Supervisor {
 public:
  explicit Supervisor(WorkerOptions options = {});
  ~Supervisor();  // ends the worker: shutdown, then terminate, then kill
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  Status warm_up();  // starts the worker and loads the compiler; optional
  // A candidate's own failures (refused, wrong, faulty, hung, killed the worker) come back as a Verdict that is not
  // accepted, at the stage where it happened; errors are of the environment: no worker program, no compiler, cancelled.
  Result<gate::Verdict> gate(const GateRequest& request, CancelToken cancel = {}, const ProgressHandler& progress = {});
  Result<compile::Output> compile(const CompileRequest& request, CancelToken cancel = {});
  // What is wrong with one subject is in its `error`, and the others are timed. Errors: the spec, the device, a device
  // that cannot measure, the worker's death (Code::crashed, timeout, corrupt), cancelled.
  Result<TimeReply> time(const TimeRequest& request, CancelToken cancel = {}, const ProgressHandler& progress = {});
  // Denied counters are no error: see CounterReport::why_not. A candidate that does not compile or fault is one.
  Result<profile::CounterReport> count(const CountRequest& request, CancelToken cancel = {});
  Result<DeviceReply> device(const DeviceRequest& request, CancelToken cancel = {});
  // A candidate's own failures are in the reply (right is false); one that does not compile or fit its spec is an
  // error.
  Result<ExecuteReply> execute(const ExecuteRequest& request, CancelToken cancel = {});
  // Facts for `doctor`: a JSON text {"worker":…, "compiler":…, "devices":[…]}.
  Result<std::string> describe();
  int process_id() const;  // of the running worker; 0: none. Any thread may ask.
  int started() const;     // workers started so far. Any thread may ask.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ww::rpc
