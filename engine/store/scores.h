// SPDX-License-Identifier: Apache-2.0
// The columns of a run's candidates needed to judge one more; reading whole rows would get slower as the run grows.
// Uses a separate connection.
#pragma once
#include <cstdint>
#include <filesystem>
#include <vector>
#include "base/provenance.h"
#include "base/result.h"

namespace ww::store {

struct ScoreRecord {
  std::int64_t candidate = 0;
  double value = 0;
  Provenance provenance = Provenance::unknown;
};
struct RunScores {
  std::vector<ScoreRecord> scores;             // of accepted candidates, in order of their verdicts
  std::vector<std::int64_t> without_identity;  // judged by an older version, which computed none
};
Result<RunScores> scores_of(const std::filesystem::path& workspace, std::int64_t run);

}  // namespace ww::store
