// SPDX-License-Identifier: Apache-2.0
// Stands in for the worker in tests: answers "initialize", then does to "gate" what its argument says.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include "base/device_name.h"
#include "evidence/verdict_json.h"
#include "rpc/cache_messages.h"
#include "../support/genuine_verdict.h"
#include "../support/worker_talk.h"
#include "rpc/process.h"

using namespace ww;
using namespace ww::rpc;
using namespace ww::support;

namespace {

[[noreturn]] void hang() {
  for (;;) ::pause();
}

std::string good_verdict(const Message& m) {
  const auto request = request_of<GateRequest>(m.params);
  return request && m.method == "gate" ? evidence::verdict_to_json(genuine_verdict(*request)) : "{}";
}

void progress(std::int64_t id) {
  send(notification_text(
      "progress", {{"id", id}, {"stage", "cases"}, {"message", "case odd, inputs 3 of 5 (ramp)"}, {"fraction", 0.5}}));
}

// Accepts once a worker of the other device has come as far: each end of a pipe waits for the other to be opened.
void meet(const Message& m, const char* pipe) {
  const auto request = request_of<GateRequest>(m.params);
  ::close(::open(pipe, request && is_simt(request->device) ? O_WRONLY : O_RDONLY));
  send(result_text_of(*m.id, good_verdict(m)));
}

// A GPU that refuses the candidate beside a SIMT machine that never ends.
void refuse_at_once(const Message& m) {
  const auto request = request_of<GateRequest>(m.params);
  if (!request || is_simt(request->device)) hang();
  send(result_text_of(*m.id, evidence::verdict_to_json(genuine_rejection(*request, evidence::Stage::compile))));
}

// Keeps something for each candidate, and lies about a device; its progress says what it was handed.
void keep(const Message& m) {
  std::string names;
  for (const auto& [name, bytes] : m.kept) names += name + "=" + bytes + " ";
  send(notification_text("progress", {{"id", *m.id}, {"stage", "cases"}, {"message", names}, {"fraction", 0.5}}));
  const bool device = m.method == "device";
  const CacheEntries made{{device ? "ceilings-gpu" : "compiled", m.method}, {"ceilings-lie", "of a " + m.method}};
  DeviceReply facts;
  facts.details.name = m.params.value("name", "");
  const std::string result = device ? json::dump(json::of(facts)) : good_verdict(m);
  send(with_cache(result_text_of(*m.id, result), made));
}

// An honest verdict of a judgement in which the GPU's context was lost.
std::string lost_verdict(const Message& m) {
  const auto request = request_of<GateRequest>(m.params);
  if (!request) return "{}";
  evidence::Verdict v = genuine_rejection(*request, evidence::Stage::compile);
  evidence::StageResult& compile = v.stages[static_cast<std::size_t>(evidence::Stage::compile)];
  compile.outcome = evidence::Outcome::not_judged;
  compile.failure = evidence::Failure{};
  compile.failure->fault = Fault{};
  compile.failure->fault->kind = FaultKind::device_lost;
  return evidence::verdict_to_json(v);
}

void misbehave(const std::string& how, const Message& m, const char* file) {
  const std::int64_t id = *m.id;
  if (how == "meet") return meet(m, file);
  if (how == "refuse-at-once") return refuse_at_once(m);
  if (how == "early-death") std::_Exit(4);
  if (how == "keep") return keep(m);
  progress(id);
  if (how == "keep-too-much") {
    const CacheEntries made{{"compiled", std::string(max_cache_message_bytes + 1, 'x')}};
    return send(with_cache(result_text_of(id, good_verdict(m)), made));
  }
  if (how == "keep-nonsense") {
    std::string reply = result_text_of(id, good_verdict(m));
    reply.pop_back();
    return send(reply + R"(,"kept":{"compiled":"not hex"}})");
  }
  if (how == "lose-device") {
    send(notification_text("leaving", {{"id", id}, {"why", "the context is lost"}}));
    send(result_text_of(id, lost_verdict(m)));
    std::_Exit(0);
  }
  if (how == "spin") {  // half a second of the processor
    timespec now{};
    do ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    while (now.tv_sec == 0 && now.tv_nsec < 500'000'000);
    return send(result_text_of(id, good_verdict(m)));
  }
  if (how == "good") return send(result_text_of(id, good_verdict(m)));
  if (how == "leaving" || how == "leaving-stuck") {
    std::signal(SIGTERM, SIG_IGN);
    send(notification_text("leaving", {{"id", id}, {"why", "the context is lost"}}));
    send(result_text_of(id, good_verdict(m)));
    if (how == "leaving") std::_Exit(0);
    hang();
  }
  if (how == "refuse") return send(error_text(id, {Code::unavailable, "no compiler here", "none"}));
  if (how == "silent") hang();
  if (how == "stubborn") {
    std::signal(SIGTERM, SIG_IGN);
    progress(id);
    hang();
  }
  if (how == "garbage") {
    send_bytes("Segmentation fault? No: just words\n");
    hang();
  }
  if (how == "not-json") return send("{{{");
  if (how == "no-verdict") return send(result_text_of(id, "{\"version\": 1}"));
  if (how == "another") {  // an honest verdict of another candidate
    Message other = m;
    other.params["candidate"] = m.params["candidate"].get<std::string>() + "// another\n";
    return send(result_text_of(id, good_verdict(other)));
  }
  if (how == "wrong-id") return send(result_text_of(id + 1, good_verdict(m)));
  if (how == "huge") {
    send_bytes("Content-Length: 99999999999\r\n\r\n");
    hang();
  }
  if (how == "abort") {
    std::fputs("something terrible\n", stderr);
    std::abort();
  }
  if (how == "exit") std::_Exit(3);
  if (how == "no-memory") std::_Exit(Process::out_of_memory_status);
  if (how == "no-time") std::raise(SIGXCPU);
  if (how == "close") {  // closes its output and lives on
    ::close(0);
    ::close(1);
    hang();
  }
  if (how == "flood")
    for (;;) progress(id);
  if (how == "shout") {
    const std::string line(1000, 'e');
    for (int i = 0; i < 5000; ++i) std::fprintf(stderr, "%s\n", line.c_str());
    std::fputs("the last words\n", stderr);
    std::_Exit(5);
  }
  if (how == "obedient") {  // answers when it is cancelled
    for (;;)
      if (receive().method == "cancel") return send(error_text(id, {Code::cancelled, "cancelled", {}}));
  }
  std::_Exit(6);
}

// A subject called "deadly" takes the device with it; without it, all are timed.
void answer_time(const Message& m, const std::string& how) {
  const auto request = request_of<TimeRequest>(m.params);
  if (!request) return send(error_text(m.id, request.error()));
  TimeReply reply;
  reply.device.name = request->device;
  const bool deadly = std::any_of(request->subjects.begin(), request->subjects.end(),
                                  [](const TimeSubject& s) { return s.name == "deadly"; });
  for (const TimeSubject& s : request->subjects) {
    TimedOutcome o;
    o.name = s.name;
    if (s.name == "deadly") o.error = "it took the device with it";
    if (!deadly && how != "lazy") o.timings = {{s.name, profile::Cache::cold, {{5.0}}}};
    reply.subjects.push_back(std::move(o));
  }
  if (deadly) send(notification_text("leaving", {{"id", *m.id}, {"why", "the context is lost"}}));
  send(result_text(*m.id, json::of(reply)));
  if (deadly) std::_Exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  std::string how = argc > 1 ? argv[1] : "good";
  if (how == "dead-on-arrival") {
    std::fputs("cannot load libsomething\n", stderr);
    return 1;
  }
  if (how == "mute") hang();
  if (how == "killed-once" && std::rename(argv[2], (std::string(argv[2]) + ".gone").c_str()) == 0) std::raise(SIGKILL);
  // Only the first one loses its device.
  if (how == "lose-device-once" && std::rename(argv[2], (std::string(argv[2]) + ".gone").c_str()) != 0) how = "good";
  if (how == "lose-device-once") how = "lose-device";
  for (;;) {
    const Message m = receive();
    if (!m.id) continue;
    if (m.method == "initialize") {
      send(result_text(*m.id, {{"version", protocol_version}}));
    } else if (m.method == "gate") {
      misbehave(how, m, argc > 2 ? argv[2] : "");
    } else if (m.method == "time" && how != "abort") {
      answer_time(m, how);
    } else if (m.method == "compile" || m.method == "time" || m.method == "profile" || m.method == "device") {
      misbehave(how, m, argc > 2 ? argv[2] : "");
    } else if (m.method == "shutdown") {
      if (how == "stubborn" || how == "clinging") hang();
      send(result_text(*m.id, Json::object()));
      return 0;
    }
  }
}
