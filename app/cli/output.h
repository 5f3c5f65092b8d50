// SPDX-License-Identifier: Apache-2.0
// JSON and text that several commands print. `warpwright-cli schema` documents the JSON.
#pragma once
#include <memory>
#include <string>
#include "base/described_json.h"
#include "base/protection.h"
#include "base/result.h"
#include "command.h"
#include "explore/run.h"
#include "evidence/verdict.h"
#include "op/spec.h"
#include "store/default_workspace.h"
#include "store/workspace.h"

namespace ww::cli {

using json::Json;
using Access = store::Workspace::Access;

void print_text(const std::string& text);                           // stdout, through put()
Json answer_json(const std::string& command, const Json& members);  // with "schema" and "command" in front
void print_json(const Common& common, Json members);                // the same, on stdout
Json error_json(const Error& error);                                // what stands under "error"
// Says it on stderr, or as {"error": …} on stdout; the exit code that fits the error's code.
int failed(const Common& common, const Error& error);
int failed(const Common& common, const Error& error, int exit_code);

Json run_json(const store::Workspace& workspace, store::RunRecord run);  // with the state that it is in now
Json verdict_json(const evidence::Verdict& verdict, bool with_ptx);
Json reviews_json(
    const std::vector<store::ReviewRecord>& reviews);  // notes and decisions on one candidate, oldest first
// Where the review of the candidate with this hash stands; what was decided elsewhere is named apart.
std::string review_text(const std::vector<store::ReviewRecord>& reviews, const std::string& hash);
std::string reviews_text(const std::vector<store::ReviewRecord>& reviews);  // one line each
Json spec_json(const op::Spec& spec);
std::string verdict_text(const evidence::Verdict& verdict);  // stages with marks, coverage, resources, metrics
std::string ranked_text(std::vector<explore::CandidateRow> rows);
std::string score_text(const appraisal::Score& score);

void say_missing(const std::vector<Protection>& sandbox);  // on stderr, one line; nothing where none is missing

Result<std::unique_ptr<store::Workspace>> open_workspace(const Common& common, Access access);
Result<std::int64_t> run_number(store::Workspace& workspace, const std::string& text);  // "12", "last", "" as "last"
store::RunState state_of(const store::Workspace& workspace,
                         const store::RunRecord& run);  // "interrupted" when its process died

}  // namespace ww::cli
