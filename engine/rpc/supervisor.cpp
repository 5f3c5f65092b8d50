// SPDX-License-Identifier: Apache-2.0
#include "rpc/supervisor.h"
#include <algorithm>
#include <atomic>
#include <future>
#include <optional>
#include <thread>
#include "base/files.h"
#include "base/log.h"
#include "candidate/text.h"
#include "evidence/verdict_json.h"
#include "base/parallel.h"
#include "gate/secret.h"
#include "rpc/check_reply.h"
#include "rpc/check_verdict.h"
#include "rpc/cache_messages.h"
#include "rpc/supervisor_cache.h"
#include "rpc/limits.h"
#include "rpc/messages.h"
#include "rpc/process.h"
#include "rpc/simulate.h"
#include "rpc/worker_end.h"

namespace ww::rpc {
namespace {

using Clock = std::chrono::steady_clock;
constexpr Milliseconds end_wait{2000};        // for a process that closed its output to end
constexpr Milliseconds cancel_grace{400};     // for the reply of a cancelled request
constexpr Milliseconds terminate_grace{200};  // from SIGTERM to SIGKILL
constexpr Milliseconds shutdown_grace{300};
constexpr Milliseconds kill_wait{1000};      // for a killed process to end, before it is left to end in the background
constexpr Milliseconds driver_start{60000};  // start deadline where a GPU's driver is opened
constexpr Milliseconds look_interval{20};    // between checks of a worker's resource use
constexpr int longest_starvation = 9;        // times a deadline, by which it is put off where others have the processor
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::int64_t more_for_sanitizers = 6;  // times the memory
#else
constexpr std::int64_t more_for_sanitizers = 1;
#endif
constexpr std::size_t shown_errors = 4 << 10;
constexpr std::size_t longest_progress = 4 << 10;               // bytes of its sentence
constexpr std::int64_t driver_memory = std::int64_t{3} << 30;   // host side of a GPU's driver and libraries
constexpr std::int64_t more_addresses = std::int64_t{5} << 30;  // beyond memory_limit; reserved is not used

std::string seconds_text(Milliseconds ms) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", static_cast<double>(ms.count()) / 1000);
  return text;
}

Milliseconds milliseconds_until(Clock::time_point until) {
  return std::max(Milliseconds(0), std::chrono::ceil<Milliseconds>(until - Clock::now()));
}

std::string limit_text(Limit limit, const Usage& most) {
  char text[96];
  if (limit == Limit::memory && most.memory > 0)
    std::snprintf(text, sizeof text, "the worker needed more than %.2g GiB of memory",
                  static_cast<double>(most.memory) / (1 << 30));
  else if (limit == Limit::memory)
    return "the worker ran out of memory";
  else
    return "the worker used more than " + seconds_text(most.processor) + " of processor time";
  return text;
}

std::string tail(const std::string& text, std::size_t limit) {
  return text.size() <= limit ? text : "…" + text.substr(text.size() - limit);
}

// On a GPU, a kernel of another process that faults can end this one's context with an error that names no cause.
bool may_be_foreign(FaultKind kind) {
  return kind == FaultKind::device_lost || kind == FaultKind::device_error || kind == FaultKind::trap;
}

}  // namespace

struct Supervisor::Impl {
  WorkerOptions options;
  std::unique_ptr<Process> worker;
  std::optional<WorkerReport> report;  // nothing: no worker has started
  std::future<std::unique_ptr<Process>>
      winding_down;  // of a cancelled request: the worker, if it answered its cancellation
  struct Ending {
    std::jthread thread;  // ends one process and reaps it
    std::shared_ptr<std::atomic<bool>> done;
  };
  std::vector<Ending> endings;
  std::int64_t next_id = 1;
  std::atomic<int> pid{0}, started{0};
  std::optional<SupervisorCache> results;  // empty: nothing is kept
  bool trusted = false;                    // the worker has seen no candidate
  std::int64_t allowed = 0;                // bytes for the cases that this worker has seen: it keeps their references
  Limit exceeded = Limit::none;
  struct Given {  // sent with a request
    CacheEntries kept;
    Need need;
  };

