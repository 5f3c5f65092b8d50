// SPDX-License-Identifier: Apache-2.0
// The twenty faults of tests/corpus/faults with twenty good candidates between them, in one run with a workspace.
//   bench_faults [--device cuda:0] [--all | --only NAME,…] [--bind "R = 64, C = 256"] [--seconds 60] [--faults FOLDER]
//   [--workspace FOLDER]
// Ends with 0 only when every verdict is right, none is lost and none took longer than its deadline. --all: the extra
// kernels as well.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include "corpus/expectation.h"
#include "corpus/fault_run.h"

using namespace ww;
using namespace ww::corpus;

namespace {

// At most `most` characters of the first line.
std::string cut(std::string text, std::size_t most) {
  text = text.substr(0, text.find('\n'));
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

op::Binding setting(const char* text) {
  Result<op::Binding> binding = binding_of(text);
  if (binding) return *binding;
  std::fprintf(stderr, "%s\n", binding.error().text().c_str());
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  FaultRunOptions options;
  bool all = false;
  std::vector<std::string> only;
  std::filesystem::path faults = faults_folder();
  options.binding = binding_of("R = 64, C = 256").value();
  for (int i = 1; i < argc; ++i) {
    const auto is = [&](const char* name) { return std::strcmp(argv[i], name) == 0 && i + 1 < argc; };
    if (std::strcmp(argv[i], "--all") == 0)
      all = true;
    else if (is("--only"))
      only = split(argv[++i], ',');
    else if (is("--device"))
      options.device = argv[++i];
    else if (is("--bind"))
      options.binding = setting(argv[++i]);
    else if (is("--seconds"))
      options.candidate_seconds = std::atof(argv[++i]);
    else if (is("--faults"))
      faults = argv[++i];
    else if (is("--workspace"))
      options.workspace = argv[++i];
    else
      return std::fprintf(stderr, "unknown option '%s'; see the top of the source\n", argv[i]), 2;
  }
  char folder[] = "/tmp/faults-bench-XXXXXX";
  if (options.workspace.empty() && !::mkdtemp(folder)) return std::perror("a folder for the workspace"), 2;
  if (options.workspace.empty()) options.workspace = std::filesystem::path(folder) / "workspace";
  options.worker.profile = rpc::worker_profile(options.device);

  Result<std::vector<FaultKernel>> kernels = fault_kernels(faults);
  if (!kernels) return std::fprintf(stderr, "%s\n", kernels.error().text().c_str()), 2;
  if (!only.empty())
    std::erase_if(*kernels,
                  [&](const FaultKernel& k) { return std::find(only.begin(), only.end(), k.name) == only.end(); });
  else if (!all)
    std::erase_if(*kernels, [](const FaultKernel& k) { return k.extra; });
  const Result<std::string> spec = relu_spec();
  const Result<std::vector<std::string>> goods =
      spec ? good_candidates(*spec, options.binding, kernels->size()) : fail(spec.error());
  if (!goods) return std::fprintf(stderr, "%s\n", goods.error().text().c_str()), 2;
  const Result<FaultRun> run = run_faults(*kernels, *goods, options);
  if (!run) return std::fprintf(stderr, "%s\n", run.error().text().c_str()), 2;

  std::printf("%-3s %-22s %-7s %-6s %-5s %-44s %s\n", "", "candidate", "s", "worker", "line", "expected", "seen");
  int right = 0, fresh = 0;
  double slowest = 0;
  for (const FaultRow& r : run->rows) {
    right += r.wrong.empty();
    fresh += r.fresh_worker;
    slowest = std::max(slowest, r.seconds);
    std::printf("%-3s %-22s %-7.2f %-6s %-5s %-44s %s\n", r.wrong.empty() ? "ok" : "NO", r.name.c_str(), r.seconds,
                r.fresh_worker ? "fresh" : "", r.line ? std::to_string(r.line).c_str() : "", r.expected.c_str(),
                cut(r.seen, 230).c_str());
    if (!r.wrong.empty()) std::printf("    %s\n", r.wrong.c_str());
  }
  std::printf(
      "\n%d of %zu verdicts right on %s; %d lost rows; %d later than their deadline of %g s; slowest %.2f s; %d "
      "workers replaced; %.1f s in all; run %s: %s\n",
      right, run->rows.size(), options.device.c_str(), run->lost, run->late, options.candidate_seconds, slowest, fresh,
      run->seconds, run->state.c_str(), run->why.c_str());
  return run->right() ? 0 : 1;
}
