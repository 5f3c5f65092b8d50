// SPDX-License-Identifier: Apache-2.0
// The result of a command, the same for a terminal, a script (--json) and clients of `warpwright-cli mcp`.
// Each function below is in the file of its command.
#pragma once
#include <functional>
#include <stop_token>
#include <string>
#include <vector>
#include "base/result.h"
#include "candidate/claim.h"
#include "measured.h"
#include "output.h"
#include "subject.h"

namespace ww::cli {

struct Answer {
  Json json;         // the members that docs/json.md describes
  std::string text;  // for a terminal
  int exit = Exit::done;
  Json records = {};  // for tables in other formats: a list of objects; null: none
};
int print_answer(const Common& common, Answer answer);  // on stdout, in the requested format

struct Watch {  // for long operations: cancellation, and progress reports on the calling thread
  std::stop_token stop;
  std::function<void(double fraction, const std::string& text)> progress = [](double, const std::string&) {};
};
Watch shown_live(LiveLine& live);
measure::ProgressHandler measuring(const Watch& watch);  // `watch` must outlive it

Answer understood(const CommandSubject& subject);  // how a sentence or a spec is understood
Answer ops_found(const op::Library& library, const std::string& words);
Result<Answer> runs_of(store::Workspace& workspace);
Result<Answer> candidates_of(store::Workspace& workspace, std::int64_t run);
Result<Answer> shown(store::Workspace& workspace, const store::CandidateRecord& candidate, bool with_ptx,
                     const std::optional<std::string>& sass);
Result<Answer> differences(store::Workspace& workspace, const std::string& before, const std::string& after);
Result<Answer> advised(store::Workspace& workspace, const store::CandidateRecord& candidate);
Result<Answer> noted(store::Workspace& workspace, const store::CandidateRecord& candidate, int line,
                     const std::string& text, const std::string& reviewer);
struct ExportArgs {
  std::vector<std::string> candidates;  // several: for other sizes of the same op
  std::string as = "torch", backward;
  std::filesystem::path folder;
  bool unsigned_too = false;
};
Result<Answer> exported(store::Workspace& workspace, const ExportArgs& wanted);

struct Check {  // a candidate that is ready to be judged
  rpc::GateRequest request;
  rpc::WorkerOptions worker;
  std::string tuning;  // the first choices, if it had open ones
  std::vector<candidate::Claim> claims;
  bool show_wrong = false;      // show where an output is wrong
  std::filesystem::path repro;  // the file that a failure is written to; empty: none
};
Result<Check> prepare_check(const CommandSubject& subject, const CheckArgs& args);  // Code::parse: not a candidate file
// errors concern the environment
Result<Answer> judged(const CommandSubject& subject, const Check& check, const Watch& watch);
struct Kept {
  Json json;
  std::string text;
};
Result<Kept> keep_repro(rpc::Supervisor& worker, const Check& check, const evidence::Verdict& verdict,
                        const Watch& watch);                                       // writes check.repro
Result<Answer> reproduced(const std::filesystem::path& file, const Watch& watch);  // of one that was written

// With all of a run's options; `subject` must have a spec. The result of a new or resumed run.
Result<generator::RunOptions> exploring(const CommandSubject& subject, const RunArgs& run);
Exit exit_of_run(store::RunState state, bool good);  // of a run or a campaign; `good`: it has what it was run for
Result<Answer> explored(store::Workspace& workspace, std::int64_t run, const explore::RunEnded& ended);
Answer not_understood(const CommandSubject& subject);       // so nothing was explored
std::string judged_text(const explore::CandidateRow& row);  // one line

struct Pair {
  measure::Case what;
  measure::Subject first, second;
};
Result<Pair> pair_of(Target first, Target second);  // Code::invalid_argument: of different ops
// Opens the device and the workspace, and shows how far the measuring is. Errors concern the environment.
int print_measured(const Common& common, const MeasureArgs& args,
                   const std::function<Result<Answer>(Opened& opened, const Watch& watch)>& measure);
Result<Answer> timed(Opened& opened, const Target& target, const Watch& watch);
Result<Answer> counted(Opened& opened, const Target& target, const std::string& counters, const Watch& watch);
// Compares two stored candidates without a device; each number keeps its provenance.
Result<Answer> compared_stored(store::Workspace& workspace, const store::CandidateRecord& first,
                               const store::CandidateRecord& second);
Result<Answer> compared(Opened& opened, const Pair& pair, const Watch& watch);

}  // namespace ww::cli
