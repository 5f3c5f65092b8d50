// SPDX-License-Identifier: Apache-2.0
// Hardware counters of kernels.cu as JSON lines: {"kernel", "set", "passes", "ms": [one a repetition], "counters":
// {name: value}, "why_not"}.
//   bench_counters [--kernels FILE] [--device cuda:0] [--set small|full] [--repeat 10] [--kernel NAME] [--lines]
//                  [--time] [--launch-only]
// --time also times a copy of 4 MiB before the first count and after the last, to stderr: counting must not change what
// is timed afterwards. --launch-only runs every kernel once, without counters, so that another profiler can count in
// the same program. compare_with_ncu.py does that.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include "base/files.h"
#include "compile/compile.h"
#include "cuda/counters.h"
#include "cuda/device.h"

using namespace ww;
using candidate::PlannedArg;
using candidate::PlannedLaunch;

namespace {

constexpr int width = 8192;           // of the square that a, b and out are
constexpr int words = width * width;  // 256 MiB each: several times any L2 cache
constexpr int small_words = 1 << 22;
constexpr int side = 1024;  // of the products
constexpr int tensor_side =
    4096;  // of the product by tensor cores: its traffic must be well above what else goes on in the memory
constexpr int places = 1 << 20;

PlannedArg tensor(const char* name) { return {.kind = PlannedArg::Kind::tensor, .tensor = name}; }
PlannedArg whole(std::int64_t v) { return {.integer = v, .real = static_cast<double>(v)}; }
PlannedLaunch launch(const char* kernel, std::array<std::uint32_t, 3> grid, std::array<std::uint32_t, 3> block,
                     std::vector<PlannedArg> args) {
  PlannedLaunch l;
  l.kernel = kernel;
  l.grid = grid;
  l.block = block;
  l.args = std::move(args);
  return l;
}

std::vector<PlannedLaunch> launches() {
  const auto line = [](const char* kernel, int n, std::vector<PlannedArg> args) {
    return launch(kernel, {static_cast<std::uint32_t>((n + 255) / 256), 1, 1}, {256, 1, 1}, std::move(args));
  };
  const auto word_line = [&](const char* kernel, int n) {
    return line(kernel, n, {tensor("a"), tensor("out"), whole(n)});
  };
  std::vector<PlannedLaunch> all;
  all.push_back(word_line("copy", words));
  all.push_back(word_line("copy_vectors", words / 4));
  all.push_back(word_line("strided", words));
  all.push_back(line("gather", words, {tensor("a"), tensor("index"), tensor("out"), whole(words)}));
  all.push_back(
      launch("transpose_naive", {width / 32, width / 8, 1}, {32, 8, 1}, {tensor("a"), tensor("out"), whole(width)}));
  all.push_back(
      launch("transpose_tiled", {width / 32, width / 32, 1}, {32, 8, 1}, {tensor("a"), tensor("out"), whole(width)}));
  for (const char* kernel : {"shared_free", "shared_2way", "shared_8way", "shared_32way"})
    all.push_back(word_line(kernel, small_words));
  all.push_back(word_line("divergent", words));
  all.push_back(line("atomic_same", small_words, {tensor("count"), whole(small_words)}));
  all.push_back(
      line("atomic_spread", small_words, {tensor("index"), tensor("count"), whole(small_words), whole(places)}));
  all.push_back(word_line("reduce_warp", words));
  all.push_back(word_line("reduce_block", words));
  all.push_back(launch("matmul_naive", {side / 16, side / 16, 1}, {16, 16, 1},
                       {tensor("a"), tensor("b"), tensor("out"), whole(side)}));
  all.push_back(launch("matmul_tiled", {side / 32, side / 32, 1}, {32, 32, 1},
                       {tensor("a"), tensor("b"), tensor("out"), whole(side)}));
  all.push_back(launch("matmul_tensor", {tensor_side / 32, tensor_side / 16, 1}, {128, 1, 1},
                       {tensor("halves"), tensor("halves"), tensor("out"), whole(tensor_side)}));
  all.push_back(launch("stencil", {width / 32, width / 8, 1}, {32, 8, 1}, {tensor("a"), tensor("out"), whole(width)}));
  all.push_back(launch("histogram", {1056, 1, 1}, {256, 1, 1}, {tensor("index"), tensor("count"), whole(words)}));
  all.push_back(line("half_pairs", words, {tensor("halves"), tensor("out"), whole(words)}));
  return all;
}

Status fill(device::Execution& e) {
  const auto make = [&](const char* name, DType dtype, std::size_t count, auto value) -> Status {
    if (Status s = e.allocate(name, dtype, static_cast<std::int64_t>(count), device::Access::read_write); !s) return s;
    std::vector<std::uint32_t> data(count);
    for (std::size_t i = 0; i < count; ++i) data[i] = value(i);
    return e.write(name, std::as_bytes(std::span(data)));
  };
  const auto real = [](std::size_t i) {
    const float f = static_cast<float>(i % 1021) / 512.0f - 1.0f;
    std::uint32_t bits;
    std::memcpy(&bits, &f, 4);
    return bits;
  };
  const auto zero = [](std::size_t) { return 0u; };
  WW_TRY(make("a", DType::f32, words, real));
  WW_TRY(make("b", DType::f32, side * side, real));
  WW_TRY(make("out", DType::f32, words, zero));
  // A permutation without a pattern that a row of memory follows: an odd multiple modulo a power of two, folded.
  if (Status s = make("index", DType::i32, words,
                      [](std::size_t i) {
                        auto v = static_cast<std::uint32_t>(i) * 2654435761u;
                        v ^= v >> 13;
                        return v % words;
                      });
      !s)
    return s;
  if (Status s = make("halves", DType::i32, words,
                      [](std::size_t i) { return 0x2e663266u + static_cast<std::uint32_t>(i % 251); });
      !s)
    return s;
  return make("count", DType::i32, places, zero);
}

int failed(const std::string& what, const Error& error) {
  std::fprintf(stderr, "%s: %s\n", what.c_str(), error.text().c_str());
  return 1;
}

struct Wanted {  // by the command line
  std::string kernels = std::string(WW_SOURCE_DIR) + "/tests/bench/counters/kernels.cu", name = "cuda:0", set = "small",
              only;
  int repeat = 10;
  bool launch_only = false, lines = false, time = false;
};

bool read_arguments(int argc, char** argv, Wanted& w) {
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    const auto next = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string(); };
    if (a == "--kernels")
      w.kernels = next();
    else if (a == "--device")
      w.name = next();
    else if (a == "--set")
      w.set = next();
    else if (a == "--kernel")
      w.only = next();
    else if (a == "--repeat")
      w.repeat = std::max(1, std::atoi(next().c_str()));
    else if (a == "--lines")
      w.lines = true;
    else if (a == "--time")
      w.time = true;
    else if (a == "--launch-only")
      w.launch_only = true;
    else
      return std::fprintf(stderr, "unknown option %s\n", a.c_str()), false;
  }
  return true;
}

