// SPDX-License-Identifier: Apache-2.0
#include "rpc/server.h"
#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <unistd.h>
#include "compile/cutlass.h"
#include "device/device.h"
#include "evidence/verdict_json.h"
#include "profile/occupancy.h"
#include "rpc/framing.h"
#include "rpc/cache_messages.h"
#include "rpc/messages.h"
#include "rpc/process.h"
#include "rpc/session.h"
#include "rpc/simulate.h"
#include "rpc/worker_report.h"
#include "base/json_reader.h"

namespace ww::rpc {
namespace {

constexpr int rpc_parse_error = -32700, rpc_invalid_request = -32600, rpc_unknown_method = -32601,
              rpc_invalid_params = -32602;
constexpr std::size_t max_waiting = 64;  // requests

class Server {
 public:
  Server(int in_fd, int out_fd, const ServerHooks& hooks) : in_(in_fd), out_(out_fd), hooks_(hooks) {}

  int run() {
    // Alone until initialised.
    for (bool initialised = false; !initialised;) {
      Result<Message> m = receive();
      if (!m) return refuse(m.error());
      if (m->method == "initialize" && m->id) {
        initialised = initialize(*m);
        if (!initialised) return 2;
      } else if (m->id) {
        send(error_text(m->id, {Code::invalid_argument, "the first request must be initialize", {}},
                        rpc_invalid_request));
      }
    }
    std::thread reader([this] { read_messages(); });
    const int status = work();
    std::fflush(nullptr);
    ::_exit(status);  // the reader sits in read() and cannot be joined
  }

 private:
  void send(std::string_view body) {
    const std::string bytes = frame(body);
    std::lock_guard lock(out_mutex_);
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t n = ::write(out_, bytes.data() + done, bytes.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) ::_exit(1);  // the supervisor is gone
      done += static_cast<std::size_t>(n);
    }
  }

  // The answer to a request. Where the request took a device's context with it, it is this process's last.
  void reply(std::int64_t id, std::string_view body) {
    const std::optional<std::string> lost = session_.lost();
    if (lost)
      send(notification_text("leaving", {{"id", id}, {"why", "the context of the device " + *lost + " is lost"}}));
    send(with_cache(std::string(body), session_.kept->made()));
    if (lost) ::_exit(0);  // no destructor may wait for a kernel that never ends
  }
  template <class T>
  void reply(std::int64_t id, const Result<T>& result) {
    reply(id, result ? result_text(id, json::of(*result)) : error_text(id, result.error()));
  }
  template <class T>
  bool accepts(const Message& m, const Result<T>& request) {
    if (!request) reply(*m.id, error_text(m.id, request.error(), rpc_invalid_params));
    return request.has_value();
  }
  void report(std::int64_t id, std::string_view stage, const std::string& message, double fraction) {
    send(notification_text("progress", {{"id", id}, {"stage", stage}, {"message", message}, {"fraction", fraction}}));
  }

  int refuse(const Error& error) {
    send(error_text({}, error, rpc_parse_error));
    return 2;
  }

  Result<Message> receive() {  // ends the process at the end of input
    for (;;) {
      std::optional<std::string> body = WW_TRY(frames_.next());
      if (body) return read_message(*body);
      char buffer[1 << 16];
      const ssize_t n = ::read(in_, buffer, sizeof buffer);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) ::_exit(0);
      frames_.feed({buffer, static_cast<std::size_t>(n)});
    }
  }

  void read_messages() {
    for (;;) {
      Result<Message> m = receive();
      if (!m) ::_exit(refuse(m.error()));
      if (m->is_reply()) continue;
      std::unique_lock lock(mutex_);
      if (m->method == "cancel") {
        const auto id = m->params.find("id");
        if (id == m->params.end() || !id->is_number_integer()) continue;
        const auto which = id->get<std::int64_t>();
        if (current_ && *current_ == which)
          source_.request_stop();
        else
          for (const Message& waiting : waiting_)
            if (waiting.id == which) cancelled_.insert(which);
        continue;
      }
      if (!m->id) continue;  // an unknown notification
      if (waiting_.size() >= max_waiting) {
        lock.unlock();
        send(error_text(m->id, {Code::invalid_argument, "too many requests are waiting", {}}, rpc_invalid_request));
        continue;
      }
      waiting_.push_back(std::move(*m));
      arrived_.notify_one();
    }
  }

