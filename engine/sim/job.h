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
  WW_FIELDS(Tolerance, (rtol, "of the expected value", defaulted), (atol, "absolute", defaulted))
};

struct JobBuffer {  // an argument that points to memory, or a variable of the module
  std::string name;
  std::int64_t bytes = 0;
  std::optional<std::string> content;   // hex; shorter than `bytes`: the rest was never written; empty: all of it
  std::optional<std::string> expected;  // hex, of all bytes; empty: not compared
  std::string type;                     // of its elements; empty: bytes
  bool read_only = false;
  bool is_output = false;  // shown, also when nothing is expected
  bool operator==(const JobBuffer&) const = default;
  WW_FIELDS(JobBuffer, name, bytes, (content, "hex; without it the bytes count as never written", sparse),
            (expected, "hex; without it nothing is compared", sparse), (type, "of its elements", sparse),
            (read_only, sparse), (is_output, sparse))
};
struct JobArgument {
  std::optional<JobBuffer> buffer;
  std::optional<Number> number;      // of the parameter's own type
  std::optional<std::string> value;  // hex, of the parameter's size
  std::string parameter;             // its name in the source; empty: the code tells, if it is CUDA
  bool operator==(const JobArgument&) const = default;
  WW_FIELDS(JobArgument, (buffer, "its address is passed", sparse), (number, "of the parameter's type", sparse),
            (value, "hex, of the parameter's size", sparse), (parameter, "its name in the source", sparse))
};

struct Job {
  std::string code;
  candidate::Language language = candidate::Language::ptx;
  std::string entry;                                // empty: the only kernel
  std::string architecture = default_architecture;  // of CUDA code
  std::map<std::string, std::int64_t> defines;      // of CUDA code
  std::vector<std::string> options;                 // of CUDA code: "fast-math", "maxrregcount=64"
  bool debug = false;                               // of CUDA code: not optimised, and its variables have names
  std::vector<std::int64_t> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  bool cooperative = false;
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
  bool operator==(const Job&) const = default;
  WW_FIELDS(Job, code, language, (entry, "of the kernel; without it the code has one", sparse),
            (architecture, defaulted), (defines, sparse), (options, sparse),
            (debug, "of CUDA code: not optimised, and its variables have names", sparse), grid, block,
            (cluster, defaulted), (cooperative, sparse), (dyn_shared, defaulted), (checks, defaulted), args,
            (symbols, sparse), (compare, "without it exactly", sparse),
            (budget, "warp instructions; 0: no limit", defaulted), (seed, defaulted), (threads, defaulted),
            (counters, defaulted), (returns_bytes, defaulted), (runs, "times; the last one is reported", defaulted))
};

}  // namespace ww::sim
