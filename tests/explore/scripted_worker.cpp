// SPDX-License-Identifier: Apache-2.0
// Speaks the worker's protocol and judges each candidate as its comment "// becomes: …" says (script.h).
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>
#include "appraisal/rank.h"
#include "base/device_name.h"
#include "evidence/verdict_json.h"
#include "rpc/process.h"
#include "../support/genuine_verdict.h"
#include "../support/worker_talk.h"

using namespace ww;
using namespace ww::rpc;
using namespace ww::support;

namespace {

// What follows "// ptx: " makes the program, else the whole text. "// reads the clock": so does the program.
std::string ptx_of(const std::string& text) {
  const std::string key = "// ptx: ";
  const std::size_t at = text.find(key);
  const std::string what =
      at == std::string::npos ? text : text.substr(at + key.size(), text.find('\n', at) - at - key.size());
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 k_param_0)\n{\n.reg .b32 "
         "%r<2>;\n// " +
         std::to_string(text.size()) +
         (text.find("// reads the clock") != std::string::npos ? "\nmov.u32 %r1, %clock;" : "") + "\nmov.b32 %r1, 0x" +
         hash_hex(what).substr(0, 8) + ";\nret;\n}\n";
}

evidence::Verdict verdict(const GateRequest& request, bool accepted, double cost) {
  using enum evidence::Stage;
  evidence::Verdict v = accepted ? genuine_verdict(request) : genuine_rejection(request, smoke);
  if (!accepted) {
    evidence::StageResult& s = v.stages[2];
    s.message = "y differs from the reference";
    evidence::Failure f;
    f.case_name = "odd";
    f.binding.symbols = {{"N", 33}};
    f.element = evidence::FailingElement{"y", {3}, 6, 7, 1e-6, 4, 1, 33};
    s.failure = f;
    return v;
  }
  if (!v.metrics) return v;
  evidence::Metrics& m = *v.metrics;
  m.provenance = Provenance::simulated;
  if (const auto rules = appraisal::RankRules::load())
    for (const auto& term : rules->terms)
      m.values.emplace_back(term.metric, term.metric == "warp_instructions.integer" ? cost / 2 : 0);
  m.lines = {{5, 10, 320, 4, 0, 0, 0}};
  return v;
}

evidence::Verdict measured(const GateRequest& request, double time, double floor) {
  evidence::Verdict v = verdict(request, true, 0);
  evidence::Metrics m;
  m.provenance = Provenance::measured;
  m.device = request.device;
  m.case_name = "default";
  m.values = {{"median_us", time}, {"q1_us", 0.98 * time}, {"q3_us", 1.03 * time}};
  m.floor = evidence::Floor{floor};
  if (time < floor) m.impossible = "below its floor";
  m.conditions.gpu = "NVIDIA H200";
  m.conditions.cache = "cold";
  v.metrics = m;
  return v;
}

void judge(const Message& request) {
  const auto asked = request_of<GateRequest>(request.params);
  if (!asked) std::_Exit(4);
  const std::string text = asked->candidate;
  const std::string key = "// becomes: ";
  const std::size_t at = text.find(key);
  std::istringstream words(at == std::string::npos ? "rejected" : text.substr(at + key.size()));
  std::string word, argument, second;
  words >> word >> argument >> second;
  send(notification_text("progress",
                         {{"id", *request.id}, {"stage", "cases"}, {"message", "case odd"}, {"fraction", 0.5}}));
  if (word == "crash") std::raise(SIGSEGV);
  if (word == "exhausted") std::_Exit(Process::out_of_memory_status);
  if (word == "hang" || (word == "hang-unless" && !std::filesystem::exists(argument))) {
    std::ofstream(argument) << "was here";
    for (;;) ::pause();
  }
  if (word == "unavailable") return send(error_text(*request.id, {Code::unavailable, "there is no compiler here", ""}));
  if (word == "incomputable")
    return send(error_text(*request.id, {Code::invalid_argument, "the reference of the case odd cannot be evaluated",
                                         "integer division by zero in x[i] / 0"}));
  if (word == "internal") return send(error_text(*request.id, {Code::internal, "a defect", ""}));
  const auto reply = [&](evidence::Verdict v) {
    v.ptx = ptx_of(text);
    send(result_text_of(*request.id, evidence::verdict_to_json(v)));
  };
  const bool measures = word == "measured" || word == "alone";
  if (measures && is_simt(asked->device)) return reply(verdict(*asked, true, 100));  // the second judge
  if (word == "alone") {  // accepted unless another worker is between the same two lines
    const bool alone = std::filesystem::create_directory(argument);
    for (int i = 0; i < 2000; ++i)
      send(notification_text("progress",
                             {{"id", *request.id}, {"stage", "cases"}, {"message", "case odd"}, {"fraction", 0.5}}));
    if (!alone) return reply(verdict(*asked, false, 0));
    std::filesystem::remove(argument);
    return reply(measured(*asked, 10, 8));
  }
  if (word == "measured") {
    const double time = std::atof(argument.c_str());
    return reply(
        measured(*asked, std::getenv("WARPWRIGHT_SCRIPT_REVERSED") ? 1e9 / time : time, std::atof(second.c_str())));
  }
  if (word == "leaves") {
    send(notification_text("leaving", {{"id", *request.id}, {"why", "an illegal memory access"}}));
    reply(verdict(*asked, false, 0));
    std::_Exit(0);
  }
  const bool accepted = word == "accepted" || word == "hang-unless";
  reply(verdict(*asked, accepted, word == "accepted" ? std::atof(argument.c_str()) : 100));
}

// y[3] of 33 is wrong; "// forges its map": another count of them.
void show_wrong(const Message& request) {
  const auto asked = request_of<GateRequest>(request.params);
  if (!asked) std::_Exit(4);
  evidence::WrongMap map;
  map.tensor = "y";
  map.dtype = "f32";
  map.shape = {33};
  map.failure.case_name = asked->candidate.find("// of another case") == std::string::npos ? "odd" : "prime";
  map.failure.binding.symbols = {{"N", 33}};
  map.failure.element = evidence::FailingElement{"y", {3}, 6, 7, 1e-6, 4, 1, 33};
  map.columns = 33;
  map.wrong_matrices = 1;
  map.wrong_elements = {evidence::WrongPattern::single, {0, 1, 1}, {3, 1, 1}, {}, 1};
  evidence::WrongMatrix m;
  m.wrong = asked->candidate.find("// forges its map") == std::string::npos ? 1 : 2;
  m.first = 3;
  for (std::int64_t i = 0; i < 33; ++i) {
    m.element.push_back(i);
    m.expected.push_back(6);
    m.actual.push_back(i == 3 ? 7 : 6);
    m.ratio.push_back(i == 3 ? 1e6 : 0);
  }
  map.maps = {m};
  send(result_text_of(*request.id, json::text_of(map)));
}

// y[0] is wrong wherever N is 3 or more, and nowhere else; "// right alone": only in the whole judgement.
void reproduce(const Message& request) {
  const auto asked = request_of<ReproduceRequest>(request.params);
  if (!asked) std::_Exit(4);
  gate::Reproduction shown;
  const bool alone = asked->judgement.candidate.find("// right alone") == std::string::npos;
  if (alone && asked->one.binding.symbols.at("N") >= 3) {
    shown.message = "y[0] is 7, expected 6";
    shown.failure.emplace();
    shown.failure->case_name = "alone";
    shown.failure->binding = asked->one.binding;
    shown.failure->distribution = asked->one.distribution;
    shown.failure->element = evidence::FailingElement{"y", {0}, 6, 7, 1e-6, 4, 1, 3};
  }
  send(result_text(*request.id, json::of(shown)));
}

}  // namespace

