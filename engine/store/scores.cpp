// SPDX-License-Identifier: Apache-2.0
#include "store/scores.h"
#include "store/database_file.h"
#include "store/sqlite.h"

namespace ww::store {

Result<RunScores> scores_of(const std::filesystem::path& workspace, std::int64_t run) {
  const auto db = WW_TRY(Database::open(database_of(workspace), Database::Access::read));
  RunScores out;
  Statement scores = db->prepare(
      "SELECT c.id, c.score, c.score_provenance FROM candidate c JOIN verdict v ON v.candidate = c.id "
      "WHERE c.run = ? AND c.state = 'accepted' AND c.score IS NOT NULL ORDER BY v.id");
  scores.bind(run);
  while (WW_TRY(scores.step())) {
    ScoreRecord& score = out.scores.emplace_back();
    scores.read(score.candidate, score.value, score.provenance);
  }
  Statement unknown = db->prepare(
      "SELECT id FROM candidate WHERE run = ? AND identity IS NULL AND state IN ('accepted', 'rejected') ORDER BY id");
  unknown.bind(run);
  while (WW_TRY(unknown.step())) out.without_identity.push_back(unknown.integer(0));
  return out;
}

}  // namespace ww::store
