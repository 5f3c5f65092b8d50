// SPDX-License-Identifier: Apache-2.0
// One launch on the SIMT machine, complete: the code, the arguments with their contents, and what should come out. A
// case file (case_file.h) becomes a job, which needs no files.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>
#include "base/architecture.h"
#include "base/describe.h"
#include "candidate/candidate.h"
#include "sim/bytes.h"

namespace ww::sim {

enum class Check : std::uint8_t { memory, races, init, sync };
constexpr auto names_of(Check) {
  return std::to_array<Enumerator<Check>>(
      {{Check::memory, "memory"}, {Check::races, "races"}, {Check::init, "init"}, {Check::sync, "sync"}});
}

struct Tolerance {
  double rtol = 0, atol = 0;
  bool operator==(const Tolerance&) const = default;
  template <class V>
  static void fields(V&& v) {
    v("rtol", &Tolerance::rtol, {"of the expected value", Presence::defaulted});
    v("atol", &Tolerance::atol, {"absolute", Presence::defaulted});
  }
};

struct JobBuffer {  // an argument that points to memory, or a variable of the module
  std::string name;
  std::int64_t bytes = 0;
  std::optional<std::string> content;   // hex; shorter than `bytes`: the rest was never written; empty: all of it
  std::optional<std::string> expected;  // hex, of all bytes; empty: not compared
  std::string type;                     // of its elements; empty: bytes
  bool read_only = false;
  bool is_output = false;  // shown, also when nothing is expected
  template <class V>
  static void fields(V&& v) {
    v("name", &JobBuffer::name);
    v("bytes", &JobBuffer::bytes);
    v("content", &JobBuffer::content, {"hex; without it the bytes count as never written", Presence::sparse});
    v("expected", &JobBuffer::expected, {"hex; without it nothing is compared", Presence::sparse});
    v("type", &JobBuffer::type, {"of its elements", Presence::sparse});
    v("read_only", &JobBuffer::read_only, Presence::sparse);
    v("is_output", &JobBuffer::is_output, Presence::sparse);
  }
};
struct JobArgument {
  std::optional<JobBuffer> buffer;
  std::optional<Number> number;      // of the parameter's own type
  std::optional<std::string> value;  // hex, of the parameter's size
  template <class V>
  static void fields(V&& v) {
    v("buffer", &JobArgument::buffer, {"its address is passed", Presence::sparse});
    v("number", &JobArgument::number, {"of the parameter's type", Presence::sparse});
    v("value", &JobArgument::value, {"hex, of the parameter's size", Presence::sparse});
  }
};

struct Job {
  std::string code;
  candidate::Language language = candidate::Language::ptx;
  std::string entry;                                // empty: the only kernel
  std::string architecture = default_architecture;  // of CUDA code
  std::map<std::string, std::int64_t> defines;      // of CUDA code
  std::vector<std::string> options;                 // of CUDA code: "fast-math", "maxrregcount=64"
  std::vector<std::int64_t> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  std::int64_t dyn_shared = 0;
  std::vector<Check> checks{Check::memory, Check::races, Check::init, Check::sync};
  std::vector<JobArgument> args;
  std::vector<JobBuffer> symbols;
  std::optional<Tolerance> compare;  // empty: exact
  std::int64_t budget = 0;           // warp instructions; 0: no limit
  std::uint64_t seed = 0;            // of what the program leaves open (simt::LaunchOptions::surroundings)
  int threads = 0;                   // of the host; 0: all
  bool counters = true;
  bool returns_bytes = false;  // of the outputs
  int runs = 1;
  template <class V>
  static void fields(V&& v) {
    v("code", &Job::code);
    v("language", &Job::language);
    v("entry", &Job::entry, {"of the kernel; without it the code has one", Presence::sparse});
    v("architecture", &Job::architecture, Presence::defaulted);
    v("defines", &Job::defines, Presence::sparse);
    v("options", &Job::options, Presence::sparse);
    v("grid", &Job::grid);
    v("block", &Job::block);
    v("cluster", &Job::cluster, Presence::defaulted);
    v("dyn_shared", &Job::dyn_shared, Presence::defaulted);
    v("checks", &Job::checks, Presence::defaulted);
    v("args", &Job::args);
    v("symbols", &Job::symbols, Presence::sparse);
    v("compare", &Job::compare, {"without it exactly", Presence::sparse});
    v("budget", &Job::budget, {"warp instructions; 0: no limit", Presence::defaulted});
    v("seed", &Job::seed, Presence::defaulted);
    v("threads", &Job::threads, Presence::defaulted);
    v("counters", &Job::counters, Presence::defaulted);
    v("returns_bytes", &Job::returns_bytes, Presence::defaulted);
    v("runs", &Job::runs, {"times; the last one is reported", Presence::defaulted});
  }
};

}  // namespace ww::sim
