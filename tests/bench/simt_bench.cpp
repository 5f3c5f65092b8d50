// SPDX-License-Identifier: Apache-2.0
// Speed of the SIMT machine on four kernels: medians of several runs, in thread instructions per second of wall time
// and of processor time (which says what one core does, whatever else the machine is busy with). simt_bench [threads]
// [runs]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>
#include "base/files.h"
#include "base/parallel.h"
#include "simt/simt.h"

using namespace ww;
using namespace ww::simt;

namespace {

struct Job {
  const char* kernel;
  LaunchConfig config;
};

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

int run(int threads, int runs) {
  const auto text = read_file(std::string(WW_SOURCE_DIR) + "/tests/simt/fixtures/00_bench4.sm80.ptx");
  if (!text) return std::fprintf(stderr, "%s\n", text.error().text().c_str()), 1;
  const auto loaded = load(*text);
  if (!loaded) return std::fprintf(stderr, "%s\n", loaded.error().text().c_str()), 1;
  const Program& program = **loaded;
  Memory memory;
  const std::size_t n = 1 << 20;
  std::vector<float> host(n);
  for (std::size_t i = 0; i < n; ++i) host[i] = static_cast<float>(i % 1000) * 0.01f - 5.0f;
  const std::uint64_t a = *memory.allocate(n * 4, "a"), b = *memory.allocate(n * 4, "b"),
                      c = *memory.allocate(n * 4, "c");
  (void)memory.write(a, host.data(), n * 4);
  (void)memory.write(b, host.data(), n * 4);
  const auto arguments = [&](const char* kernel, bool two, std::int64_t size) {
    Arguments args(*program.kernel(kernel));
    args.add_pointer(a);
    if (two) args.add_pointer(b);
    args.add_pointer(c).add_i64(size);
    return *args.bytes();
  };
  const Job jobs[] = {
      {"vadd", {{4096}, {256}, 0, arguments("vadd", true, 1 << 20)}},
      {"mm_naive", {{16, 16}, {16, 16}, 0, arguments("mm_naive", true, 256)}},
      {"mm_tiled", {{16, 16}, {16, 16}, 0, arguments("mm_tiled", true, 256)}},
      {"softmax", {{1024}, {256}, 0, arguments("softmax", false, 1024)}},
  };
  struct Level {
    const char* name;
    Checks checks;
    bool counters;
  };
  const Level levels[] = {{"bounds", Checks::bounds, false},
                          {"bounds+counters", Checks::bounds, true},
                          {"full", Checks::full, false},
                          {"full+counters", Checks::full, true}};
  std::printf("%-10s %-16s %10s %14s %10s %16s\n", "kernel", "level", "ms", "thread instr", "G/s", "G/s a core");
  for (const Job& job : jobs) {
    std::uint64_t instructions = 0;
    for (int l = 3; l >= 0; --l) {
      LaunchOptions options;
      options.checks = levels[l].checks;
      options.counters = levels[l].counters;
      options.threads = threads;
      std::vector<double> seconds, processor;
      for (int r = 0; r < runs; ++r) {
        (void)memory.poison(c, n * 4);
        const std::clock_t before = std::clock();
        const auto report = launch(program, job.kernel, job.config, memory, options);
        if (!report) return std::fprintf(stderr, "%s\n", report.error().text().c_str()), 1;
        if (report->fault) return std::fprintf(stderr, "%s\n", report->fault->message.c_str()), 1;
        seconds.push_back(report->seconds);
        processor.push_back(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
        if (options.counters) instructions = report->counters.total.thread_instructions;
      }
      const double s = median(seconds);
      std::printf("%-10s %-16s %10.2f %14llu %10.2f %16.2f\n", job.kernel, levels[l].name, 1e3 * s,
                  static_cast<unsigned long long>(instructions), static_cast<double>(instructions) / s * 1e-9,
                  static_cast<double>(instructions) / median(processor) * 1e-9);
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return run(argc > 1 ? std::atoi(argv[1]) : hardware_threads(), argc > 2 ? std::max(1, std::atoi(argv[2])) : 7);
}