int main() {
  for (;;) {
    const Message m = receive();
    if (!m.id) continue;  // notifications
    if (m.method == "initialize") {
      WorkerReport report{.version = protocol_version,
                          .profile = enum_or_unknown<WorkerProfile>(m.params.value("profile", ""))};
      report.compiler.version = "none";
      send(result_text_of(*m.id, json::text_of(report)));
    } else if (m.method == "gate") {
      judge(m);
    } else if (m.method == "show_wrong") {
      show_wrong(m);
    } else if (m.method == "reproduce") {
      reproduce(m);
    } else if (m.method == "compile") {
      static std::string lie;  // the program of one that took this worker over
      const std::string text = m.params.value("candidate", "");
      compile::Output output;
      output.ptx = lie.empty() ? ptx_of(text) : lie;
      if (text.find("// takes its worker over") != std::string::npos) lie = output.ptx;
      send(result_text(*m.id, compile_result(output)));
    } else if (m.method == "device") {
      DeviceReply reply;
      reply.details.name = m.params.value("name", "");
      reply.details.architecture = "sm_90";
      if (reply.details.name == "cuda:0")
        send(result_text(*m.id, json::of(reply)));
      else
        send(error_text(m.id, {Code::unavailable, "there is no device " + reply.details.name, ""}));
    } else if (m.method == "shutdown") {
      send(result_text(*m.id, Json::object()));
      return 0;
    } else {
      send(error_text(m.id, {Code::unsupported, "not scripted", ""}));
    }
  }
}
