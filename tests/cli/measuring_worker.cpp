// SPDX-License-Identifier: Apache-2.0
// Stands in for a worker with a GPU: its times and counters follow from words in the candidates' texts ("us=12.5",
// "fails", "wrong", "denied", "recorded"). Called with arguments it stands in for a Python that runs the PyTorch
// helper.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include "../support/worker_talk.h"
#include "base/described_json.h"
#include "base/files.h"

using namespace ww;
using namespace ww::rpc;
using namespace ww::support;

namespace {

double number_after(const std::string& text, const std::string& key, double otherwise) {
  const std::size_t at = text.find(key);
  return at == std::string::npos ? otherwise : std::atof(text.c_str() + at + key.size());
}

profile::DeviceDetails details(const std::string& name) {
  profile::DeviceDetails d;
  d.name = name;
  d.gpu = "Stand-in GPU";
  d.driver = "123.45";
  d.cuda = "13.0";
  d.architecture = "sm_90";
  d.multiprocessors = 10;
  d.memory = std::int64_t{8} << 30;
  d.l2 = 1 << 20;
  d.datasheet = {{"bandwidth", 2e12}, {"f32", 5e13}};
  d.datasheet_source = "a stand-in's leaflet";
  return d;
}

profile::Ceilings ceilings() {
  profile::Ceilings c;
  c.copy_bandwidth = 1e12;
  c.matrix_rate = {{"f32", 2e13}};
  c.device = "Stand-in GPU";
  c.measured = "2026-11-20";
  return c;
}

std::vector<profile::SubjectTiming> timings(const std::string& name, double us, int first_round, int rounds,
                                            int samples) {
  std::vector<profile::SubjectTiming> out;
  for (const profile::Cache cache : {profile::Cache::cold, profile::Cache::warm}) {
    profile::SubjectTiming t;
    t.subject = name;
    t.cache = cache;
    for (int r = first_round; r < first_round + rounds; ++r)
      for (int s = 0; s < samples; ++s) {
        profile::TimedSample sample;
        sample.us = us * (1 + 0.001 * ((r * 7 + s * 3) % 5)) * (cache == profile::Cache::cold ? 1.5 : 1);
        sample.round = r;
        sample.clocks.sm_mhz = 1500;
        sample.clocks.throttle = 0;
        t.samples.push_back(sample);
      }
    out.push_back(t);
  }
  return out;
}

void time(const Message& m) {
  const Result<TimeRequest> r = request_of<TimeRequest>(m.params);
  if (!r) return send(error_text(m.id, r.error()));
  TimeReply reply;
  reply.device = details(r->device);
  for (const TimeSubject& s : r->subjects) {
    TimedOutcome o;
    o.name = s.name;
    if (s.candidate.find("crash") != std::string::npos) std::_Exit(3);
    if (s.candidate.find("fails") != std::string::npos)
      o.error = "it writes out of bounds";
    else
      o.timings = timings(s.name, s.candidate.empty() ? 40 : number_after(s.candidate, "us=", 20), r->round_offset,
                          r->rounds, r->samples);
    o.verified = o.error.empty() && r->verify;
    if (!s.baseline.empty()) o.note = "the baseline " + s.baseline;
    reply.subjects.push_back(o);
  }
  send(result_text(*m.id, json::of(reply)));
}

void count(const Message& m) {
  const Result<CountRequest> r = request_of<CountRequest>(m.params);
  if (!r) return send(error_text(m.id, r.error()));
  profile::CounterReport report;
  report.set = r->set;
  if (r->candidate.find("denied") != std::string::npos) {
    report.why_not =
        "the driver lets only administrators read counters; an administrator allows it with "
        "NVreg_RestrictProfilingToAdminUsers=0";
  } else if (r->candidate.find("recorded") != std::string::npos) {  // on an H200
    const Json kept = json::parse(read_file(RECORDED_COUNTERS).value()).value();
    report = json::read<profile::CounterReport>(kept["counters"], "the recorded counters cannot be read").value();
    report.kernels.front().kernel = "k";
  } else {
    profile::KernelCounters k;
    k.kernel = "k";
    k.values = {{"dram__bytes.sum", "byte", 4096},
                {"sm__warps_active.avg.pct_of_peak_sustained_active", "%", 51.25},
                {"unknown", "", profile::unknown}};
    k.lines = {{3, {{"long_scoreboard", 17}, {"barrier", 2}}}};
    report.kernels.push_back(k);
    report.passes = 4;
  }
  send(result_text(*m.id, json::of(report)));
}

int worker() {
  for (;;) {
    const Message m = receive();
    if (!m.id) continue;
    if (m.method == "initialize") {
      WorkerReport report{.version = protocol_version,
                          .profile = enum_or_unknown<WorkerProfile>(m.params.value("profile", ""))};
      report.compiler.version = "13.0";
      send(result_text(*m.id, json::of(report)));
    } else if (m.method == "device") {
      const auto r = request_of<DeviceRequest>(m.params);
      if (r->name != "cuda:0")
        send(error_text(m.id, {Code::unavailable, "there is no CUDA device '" + r->name + "'", ""}));
      else
        send(result_text(
            *m.id, json::of(DeviceReply{details(r->name), r->ceilings ? std::optional(ceilings()) : std::nullopt})));
    } else if (m.method == "time") {
      time(m);
    } else if (m.method == "profile") {
      count(m);
    } else if (m.method == "compile") {
      compile::Output out;
      out.ptx = ".visible .entry k() { ret; }\n";
      out.resources.push_back({"k", 40, 1024, 0, 0, 0, 0, 0});
      send(result_text(*m.id, compile_result(out)));
    } else if (m.method == "shutdown") {
      send(result_text(*m.id, Json::object()));
      return 0;
    } else {
      send(error_text(m.id, {Code::unsupported, "the stand-in cannot " + m.method, ""}));
    }
  }
}

// PyTorch: what it does is said by $WARPWRIGHT_STANDIN_TORCH; what it was asked to prepare is written to
// $WARPWRIGHT_STANDIN_TORCH_LOG.
int torch() {
  const char* how = std::getenv("WARPWRIGHT_STANDIN_TORCH");
  const std::string behaviour = how ? how : "good";
  for (;;) {
    const Message m = receive();
    if (m.method == "describe") {
      if (behaviour == "dies") return 5;
      send(result_text(*m.id, {{"python", "3.11"},
                               {"torch", "2.11"},
                               {"cuda", "13.0"},
                               {"gpu", "Stand-in GPU"},
                               {"why_not", behaviour == "cpu" ? "no CUDA device for PyTorch 2.11" : ""}}));
    } else if (m.method == "prepare") {
      if (const char* log = std::getenv("WARPWRIGHT_STANDIN_TORCH_LOG")) std::ofstream(log) << m.params.dump();
      send(result_text(*m.id, {{"variants",
                                {{{"name", "torch eager"}, {"error", ""}, {"note", "TF32 off"}},
                                 {{"name", "torch.compile"}, {"error", "no compiler for it"}, {"note", ""}}}}}));
    } else if (m.method == "time") {
      if (behaviour == "dies later" && m.params.value("round", 0) == 2) std::_Exit(6);
      Json list = Json::array();
      for (const profile::SubjectTiming& t :
           timings("torch eager", 30, m.params.value("round", 0), 1, m.params.value("samples", 1)))
        list.push_back(json::of(t));
      send(result_text(*m.id, {{"timings", list}}));
    } else {
      send(result_text(*m.id, Json::object()));
      return 0;
    }
  }
}

}  // namespace

int main(int argc, char**) { return argc > 1 ? torch() : worker(); }
