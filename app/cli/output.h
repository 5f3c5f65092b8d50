// SPDX-License-Identifier: Apache-2.0
// JSON and text printed by several commands. `warpwright-cli schema` documents the JSON.
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
Json answer_json(const std::string& command, const Json& members);  // preceded by "schema" and "command"
void print_json(const Common& common, Json members);                // the same, on stdout
Json error_json(const Error& error);                                // the member "error"
// Of a file that the person named: what is wrong with it is the call's fault, not the installation's.
template <class T>
Result<T> of_argument(Result<T> read) {
  if (read) return read;
  Error error = read.error();
  if (error.code == Code::io || error.code == Code::corrupt) error.code = Code::invalid_argument;
  return fail(std::move(error));
}
// Prints it on stderr, or as {"error": …} on stdout; returns the exit code for the error's code.
int failed(const Common& common, const Error& error);
int failed(const Common& common, const Error& error, int exit_code);

Json run_json(const store::Workspace& workspace, store::RunRecord run);  // with its current state
Json verdict_json(const evidence::Verdict& verdict, bool with_ptx);
Json reviews_json(
    const std::vector<store::ReviewRecord>& reviews);  // notes and decisions on one candidate, oldest first
// The review state of the candidate with this hash; imported decisions are listed separately.
std::string review_text(const std::vector<store::ReviewRecord>& reviews, const std::string& hash);
std::string reviews_text(const std::vector<store::ReviewRecord>& reviews);  // one line each
Json spec_json(const op::Spec& spec);
std::string verdict_text(const evidence::Verdict& verdict);  // stages with marks, coverage, resources, metrics
// One line that says that the run's spec is unconfirmed; empty: it is not.
std::string unconfirmed_line(store::Workspace& workspace, std::int64_t run);
std::string ranked_text(std::vector<explore::CandidateRow> rows);
std::string score_text(const appraisal::Score& score);

void warn_missing_protections(
    const std::vector<Protection>& sandbox);  // on stderr, one line; nothing if all are active

Result<std::unique_ptr<store::Workspace>> open_workspace(const Common& common, Access access);
Result<std::int64_t> run_number(store::Workspace& workspace, const std::string& text);  // "12", "last", "" as "last"
store::RunState state_of(const store::Workspace& workspace,
                         const store::RunRecord& run);  // "interrupted" if its process died
// "'warpwright-cli explore --resume 3' resumes it."
std::string resumed_text(const std::filesystem::path& workspace, const std::string& command, std::int64_t number);

}  // namespace ww::cli
