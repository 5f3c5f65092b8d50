// SPDX-License-Identifier: Apache-2.0
// How long one candidate takes from its text to its verdict: the whole gate, timing and counters, in a warm worker.
//   bench_gate_rate [--device cuda:0] [--ops map/relu,normalize/softmax] [--bind "R = 8192, C = 8192"] [--count 100]
//                   [--seeds 5]
// The candidates are the search's, no two alike, the same number for each op; each is judged once, in the order of the
// ops. Prints median, quartiles, the slowest, candidates an hour, and each stage's share.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include "base/files.h"
#include "corpus/expectation.h"
#include "corpus/fault_run.h"
#include "profile/statistics.h"

using namespace ww;
using Clock = std::chrono::steady_clock;

namespace {

struct Wanted {  // by the command line
  std::string device = "simt", ops = "map/relu,normalize/softmax", bind;
  std::size_t count = 100;
  int seeds = 5;
};

bool read_arguments(int argc, char** argv, Wanted& w) {
  for (int i = 1; i < argc; ++i) {
    const auto is = [&](const char* name) { return std::strcmp(argv[i], name) == 0 && i + 1 < argc; };
    if (is("--device"))
      w.device = argv[++i];
    else if (is("--ops"))
      w.ops = argv[++i];
    else if (is("--bind"))
      w.bind = argv[++i];
    else if (is("--count"))
      w.count = static_cast<std::size_t>(std::max(1, std::atoi(argv[++i])));
    else if (is("--seeds"))
      w.seeds = std::max(1, std::atoi(argv[++i]));
    else
      return std::fprintf(stderr, "unknown option '%s'; see the top of the source\n", argv[i]), false;
  }
  if (w.bind.empty()) w.bind = w.device == "simt" ? "R = 128, C = 128" : "R = 8192, C = 8192";
  return true;
}

int failed(const Error& error) { return std::fprintf(stderr, "%s\n", error.text().c_str()), 2; }

void print_summary(const std::string& name, const profile::Summary& s, const std::string& more = {}) {
  std::printf("%-20s %4d candidates: median %.3f s, quartiles %.3f to %.3f s, slowest %.3f s%s\n", name.c_str(),
              s.count, s.median, s.q1, s.q3, s.most, more.c_str());
}

struct Tally {
  std::vector<double> seconds;
  std::map<evidence::Stage, double> stages;
  int accepted = 0, timed = 0, counted = 0;

  void add(const evidence::Verdict& v, double s) {
    seconds.push_back(s);
    if (v.accepted)
      ++accepted;
    else
      std::fprintf(stderr, "rejected: %s\n", v.summary().c_str());
    for (const evidence::StageResult& stage : v.stages) stages[stage.stage] += stage.seconds;
    if (v.metrics)
      for (const auto& [name, value] : v.metrics->values)
        timed += name == "median_us", counted += name == "dram__bytes.sum" || name == "global_sectors";
  }

  void print(const Wanted& w, int workers) const {
    const double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    const profile::Summary s = profile::summarise(seconds);
    print_summary("all", s);
    std::printf(
        "%d accepted, %d timed, %d counted; %.0f candidates an hour (%.1f s in all); %d worker%s; device %s, %s, %d "
        "input sets a case\n",
        accepted, timed, counted, 3600 * s.count / total, total, workers, workers == 1 ? "" : "s", w.device.c_str(),
        w.bind.c_str(), w.seeds);
    double staged = 0;
    for (const auto& [stage, time] : stages) staged += time;
    std::printf("share of the time:");
    for (const auto& [stage, time] : stages)
      std::printf(" %s %.1f %%,", enum_string(stage).c_str(), 100 * time / total);
    std::printf(" between processes %.1f %%\n", 100 * std::max(0.0, total - staged) / total);
  }
};

}  // namespace

int main(int argc, char** argv) {
  Wanted w;
  if (!read_arguments(argc, argv, w)) return 2;
  const Result<op::Binding> read = corpus::binding_of(w.bind);
  if (!read) return std::fprintf(stderr, "%s\n", read.error().text().c_str()), 2;
  const op::Binding& binding = *read;
  rpc::WorkerOptions options;
  options.profile = rpc::worker_profile(w.device);
  rpc::Supervisor supervisor(options);
  if (const Status warm = supervisor.warm_up(); !warm) return failed(warm.error());
  const std::vector<std::string> names = corpus::split(w.ops, ',');
  Tally all;
  for (std::size_t n = 0; n < names.size(); ++n) {
    const auto spec = read_file(resources_dir() / "ops" / (names[n] + ".op"));
    if (!spec) return failed(spec.error());
    const std::size_t wanted = w.count * (n + 1) / names.size() - w.count * n / names.size();
    const auto texts = corpus::good_candidates(*spec, binding, wanted);
    if (!texts) return failed(texts.error());
    std::vector<double> seconds;
    for (const std::string& text : *texts) {
      rpc::GateRequest request;
      request.spec = *spec;
      request.candidate = text;
      request.device = w.device;
      request.architecture.clear();
      request.binding = binding;
      request.seeds = w.seeds;
      const Clock::time_point start = Clock::now();
      const Result<evidence::Verdict> v = supervisor.gate(request);
      seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
      if (!v) return failed(v.error());
      all.add(*v, seconds.back());
      if (v->accepted && v->metrics && seconds.size() == 1)
        for (const evidence::StageResult& s : v->stages)
          std::printf("  %-12s %6.3f s  %s\n", enum_string(s.stage).c_str(), s.seconds, s.message.c_str());
    }
    char first[40];
    std::snprintf(first, sizeof first, ", first %.3f s", seconds.front());
    print_summary(names[n], profile::summarise(seconds), first);
  }
  all.print(w, supervisor.started());
  return all.accepted == static_cast<int>(all.seconds.size()) ? 0 : 1;
}