  struct Traced {  // by the worker, which keeps it
    std::int64_t launch = 0;
    int worker = 0;
    sim::Job job;
  } traced;
  std::int64_t traces = 0;

  // What became of one request.
  struct Answer {
    enum class Kind { result, error, died, late, exhausted, corrupt, cancelled } kind = Kind::result;
    Json result;
    CacheEntries made;
    Error error;         // of `error`, or a sentence for the others
    std::string detail;  // the end of the worker's stderr
    Progress last;       // the last stage reported
    bool progressed = false;
    bool from_outside = false;  // of `died`
    bool left = false;          // the worker said that it leaves after this reply
  };

  ~Impl() {
    join_winding_down();
    if (worker) {
      worker->post(request_text(next_id++, "shutdown", Json::object()));
      worker->close_input();
      if (!worker->wait(shutdown_grace)) worker->terminate(terminate_grace);
    }
  }

  void join_winding_down() {
    if (!winding_down.valid()) return;
    worker = winding_down.get();
    pid = worker ? worker->pid() : 0;
  }

  // Runs `what` on its own thread; only this object's destructor waits for it.
  template <class F>
  void in_background(F what) {
    std::erase_if(endings, [](const Ending& e) { return e.done->load(); });
    auto done = std::make_shared<std::atomic<bool>>(false);
    endings.push_back({std::jthread([what = std::move(what), done]() mutable {
                         what();
                         *done = true;
                       }),
                       done});
  }

  void drop() {
    if (worker && !worker->kill(kill_wait))
      in_background([process = std::move(worker)] { process->terminate(Milliseconds(0)); });
    worker.reset();
    pid = 0;
  }

  // The worker ends on its own; while a kernel runs, its driver may hold it for a long time.
  void leave() {
    in_background([process = std::move(worker)] {
      process->wait(terminate_grace);
      process->terminate(Milliseconds(0));
    });
    pid = 0;
  }

  // Sends a request and waits for its reply. Whatever is not an orderly reply ends the worker.
  Answer call(std::string_view method, const Json& params, const Given& given, Milliseconds deadline,
              const std::stop_token& stop, const ProgressHandler& progress) {
    Answer a;
    const std::int64_t id = next_id++;
    const Clock::time_point start = Clock::now();
    Clock::time_point until = start + deadline;
    const Clock::time_point at_most = until + longest_starvation * deadline;
    const Usage most = most_for(given.need, deadline);
    const UsageWatch watch(worker->pid(), most);
    exceeded = Limit::none;
    worker->post(with_cache(request_text(id, method, params), given.kept));
    const Wake wake;
    const std::stop_callback on_stop(stop, [&wake] { wake.signal(); });
    const auto end = [&](Answer::Kind kind, Code code, std::string message, std::string cause = {}) {
      a.kind = kind;
      a.error = Error{code, std::move(message), std::move(cause)};
      worker->kill(kill_wait);
      a.detail = tail(worker->errors(), shown_errors);
      drop();
      return a;
    };
    const auto exhaust = [&](Limit limit, const Usage& reached) {
      exceeded = limit;
      return end(Answer::Kind::exhausted, Code::crashed, limit_text(limit, reached));
    };
    for (;;) {
      const bool open = worker->pump(std::min(milliseconds_until(until), look_interval), &wake);
      for (;;) {
        Result<std::optional<std::string>> body = worker->next();
        Result<Message> m = body && *body ? read_message(**body) : Result<Message>(fail(body ? Error{} : body.error()));
        if (body && !*body) break;
        if (!m)
          return end(Answer::Kind::corrupt, Code::corrupt, "the worker's reply does not follow the protocol",
                     m.error().cause);
        if (!m->is_reply()) {
          note_progress(*m, id, a, progress);
          continue;
        }
        if (m->id != id)
          return end(Answer::Kind::corrupt, Code::corrupt, "the worker's reply does not follow the protocol",
                     "it answers another request");
        if (m->error) {
          a.kind = Answer::Kind::error;
          a.error = std::move(*m->error);
        } else {
          a.result = std::move(*m->result);
          a.made = std::move(m->kept);
        }
        if (a.left) leave();
        return a;
      }
      if (stop.stop_requested()) {
        a.kind = Answer::Kind::cancelled;
        a.error = Error{Code::cancelled, "cancelled", {}};
        wind_down(id);
        return a;
      }
      if (!open) {
        bool ended = worker->wait(end_wait);
        if (!ended && !watch.lives()) ended = worker->wait(end_limit);  // who waits for it has still to say how
        if (!ended) worker->kill(kill_wait);                            // if it closed its output but still runs
        const Process::End by = worker->end();
        if (ended && by == Process::End::out_of_memory) return exhaust(Limit::memory, {});
        if (ended && by == Process::End::out_of_processor_time) return exhaust(Limit::processor_time, most);
        a.from_outside = ended && by == Process::End::killed;
        const std::string how = worker->end_text();
        return end(Answer::Kind::died, Code::crashed, "the worker " + how);
      }
      if (const Limit limit = watch.exceeded(); limit != Limit::none) return exhaust(limit, most);
      if (Clock::now() < until) continue;
      // What others took from it does not count.
      if (const auto later = std::min(start + deadline + watch.waited(), at_most); later > Clock::now())
        until = later;
      else
        return end(Answer::Kind::late, Code::timeout, "the deadline of " + seconds_text(deadline) + " passed");
    }
  }

