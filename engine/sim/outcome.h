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
  template <class V>
  static void fields(V&& v) {
    v("line", &Site::line, "of the CUDA source; 0: unknown");
    v("ptx_line", &Site::ptx_line, "0: unknown");
    v("instruction", &Site::instruction, "its opcode");
    v("block", &Site::block);
    v("thread", &Site::thread, {"missing: only its warp is known", Presence::sparse});
    v("warp", &Site::warp, {"of the block", Presence::sparse});
    v("is_write", &Site::is_write);
    v("value", &Site::value, {"stored or loaded, as a hex number", Presence::sparse});
  }
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
  template <class V>
  static void fields(V&& v) {
    v("kind", &Finding::kind);
    v("check", &Finding::check,
      "`memory`, `races`, `init`, `sync`; `program`: its own trap or assertion, or a limit of the machine");
    v("message", &Finding::message, "one sentence");
    v("kernel", &Finding::kernel);
    v("site", &Finding::site, "where it was found");
    v("other", &Finding::other, {"of a race: the access that came first", Presence::sparse});
    v("space", &Finding::space, "`global`, `shared`, `local`, `param` or `none`");
    v("buffer", &Finding::buffer, {"that it belongs to or lies nearest to", Presence::sparse});
    v("offset", &Finding::offset, "bytes from that buffer's start");
    v("bytes", &Finding::bytes, "of the access");
    v("ended", &Finding::ended, "the launch ended here");
  }
};

struct Difference {
  std::string buffer, type;
  std::int64_t index = 0;  // of the first wrong element
  std::string expected, actual;
  std::int64_t wrong = 0, elements = 0;
  bool written = true;  // that element
  template <class V>
  static void fields(V&& v) {
    v("buffer", &Difference::buffer);
    v("type", &Difference::type, "of the elements; `byte` where none was given");
    v("index", &Difference::index, "of the first wrong element, from 0");
    v("expected", &Difference::expected);
    v("actual", &Difference::actual);
    v("wrong", &Difference::wrong, "how many elements are");
    v("elements", &Difference::elements, "how many there are");
    v("written", &Difference::written, "whether the first wrong one was ever written");
  }
};
struct Output {
  std::string name, type;
  std::int64_t bytes = 0, elements = 0, unwritten = 0;
  std::vector<std::string> first;  // elements
  std::string hex;                 // all bytes, where asked for
  template <class V>
  static void fields(V&& v) {
    v("name", &Output::name);
    v("type", &Output::type);
    v("bytes", &Output::bytes);
    v("elements", &Output::elements);
    v("unwritten", &Output::unwritten, "bytes that the kernel never wrote");
    v("first", &Output::first, "its first elements, at most 16");
    v("hex", &Output::hex, {"all of it, with `--bytes` or `--save`", Presence::sparse});
  }
};
struct LineCount {
  int line = 0;
  std::uint64_t warp_instructions = 0, thread_instructions = 0, global_sectors = 0, shared_wavefronts = 0,
                bank_conflicts = 0;
  template <class V>
  static void fields(V&& v) {
    v("line", &LineCount::line, "of the CUDA source, or of the PTX where that names none; 0: no line");
    v("warp_instructions", &LineCount::warp_instructions);
    v("thread_instructions", &LineCount::thread_instructions);
    v("global_sectors", &LineCount::global_sectors);
    v("shared_wavefronts", &LineCount::shared_wavefronts);
    v("bank_conflicts", &LineCount::bank_conflicts);
  }
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
  template <class V>
  static void fields(V&& v) {
    v("ending", &Outcome::ending);
    v("why", &Outcome::why, "one sentence; empty: passed");
    v("kernel", &Outcome::kernel);
    v("target", &Outcome::target, "of the PTX");
    v("differences", &Outcome::differences, "of each output that differs the first element");
    v("findings", &Outcome::findings, "in the order found, of each pair of statements one");
    v("further_findings", &Outcome::further_findings, "that are not listed, repetitions among them");
    v("outputs", &Outcome::outputs);
    v("counters", &Outcome::counters, "simulated, exact, under the names of [METRICS](#metrics)");
    v("lines", &Outcome::lines, "the same by line, of lines that ran");
    v("printed", &Outcome::printed, "by `printf`");
    v("compiler", &Outcome::compiler, {"of CUDA code", Presence::sparse});
    v("log", &Outcome::log, {"the compiler's warnings", Presence::sparse});
    v("seconds", &Outcome::seconds, "of the host for each run; says nothing about a device");
    v("compile_seconds", &Outcome::compile_seconds);
  }
};

}  // namespace ww::sim
