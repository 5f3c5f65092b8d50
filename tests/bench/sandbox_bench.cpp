// SPDX-License-Identifier: Apache-2.0
// What the sandbox adds to the start of a worker: pairs of starts, one with and one without it, in turn.
// bench_sandbox [PAIRS]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>
#include "rpc/supervisor.h"

namespace {

using Clock = std::chrono::steady_clock;

double start_ms(bool sandbox, const std::filesystem::path& cache) {
  ::setenv("WARPWRIGHT_SANDBOX", sandbox ? "on" : "off", 1);
  ww::rpc::WorkerOptions options;
  options.program = std::filesystem::path(WW_BINARY_DIR) / "bin/warpwright-worker";
  options.compile_cache = cache;
  ww::rpc::Supervisor worker(options);
  const Clock::time_point begin = Clock::now();
  if (const ww::Status s = worker.warm_up(); !s) {
    std::fprintf(stderr, "%s\n", s.error().text().c_str());
    std::exit(1);
  }
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double at(std::vector<double> v, double part) {
  std::sort(v.begin(), v.end());
  return v[static_cast<std::size_t>(part * static_cast<double>(v.size() - 1))];
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 100;
  std::string folder = (std::filesystem::temp_directory_path() / "bench-sandbox-XXXXXX").string();
  if (!::mkdtemp(folder.data())) return 1;
  std::vector<double> with, without;
  for (int i = 0; i < pairs; ++i) {
    without.push_back(start_ms(false, folder));
    with.push_back(start_ms(true, folder));
  }
  std::filesystem::remove_all(folder);
  std::printf("%-18s %8s %8s %8s\n", "start of a worker", "p10 ms", "median", "p90");
  std::printf("%-18s %8.1f %8.1f %8.1f\n", "without a sandbox", at(without, 0.1), at(without, 0.5), at(without, 0.9));
  std::printf("%-18s %8.1f %8.1f %8.1f\n", "with it", at(with, 0.1), at(with, 0.5), at(with, 0.9));
  std::printf("the sandbox adds %.1f ms (medians of %d)\n", at(with, 0.5) - at(without, 0.5), pairs);
}
