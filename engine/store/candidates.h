// SPDX-License-Identifier: Apache-2.0
// The rows of candidates, their sources and their verdicts. The caller must hold the lock and the transaction; `blobs`
// is the folder of the workspace's blobs.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>
#include "base/result.h"
#include "store/sqlite.h"
#include "store/workspace.h"

namespace ww::store {

tl::unexpected<Error> absent(const char* what, std::int64_t id);  // not found, as a sentence

// Returns the row's number; `known`, if given, is set if the run already had the text.
Result<std::int64_t> insert_candidate(Database& db, const CandidateRecord& candidate, bool* known);
// Only the row, without its verdict.
Result<CandidateRecord> read_candidate_row(Database& db, std::int64_t id);
Result<CandidateRecord> read_candidate(Database& db, const std::filesystem::path& blobs, std::int64_t id);
// Finds a candidate by number, or the newest by hash prefix.
Result<CandidateRecord> find_candidate(Database& db, const std::filesystem::path& blobs, const std::string& given);
Result<CandidateRecord> find_candidate_of(Database& db, const std::filesystem::path& blobs, std::int64_t run,
                                          const std::string& hash);
Result<std::vector<CandidateRecord>> list_candidates(Database& db, std::int64_t run);  // rows with texts
// Rows without texts, changed after `since`.
Status each_candidate(Database& db, std::int64_t run, std::int64_t since,
                      const std::function<Status(const CandidateRecord&)>& take);

struct Judgement {  // the parts of a verdict shown in lists
  std::optional<double> score;
  Provenance provenance;
  std::string unit;
  std::optional<std::string> identity;
};
// `json`: the verdict without its PTX; `ptx`: the hash of the listing's blob, or empty.
Status store_verdict(Database& db, std::int64_t candidate, const evidence::Verdict& verdict, const std::string& json,
                     const std::string& ptx, const Judgement& judgement);

bool candidate_of_replay(Database& db, std::int64_t candidate);  // whether its exchange was a replay

}  // namespace ww::store
