// SPDX-License-Identifier: Apache-2.0
// A part of a launch, step by step.
#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <vector>
#include "compile/compile.h"
#include "sim/job.h"
#include "sim/lens.h"
#include "sim/step_facts.h"
#include "sim/stepper.h"

namespace ww::sim {

inline constexpr std::int64_t most_traced = 1000;  // steps in one answer

struct TraceQuery {
  std::vector<std::int64_t> block;  // empty: all blocks
  int warp = -1;                    // whose steps are shown; -1: all
  std::int64_t from = 0, to = -1;   // positions; to -1: as far as `most` goes
  std::optional<StopAt> until;      // instead of `to`
  bool last = false;                // the last such place of the launch, not the first after `from`
  std::int64_t back = 0;            // then so many steps back, of the warp
  std::int64_t most = 40;           // steps shown
  std::string lens;                 // a buffer whose elements are looked at; then the launch runs to its end by default
  template <class V>
  static void fields(V&& v) {
    v("block", &TraceQuery::block,
      {"only this one is shown, and those before it run first; empty: all", Presence::defaulted});
    v("warp", &TraceQuery::warp, {"only its steps are shown; -1: all", Presence::defaulted});
    v("from", &TraceQuery::from, {"the first step shown", Presence::defaulted});
    v("to", &TraceQuery::to, {"the position to go to; -1: as far as `most` steps are shown", Presence::defaulted});
    v("until", &TraceQuery::until, {"instead of `to`: where to stop", Presence::sparse});
    v("last", &TraceQuery::last, {"the last such place, not the first", Presence::defaulted});
    v("back", &TraceQuery::back, {"steps of the warp to go back from there", Presence::defaulted});
    v("most", &TraceQuery::most,
      {"steps shown: of `until` and `to` with `back` the last ones, else the first", Presence::defaulted});
    v("lens", &TraceQuery::lens,
      {"a buffer whose elements are looked at; then it goes to the end, unless `to` or `until` say otherwise",
       Presence::sparse});
  }
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
  std::int64_t bytes = 0;
  double seconds = 0;
  template <class V>
  static void fields(V&& v) {
    v("kernel", &Trace::kernel);
    v("target", &Trace::target, "of the PTX");
    v("arrival", &Trace::arrival,
      "`there`: at the place that was asked for; `found`: a check found something before it; `ended`: the launch ended "
      "before it; `limit`: after 8,000,000 steps");
    v("position", &Trace::position, "steps that have run where `warps` are shown");
    v("recorded", &Trace::recorded, "steps that have run at all");
    v("ended", &Trace::ended, "nothing runs after the position");
    v("first", &Trace::first, "the first step of the part that is shown");
    v("end", &Trace::end, "the position at its end");
    v("left_out", &Trace::left_out, "steps between `from` and the position that are not shown, of the chosen warp");
    v("steps", &Trace::steps);
    v("block", &Trace::block, "that runs at the position");
    v("warps", &Trace::warps, "of that block, at the position");
    v("findings", &Trace::findings, "of all recorded steps");
    v("lens", &Trace::lens, {"of the chosen buffer, up to the position", Presence::sparse});
    v("printed", &Trace::printed, "by `printf`, up to the position");
    v("compiler", &Trace::compiler, {"of CUDA code", Presence::sparse});
    v("log", &Trace::log, {"the compiler's warnings", Presence::sparse});
    v("bytes", &Trace::bytes, "of host memory that the recording takes");
    v("seconds", &Trace::seconds, "of the host");
  }
};

// `compiler` may be null for PTX. Errors: as run(); invalid_argument: the query, too.
Result<Trace> trace(const Job& job, const TraceQuery& query, compile::Compiler* compiler, std::stop_token stop = {});

}  // namespace ww::sim
