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
#include "device/device.h"
#include "gate/verdict_json.h"
#include "rpc/framing.h"
#include "rpc/messages.h"

namespace ww::rpc {
namespace {

constexpr int rpc_parse_error = -32700, rpc_invalid_request = -32600, rpc_unknown_method = -32601, rpc_invalid_params = -32602;
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
        send(error_text(m->id, {Code::invalid_argument, "the first request must be initialize", {}}, rpc_invalid_request));
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
      if (n <= 0) ::_exit(1);  // nobody listens
      done += static_cast<std::size_t>(n);
    }
  }

  int refuse(const Error& error) {
    send(error_text({}, error, rpc_parse_error));
    return 2;
  }

  Result<Message> receive() {  // ends the process at the end of input
    for (;;) {
      Result<std::optional<std::string>> body = frames_.next();
      if (!body) return fail(body.error());
      if (*body) return read_message(**body);
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
        if (current_ && *current_ == which) source_->cancel();
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
      CancelToken cancel;
      bool cancelled = false;
      {
        std::unique_lock lock(mutex_);
        current_.reset();
        arrived_.wait(lock, [&] { return !waiting_.empty(); });
        m = std::move(waiting_.front());
        waiting_.pop_front();
        source_ = std::make_unique<CancelSource>();
        current_ = m.id;
        cancel = source_->token();
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
      try {
        answer(m, cancel);
      } catch (const std::bad_alloc&) {
        send(error_text(m.id, {Code::device, "the worker's memory limit was reached", {}}));
      } catch (const std::exception& e) {
        send(error_text(m.id, {Code::internal, "the worker failed", e.what()}));
      }
    }
  }

  void answer(const Message& m, const CancelToken& cancel) {
    if (m.method == "gate") return gate(m, cancel);
    if (m.method == "compile") return compile(m);
    if (m.method == "execute" || m.method == "time" || m.method == "profile" || m.method == "step")
      return send(error_text(m.id, {Code::unsupported, "this worker does not know how to " + m.method + " yet", {}}));
    send(error_text(m.id, {Code::invalid_argument, "there is no method '" + m.method + "'", {}}, rpc_unknown_method));
  }

  bool initialize(const Message& m) {
    WarmUp warm;
    const Json& p = m.params;
    if (!p.contains("version") || p["version"] != protocol_version) {
      send(error_text(m.id, {Code::invalid_argument, "this worker speaks version " + std::to_string(protocol_version) + " of the protocol", {}}, rpc_invalid_params));
      return false;
    }
    try {
      warm.compile_cache = p.value("compile_cache", std::string());
      warm.memory_limit = p.value("memory_limit", std::int64_t{0});
      warm.profile = p.value("profile", std::string("simt"));
      threads_ = std::clamp(p.value("threads", 0), 0, 1024);
    } catch (const std::exception& e) {
      send(error_text(m.id, {Code::invalid_argument, "a parameter of initialize has the wrong type", e.what()}, rpc_invalid_params));
      return false;
    }
    Json compiler;
    Result<std::unique_ptr<compile::Compiler>> opened = compile::Compiler::open(warm.compile_cache);
    if (opened) {
      compiler_ = std::move(*opened);
      const compile::Toolkit& t = compiler_->toolkit();
      compiler_->preload();
      std::error_code ec;
      for (const std::filesystem::path& part : {t.nvrtc, t.nvjitlink, t.headers, t.ptxas, t.nvdisasm})
        if (std::filesystem::exists(part, ec)) warm.toolkit.push_back(part);
      compiler = {{"nvrtc", t.nvrtc.string()},       {"version", t.nvrtc_version},     {"nvjitlink", t.nvjitlink.string()},
                  {"headers", t.headers.string()},   {"ptxas", t.ptxas.string()},      {"nvdisasm", t.nvdisasm.string()},
                  {"includes", compiler_->headers()}};
    } else {
      compiler_error_ = opened.error();
      compiler = {{"error", opened.error().text()}};
    }
    Json devices = Json::array();
    if (const auto simt = open_device("simt"); simt) {
      const device::Facts& f = (*simt)->facts();
      devices.push_back({{"name", f.name}, {"description", f.description}, {"provenance", f.provenance}});
    }
    Json protections = Json::object();
    if (hooks_.lock_down) protections = Json::parse(hooks_.lock_down(warm), nullptr, false);
    send(result_text(*m.id, {{"version", protocol_version},
                             {"worker", {{"pid", ::getpid()}, {"profile", warm.profile}, {"protections", protections}}},
                             {"compiler", compiler},
                             {"devices", devices}}));
    return true;
  }

  Result<device::Device*> open_device(const std::string& name) {
    auto& device = devices_[name];
    if (!device) {
      Result<std::unique_ptr<device::Device>> opened = device::open(name);
      if (!opened) return fail(opened.error());
      device = std::move(*opened);
    }
    return device.get();
  }

  void gate(const Message& m, const CancelToken& cancel) {
    const Result<gate::Request> request = gate_request(m.params);
    if (!request) return send(error_text(m.id, request.error(), rpc_invalid_params));
    const Result<device::Device*> device = open_device(device_of(m.params));
    if (!device) return send(error_text(m.id, device.error()));
    if (!compiler_) return send(error_text(m.id, compiler_error_));
    const gate::Services services{compiler_.get(), *device, &references_, threads_};
    const std::int64_t id = *m.id;
    Result<gate::Verdict> verdict = gate::judge(*request, services, cancel, [&](const gate::Progress& p) {
      send(notification_text("progress", {{"id", id}, {"stage", gate::stage_name(p.stage)}, {"message", p.message}, {"fraction", p.fraction}}));
    });
    if (!verdict) return send(error_text(m.id, verdict.error()));
    send(result_text_of(id, gate::verdict_to_json(*verdict)));
  }

  void compile(const Message& m) {
    const Result<CompileRequest> request = compile_request(m.params);
    if (!request) return send(error_text(m.id, request.error(), rpc_invalid_params));
    if (!compiler_) return send(error_text(m.id, compiler_error_));
    Result<candidate::Candidate> parsed = candidate::parse(request->candidate, request->language);
    if (!parsed) return send(error_text(m.id, parsed.error()));
    compile::Request what;
    what.language = parsed->language;
    what.code = parsed->text;
    what.architecture = request->architecture;
    what.defines = candidate::first_tuning(*parsed);
    what.options = parsed->options;
    const Result<compile::Output> output = compiler_->compile(what);
    if (!output) return send(error_text(m.id, output.error()));
    send(result_text(*m.id, compile_result(*output)));
  }

  const int in_, out_;
  const ServerHooks& hooks_;
  FrameReader frames_;
  std::mutex out_mutex_;
  std::mutex mutex_;  // of what follows, up to source_
  std::condition_variable arrived_;
  std::deque<Message> waiting_;
  std::set<std::int64_t> cancelled_;
  std::optional<std::int64_t> current_;
  std::unique_ptr<CancelSource> source_;
  std::unique_ptr<compile::Compiler> compiler_;
  Error compiler_error_;
  std::map<std::string, std::unique_ptr<device::Device>> devices_;
  gate::ReferenceCache references_;
  int threads_ = 0;
};

}  // namespace

int serve(int in_fd, int out_fd, const ServerHooks& hooks) { return Server(in_fd, out_fd, hooks).run(); }

}  // namespace ww::rpc
