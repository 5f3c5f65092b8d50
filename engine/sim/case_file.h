// SPDX-License-Identifier: Apache-2.0
// A launch as a JSON file that a person writes (docs/sim.md).
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>
#include "base/describe.h"
#include "sim/job.h"

namespace ww::sim {

struct Series {  // element i is start + step * (i mod period)
  std::int64_t count = 0;
  double start = 0, step = 0;
  std::int64_t period = 0;  // 0: it does not repeat
  bool operator==(const Series&) const = default;
  WW_FIELDS(Series, (count, "elements"), (start, "the first one", defaulted), (step, "from one to the next", defaulted),
            (period, "after so many it begins again; 0: never", defaulted))
};
// Hex digits or the name of a file; a list of elements; or a rule for them.
using Content = std::variant<Series, std::vector<Number>, std::string>;

struct CaseBuffer {
  std::string name;
  std::optional<Content> in, out;
  std::optional<std::int64_t> bytes;
  std::string type;
  bool read_only = false;
  WW_FIELDS(CaseBuffer, (name, "in reports; else `arg 0` and so on", sparse),
            (in,
             "what the buffer holds at first: hex digits, a file, a list of numbers, or `{\"count\", \"start\", "
             "\"step\", \"period\"}`: element i is start + step * (i mod period)",
             sparse),
            (out, "what it must hold at the end, likewise; with `in`, the kernel changes it in place", sparse),
            (bytes,
             "its size, where that is not the size of `in` or `out`; alone: an output that is shown, not compared",
             sparse),
            (type,
             "of its elements, for lists, `rtol` and `atol`, and to show it: f64 f32 f16 bf16 e4m3 e5m2 i64 i32 i8 u64 "
             "u32 u16 u8 bool",
             sparse),
            (read_only, "a write to it is a fault", sparse))
};
struct CaseArgument : CaseBuffer {
  std::optional<std::variant<std::string, std::int64_t, std::uint64_t, double>> value;
  template <class V>
  static void fields(V&& v) {
    CaseBuffer::fields(v);
    v("value", &CaseArgument::value,
      {"passed itself: hex digits of the parameter's bytes in memory order, or a number of the parameter's type",
       Presence::sparse});
  }
};

struct CaseFile {
  static constexpr std::string_view described_as = "CASE FILE";
  std::string comment, ptx, cu, entry, arch;
  std::map<std::string, std::int64_t> defines;
  std::vector<std::string> options;
  std::vector<std::int64_t> grid{1}, block, cluster;
  bool cooperative = false;
  std::int64_t dyn_shared = 0;
  std::vector<Check> checks{Check::memory, Check::races, Check::init, Check::sync};
  std::vector<CaseArgument> args;
  std::vector<CaseBuffer> symbols;
  std::variant<Tolerance, std::string> compare = std::string("exact");
  std::int64_t budget = 0;
  std::uint64_t seed = 0;
  int threads = 0;
  WW_FIELDS(CaseFile, (comment, "for readers", sparse), (ptx, "a file of PTX, beside the case or below", sparse),
            (cu, "a file of CUDA C++ instead", sparse),
            (entry, "the kernel's name, in C++ without its parameters; may be missing where there is one", sparse),
            (arch, "to compile `cu` for, `sm_90a` for instance; default: sm_80", sparse),
            (defines, "macros for `cu`", sparse), (options, "for `cu`: `fast-math`, `maxrregcount=64`", sparse),
            (grid, "blocks in x, y, z; default: 1", defaulted), (block, "threads in x, y, z"),
            (cluster, "blocks in x, y, z; more than one are not simulated", sparse),
            (cooperative, "all blocks run at once and may wait for each other; at most 256", sparse),
            (dyn_shared, "bytes of dynamic shared memory", defaulted),
            (checks, "default: all; `memory` is always on", defaulted),
            (args, "in the order of the kernel's parameters", defaulted),
            (symbols, "variables of the module, by name", sparse),
            (compare, "`exact`, or what reals may differ by", defaulted),
            (budget, "warp instructions after which it is stopped; 0: no limit", defaulted),
            (seed, "seed of what a program must not depend on: the order of blocks, clocks, addresses, garbage",
             defaulted),
            (threads, "of the host; 0: all. With races checked, one at a time runs", defaulted))
};

inline constexpr std::size_t max_case_bytes = std::size_t{16} << 20;     // of a case file
inline constexpr std::size_t max_content_bytes = std::size_t{96} << 20;  // of all its contents together

// Reads a file that a case names; the name as written there.
using ReadFile = std::function<Result<std::string>(const std::string& name, std::size_t max_bytes)>;
// Code::invalid_argument; the message names the member.
Result<Job> job_of(std::string_view case_text, const ReadFile& read);
Result<Job> read_case(const std::filesystem::path& file);  // its files: relative to its folder

}  // namespace ww::sim