  int work() {
    for (;;) {
      Message m;
      std::stop_token stop;
      bool cancelled = false;
      {
        std::unique_lock lock(mutex_);
        current_.reset();
        arrived_.wait(lock, [&] { return !waiting_.empty(); });
        m = std::move(waiting_.front());
        waiting_.pop_front();
        source_ = std::stop_source();
        current_ = m.id;
        stop = source_.get_token();
        cancelled = cancelled_.erase(*m.id) > 0;
      }
      if (m.method == "shutdown") {
        send(result_text(*m.id, Json::object()));
        return 0;
      }
      if (cancelled) {
        send(error_text(m.id, {Code::cancelled, "cancelled", {}}));
        continue;
      }
      session_.kept->begin(std::move(m.kept));
      try {
        answer(m, stop);
      } catch (const std::bad_alloc&) {
        ::_exit(Process::out_of_memory_status);  // this process is no longer usable
      } catch (const std::exception& e) {
        reply(*m.id, error_text(m.id, {Code::internal, "the worker failed", json::explain_exception(e)}));
      }
    }
  }

  void answer(const Message& m, const std::stop_token& stop) {
    if (m.method != "trace" && m.method != "trace_further") tracing_.forget();
    if (m.method == "gate" || m.method == "show_wrong") return gate(m, stop);
    if (m.method == "reproduce") return reproduce(m, stop);
    if (m.method == "compile") return compile(m);
    if (m.method == "time") return time(m, stop);
    if (m.method == "profile") {
      if (const auto r = request_of<CountRequest>(m.params); accepts(m, r)) reply(*m.id, count(session_, *r, stop));
      return;
    }
    if (m.method == "simulate" || m.method == "list_code") return simulate(m, stop);
    if (m.method == "trace") return trace(m, stop);
    if (m.method == "trace_further") {
      if (const auto r = request_of<FurtherTraceRequest>(m.params); accepts(m, r))
        reply(*m.id, tracing_.further(r->launch, r->query, stop));
      return;
    }
    if (m.method == "device") {
      if (const auto r = request_of<DeviceRequest>(m.params); accepts(m, r))
        reply(*m.id, device_facts(session_, *r, stop));
      return;
    }
    send(error_text(m.id, {Code::invalid_argument, "there is no method '" + m.method + "'", {}}, rpc_unknown_method));
  }

  bool initialize(const Message& m) {
    WarmUp warm;
    const Json& p = m.params;
    if (!p.contains("version") || p["version"] != protocol_version) {
      send(error_text(m.id,
                      {Code::invalid_argument,
                       "this worker speaks version " + std::to_string(protocol_version) + " of the protocol",
                       {}},
                      rpc_invalid_params));
      return false;
    }
    try {
      warm.memory_limit = p.value("memory_limit", std::int64_t{0});
      warm.profile = enum_from_name<WorkerProfile>(p.value("profile", std::string("simt"))).value();
      warm.baselines = p.value("baselines", false);
      session_.threads = std::clamp(p.value("threads", 0), 0, 1024);
    } catch (const std::exception& e) {
      send(error_text(
          m.id, {Code::invalid_argument, "a parameter of initialize has the wrong type", json::explain_exception(e)},
          rpc_invalid_params));
      return false;
    }
    if (hooks_.isolate) hooks_.isolate(warm);
    WorkerReport report{.version = protocol_version, .profile = warm.profile};
    report.compiler = open_compiler(warm);
    const Preloaded preloaded = hooks_.preload ? hooks_.preload(warm) : Preloaded{};
    profile::known_architectures();  // reads their limits
    if (warm.baselines) report.baselines = load_baselines();
    if (hooks_.lock_down) report.protections = hooks_.lock_down(warm);
    report.devices = describe_devices(preloaded);
    report.devices_error = preloaded.devices_error;
    if (!preloaded.devices.empty()) report.counters = {preloaded.counters_error.empty(), preloaded.counters_error};
    send(result_text(*m.id, json::of(report)));
    return true;
  }

