// SPDX-License-Identifier: Apache-2.0
// Speaks the worker's protocol and judges each candidate as its comment "// becomes: …" says (script.h).
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>
#include "explore/rank.h"
#include "gate/verdict_json.h"
#include "rpc/framing.h"
#include "rpc/messages.h"

using namespace ww;
using namespace ww::rpc;

namespace {

FrameReader frames;

void send(const std::string& body) {
  const std::string bytes = frame(body);
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(1, bytes.data() + done, bytes.size() - done);
    if (n <= 0) std::_Exit(9);
    done += static_cast<std::size_t>(n);
  }
}

Message receive() {
  for (;;) {
    const auto body = frames.next();
    if (!body) std::_Exit(8);
    if (*body) {
      auto m = read_message(**body);
      if (!m) std::_Exit(7);
      return std::move(*m);
    }
    char buffer[4096];
    const ssize_t n = ::read(0, buffer, sizeof buffer);
    if (n <= 0) std::_Exit(0);
    frames.feed({buffer, static_cast<std::size_t>(n)});
  }
}

gate::Verdict verdict(bool accepted, double cost) {
  gate::Verdict v;
  v.device = "simt";
  v.accepted = accepted;
  for (const gate::Stage stage : gate::all_stages) v.stages.push_back({stage, gate::Outcome::passed, "fine", "", {}, 0});
  v.resources.push_back({"k", 16, 64, 0, 0, 0, 0, 0});
  v.ptx = "// PTX\n";
  if (!accepted) {
    gate::StageResult& s = v.stages[2];
    s.outcome = gate::Outcome::failed;
    s.message = "y differs from the reference";
    gate::Failure f;
    f.case_name = "odd";
    f.element = gate::FailingElement{"y", {3}, 6, 7, 1e-6, 4, 1, 33};
    s.failure = f;
    for (std::size_t later = 3; later < v.stages.size(); ++later) v.stages[later].outcome = gate::Outcome::skipped;
    return v;
  }
  v.coverage.push_back({"default", {{{"N", 64}}, {}}, true, 5});
  gate::Metrics m;
  m.provenance = "simulated";
  m.device = "simt";
  m.case_name = "default";
  if (const auto rules = explore::RankRules::load())
    for (const auto& term : rules->terms) m.values.emplace_back(term.metric, term.metric == "warp_instructions.integer" ? cost / 2 : 0);
  m.values.emplace_back("launches", 1);
  m.values.emplace_back("warps", 64);
  m.lines = {{5, 10, 320, 4, 0, 0, 0}};
  v.metrics = m;
  return v;
}

void judge(const Message& request) {
  const std::string text = request.params.value("candidate", "");
  const std::string key = "// becomes: ";
  const std::size_t at = text.find(key);
  std::istringstream words(at == std::string::npos ? "rejected" : text.substr(at + key.size()));
  std::string word, argument;
  words >> word >> argument;
  send(notification_text("progress", {{"id", *request.id}, {"stage", "cases"}, {"message", "case odd"}, {"fraction", 0.5}}));
  if (word == "crash") std::raise(SIGSEGV);
  if (word == "hang" || (word == "hang-unless" && !std::filesystem::exists(argument))) {
    std::ofstream(argument) << "was here";
    for (;;) ::pause();
  }
  if (word == "unavailable") return send(error_text(*request.id, {Code::unavailable, "there is no compiler here", ""}));
  if (word == "internal") return send(error_text(*request.id, {Code::internal, "a defect", ""}));
  const bool accepted = word == "accepted" || word == "hang-unless";
  send(result_text_of(*request.id, gate::verdict_to_json(verdict(accepted, word == "accepted" ? std::atof(argument.c_str()) : 100))));
}

}  // namespace

int main() {
  for (;;) {
    const Message m = receive();
    if (!m.id) continue;  // notifications
    if (m.method == "initialize") {
      send(result_text(*m.id, {{"version", protocol_version}, {"worker", {{"name", "scripted"}}}, {"compiler", {{"version", "none"}}}, {"devices", Json::array()}}));
    } else if (m.method == "gate") {
      judge(m);
    } else if (m.method == "shutdown") {
      send(result_text(*m.id, Json::object()));
      return 0;
    } else {
      send(error_text(m.id, {Code::unsupported, "not scripted", ""}));
    }
  }
}
