// SPDX-License-Identifier: Apache-2.0
// How long one candidate takes from its text to its verdict: the whole gate, timing and counters, in a warm worker.
//   bench_gate_rate [--device cuda:0] [--ops map/relu,normalize/softmax] [--bind "R = 8192, C = 8192"] [--count 100]
//   [--seeds 5]
// The candidates are the search's, no two alike, the same number for each op; each is judged once, in the order of the
// ops. Prints median, quartiles,
// the slowest, candidates an hour, and each stage's share.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include "base/files.h"
#include "corpus/expectation.h"
#include "corpus/fault_run.h"
#include "profile/statistics.h"

using namespace ww;
using Clock = std::chrono::steady_clock;

int main(int argc, char** argv) {
  std::string device = "simt", ops = "map/relu,normalize/softmax";
  std::string bind;
  std::size_t count = 100;
  int seeds = 5;
  for (int i = 1; i < argc; ++i) {
    const auto is = [&](const char* name) { return std::strcmp(argv[i], name) == 0 && i + 1 < argc; };
    if (is("--device"))
      device = argv[++i];
    else if (is("--ops"))
      ops = argv[++i];
    else if (is("--bind"))
      bind = argv[++i];
    else if (is("--count"))
      count = static_cast<std::size_t>(std::max(1, std::atoi(argv[++i])));
    else if (is("--seeds"))
      seeds = std::max(1, std::atoi(argv[++i]));
    else
      return std::fprintf(stderr, "unknown option '%s'; see the top of the source\n", argv[i]), 2;
  }
  if (bind.empty()) bind = device == "simt" ? "R = 128, C = 128" : "R = 8192, C = 8192";
  const op::Binding binding = corpus::binding_of(bind);
  rpc::WorkerOptions options;
  if (device.starts_with("cuda")) options.profile = "cuda";
  rpc::Supervisor supervisor(options);
  if (const Status warm = supervisor.warm_up(); !warm)
    return std::fprintf(stderr, "%s\n", warm.error().text().c_str()), 2;

  const std::vector<std::string> names = corpus::split(ops, ',');
  std::vector<double> all;
  std::map<evidence::Stage, double> stages;
  double total = 0;
  int accepted = 0, timed = 0, counted = 0, workers = 0;
  for (std::size_t n = 0; n < names.size(); ++n) {
    const auto spec = read_file(resources_dir() / "ops" / (names[n] + ".op"));
    if (!spec) return std::fprintf(stderr, "%s\n", spec.error().text().c_str()), 2;
    const std::size_t wanted = count * (n + 1) / names.size() - count * n / names.size();
    const auto texts = corpus::good_candidates(*spec, binding, wanted);
    if (!texts) return std::fprintf(stderr, "%s\n", texts.error().text().c_str()), 2;
    std::vector<double> seconds;
    for (const std::string& text : *texts) {
      rpc::GateRequest request;
      request.spec = *spec;
      request.candidate = text;
      request.device = device;
      request.architecture.clear();
      request.binding = binding;
      request.seeds = seeds;
      const Clock::time_point start = Clock::now();
      const Result<evidence::Verdict> v = supervisor.gate(request);
      seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
      if (!v) return std::fprintf(stderr, "%s\n", v.error().text().c_str()), 2;
      if (v->accepted)
        ++accepted;
      else
        std::fprintf(stderr, "rejected: %s\n", v->summary().c_str());
      for (const evidence::StageResult& s : v->stages) stages[s.stage] += s.seconds;
      total += seconds.back();
      if (v->metrics)
        for (const auto& [name, value] : v->metrics->values)
          timed += name == "median_us", counted += name == "dram__bytes.sum" || name == "global_sectors";
      if (v->accepted && v->metrics && seconds.size() == 1)
        for (const evidence::StageResult& s : v->stages)
          std::printf("  %-12s %6.3f s  %s\n", enum_string(s.stage).c_str(), s.seconds, s.message.c_str());
    }
    const profile::Summary s = profile::summarise(seconds);
    std::printf("%-20s %4d candidates: median %.3f s, quartiles %.3f to %.3f s, slowest %.3f s, first %.3f s\n",
                names[n].c_str(), s.count, s.median, s.q1, s.q3, s.most, seconds.front());
    all.insert(all.end(), seconds.begin(), seconds.end());
  }
  workers = supervisor.started();
  const profile::Summary s = profile::summarise(all);
  std::printf("%-20s %4d candidates: median %.3f s, quartiles %.3f to %.3f s, slowest %.3f s\n", "all", s.count,
              s.median, s.q1, s.q3, s.most);
  std::printf(
      "%d accepted, %d timed, %d counted; %.0f candidates an hour (%.1f s in all); %d worker%s; device %s, %s, %d "
      "input sets a case\n",
      accepted, timed, counted, 3600 * s.count / total, total, workers, workers == 1 ? "" : "s", device.c_str(),
      bind.c_str(), seeds);
  double staged = 0;
  for (const auto& [stage, seconds] : stages) staged += seconds;
  std::printf("share of the time:");
  for (const auto& [stage, seconds] : stages)
    std::printf(" %s %.1f %%,", enum_string(stage).c_str(), 100 * seconds / total);
  std::printf(" between processes %.1f %%\n", 100 * std::max(0.0, total - staged) / total);
  return accepted == static_cast<int>(all.size()) ? 0 : 1;
}