  void note_progress(const Message& m, std::int64_t id, Answer& a, const ProgressHandler& handler) {
    if (m.method == "leaving") a.left = true;
    if (m.method != "progress") return;
    const auto of = m.params.find("id");
    const auto stage = m.params.find("stage"), message = m.params.find("message"), fraction = m.params.find("fraction");
    const auto none = m.params.end();
    if (of == none || *of != id || stage == none || !stage->is_string() || message == none || !message->is_string() ||
        fraction == none || !fraction->is_number() || message->get_ref<const std::string&>().size() > longest_progress)
      return;
    a.last = {stage->get<std::string>(), message->get<std::string>(), std::clamp(fraction->get<double>(), 0.0, 1.0)};
    a.progressed = true;
    if (handler) handler(a.last);
  }

  // After a cancellation: the worker is asked to stop; if it answers in time it is kept, else terminated, then killed.
  void wind_down(std::int64_t id) {
    pid = 0;
    std::promise<std::unique_ptr<Process>> decided;
    winding_down = decided.get_future();
    in_background([id, process = std::move(worker), decided = std::move(decided)]() mutable {
      if (answers_cancel(*process, id)) return decided.set_value(std::move(process));
      decided.set_value(nullptr);
      process->terminate(terminate_grace);
    });
  }

  static bool answers_cancel(Process& process, std::int64_t id) {
    process.post(notification_text("cancel", {{"id", id}}));
    const Clock::time_point until = Clock::now() + cancel_grace;
    while (Clock::now() < until && process.pump(milliseconds_until(until))) {
      for (;;) {
        const Result<std::optional<std::string>> body = process.next();
        if (!body) return false;
        if (!*body) break;
        const Result<Message> m = read_message(**body);
        if (!m || m->method == "leaving") return false;
        if (m->is_reply() && m->id == id) return true;
      }
    }
    return false;
  }

