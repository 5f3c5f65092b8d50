// SPDX-License-Identifier: Apache-2.0
// A whole CUDA program on the SIMT machine: what its runtime library is told, and what it reports while it runs.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include "base/describe.h"
#include "base/result.h"
#include "sim/job.h"
#include "sim/outcome.h"

namespace ww::sim {

inline constexpr const char* exec_variable = "WARPWRIGHT_EXEC";  // the environment's: ExecOptions as JSON

struct ExecOptions {
  std::vector<Check> checks{Check::memory, Check::races, Check::init, Check::sync};
  std::int64_t budget = 0;  // warp instructions of a launch; 0: no limit
  std::uint64_t seed = 0;
  int threads = 0;  // of the host; 0: all
  int report = -1;  // the file descriptor that the report is written to, a line at a time; -1: none
  WW_FIELDS(ExecOptions, checks, budget, seed, threads, report)
};

struct ExecKernel {
  std::string name;
  std::uint64_t launches = 0, warp_instructions = 0;
  double seconds = 0;  // of the host
  WW_FIELDS(ExecKernel, (name, "as written in CUDA, without parameters"), launches, warp_instructions,
            (seconds, "of the host; says nothing about a device"))
};

struct ExecLine {  // of the report: one of these
  std::optional<Finding> finding;
  std::optional<std::string> refused;  // a call, or a kernel, that the library does not carry out, and why
  std::optional<ExecKernel> kernel;    // at the end, as the next
  std::uint64_t further = 0;           // findings that no line told
  WW_FIELDS(ExecLine, (finding, sparse), (refused, sparse), (kernel, sparse), (further, sparse))
};

struct ExecReport {
  static constexpr std::string_view described_as = "SIM EXECUTION";
  bool loaded = false;  // the program used the library
  int exit = -1;        // the program's; -1: a signal ended it
  int signal = 0;
  std::vector<Finding> findings;
  std::uint64_t further_findings = 0;
  std::vector<std::string> refused;
  std::vector<ExecKernel> kernels;
  WW_FIELDS(ExecReport, (loaded, "false: the program did not call the CUDA runtime as a shared library"),
            (exit, "the program's exit code; -1: a signal ended it"), (signal, "that ended it; 0: none"),
            (findings, "in the order found, of each pair of statements one"),
            (further_findings, "repetitions of these, and those beyond 1,000"),
            (refused, "calls and kernels that the library does not carry out, each once"),
            (kernels, "in the order of their first launch"))
};

// Runs the program with `arguments` (the first is its file, as execvp takes it) until it ends. It shares our streams;
// with `output_to_errors` its standard output goes to our standard error. Errors: not_found, invalid_argument (no such
// program, not executable), unavailable (the library is not installed).
Result<ExecReport> exec(const std::vector<std::string>& arguments, ExecOptions options, bool output_to_errors);

}  // namespace ww::sim
