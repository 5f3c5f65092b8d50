// SPDX-License-Identifier: Apache-2.0
// What became of a job.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include "base/describe.h"
#include "base/fault.h"
#include "base/provenance.h"

namespace ww::sim {

enum class Ending : std::uint8_t {
  passed,      // every expected byte is there, and nothing was found
  differs,     // an output differs; nothing was found
  found,       // a fault, or a finding of a check
  not_judged,  // an instruction that the machine does not know, or the budget was used up
};
constexpr auto names_of(Ending) {
  using enum Ending;
  return std::to_array<Enumerator<Ending>>(
      {{passed, "passed"}, {differs, "differs"}, {found, "found"}, {not_judged, "not judged"}});
}

struct Site {  // of an access
  int line = 0, ptx_line = 0;
  std::string instruction;
  std::vector<std::uint32_t> block, thread;  // thread empty: unknown
  std::int64_t warp = -1;
  bool is_write = false;
  std::string value;
  WW_FIELDS(Site, (line, "of the CUDA source; 0: unknown"), (ptx_line, "0: unknown"), (instruction, "its opcode"),
            block, (thread, "missing: only its warp is known", sparse), (warp, "of the block", sparse), is_write,
            (value, "stored or loaded, as a hex number", sparse))
};
struct Finding {
  FaultKind kind = FaultKind::unknown;
  std::string
      check;  // "memory", "races", "init", "sync"; "program": its own trap or assertion, or the machine's limits
  std::string message;  // one sentence
  std::string kernel;
  Site site;
  std::optional<Site> other;  // of a race: the access that came first
  std::string space, buffer;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  bool ended = false;  // the launch
  WW_FIELDS(Finding, kind,
            (check,
             "`memory`, `races`, `init`, `sync`; `program`: its own trap or assertion, or a limit of the machine"),
            (message, "one sentence"), kernel, (site, "where it was found"),
            (other, "of a race: the access that came first", sparse),
            (space, "`global`, `shared`, `local`, `param` or `none`"),
            (buffer, "that it belongs to or lies nearest to", sparse), (offset, "bytes from that buffer's start"),
            (bytes, "of the access"), (ended, "the launch ended here"))
};

struct Difference {
  std::string buffer, type;
  std::int64_t index = 0;  // of the first wrong element
  std::string expected, actual;
  std::int64_t wrong = 0, elements = 0;
  bool written = true;  // that element
  WW_FIELDS(Difference, buffer, (type, "of the elements; `byte` where none was given"),
            (index, "of the first wrong element, from 0"), expected, actual, (wrong, "how many elements are"),
            (elements, "how many there are"), (written, "whether the first wrong one was ever written"))
};
struct Output {
  std::string name, type;
  std::int64_t bytes = 0, elements = 0, unwritten = 0;
  std::vector<std::string> first;  // elements
  std::string hex;                 // all bytes, where asked for
  WW_FIELDS(Output, name, type, bytes, elements, (unwritten, "bytes that the kernel never wrote"),
            (first, "its first elements, at most 16"), (hex, "all of it, with `--bytes` or `--save`", sparse))
};
struct LineCount {
  int line = 0;
  std::uint64_t warp_instructions = 0, thread_instructions = 0, global_sectors = 0, shared_wavefronts = 0,
                bank_conflicts = 0;
  WW_FIELDS(LineCount, (line, "of the CUDA source, or of the PTX where that names none; 0: no line"), warp_instructions,
            thread_instructions, global_sectors, shared_wavefronts, bank_conflicts)
};

struct Outcome {
  static constexpr std::string_view described_as = "SIM OUTCOME";
  Ending ending = Ending::not_judged;
  std::string why;  // one sentence: what was found, or why it was not judged; empty: passed
  std::string kernel, target;
  std::vector<Difference> differences;  // of each output that differs, in order
  std::vector<Finding> findings;        // in the order found
  std::uint64_t further_findings = 0;
  std::vector<Output> outputs;
  std::vector<std::pair<std::string, std::uint64_t>> counters;
  std::vector<LineCount> lines;
  std::string printed;
  std::string compiler, log;
  std::vector<double> seconds;
  double compile_seconds = 0;
  WW_FIELDS(Outcome, ending, (why, "one sentence; empty: passed"), kernel, (target, "of the PTX"),
            (differences, "of each output that differs the first element"),
            (findings, "in the order found, of each pair of statements one"),
            (further_findings, "that are not listed, repetitions among them"), outputs,
            (counters, "simulated, exact, under the names of [METRICS](#metrics)"),
            (lines, "the same by line, of lines that ran"), (printed, "by `printf`"),
            (compiler, "of CUDA code", sparse), (log, "the compiler's warnings", sparse),
            (seconds, "of the host for each run; says nothing about a device"), compile_seconds)
};

}  // namespace ww::sim