  Status ensure(const std::stop_token& stop, bool again = true) {
    join_winding_down();
    if (worker && (!report || !worker->pump(Milliseconds(0)))) drop();  // not fully started, or died while idle
    if (worker) return {};
    report.reset();
    std::unique_ptr<Process> process =
        WW_TRY(Process::start(options.program.empty() ? worker_program() : options.program, options.arguments));
    worker = std::move(process);
    pid = worker->pid();
    ++started;
    trusted = true;
    allowed = 0;
    const std::int64_t addresses = options.memory_limit > 0 ? options.memory_limit + more_addresses : 0;
    const Json params = {{"version", protocol_version},
                         {"memory_limit", addresses},
                         {"threads", options.threads},
                         {"profile", enum_name(options.profile)},
                         {"baselines", options.baselines}};
    const Milliseconds deadline = options.profile == WorkerProfile::cuda
                                      ? std::max(options.start_deadline, driver_start)
                                      : options.start_deadline;
    Answer a = call("initialize", params, {}, deadline, stop, {});
    if (a.kind == Answer::Kind::result) {
      Result<WorkerReport> read = json::read<WorkerReport>(a.result, "the worker's report cannot be read");
      const std::string missing =
          read && (options.require_sandbox || sandbox_required()) ? missing_text(read->protections) : std::string();
      if (read && missing.empty()) {
        report = std::move(*read);
        return {};
      }
      drop();
      if (!read) return fail(read.error());
      return fail(Code::unavailable, "the sandbox is required, and protections of the worker are missing", missing);
    }
    drop();
    if (a.from_outside && again) return ensure(stop, false);
    if (a.kind == Answer::Kind::cancelled || a.kind == Answer::Kind::error) return fail(a.error);
    return fail(a.error.code, "the worker did not start: " + a.error.message,
                a.detail.empty() ? a.error.cause : a.detail);
  }

  // What the worker may use for a request that lasts until `deadline`.
  Usage most_for(const Need& need, Milliseconds deadline) {
    Usage most;
    const int threads = options.threads > 0 ? options.threads : hardware_threads();
    most.processor = deadline * (threads + 1);  // one that waits, or a driver's own
    if (options.memory_limit <= 0) return most;
    allowed = std::max(allowed, need.spec.empty() ? 0 : memory_for(need));
    most.memory = more_for_sanitizers *
                  (options.memory_limit + allowed + (options.profile == WorkerProfile::cuda ? driver_memory : 0));
    return most;
  }

  // call() on a running worker; retried if the worker was killed from outside, which says nothing about the request.
  Result<Answer> call_twice(std::string_view method, const Json& params, const Given& given, Milliseconds deadline,
                            const std::stop_token& stop, const ProgressHandler& progress) {
    for (bool again = true;; again = false) {
      WW_TRY(ensure(stop));
      if (method != "device") trusted = false;
      Answer a = call(method, params, given, deadline, stop, progress);
      if (!a.from_outside || !again) return a;
      log::info(a.error.text());
    }
  }

  // A request whose failure is an error of the call: its result, or that error.
  Result<Answer> ask(std::string_view method, const Json& params, const Given& given, Milliseconds deadline,
                     const std::stop_token& stop, const ProgressHandler& progress, const char* doing) {
    if (stop.stop_requested()) return fail(Code::cancelled, "cancelled");
    WW_TRY(check_utf8(params));
    Answer a = WW_TRY(call_twice(method, params, given, deadline, stop, progress));
    if (a.kind == Answer::Kind::result) return a;
    if (a.kind == Answer::Kind::error || a.kind == Answer::Kind::cancelled) return fail(a.error);
    std::string where = std::string(" while ") + doing;
    if (a.progressed) where += " (" + a.last.message + ")";
    return fail(a.error.code, a.error.message + where, a.detail.empty() ? a.error.cause : a.detail);
  }

  CacheEntries kept_of(const std::string& candidate, candidate::Language language) {
    return results ? results->of_candidate(candidate, language) : CacheEntries();
  }
  void keep(const std::string& candidate, candidate::Language language, CacheEntries made) {
    std::erase_if(made, [](const auto& entry) { return entry.first.find('-') != std::string::npos; });  // a device's
    if (results) results->keep_of_candidate(candidate, language, made);
  }