void print_time(device::Device& gpu, device::Execution& execution, const char* when) {
  const PlannedLaunch copy = launch("copy", {4096, 1, 1}, {256, 1, 1}, {tensor("a"), tensor("out"), whole(1 << 20)});
  device::TimedSubject subject;
  subject.name = "copy of 4 MiB";
  subject.execution = &execution;
  subject.launches = std::span(&copy, 1);
  const auto timed = gpu.time(std::span(&subject, 1), {});
  if (!timed) return void(failed("time", timed.error()));
  for (const profile::SubjectTiming& t : *timed) {
    std::vector<double> us;
    for (const profile::TimedSample& s : t.samples) us.push_back(s.us);
    std::sort(us.begin(), us.end());
    if (!us.empty())
      std::fprintf(stderr, "%s: copy of 4 MiB, %s: median %.3f us of %zu\n", when,
                   std::string(enum_name(t.cache)).c_str(), us[us.size() / 2], us.size());
  }
}

Result<nlohmann::json> counted(device::Device& gpu, device::Execution& execution, const PlannedLaunch& l,
                               const Wanted& w) {
  nlohmann::json out = {
      {"kernel", l.kernel}, {"set", w.set}, {"ms", nlohmann::json::array()}, {"counters", nlohmann::json::object()}};
  for (int k = 0; k < w.repeat; ++k) {
    const auto report = gpu.count(execution, std::span(&l, 1), w.set, {});
    WW_CHECK(report);
    out["ms"].push_back(report->seconds * 1000);
    out["passes"] = report->passes;
    out["why_not"] = report->why_not;
    for (const profile::KernelCounters& c : report->kernels) {
      for (const profile::Counter& v : c.values)
        out["counters"][v.name] = std::isnan(v.value) ? nlohmann::json() : nlohmann::json(v.value);
      if (!w.lines) continue;
      out["lines"] = nlohmann::json::array();
      for (const profile::StallSamples& s : c.lines) {
        nlohmann::json reasons = nlohmann::json::object();
        for (const auto& [reason, samples] : s.reasons) reasons[reason] = samples;
        out["lines"].push_back({{"line", s.line}, {"reasons", reasons}});
      }
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  Wanted w;
  if (!read_arguments(argc, argv, w)) return 2;
  const Result<std::string> code = read_file(w.kernels);
  if (!code) return failed("kernels", code.error());
  if (!w.launch_only)
    if (Status s = cuda::preload_counters(); !s) failed("counters", s.error());
  auto gpu = cuda::open(w.name);
  if (!gpu) return failed(w.name, gpu.error());
  auto compiler = compile::Compiler::open();
  if (!compiler) return failed("compiler", compiler.error());
  compile::Request request;
  request.code = *code;
  request.architecture = (*gpu)->facts().architecture;
  const auto compiled = (*compiler)->compile(request);
  if (!compiled) return failed("kernels.cu", compiled.error());
  const auto module = (*gpu)->load(*compiled);
  if (!module) return failed("kernels.cu", module.error());
  auto execution = (*module)->execution();
  if (!execution) return failed("execution", execution.error());
  if (Status s = fill(**execution); !s) return failed("inputs", s.error());
  if (w.time) print_time(**gpu, **execution, "before");
  for (const PlannedLaunch& l : launches()) {
    if (!w.only.empty() && l.kernel != w.only) continue;
    if (w.launch_only) {
      const auto ran = (*execution)->launch(l, {});
      if (!ran) return failed(l.kernel, ran.error());
      if (ran->fault) return std::fprintf(stderr, "%s: %s\n", l.kernel.c_str(), ran->fault->message.c_str()), 1;
      continue;
    }
    const auto line = counted(**gpu, **execution, l, w);
    if (!line) return failed(l.kernel, line.error());
    std::printf("%s\n", line->dump().c_str());
    std::fflush(stdout);
  }
  if (w.time) print_time(**gpu, **execution, "after");
  return 0;
}