  WorkerCompiler open_compiler(WarmUp& warm) {
    WorkerCompiler out;
    Result<std::unique_ptr<compile::Compiler>> opened = compile::Compiler::open(session_.kept);
    if (!opened) {
      session_.compiler_error = opened.error();
      out.error = opened.error().text();
      return out;
    }
    session_.compiler = std::move(*opened);
    const compile::Toolkit& t = session_.compiler->toolkit();
    session_.compiler->preload();
    std::error_code ec;
    for (const std::filesystem::path& part : {t.nvrtc, t.nvjitlink, t.headers, t.ptxas, t.nvdisasm})
      if (std::filesystem::exists(part, ec)) warm.toolkit.push_back(part);
    if (!t.cutlass.empty())
      for (const std::string_view folder : compile::cutlass_folders) warm.toolkit.push_back(t.cutlass / folder);
    out.version = t.nvrtc_version;
    out.nvrtc = t.nvrtc.string();
    out.nvjitlink = t.nvjitlink.string();
    out.headers = t.headers.string();
    out.ptxas = t.ptxas.string();
    out.nvdisasm = t.nvdisasm.string();
    out.cutlass = t.cutlass.string();
    out.includes = session_.compiler->headers();
    return out;
  }

  WorkerBaselines load_baselines() {
    session_.baselines = baseline::load();
    session_.baselines_loaded = true;
    WorkerBaselines out;
    for (const auto& b : session_.baselines.usable) out.usable.push_back(b->name());
    for (const baseline::RefusedModule& r : session_.baselines.refused)
      out.refused.push_back({r.file.string(), r.reason});
    return out;
  }

  // The first GPU is opened at once, because its context takes a while to make; further ones when something is asked of
  // them.
  std::vector<WorkerDevice> describe_devices(const Preloaded& preloaded) {
    std::vector<WorkerDevice> devices;
    const auto add = [&](const std::string& name) {
      WorkerDevice& d = devices.emplace_back();
      d.name = name;
      const Result<OpenDevice*> opened = session_.open(name);
      if (!opened) {
        d.error = opened.error().text();
        return;
      }
      const device::Facts& f = (*opened)->device->facts();
      d = {f.name, f.description, f.gpu, f.architecture, f.provenance, f.memory, f.measures, {}};
    };
    add("simt");
    for (std::size_t i = 0; i < preloaded.devices.size(); ++i) {
      if (i == 0) {
        add(preloaded.devices[i]);
        continue;
      }
      WorkerDevice& d = devices.emplace_back();
      d.name = preloaded.devices[i];
      d.description = "a further GPU";
      d.provenance = Provenance::measured;
      d.measures = true;
    }
    return devices;
  }

  void gate(const Message& m, const std::stop_token& stop) {
    const Result<GateRequest> request = request_of<GateRequest>(m.params);
    if (!accepts(m, request)) return;
    const Result<OpenDevice*> device = session_.open(request->device);
    if (!device) return reply(*m.id, error_text(m.id, device.error()));
    if (!session_.compiler) return reply(*m.id, error_text(m.id, session_.compiler_error));
    std::optional<evidence::WrongMap> wrong;
    const bool show = m.method == "show_wrong";
    const gate::Services services{session_.compiler.get(), (*device)->device.get(),   &session_.references,
                                  session_.threads,        (*device)->resident.get(), show ? &wrong : nullptr,
                                  &session_.mutants};
    const std::int64_t id = *m.id;
    Result<evidence::Verdict> verdict = gate::judge(asked(*request), services, stop, [&](const gate::Progress& p) {
      report(id, enum_name(p.stage), p.message, p.fraction);
    });
    if (show && verdict)
      return reply(id, wrong ? Result<evidence::WrongMap>(std::move(*wrong))
                             : fail(Code::not_found, "no map of wrong elements: " + verdict->summary()));
    reply(id, verdict ? result_text_of(id, evidence::verdict_to_json(*verdict)) : error_text(id, verdict.error()));
  }