  // A GPU's ceilings are measured before its worker sees a candidate: afterwards they could not be kept.
  CacheEntries kept_for(const GateRequest& request, const std::stop_token& stop) {
    CacheEntries kept = kept_of(request.candidate, request.language);
    if (!results || !request.measure || options.profile != WorkerProfile::cuda) return kept;
    CacheEntries device = results->of_device(request.device);
    if (device.empty() && trusted) {
      DeviceRequest ceilings;
      ceilings.name = request.device;
      ceilings.ceilings = true;
      if (const Result<Answer> a = ask("device", json::of(ceilings), {}, ceilings.deadline, stop, {}, "measuring"); a)
        if (const auto reply = reply_of<DeviceReply>(a->result); reply && check_device(ceilings, *reply))
          results->keep_of_device(request.device, a->made), device = a->made;
    }
    kept.merge(device);
    return kept;
  }

  // A reply that cannot be read, or does not fit its request, ends its worker.
  template <class T, class Request>
  Result<T> read_reply(const Request& request, Result<T> reply, Status (*check)(const Request&, const T&)) {
    if (reply)
      if (const Status fits = check(request, *reply); !fits) reply = fail(fits.error());
    if (!reply) drop();
    return reply;
  }

  // What the end of the worker says about the candidate.
  FaultKind fault_of(const Answer& a) const {
    using Kind = Answer::Kind;
    if (a.kind == Kind::exhausted)
      return exceeded == Limit::memory ? FaultKind::memory_limit : FaultKind::processor_limit;
    if (a.kind == Kind::died) return a.from_outside ? FaultKind::killed : FaultKind::crash;
    return a.kind == Kind::late ? FaultKind::timeout : FaultKind::corrupt_reply;
  }

  // A judgement that ended its worker, as a verdict.
  evidence::Verdict ended(const GateRequest& request, const Answer& a, double seconds) const {
    const auto last = a.progressed ? std::optional(a.last) : std::nullopt;
    return verdict_of_end(request, {fault_of(a), a.from_outside, a.error, a.detail, last, seconds});
  }

  Result<evidence::Verdict> gate_once(const GateRequest& request, const Json& params, const std::stop_token& stop,
                                      const ProgressHandler& progress) {
    using Kind = Answer::Kind;
    WW_TRY(ensure(stop));
    const Clock::time_point start = Clock::now();
    const Given given{kept_for(request, stop),
                      {request.spec, request.device, request.binding, {request.candidate}, request.seeds}};
    Answer a = WW_TRY(call_twice("gate", params, given, request.deadline, stop, progress));
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    switch (a.kind) {
      case Kind::error:
      case Kind::cancelled: return fail(a.error);
      case Kind::result: {
        Result<evidence::Verdict> verdict = evidence::verdict_of(a.result);
        if (!verdict)
          a.error = Error{Code::corrupt, "the worker's reply does not follow the protocol", verdict.error().text()};
        else if (const Status fits = check_verdict(request, *verdict); fits) {
          keep(request.candidate, request.language, a.made);
          return verdict;
        } else
          a.error = fits.error();
        a.kind = Kind::corrupt;
        drop();
        break;
      }
      case Kind::died:
      case Kind::late:
      case Kind::exhausted:
      case Kind::corrupt: break;
    }
    log::info(a.error.text());
    return ended(request, a, seconds);
  }
};

Supervisor::Supervisor(WorkerOptions options) : impl_(std::make_unique<Impl>()) {
  if (options.use_cache)
    impl_->results.emplace(options.compile_cache.empty() ? cache_dir() / "compile" : options.compile_cache);
  impl_->options = std::move(options);
}
Supervisor::~Supervisor() = default;

Status Supervisor::warm_up() { return impl_->ensure({}); }

