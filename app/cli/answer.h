// SPDX-License-Identifier: Apache-2.0
// The result of a command, for a terminal, a script (--json) and clients of `warpwright-cli mcp`: all get the same.
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
  Json json;         // its members, which docs/json.md describes
  std::string text;  // for a terminal
  int exit = Exit::done;
  Json records = {};  // of tables for other programs: a list of objects; null: it has none
};
int say(const Common& common, Answer answer);  // on stdout, as it was asked for

struct Watch {  // over long work: it can be stopped, and says how far it is, on the thread that called it
  std::stop_token stop;
  std::function<void(double fraction, const std::string& text)> progress = [](double, const std::string&) {};
};
Watch shown_live(LiveLine& live);
measure::ProgressHandler measuring(const Watch& watch);  // outlived by it

Answer understood(const Subject& subject);  // how a sentence or a spec is read
Answer ops_found(const op::Library& library, const std::string& words);
Result<Answer> runs_of(store::Workspace& workspace);
Result<Answer> candidates_of(store::Workspace& workspace, std::int64_t run);
Result<Answer> shown(store::Workspace& workspace, const store::CandidateRecord& candidate, bool with_ptx,
                     const std::optional<std::string>& sass);
Result<Answer> differences(store::Workspace& workspace, const std::string& before, const std::string& after);
Result<Answer> advised(store::Workspace& workspace, const store::CandidateRecord& candidate);
Result<Answer> noted(store::Workspace& workspace, const store::CandidateRecord& candidate, int line,
                     const std::string& text, const std::string& reviewer);
Result<Answer> exported(store::Workspace& workspace, const std::string& candidate, const std::string& as,
                        const std::filesystem::path& folder, bool unsigned_too);

struct Check {  // a candidate that is ready to be judged
  rpc::GateRequest request;
  rpc::WorkerOptions worker;
  std::string tuning;  // the first choices, made for it
  std::vector<candidate::Claim> claims;
  bool show_wrong = false;  // where an output is wrong
};
Result<Check> prepare_check(const Subject& subject, const CheckArgs& args);  // Code::parse: it is no candidate file
Result<Answer> judged(const Subject& subject, const Check& check, const Watch& watch);  // errors: the environment

// All of a run's options; `subject` has a spec. What a new run or a resumed one came to.
Result<generator::RunOptions> exploring(const Subject& subject, const RunArgs& run);
Result<Answer> explored(store::Workspace& workspace, std::int64_t run, const explore::RunEnded& ended);
Answer not_understood(const Subject& subject);              // so nothing was explored
std::string judged_text(const explore::CandidateRow& row);  // one line

struct Pair {
  measure::Case what;
  measure::Subject first, second;
};
Result<Pair> pair_of(Target first, Target second);  // Code::invalid_argument: of different ops
Result<Answer> timed(Opened& opened, const Target& target, const Watch& watch);
Result<Answer> counted(Opened& opened, const Target& target, const std::string& counters, const Watch& watch);
// Compares two stored candidates without a device; each number keeps its provenance.
Result<Answer> compared_stored(store::Workspace& workspace, const store::CandidateRecord& first,
                               const store::CandidateRecord& second);
Result<Answer> compared(Opened& opened, const Pair& pair, const Watch& watch);

}  // namespace ww::cli
