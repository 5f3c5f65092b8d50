// SPDX-License-Identifier: Apache-2.0
// A part of a launch, step by step.
#pragma once
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>
#include "base/describe.h"
#include "compile/compile.h"
#include "sim/job.h"
#include "sim/lens.h"
#include "sim/step_facts.h"
#include "sim/stepper.h"

namespace ww::sim {

inline constexpr std::int64_t most_traced = 1000;    // steps in one answer
inline constexpr std::int64_t most_timeline = 2000;  // parts

struct TraceQuery {
  std::vector<std::int64_t> block;  // empty: all blocks
  int warp = -1;                    // whose steps are shown; -1: all
  std::int64_t from = 0, to = -1;   // positions; to -1: as far as `most` goes
  std::optional<StopAt> until;      // instead of `to`
  bool last = false;                // the last such place of the launch, not the first after `from`
  std::int64_t back = 0;            // then so many steps back, of the warp
  std::int64_t most = 40;           // steps shown
  std::string lens;                 // a buffer whose elements are looked at; then the launch runs to its end by default
  std::int64_t frames = 0;          // of the lens, on the way there
  std::vector<StopAt> stops;        // with `until`: further places to stop at
  bool reverse = false;             // with `until`: back from `from`, not forwards
  int registers = -1;               // of this warp, all; -1: of none
  bool of_last = false;             // `registers` and `thread`, by its lane, are of the last shown step's warp instead
  bool shared = false;              // what shared memory holds
  std::int64_t timeline = 0;        // parts of the block's time line; 0: none
  std::vector<std::int64_t> timeline_known;  // first and end of one that the asker has: it is not told again
  bool totals = false;                       // what all steps so far cost
  int thread = -1;                           // of the block: its next write is told; -1: of none
  bool state = false;                        // its fingerprint
  WW_FIELDS(TraceQuery, (block, "only this one is shown, and those before it run first; empty: all", defaulted),
            (warp, "only its steps are shown; -1: all", defaulted), (from, "the first step shown", defaulted),
            (to, "the position to go to; -1: as far as `most` steps are shown", defaulted),
            (until, "instead of `to`: where to stop", sparse), (last, "the last such place, not the first", defaulted),
            (back, "steps of the warp to go back from there", defaulted),
            (most, "steps shown: of `until` and `to` with `back` the last ones, else the first", defaulted),
            (lens,
             "a buffer whose elements are looked at; then it goes to the end, unless `to` or `until` say otherwise",
             sparse),
            (frames, "with `lens`: how often on the way the buffer is shown", defaulted),
            (stops, "with `until`: further places to stop at", sparse),
            (reverse, "with `until`: back from `from`, not forwards", defaulted),
            (registers, "of this warp all are shown; -1: of none", defaulted),
            (of_last, "`registers` and, by its lane, `thread` are of the last shown step's warp instead", defaulted),
            (shared, "what shared memory holds is shown", defaulted),
            (timeline, "into so many parts the block's steps are divided; 0: no time line", defaulted),
            (timeline_known, "where a time line that the asker has begins and ends: that one is not told again",
             sparse),
            (totals, "what all steps so far cost is shown", defaulted),
            (thread, "of the block: its next write to a buffer is shown; -1: of none", defaulted),
            (state, "the state's fingerprint is shown", defaulted))
};

struct Trace {
  static constexpr std::string_view described_as = "SIM TRACE";
  std::string kernel, target;
  Arrival arrival = Arrival::there;
  std::int64_t position = 0, recorded = 0;
  bool ended = false;
  std::int64_t first = 0, end = 0;  // positions: what is shown is of the steps between
  std::int64_t left_out = 0;
  std::vector<StepFacts> steps;
  std::vector<std::uint32_t> block;
  std::vector<WarpFacts> warps;
  std::vector<StepFinding> findings;
  std::string printed, compiler, log;
  std::optional<Lens> lens;
  std::vector<WrittenRegister> registers;
  std::optional<SharedFacts> shared;
  std::optional<Timeline> timeline;
  std::optional<LiveFacts> live;
  std::vector<VariableFacts> variables;
  std::optional<StepTotals> totals;
  std::optional<NextWrite> next_write;
  std::string state;
  std::int64_t bytes = 0;
  double seconds = 0;
  WW_FIELDS(Trace, kernel, (target, "of the PTX"),
            (arrival,
             "`there`: at the place that was asked for; `found`: a check found something before it; `ended`: the "
             "launch ended before it; `limit`: after 8,000,000 steps"),
            (position, "steps that have run where `warps` are shown"), (recorded, "steps that have run at all"),
            (ended, "nothing runs after the position"), (first, "the first step of the part that is shown"),
            (end, "the position at its end"),
            (left_out, "steps between `from` and the position that are not shown, of the chosen warp"), steps,
            (block, "that runs at the position"), (warps, "of that block, at the position"),
            (findings, "of all recorded steps"), (lens, "of the chosen buffer, up to the position", sparse),
            (registers, "of the chosen warp, in its innermost function, with the values of all 32 lanes", sparse),
            (shared, "memory of the block, where asked for", sparse),
            (timeline, "of the block, where asked for and not known", sparse),
            (variables, "of the source, of the chosen warp; of code compiled for debugging", sparse),
            (live, "registers of the chosen warp, until it has ended", sparse),
            (totals, "of all steps so far, where asked for", sparse),
            (next_write, "of the chosen thread, among the steps that have run; without it there is none", sparse),
            (state, "where asked for, the fingerprint of the whole state at the position", sparse),
            (printed, "by `printf`, up to the position"), (compiler, "of CUDA code", sparse),
            (log, "the compiler's warnings", sparse), (bytes, "of host memory that the recording takes"),
            (seconds, "of the host"))
};

// `compiler` may be null for PTX. Errors: as run(); invalid_argument: the query, too.
Result<Trace> trace(const Job& job, const TraceQuery& query, compile::Compiler* compiler, std::stop_token stop = {});

// Answers as trace() does, and keeps the launch, so that a further query about the same one need not run it again: only
// `recorded`, the findings beyond the position, `bytes` and `seconds` tell the difference. `launch` names it, so that
// further() need not be given the job.
class Tracing {
 public:
  Tracing();
  ~Tracing();
  Result<Trace> trace(const Job& job, const TraceQuery& query, compile::Compiler* compiler, std::stop_token stop = {},
                      std::int64_t launch = 0);
  // Code::not_found: another launch is kept, or none, or one of other blocks.
  Result<Trace> further(std::int64_t launch, const TraceQuery& query, std::stop_token stop = {});
  void forget();

 private:
  struct Kept;
  Result<Trace> answer(const TraceQuery& query, std::stop_token stop);
  std::unique_ptr<Kept> kept_;
};

}  // namespace ww::sim