Result<evidence::Verdict> Supervisor::gate(const GateRequest& asked, std::stop_token stop,
                                           const ProgressHandler& progress) {
  GateRequest request = asked;
  if (request.secret.empty()) request.secret = gate::Secret::fresh().text();
  if (stop.stop_requested()) return fail(Code::cancelled, "cancelled");
  if (const Status text = candidate::check_text(request.candidate); !text) return refused(request, text.error());
  const Json params = json::of(request);
  WW_TRY(check_utf8(params));
  Result<evidence::Verdict> verdict = impl_->gate_once(request, params, stop, progress);
  if (impl_->options.profile != WorkerProfile::cuda || stop.stop_requested()) return verdict;
  if (verdict ? !may_be_foreign(verdict->last_fault()) : verdict.error().code != Code::device) return verdict;
  log::info(verdict ? verdict->summary() : verdict.error().text());
  impl_->drop();
  return impl_->gate_once(request, params, stop, progress);
}

Result<evidence::WrongMap> Supervisor::show_wrong(const GateRequest& request, std::stop_token stop,
                                                  const ProgressHandler& progress) {
  const Impl::Given given{impl_->kept_of(request.candidate, request.language),
                          {request.spec, request.device, request.binding, {request.candidate}, request.seeds}};
  const auto a = WW_TRY(
      impl_->ask("show_wrong", json::of(request), given, request.deadline, stop, progress, "repeating the judgement"));
  return impl_->read_reply(request, reply_of<evidence::WrongMap>(a.result), check_wrong);
}

Result<gate::Reproduction> Supervisor::reproduce(const ReproduceRequest& request, std::stop_token stop) {
  const GateRequest& j = request.judgement;
  const Impl::Given given{impl_->kept_of(j.candidate, j.language),
                          {j.spec, j.device, request.one.binding, {j.candidate}, 1}};
  const auto a = WW_TRY(impl_->ask("reproduce", json::of(request), given, j.deadline, stop, {}, "repeating one case"));
  return impl_->read_reply(request, reply_of<gate::Reproduction>(a.result), check_reproduced);
}

Result<compile::Output> Supervisor::compile(const CompileRequest& request, std::stop_token stop) {
  const Impl::Given given{impl_->kept_of(request.candidate, request.language), {}};
  const auto a = WW_TRY(impl_->ask("compile", json::of(request), given, request.deadline, stop, {}, "compiling"));
  Result<compile::Output> output = impl_->read_reply(request, compile_output(a.result), check_compiled);
  if (output) impl_->keep(request.candidate, request.language, a.made);
  return output;
}

Result<TimeReply> Supervisor::time(const TimeRequest& request, std::stop_token stop, const ProgressHandler& progress) {
  const Clock::time_point until = Clock::now() + request.deadline;
  TimeReply all;
  TimeRequest rest = request;
  Impl::Given given{{}, {request.spec, request.device, request.binding, {}, 2}};
  for (const TimeSubject& s : request.subjects) {
    given.need.candidates.push_back(s.candidate);
    if (!s.candidate.empty()) given.kept.merge(impl_->kept_of(s.candidate, s.language));
  }
  // A subject that faults ends the worker: subjects not timed yet are timed in the next one.
  for (;;) {
    const Milliseconds left = std::max(Milliseconds(1), std::chrono::duration_cast<Milliseconds>(until - Clock::now()));
    const auto a = WW_TRY(impl_->ask("time", json::of(rest), given, left, stop, progress, "timing"));
    Result<TimeReply> reply = impl_->read_reply(rest, reply_of<TimeReply>(a.result), check_times);
    if (!reply) return reply;
    all.device = std::move(reply->device);
    all.seconds += reply->seconds;
    rest.subjects.clear();
    for (TimedOutcome& outcome : reply->subjects) {
      const auto asked = std::find_if(request.subjects.begin(), request.subjects.end(),
                                      [&](const TimeSubject& s) { return s.name == outcome.name; });
      if (outcome.error.empty() && outcome.timings.empty())
        rest.subjects.push_back(*asked);
      else
        all.subjects.push_back(std::move(outcome));
    }
    if (rest.subjects.empty()) break;
    if (!a.left || rest.subjects.size() == reply->subjects.size()) {
      impl_->drop();
      return fail(Code::corrupt,
                  "the reply to time has neither a time nor an error for '" + rest.subjects[0].name + "'");
    }
  }
  const auto place = [&](const TimedOutcome& o) {
    return std::find_if(request.subjects.begin(), request.subjects.end(),
                        [&](const TimeSubject& s) { return s.name == o.name; }) -
           request.subjects.begin();
  };
  std::sort(all.subjects.begin(), all.subjects.end(),
            [&](const TimedOutcome& x, const TimedOutcome& y) { return place(x) < place(y); });
  return all;
}