  static gate::Request asked(const GateRequest& r) {
    return {r.spec,    r.candidate, r.language,      r.architecture, r.binding,  r.seeds,
            r.measure, r.secret,    r.launch_budget, r.precision,    r.most_work};
  }

  void reproduce(const Message& m, const std::stop_token& stop) {
    const Result<ReproduceRequest> request = request_of<ReproduceRequest>(m.params);
    if (!accepts(m, request)) return;
    const Result<OpenDevice*> device = session_.open(request->judgement.device);
    if (!device) return reply(*m.id, error_text(m.id, device.error()));
    if (!session_.compiler) return reply(*m.id, error_text(m.id, session_.compiler_error));
    const gate::Services services{session_.compiler.get(), (*device)->device.get(), &session_.references,
                                  session_.threads};
    reply(*m.id, gate::reproduce(asked(request->judgement), request->one, services, stop));
  }

  void time(const Message& m, const std::stop_token& stop) {
    const Result<TimeRequest> request = request_of<TimeRequest>(m.params);
    if (!accepts(m, request)) return;
    const std::int64_t id = *m.id;
    reply(id,
          rpc::time(session_, *request, stop, [&](const Progress& p) { report(id, p.stage, p.message, p.fraction); }));
  }

  void simulate(const Message& m, const std::stop_token& stop) {
    Result<SimulateRequest> request = request_of<SimulateRequest>(m.params);
    if (!accepts(m, request)) return;
    if (request->job.language == candidate::Language::cuda && !session_.compiler)
      return reply(*m.id, error_text(*m.id, session_.compiler_error));
    if (request->job.threads == 0) request->job.threads = session_.threads;
    if (m.method == "simulate") return reply(*m.id, sim::run(request->job, session_.compiler.get(), stop));
    reply(*m.id, sim::list(request->job, session_.compiler.get()));
  }

  void trace(const Message& m, const std::stop_token& stop) {
    const Result<TraceRequest> request = request_of<TraceRequest>(m.params);
    if (!accepts(m, request)) return;
    if (request->job.language == candidate::Language::cuda && !session_.compiler)
      return reply(*m.id, error_text(*m.id, session_.compiler_error));
    reply(*m.id, tracing_.trace(request->job, request->query, session_.compiler.get(), stop, request->launch));
  }

  void compile(const Message& m) {
    const Result<CompileRequest> request = request_of<CompileRequest>(m.params);
    if (!accepts(m, request)) return;
    if (!session_.compiler) return reply(*m.id, error_text(m.id, session_.compiler_error));
    Result<candidate::Candidate> parsed = candidate::parse(request->candidate, request->language);
    if (!parsed) return reply(*m.id, error_text(m.id, parsed.error()));
    compile::Request what;
    what.language = parsed->language;
    what.code = parsed->text;
    what.architecture = request->architecture;
    what.defines = candidate::first_tuning(*parsed);
    what.options = parsed->options;
    what.debug = request->debug;
    what.resources = !request->debug;
    const Result<compile::Output> output = session_.compiler->compile(what);
    reply(*m.id, output ? result_text(*m.id, compile_result(*output)) : error_text(*m.id, output.error()));
  }

  const int in_, out_;
  const ServerHooks& hooks_;
  FrameReader frames_{max_request};
  std::mutex out_mutex_;
  std::mutex mutex_;  // guards the members up to source_
  std::condition_variable arrived_;
  std::deque<Message> waiting_;
  std::set<std::int64_t> cancelled_;
  std::optional<std::int64_t> current_;
  std::stop_source source_;
  Session session_;
  sim::Tracing tracing_;
};

}  // namespace

int serve(int in_fd, int out_fd, const ServerHooks& hooks) { return Server(in_fd, out_fd, hooks).run(); }

}  // namespace ww::rpc