Result<profile::CounterReport> Supervisor::count(const CountRequest& request, std::stop_token stop) {
  const Impl::Given given{impl_->kept_of(request.candidate, request.language),
                          {request.spec, request.device, request.binding, {request.candidate}, 1}};
  const auto a = WW_TRY(impl_->ask("profile", json::of(request), given, request.deadline, stop, {}, "counting"));
  return impl_->read_reply(request, reply_of<profile::CounterReport>(a.result), check_counts);
}

Result<DeviceReply> Supervisor::device(const DeviceRequest& request, std::stop_token stop) {
  const Impl::Given given{impl_->results ? impl_->results->of_device(request.name) : CacheEntries(), {}};
  const auto a =
      WW_TRY(impl_->ask("device", json::of(request), given, request.deadline, stop, {}, "reading the device's facts"));
  Result<DeviceReply> reply = impl_->read_reply(request, reply_of<DeviceReply>(a.result), check_device);
  if (reply && impl_->trusted && impl_->results) impl_->results->keep_of_device(request.name, a.made);
  return reply;
}

Result<sim::Outcome> Supervisor::simulate(const SimulateRequest& request, std::stop_token stop) {
  const auto a = WW_TRY(impl_->ask("simulate", json::of(request), {}, request.deadline, stop, {}, "simulating"));
  return impl_->read_reply(request, reply_of<sim::Outcome>(a.result), check_simulated);
}

// The job goes to the worker once, as long as further queries are about the same.
Result<sim::Trace> Supervisor::trace(const TraceRequest& request, std::stop_token stop) {
  constexpr const char* doing = "stepping through the launch";
  Impl::Traced& last = impl_->traced;
  impl_->join_winding_down();
  if (last.launch > 0 && impl_->worker && last.worker == impl_->started && last.job == request.job) {
    const FurtherTraceRequest further{last.launch, request.query};
    const auto a = impl_->ask("trace_further", json::of(further), {}, request.deadline, stop, {}, doing);
    if (a) return impl_->read_reply(request, reply_of<sim::Trace>(a->result), check_traced);
    if (a.error().code != Code::not_found) return tl::unexpected(a.error());
  }
  last = {};
  TraceRequest whole = request;
  whole.launch = ++impl_->traces;
  const auto a = WW_TRY(impl_->ask("trace", json::of(whole), {}, request.deadline, stop, {}, doing));
  last = {whole.launch, impl_->started, std::move(whole.job)};
  return impl_->read_reply(request, reply_of<sim::Trace>(a.result), check_traced);
}

Result<sim::Listing> Supervisor::list_code(const SimulateRequest& request, std::stop_token stop) {
  const auto a = WW_TRY(impl_->ask("list_code", json::of(request), {}, request.deadline, stop, {}, "reading the code"));
  return impl_->read_reply(request, reply_of<sim::Listing>(a.result), check_listed);
}

bool Supervisor::keeps_ceilings(const std::string& device) const {
  return impl_->results && !impl_->results->of_device(device).empty();
}

Result<WorkerReport> Supervisor::describe() {
  WW_TRY(impl_->ensure({}));
  return *impl_->report;
}

int Supervisor::process_id() const { return impl_->pid; }
int Supervisor::started() const { return impl_->started; }

}  // namespace ww::rpc
